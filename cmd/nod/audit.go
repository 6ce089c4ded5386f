package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/ledger"
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
			said, err := a.prove(against, known)
			if err != nil {
				return a.verdict(err)
			}
			return a.Printf("%s", said)
		},
	}
	cmd.Flags().StringVar(&against, "against", "", "a log with the heads that were copied; - reads standard input")
	cmd.Flags().Uint64Var(&known, "known", 0, "the losses that the record tells of up to this number are known")
	return cmd
}

// prove proves the ledger by what is here, or by a log of its heads.
func (a *program) prove(against string, known uint64) (string, error) {
	dir, err := a.ledgerFolder()
	switch {
	case err != nil:
		return "", err
	case against == "":
		return record.Verify(a.Getenv, dir, known)
	case against == "-":
		return record.Compare(dir, a.In, against, known)
	}
	log, err := os.Open(against)
	if err != nil {
		return "", fmt.Errorf("audit: --against: %w", err)
	}
	defer log.Close() //nolint:errcheck // opened for reading only
	return record.Compare(dir, log, against, known)
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
			lines, err := record.Lines(dir, last)
			for _, line := range lines {
				if err := a.Printf("%s\n", line); err != nil {
					return err
				}
			}
			return err
		},
	}
	cmd.Flags().IntVarP(&last, "last", "n", 50, "how many of the newest records; 0 means all")
	return cmd
}

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
