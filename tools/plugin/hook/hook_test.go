package hook

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends/backendtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// never is longer than anything that a test waits for.
const never = time.Hour

// notes is what a set records and tells.
type notes struct {
	mu               sync.Mutex
	recorded, spoken []string
}

func (n *notes) options() Options {
	return Options{
		Record: func(kind, text string) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.recorded = append(n.recorded, kind+": "+text)
		},
		Tell: func(text string) {
			n.mu.Lock()
			defer n.mu.Unlock()
			n.spoken = append(n.spoken, text)
		},
	}
}

func (n *notes) all() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return strings.Join(append(append([]string{}, n.recorded...), n.spoken...), "\n")
}

// A hook has two words, and nothing that it says allows anything.
func TestAnswers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		answer Answer
		fault  string
	}{
		"":                                  {},
		"\n":                                {},
		"{}":                                {},
		`{"deny":"no ticket"}`:              {answer: Answer{Deny: "no ticket"}},
		`{"note":"see T-1\nand \u001b[2J"}`: {answer: Answer{Note: `see T-1 and \u{1b}[2J`}},
		`{"deny":null,"note":"n"}`:          {answer: Answer{Note: "n"}},
		`{"allow":true}`:                    {fault: "a hook cannot allow anything"},
		`{"allow":true,"deny":"x"}`:         {fault: "a hook cannot allow anything"},
		`{"Deny":"x"}`:                      {fault: `it answered "Deny"`},
		`{"deny":""}`:                       {fault: `its "deny" is empty`},
		`{"deny":true}`:                     {fault: "want texts"},
		`{"deny":"x"}{"note":"y"}`:          {fault: "more than one"},
		`[]`:                                {fault: "not a JSON object"},
		`ok`:                                {fault: `"ok" is not a JSON object`},
		"{\"note\":\"" + strings.Repeat("x", 9000) + "\"}": {answer: Answer{Note: strings.Repeat("x", mostNote-1) + "…"}},
	} {
		got, err := Decode([]byte(text))
		if got != want.answer || (err == nil) != (want.fault == "") || err != nil && !strings.Contains(err.Error(), want.fault) {
			t.Errorf("%.40s: %+v, %v", text, got, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"deny":"x","note":"y"}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if a, err := Decode(text); err != nil && a != (Answer{}) || len(a.Deny) > 4*mostDeny || len(a.Note) > 4*mostNote {
			t.Errorf("%+v, %v", a, err)
		}
	})
}

func program(script string, timeout time.Duration, required bool) Hook {
	return Program{
		Name: "team", Events: []string{PreTool}, Command: []string{"/bin/sh", "-c", script}, Timeout: timeout, Required: required,
	}.Hook()
}

// Whatever a program does: a required hook denies with one sentence, any other one is told
// of in one and changes nothing, and nothing of it is left.
func TestHostilePrograms(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, c := range map[string]struct {
		script, says string
		timeout      time.Duration
	}{
		"a loop without end": {"while :; do :; done", "did not answer within 100ms", 100 * time.Millisecond},
		"never an answer":    {"exec sleep 100000", "did not answer within 100ms", 100 * time.Millisecond},
		"a flood":            {"exec yes", "more than 64 KiB", never},
		"a flood of errors":  {"head -c 1000000 /dev/zero | tr '\\0' y >&2; exit 3", "exit status 3: yyy", never},
		"a crash":            {"kill -KILL $$", "signal: killed", never},
		"no JSON":            {"echo yes", "is not a JSON object", never},
		"it allows":          {`echo '{"allow":true}'`, "cannot allow anything", never},
		"it fails":           {"echo it is closed >&2; exit 1", "exit status 1: it is closed", never},
		"holds its output":   {`sleep 100000 & echo $! >` + dir + `/held`, "left a process behind", never},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var n notes
			s := New(n.options())
			s.Replace("a", program(c.script, c.timeout, true))
			said := s.Run(t.Context(), Event{Event: PreTool})
			if !strings.HasPrefix(said.Deny, "hook team is required and failed: ") || !strings.Contains(said.Deny, c.says) || strings.Contains(said.Deny, "\n") {
				t.Errorf("%+v", said)
			}
			s.Replace("a", program(c.script, c.timeout, false))
			if said := s.Run(t.Context(), Event{Event: PreTool}); said.Deny != "" || said.Notes != nil {
				t.Errorf("not required: %+v", said)
			}
			if all := n.all(); strings.Count(all, KindFailed+": team (pre_tool): ") != 2 || strings.Count(all, "the hook team failed at pre_tool: ") != 1 {
				t.Error(all)
			}
		})
	}
	t.Cleanup(func() { ended(t, dir+"/held") })
}

// A program that does not answer is ended with all that it has started.
func TestTheWholeGroupIsEnded(t *testing.T) {
	t.Parallel()
	at := filepath.Join(t.TempDir(), "child")
	script := `(trap "" TERM; exec sleep 100000) & echo $! >` + at + `.new; mv ` + at + `.new ` + at + `; wait`
	for timeout := time.Second; ; timeout *= 2 { // how long it takes to start is the machine's
		s := New(Options{})
		s.Replace("a", program(script, timeout, true))
		if said := s.Run(t.Context(), Event{Event: PreTool}); !strings.Contains(said.Deny, "did not answer within") {
			t.Fatalf("%+v", said)
		}
		if _, err := os.Stat(at); err == nil {
			break
		}
	}
	ended(t, at)
}

// ended checks that the process ends whose id is in a file.
func ended(t *testing.T, file string) {
	t.Helper()
	text, err := os.ReadFile(file)
	pid, bad := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || bad != nil || !backendtest.Soon(time.Minute, func() bool { return gone(pid) }) {
		t.Errorf("%s: %q, %v", file, text, err)
	}
}

// gone reports whether a process has ended; one that nobody waits for counts.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(stat), ") Z ")
}

// A program gets the event and answers.
func TestAProgram(t *testing.T) {
	t.Parallel()
	var n notes
	s := New(n.options())
	s.Replace("a", program(`read -r e; case $e in *'"command":"rm x"'*) echo '{"deny":"no ticket","note":"ask Ada"}';; esac`, never, true))
	if said := s.Run(t.Context(), Event{Event: PreTool, Call: "c1", Command: "rm x"}); said.Deny != "hook team: no ticket" || strings.Join(said.Notes, "") != "hook team: ask Ada" {
		t.Errorf("%+v", said)
	}
	if said := s.Run(t.Context(), Event{Event: PreTool, Command: "ls"}); said.Deny != "" {
		t.Errorf("%+v", said)
	}
	s.Replace("a", program("exit 0", never, true)) // it need not read a long event
	if said := s.Run(t.Context(), Event{Event: PreTool, Content: strings.Repeat("x", 1<<20)}); said.Deny != "" {
		t.Errorf("%+v", said)
	}
	if said := s.Run(t.Context(), Event{Event: PostTool}); said.Deny != "" {
		t.Errorf("another event: %+v", said)
	}
	if got := n.all(); got != KindDenied+": team (pre_tool c1): no ticket\n"+KindNote+": team (pre_tool c1): ask Ada" {
		t.Error(got)
	}
}

// A denial ends it; the hooks before it have been heard.
func TestTheFirstDenialEndsIt(t *testing.T) {
	t.Parallel()
	asked := ""
	says := func(name string, a Answer) Hook {
		return Hook{Name: name, Events: []string{PreTool}, Timeout: never, Call: func(context.Context, Event) (Answer, error) {
			asked += name
			return a, nil
		}}
	}
	s := New(Options{})
	s.Replace("one", says("a", Answer{Note: "careful"}), says("b", Answer{Deny: "no"}))
	s.Replace("two", says("c", Answer{Deny: "never"}))
	if said := s.Run(t.Context(), Event{Event: PreTool}); said.Deny != "hook b: no" || len(said.Notes) != 1 || asked != "ab" {
		t.Errorf("%+v after %q", said, asked)
	}
	s.Replace("one")
	if said := s.Run(t.Context(), Event{Event: PreTool}); said.Deny != "hook c: never" {
		t.Errorf("%+v", said)
	}
}

// session_start is put once before the hooks, and again after a denial.
func TestTheBeginning(t *testing.T) {
	t.Parallel()
	var n notes
	answers := []Answer{{Deny: "no VPN"}, {Note: "freeze until Monday"}}
	s := New(n.options())
	s.Replace("a", Hook{Name: "a", Events: []string{SessionStart}, Timeout: never, Call: func(context.Context, Event) (Answer, error) {
		a := answers[0]
		answers = answers[1:]
		return a, nil
	}})
	for _, want := range []string{"hook a: no VPN", "", ""} {
		if said := s.Begin(t.Context()); said.Deny != want {
			t.Errorf("%+v, want %q", said, want)
		}
	}
	if !strings.HasSuffix(n.all(), "\nhook a: freeze until Monday") {
		t.Error(n.all())
	}
}

func TestSections(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]Program{
		`name: "Team!" is no name of a hook`:       {Name: "Team!", Events: []string{PreTool}, Command: []string{"true"}},
		"events: is missing":                       {Command: []string{"true"}},
		`events: there is no event "pre_tol"`:      {Events: []string{"pre_tol"}, Command: []string{"true"}},
		"command: is missing":                      {Events: []string{PreTool}},
		`command: "./check" depends on the folder`: {Events: []string{PreTool}, Command: []string{"./check"}},
	} {
		if p.Name == "" {
			p.Name = "x"
		}
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if err := (Program{Name: "x", Events: Events(), Command: []string{"true"}}).Check(); err != nil {
		t.Error(err)
	}
}
