package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/ui/screen"
)

func (a *program) auditCommand() *cobra.Command {
	parent := &cobra.Command{
		Use:   "audit",
		Short: "read and prove the record of what ran",
	}
	parent.AddCommand(
		a.auditVerifyCommand(),
		a.auditShowCommand(),
		a.auditExportCommand(),
	)
	return parent
}

// ledgerFolder is the folder of the ledger, which need not exist.
func (a *program) ledgerFolder() (string, error) {
	state, err := config.StatePath(a.Getenv)
	if err != nil {
		return "", err
	}
	return config.LedgerDir(state), nil
}

// statusDamaged is what "nod audit verify" ends with when the record is not as nod
// wrote it.
const statusDamaged = 1

// verdict ends the program as the proof of the record did: it prints damage and
// makes a status of it.
func (a *program) verdict(err error) error {
	var found record.DamagedError
	if !errors.As(err, &found) {
		return err
	}
	if _, err := fmt.Fprintln(a.Err, "nod: "+screen.CleanLines(found.Error())); err != nil {
		return err
	}
	return process.ExitStatus(statusDamaged)
}

func (a *program) auditVerifyCommand() *cobra.Command {
	var against string
	var known uint64
	cmd := &cobra.Command{
		Use:   "verify",
		Short: "prove that nobody edited the record",
		Long: `verify proves each record by its seal and its place in the chain, and names the
first that is not as nod wrote it; it proves the recordings by the digests that
the record has of them, too. After 64 records, a minute, and at its end, nod signs
what is there with a key that it then overwrites: nobody can rewrite what was
signed, not even with all keys that are there now.

The last head is kept outside of the state folder (in nod/heads below
~/.local/share), and a copy of each goes to the system's log where there is one:
a record that was put back to an older state as a whole is found out by the file,
and by the log with --against if somebody rewrote that, too.

A record that was removed is found out by what else nod left in its state: the
file "records", recordings, conversations. The next record begins with a note of
it, and verify says so ever after, unless --known names a number at or after it.

The exit status is 0 if the record is as nod wrote it, 1 if it is not or if one is
missing, and 125 if it cannot be read or there was never one.`,
		Example: `  nod audit verify
  journalctl -t nod -o cat | nod audit verify --against -
  nod audit verify --against /var/log/auth.log`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if against != "" {
				return a.verdict(a.auditCompare(against, known))
			}
			return a.verdict(a.auditVerify(known))
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "a log with the heads that were copied; - reads standard input")
	cmd.Flags().Uint64Var(&known, "known", 0, "the losses that the record tells of up to this number are known")
	return cmd
}

// auditCompare proves the ledger and holds it against a log.
func (a *program) auditCompare(path string, known uint64) error {
	dir, err := a.ledgerFolder()
	if err != nil {
		return err
	}
	log := a.In
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return fmt.Errorf("audit: --against: %w", err)
		}
		defer f.Close() //nolint:errcheck // opened for reading only
		log = f
	}
	report, heads, err := ledger.Compare(dir, log)
	switch {
	case err != nil:
		return record.Explain(dir, err)
	case heads == 0:
		return fmt.Errorf("audit: there is no head of this record in %s; set [record] copy, or name the log that has them", path)
	}
	if err := auditLosses(dir, known); err != nil {
		return err
	}
	if _, err := record.CheckRecordings(filepath.Dir(dir)); err != nil {
		return err
	}
	return a.Printf("ok: %d records, head %s, %d heads in the log\n", report.Records, report.Head, heads)
}

// auditLosses says that a record before this one is missing.
func auditLosses(dir string, known uint64) error {
	lost, err := record.Lost(filepath.Dir(dir))
	if err != nil {
		return fmt.Errorf("audit: %w", err)
	}
	said, err := record.LossesOnRecord(dir, known)
	if err != nil {
		return record.Explain(dir, err)
	}
	if lost != "" {
		said = append(said, lost)
	}
	if len(said) == 0 {
		return nil
	}
	return record.DamagedError{Err: fmt.Errorf("audit: what is here is as nod wrote it, and is not all: %s", strings.Join(said, "; "))}
}

func (a *program) auditVerify(known uint64) error {
	dir, err := a.ledgerFolder()
	if err != nil {
		return err
	}
	report, err := ledger.Verify(dir, record.HeadsDir(a.Getenv))
	if err != nil {
		return record.Explain(dir, err)
	}
	if err := auditLosses(dir, known); err != nil {
		return err
	}
	summary, err := record.CheckRecordings(filepath.Dir(dir))
	if err != nil {
		return err
	}
	if err := a.Printf("ok: %d records, head %s\n", report.Records, report.Head); err != nil || summary == "" {
		return err
	}
	return a.Printf("%s\n", summary)
}

func (a *program) auditShowCommand() *cobra.Command {
	var last int
	cmd := &cobra.Command{
		Use:   "show",
		Short: "print the record, a line each",
		Long: `show prints the newest records, a line each; what does not fit a line is cut.
"nod audit export" has all of it, and the digests of recordings that have ended.
What ran in a pane has the place in its recording, which "nod replay" takes, like
the name of the run.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.ledgerFolder()
			if err != nil {
				return err
			}
			if last < 0 {
				return fmt.Errorf("audit: --last %d: want how many of the newest records, or 0 for all", last)
			}
			return a.auditShow(dir, last)
		},
	}
	cmd.Flags().IntVarP(&last, "last", "n", 50, "how many of the newest records; 0 means all")
	return cmd
}

func (a *program) auditShow(dir string, last int) error {
	var lines []string
	err := ledger.Read(dir, func(r ledger.Record) error {
		if r.Note != nil && r.Note.Kind == record.EndedKind {
			return nil
		}
		lines = append(lines, recordLine(r))
		if last > 0 && len(lines) > last {
			lines = lines[1:]
		}
		return nil
	})
	for _, line := range aligned(lines) {
		if printErr := a.Printf("%s\n", line); printErr != nil {
			return printErr
		}
	}
	return record.Explain(dir, err)
}

// widest is how wide a column of "nod audit show" gets, but for the last of a line.
// What is longer pushes the rest of its own line, not of all.
const widest = 30

// aligned are lines of tab-separated columns with the columns under each other, by
// how wide a terminal draws them.
func aligned(lines []string) []string {
	var widths []int
	rows := make([][]string, len(lines))
	for i, line := range lines {
		rows[i] = strings.Split(line, "\t")
		for j, cell := range rows[i][:len(rows[i])-1] {
			if j == len(widths) {
				widths = append(widths, 0)
			}
			widths[j] = max(widths[j], min(screen.Width(cell), widest))
		}
	}
	for i, row := range rows {
		var b strings.Builder
		for j, cell := range row {
			b.WriteString(cell)
			if j < len(row)-1 {
				b.WriteString(strings.Repeat(" ", max(0, widths[j]-screen.Width(cell))+2))
			}
		}
		lines[i] = strings.TrimRight(b.String(), " ")
	}
	return lines
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
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", head, short(r.Ref), outcome, show.Text(r.Conclusion.Error), placeOf(r.Conclusion.Recording))
	case r.Note != nil && r.Note.Proposal != nil:
		return fmt.Sprintf("%s\t%s\t%s", head, r.Note.Kind, intentColumns(*r.Note.Proposal))
	case r.Note != nil:
		return fmt.Sprintf("%s\t%s\t%s", head, r.Note.Kind, show.Text(r.Note.Text))
	}
	return head
}

// placeOf is where something is seen, as "nod replay" takes it; empty if it is
// not recorded.
func placeOf(r *ledger.Recording) string {
	if r == nil {
		return ""
	}
	return show.Text(r.File) + "@" + r.At.Round(time.Millisecond).String()
}

func intentColumns(i ledger.Intent) string {
	what := i.Path
	if what == "" {
		what = i.Command
	}
	tool := i.Tool
	if n := len(i.Targets); n > 0 {
		tool += fmt.Sprintf(" (%d targets)", n)
	}
	if i.Agent != "" {
		tool += " (" + i.Agent + " under " + i.Parent + ")"
	}
	return fmt.Sprintf("%s\t%s %s\t%s\t%s", short(i.ID), i.Target, show.Text(tool), i.Decision, brief(show.Text(what)))
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

func (a *program) auditExportCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "export",
		Short: "write the record for somebody else: JSON lines, or a Markdown ticket",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			dir, err := a.ledgerFolder()
			if err != nil {
				return err
			}
			switch strings.ToLower(format) {
			case "json":
				err = ledger.ExportJSON(a.Out, dir, nil)
			case "markdown":
				err = ledger.ExportMarkdown(a.Out, dir, nil)
			default:
				err = fmt.Errorf("%q is not a format; use json or markdown", format)
			}
			return record.Explain(dir, err)
		},
	}
	cmd.Flags().StringVar(&format, "format", "json", "json or markdown")
	return cmd
}
