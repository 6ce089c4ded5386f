package oneshot

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// here is a nod in a home of its own, without a terminal, and what it prints.
func here(t *testing.T) (n *Nod, out, errs *bytes.Buffer) {
	t.Helper()
	home := t.TempDir()
	if err := os.Chmod(home, 0o700); err != nil { //nolint:gosec // a folder
		t.Fatal(err)
	}
	getenv := func(name string) string {
		return map[string]string{"HOME": home, "NOD_STATE_DIR": home, "PATH": os.Getenv("PATH"), "SHELL": "/bin/sh"}[name]
	}
	c, err := config.Load(config.Source{Getenv: getenv})
	if err != nil {
		t.Fatal(err)
	}
	out, errs = &bytes.Buffer{}, &bytes.Buffer{}
	return &Nod{System: &process.System{In: strings.NewReader(""), Out: out, Err: errs, Getenv: getenv}, Config: c}, out, errs
}

// TestHowACommandEnds: each end has an exit status, and an object that says the same.
func TestHowACommandEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		command      Command
		status       int
		outcome, why string
	}{
		"well":         {Command{Line: "echo seen; echo also >&2"}, 0, "exited", ""},
		"with its own": {Command{Line: "ls /no-such-folder; exit 3", ApproveAll: true}, 3, "exited", ""},
		"by a signal":  {Command{Line: "kill -9 $$", ApproveAll: true}, 128 + 9, "signalled", "signal KILL"},
		"nobody said yes": {
			Command{Line: "touch made"}, process.StatusDenied, OutcomeDenied, "run it on a terminal",
		},
		"no such target": {Command{Line: "true", Targets: []string{"ssh:-"}}, process.StatusFailed, OutcomeRefused, "ssh"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n, out, errs := here(t)
			c.command.JSON = true
			var status process.ExitStatus
			if err := n.Run(t.Context(), c.command); err != nil && !errors.As(err, &status) {
				t.Fatal(err)
			}
			var r Report
			if err := json.Unmarshal(out.Bytes(), &r); err != nil {
				t.Fatalf("%v in %q", err, out)
			}
			if int(status) != c.status || r.Outcome != c.outcome || !strings.Contains(r.Error, c.why) {
				t.Errorf("status %d, %+v", status, r)
			}
			if c.why != "" && !strings.Contains(errs.String(), c.why) {
				t.Errorf("standard error has %q", errs)
			}
			if name == "well" && (r.Stdout != "seen\n" || r.Stderr != "also\n" || r.Truncated) {
				t.Errorf("%+v", r)
			}
		})
	}
}

// TestEachTargetHasItsLines: on several targets a line says whose it is.
func TestEachTargetHasItsLines(t *testing.T) {
	t.Parallel()
	n, out, _ := here(t)
	if err := n.Run(t.Context(), Command{Line: "printf 'one\ntwo'", Targets: []string{"local", "local"}}); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(out.String(), "local: one\n"); got != 2 || strings.Count(out.String(), "local: two\n") != 2 {
		t.Errorf("%q", out)
	}
}

func TestARefusalHasAnObjectForEachTarget(t *testing.T) {
	cause := errors.New("run: no command given")
	var out bytes.Buffer
	if err := (Command{}).Refuse(&out, cause); !errors.Is(err, cause) || out.Len() > 0 {
		t.Errorf("without JSON: %v, %q", err, &out)
	}
	if err := (Command{JSON: true, Targets: []string{"local", "ssh:web-1"}}).Refuse(&out, cause); !errors.Is(err, cause) {
		t.Error(err)
	}
	if got := out.String(); strings.Count(got, "\n") != 2 || !strings.Contains(got, `"target":"ssh:web-1"`) || !strings.Contains(got, cause.Error()) {
		t.Errorf("%q", got)
	}
}

func TestWhatIsKeptOfAStreamIsBounded(t *testing.T) {
	var s sink
	piece := bytes.Repeat([]byte("x"), keepOutput-1)
	for _, p := range [][]byte{piece, []byte("ab"), []byte("c")} {
		if n, err := s.Write(p); n != len(p) || err != nil {
			t.Fatal(n, err)
		}
	}
	if text := s.text(); len(text) != keepOutput || !strings.HasSuffix(text, "xa") || !s.cut || s.total != keepOutput+2 {
		t.Errorf("%d bytes kept of %d, cut: %v", len(text), s.total, s.cut)
	}
}
