package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/controller"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/themes"
)

// checkTimeout bounds each of the doctor's checks.
const checkTimeout = 5 * time.Second

// finding is the result of one check.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
	// Optional marks what nod can do without.
	Optional bool `json:"optional,omitempty"`
}

func (a *program) doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "check terminal, tmux, shell, ssh, model, state and clock, with a fix for each failure",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all := a.examine(cmd.Context())
			if asJSON {
				if err := json.NewEncoder(a.Out).Encode(all); err != nil {
					return err
				}
			} else if err := a.printFindings(all); err != nil {
				return err
			}
			for _, f := range all {
				if !f.OK && !f.Optional {
					return process.ExitStatus(process.StatusFailed)
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	return cmd
}

func (a *program) printFindings(all []finding) error {
	for _, f := range all {
		word := "ok    "
		switch {
		case !f.OK && f.Optional:
			word = "note  "
		case !f.OK:
			word = "FAILED"
		}
		if err := a.printf("%s  %-10s %s\n", word, f.Check, f.Detail); err != nil {
			return err
		}
		if f.Fix != "" {
			if err := a.printf("        %-10s → %s\n", "", f.Fix); err != nil {
				return err
			}
		}
	}
	return nil
}

// examine runs all checks. Without a configuration only the rest is checked.
func (a *program) examine(ctx context.Context) []finding {
	c, err := a.config()
	all := []finding{verdictOf("config", configDetail(c), err, "correct the line, or move the file away")}
	all = append(all, a.checkTerminal(ctx), a.checkTmux(ctx), a.checkShell(), a.checkStartUp(), checkHeld(ctx))
	all = append(all, checkSSH(ctx), a.checkAgent())
	if c != nil {
		all = append(all, a.checkSockets(c))
		all = append(all, checkRules(c), checkTheme(c))
		all = append(all, a.checkModel(ctx, c)...)
	}
	return append(all, a.checkState(), a.checkLedger(), checkClock(time.Now()))
}

// verdictOf is a finding that is fine unless err is set.
func verdictOf(check, detail string, err error, fix string) finding {
	if err != nil {
		return finding{Check: check, Detail: err.Error(), Fix: fix}
	}
	return finding{Check: check, OK: true, Detail: detail}
}

func configDetail(c *config.Config) string {
	if c == nil || c.Path() == "" {
		return "defaults"
	}
	if _, err := os.Stat(c.Path()); err != nil {
		return "defaults (no " + c.Path() + ")"
	}
	return c.Path()
}

func (a *program) checkTerminal(ctx context.Context) finding {
	f := finding{Check: "terminal", Optional: true}
	if a.OutFile == nil || !term.IsTerminal(int(a.OutFile.Fd())) {
		f.Detail, f.Fix = "standard output is not a terminal", "the console needs one; nod ask and nod run do not"
		return f
	}
	cols, rows, err := term.GetSize(int(a.OutFile.Fd()))
	if err != nil {
		f.Detail, f.Fix = err.Error(), "use another terminal"
		return f
	}
	f.Detail = fmt.Sprintf("%d×%d, TERM=%s", cols, rows, a.Getenv("TERM"))
	if why, remedy := controller.Undrawable(a.Getenv); why != "" {
		f.Detail, f.Fix = f.Detail+": "+why, remedy+", or use nod --plain"
		return f
	}
	if controller.Underscores(ctx, a.Getenv) {
		f.Detail, f.Fix = f.Detail+": "+controller.Underscored, controller.WantsUTF8
		return f
	}
	f.OK = true
	if cols < 80 || rows < 24 {
		f.Detail += "; below 80×24 one pane is shown at a time"
	}
	return f
}

func (a *program) checkTmux(ctx context.Context) finding {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	target := local.New(os.Environ())
	defer target.Close() //nolint:errcheck // nothing runs on it any more
	server, err := tmux.Open(ctx, target, tmux.Options{})
	switch {
	case errors.Is(err, tmux.ErrNoTmux):
		return finding{Check: "tmux", Detail: "not installed: commands run in panes that do not survive nod", Fix: "apt-get install tmux"}
	case err != nil:
		return finding{Check: "tmux", Detail: err.Error(), Fix: "install tmux 3.0 or later"}
	}
	return finding{Check: "tmux", OK: true, Detail: server.Version().String()}
}

func (a *program) checkShell() finding {
	shell := a.Getenv("SHELL")
	if shell == "" {
		shell = "/bin/sh"
	}
	path, err := exec.LookPath(shell)
	return verdictOf("shell", path, err, "set SHELL to a shell that exists")
}

func checkRules(c *config.Config) finding {
	setup := &app.PolicySetup{Config: c}
	rules, err := setup.Rules()
	detail := "none of your own"
	if n := len(rules.All()); n > 0 {
		detail = fmt.Sprintf("%d in %s", n, setup.RulesPath())
	}
	return verdictOf("rules", detail, err, "nothing runs before that; nod policy test reads them again")
}

func checkTheme(c *config.Config) finding {
	_, err := themes.Load(c.Display.Theme)
	return verdictOf("theme", c.Display.Theme, err, "set display.theme (or NOD_THEME) to one of them; /theme in the console shows what they look like")
}

func (a *program) checkState() finding {
	dir, err := config.StateDir(a.Getenv)
	if err != nil {
		return verdictOf("state", "", err, "give nod a folder that it can write: its record and conversations are kept there")
	}
	return checkRoom(dir)
}

// checkRoom finds a disk on which nothing that acts may run, or soon.
func checkRoom(dir string) finding {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return verdictOf("state", "", fmt.Errorf("%s: %w", dir, err), "set NOD_STATE_DIR to a folder on another disk")
	}
	left := max(0, int64(s.Bavail)) * int64(s.Bsize) //nolint:gosec // no disk has 2^63 bytes; FreeBSD counts below 0 what is kept for root
	f := finding{Check: "state", OK: true, Detail: dir}
	if left < ledger.WarnBelow {
		f.OK, f.Optional = false, left >= ledger.RefuseBelow
		f.Detail = fmt.Sprintf("%s has %d MiB left; below %d MiB nothing that acts may run", dir, left>>20, ledger.RefuseBelow>>20)
		f.Fix = "make room there, or set NOD_STATE_DIR to a folder on another disk"
	}
	return f
}

func (a *program) checkLedger() finding {
	dir, err := a.ledgerFolder()
	if err != nil {
		return finding{Check: "record", Detail: err.Error(), Fix: "set NOD_STATE_DIR"}
	}
	report, err := ledger.Verify(dir, record.HeadsDir(a.Getenv))
	if errors.Is(err, ledger.ErrNone) {
		return finding{Check: "record", OK: true, Detail: "empty: nothing has run yet"}
	}
	return verdictOf("record", fmt.Sprintf("%d records, unbroken", report.Records), err, "keep a copy and look at nod audit show")
}

// checkClock finds a clock that cannot be right: records carry its time.
func checkClock(now time.Time) finding {
	if now.Year() < 2025 {
		return finding{Check: "clock", Detail: "the clock says " + now.Format(time.RFC3339), Fix: "set the clock: the record carries its time"}
	}
	return finding{Check: "clock", OK: true, Detail: now.Format(time.RFC3339)}
}
