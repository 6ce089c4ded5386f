package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"golang.org/x/term"

	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/tmux"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/controller"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/themes"
)

// checkTimeout bounds each of the doctor's checks.
const checkTimeout = 5 * time.Second

// Finding is the result of one check.
type Finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
	Fix    string `json:"fix,omitempty"`
	// Optional marks what nod can do without.
	Optional bool `json:"optional,omitempty"`
}

// Needed reports whether nod cannot do without what is missing.
func (f Finding) Needed() bool { return !f.OK && !f.Optional }

// Print writes findings, a line each, and what to do about those that are wrong.
func Print(w io.Writer, all []Finding) error {
	for _, f := range all {
		word := "ok    "
		switch {
		case f.Needed():
			word = "FAILED"
		case !f.OK:
			word = "note  "
		}
		if _, err := fmt.Fprintf(w, "%s  %-10s %s\n", word, f.Check, f.Detail); err != nil {
			return err
		}
		if f.Fix == "" {
			continue
		}
		if _, err := fmt.Fprintf(w, "        %-10s → %s\n", "", f.Fix); err != nil {
			return err
		}
	}
	return nil
}

// examination is where the checks look.
type examination struct{ sys *process.System }

// Examine runs all checks. c and err are what loading the configuration came to; where c is
// nil, only what does not depend on it is checked.
func Examine(ctx context.Context, sys *process.System, c *config.Config, err error) []Finding {
	e := &examination{sys}
	all := []Finding{verdictOf("config", configDetail(c), err, "correct the line, or move the file away")}
	all = append(all, e.checkTerminal(ctx), checkTmux(ctx), e.checkShell(), e.checkStartUp(), checkHeld(ctx))
	all = append(all, checkSSH(ctx), e.checkAgent())
	if c != nil {
		all = append(all, e.checkSockets(c))
		all = append(all, checkRules(c), checkTheme(c))
		all = append(all, e.checkModel(ctx, c)...)
	}
	return append(all, e.checkState(), e.checkLedger(), checkClock(time.Now()))
}

// verdictOf is a finding that is fine unless err is set.
func verdictOf(check, detail string, err error, fix string) Finding {
	if err != nil {
		return Finding{Check: check, Detail: err.Error(), Fix: fix}
	}
	return Finding{Check: check, OK: true, Detail: detail}
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

func (e *examination) checkTerminal(ctx context.Context) Finding {
	f := Finding{Check: "terminal", Optional: true}
	if e.sys.OutFile == nil || !term.IsTerminal(int(e.sys.OutFile.Fd())) {
		f.Detail, f.Fix = "standard output is not a terminal", "the console needs one; nod ask and nod run do not"
		return f
	}
	cols, rows, err := term.GetSize(int(e.sys.OutFile.Fd()))
	if err != nil {
		f.Detail, f.Fix = err.Error(), "use another terminal"
		return f
	}
	f.Detail = fmt.Sprintf("%d×%d, TERM=%s", cols, rows, e.sys.Getenv("TERM"))
	if why, remedy := controller.Undrawable(e.sys.Getenv); why != "" {
		f.Detail, f.Fix = f.Detail+": "+why, remedy+", or use nod --plain"
		return f
	}
	if controller.Underscores(ctx, e.sys.Getenv) {
		f.Detail, f.Fix = f.Detail+": "+controller.Underscored, controller.WantsUTF8
		return f
	}
	f.OK = true
	if cols < 80 || rows < 24 {
		f.Detail += "; below 80×24 one pane is shown at a time"
	}
	return f
}

func checkTmux(ctx context.Context) Finding {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	target := local.New(os.Environ())
	defer target.Close() //nolint:errcheck // nothing runs on it any more
	server, err := tmux.Open(ctx, target, tmux.Options{})
	switch {
	case errors.Is(err, tmux.ErrNoTmux):
		return Finding{Check: "tmux", Detail: "not installed: commands run in panes that do not survive nod", Fix: "apt-get install tmux"}
	case err != nil:
		return Finding{Check: "tmux", Detail: err.Error(), Fix: "install tmux 3.0 or later"}
	}
	return Finding{Check: "tmux", OK: true, Detail: server.Version().String()}
}

func (e *examination) checkShell() Finding {
	shell := e.sys.Getenv("SHELL")
	if shell == "" {
		shell = "/bin/sh"
	}
	path, err := exec.LookPath(shell)
	return verdictOf("shell", path, err, "set SHELL to a shell that exists")
}

func checkRules(c *config.Config) Finding {
	setup := &app.PolicySetup{Config: c}
	rules, err := setup.Rules()
	detail := "none of your own"
	if n := len(rules.All()); n > 0 {
		detail = fmt.Sprintf("%d in %s", n, setup.RulesPath())
	}
	return verdictOf("rules", detail, err, "nothing runs before that; nod policy test reads them again")
}

func checkTheme(c *config.Config) Finding {
	_, err := themes.Load(c.Display.Theme)
	return verdictOf("theme", c.Display.Theme, err, "set display.theme (or NOD_THEME) to one of them; /theme in the console shows what they look like")
}
