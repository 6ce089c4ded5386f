package main

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

func ledgerDir(state string) string { return filepath.Join(state, "ledger") }

func (a *app) auditCommand() *cobra.Command {
	parent := &cobra.Command{
		Use:   "audit",
		Short: "read and prove the record of what ran",
	}
	parent.AddCommand(
		&cobra.Command{
			Use:   "verify",
			Short: "prove that nobody edited the record",
			Args:  cobra.NoArgs,
			RunE:  func(*cobra.Command, []string) error { return a.auditVerify() },
		},
		a.auditShowCommand(),
		a.auditExportCommand(),
	)
	return parent
}

// ledgerFolder is the folder of the ledger, which need not exist.
func (a *app) ledgerFolder() (string, error) {
	state, err := config.StatePath(a.getenv)
	if err != nil {
		return "", err
	}
	return ledgerDir(state), nil
}

// auditError says what to do about an error of the ledger.
func auditError(dir string, err error) error {
	var fault *ledger.Fault
	switch {
	case err == nil:
		return nil
	case errors.Is(err, ledger.ErrNone):
		return fmt.Errorf("audit: there is no record in %s yet; nothing has run", dir)
	case errors.As(err, &fault) && !fault.Recoverable:
		return fmt.Errorf("audit: %w; keep a copy of %s and find out who wrote there", err, dir)
	}
	return fmt.Errorf("audit: %w", err)
}

func (a *app) auditVerify() error {
	dir, err := a.ledgerFolder()
	if err != nil {
		return err
	}
	report, err := ledger.Verify(dir)
	if err != nil {
		return auditError(dir, err)
	}
	return a.printf("ok: %d records, head %s\n", report.Records, report.Head)
}

func (a *app) auditShowCommand() *cobra.Command {
	var last int
	cmd := &cobra.Command{
		Use:   "show",
		Short: "print the record, a line each",
		Long: `show prints the newest records, a line each; what does not fit a line is cut.
"nod audit export" has all of it.`,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.ledgerFolder()
			if err != nil {
				return err
			}
			return a.auditShow(dir, last)
		},
	}
	cmd.Flags().IntVarP(&last, "last", "n", 50, "how many of the newest records; 0 means all")
	return cmd
}

func (a *app) auditShow(dir string, last int) error {
	var lines []string
	err := ledger.Read(dir, func(r ledger.Record) error {
		lines = append(lines, recordLine(r))
		if last > 0 && len(lines) > last {
			lines = lines[1:]
		}
		return nil
	})
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		fmt.Fprintln(w, l)
	}
	if flushErr := w.Flush(); flushErr != nil {
		return flushErr
	}
	return auditError(dir, err)
}

// recordLine is a record in tab-separated columns. Foreign text is rendered so
// that it cannot move the cursor.
func recordLine(r ledger.Record) string {
	head := fmt.Sprintf("%d\t%s\t%s", r.Seq, r.Time.Local().Format("2006-01-02 15:04:05"), r.Type)
	switch {
	case r.Intent != nil:
		return head + "\t" + intentColumns(*r.Intent)
	case r.Conclusion != nil:
		outcome := r.Conclusion.Outcome
		if code := r.Conclusion.ExitCode; code != nil {
			outcome += fmt.Sprintf(" %d", *code)
		}
		return fmt.Sprintf("%s\t%s\t%s\t%s", head, short(r.Ref), outcome, show.Text(r.Conclusion.Error))
	case r.Note != nil && r.Note.Proposal != nil:
		return fmt.Sprintf("%s\t%s\t%s", head, r.Note.Kind, intentColumns(*r.Note.Proposal))
	case r.Note != nil:
		return fmt.Sprintf("%s\t%s\t%s", head, r.Note.Kind, show.Text(r.Note.Text))
	}
	return head
}

func intentColumns(i ledger.Intent) string {
	what := i.Path
	if what == "" {
		what = i.Command
	}
	return fmt.Sprintf("%s\t%s %s\t%s\t%s", short(i.ID), i.Target, i.Tool, i.Decision, brief(show.Text(what)))
}

// mostShown is how many characters of a command a line of "nod audit show" has.
const mostShown = 200

// brief is the beginning of a text that is too long for a line.
func brief(text string) string {
	all := []rune(text)
	if len(all) <= mostShown {
		return text
	}
	return fmt.Sprintf("%s… (%d characters; nod audit export has all of it)", string(all[:mostShown]), len(all))
}

// short is the end of an identifier, which tells records apart.
func short(id string) string { return id[max(0, len(id)-6):] }

func (a *app) auditExportCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "write the record for somebody else: JSON lines, or a Markdown ticket",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.ledgerFolder()
			if err != nil {
				return err
			}
			switch strings.ToLower(format) {
			case "json":
				err = ledger.ExportJSON(a.out, dir, nil)
			case "markdown":
				err = ledger.ExportMarkdown(a.out, dir, nil)
			default:
				err = fmt.Errorf("%q is not a format; use json or markdown", format)
			}
			return auditError(dir, err)
		},
	}
	cmd.Flags().StringVar(&format, "format", "json", "json or markdown")
	return cmd
}
