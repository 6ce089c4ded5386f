package doctor

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// TestExamineLooksWithoutAConfiguration: what does not depend on it is checked, and the
// fault itself is a finding.
func TestExamineLooksWithoutAConfiguration(t *testing.T) {
	state := t.TempDir()
	sys := &process.System{Getenv: func(name string) string {
		return map[string]string{"HOME": state, "NOD_STATE_DIR": state, "SHELL": "/no/such/shell"}[name]
	}}
	var names []string
	for _, f := range Examine(t.Context(), sys, nil, errors.New("config.toml:3: unknown key")) {
		names = append(names, f.Check)
		switch f.Check {
		case "config":
			if !f.Needed() || f.Detail != "config.toml:3: unknown key" || f.Fix == "" {
				t.Errorf("%+v", f)
			}
		case "shell":
			if !f.Needed() || !strings.Contains(f.Detail, "/no/such/shell") {
				t.Errorf("%+v", f)
			}
		case "terminal", "agent":
			if f.OK || !f.Optional {
				t.Errorf("nod can do without it: %+v", f)
			}
		case "record", "clock":
			if !f.OK {
				t.Errorf("%+v", f)
			}
		}
	}
	if want := []string{"config", "terminal", "tmux", "shell", "start-up", "held", "ssh", "agent", "state", "record", "clock"}; !slices.Equal(names, want) {
		t.Errorf("checked %q, want %q", names, want)
	}
}

func TestSettingsThatAreNotThere(t *testing.T) {
	c := &config.Config{}
	if got := configDetail(c); got != "defaults" {
		t.Errorf("%q", got)
	}
	c.Display.Theme = "no-such-theme"
	if f := checkTheme(c); !f.Needed() || f.Fix == "" {
		t.Errorf("%+v", f)
	}
}

func TestAClockThatCannotBeRight(t *testing.T) {
	if f := checkClock(time.Date(1970, 1, 1, 0, 0, 9, 0, time.UTC)); f.OK || f.Fix == "" {
		t.Errorf("%+v", f)
	}
}

func TestPrintSaysWhatToDo(t *testing.T) {
	var out strings.Builder
	err := Print(&out, []Finding{
		{Check: "tmux", OK: true, Detail: "3.5a"},
		{Check: "ssh", Optional: true, Detail: "no ssh client", Fix: "apt-get install openssh-client"},
		{Check: "clock", Detail: "1970", Fix: "set it"},
	})
	want := `ok      tmux       3.5a
note    ssh        no ssh client
                   → apt-get install openssh-client
FAILED  clock      1970
                   → set it
`
	if err != nil || out.String() != want {
		t.Errorf("%v\n%s", err, out.String())
	}
}
