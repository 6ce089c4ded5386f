package runs

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/ui/timeline"
)

func code(n int) *int { return &n }

// world is a ledger on disk, and a log that hears of it.
type world struct {
	t      *testing.T
	dir    string
	ledger *ledger.Ledger
	log    *Log
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "ledger")}
	l, err := ledger.Open(w.dir, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	w.ledger, w.log = l, New(w.dir)
	t.Cleanup(func() { _ = l.Close() })
	return w
}

// begins puts an intent on record, as the recorder does.
func (w *world) begins(i ledger.Intent) ledger.Ref {
	w.t.Helper()
	ref, err := w.ledger.Intend(context.Background(), i)
	if err != nil {
		w.t.Fatal(err)
	}
	w.log.Begun(ref.ID, i)
	return ref
}

func (w *world) ends(ref ledger.Ref, c ledger.Conclusion) {
	w.t.Helper()
	if err := w.ledger.Conclude(ref, c); err != nil {
		w.t.Fatal(err)
	}
	w.log.Ended(ref.ID, c)
}

// told are the runs of a conversation by their commands.
func told(t *testing.T, l *Log, talk string) map[string]timeline.Run {
	t.Helper()
	all, err := l.List(talk)
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]timeline.Run{}
	for _, r := range all {
		if _, twice := by[r.What]; twice {
			t.Errorf("%q is there twice", r.What)
		}
		by[r.What] = r
	}
	return by
}

func TestWhatRanIsKnownHereAndAfterTheNextStart(t *testing.T) {
	w := newWorld(t)
	began := time.Now().Add(-time.Minute)
	for _, c := range []struct {
		command string
		end     ledger.Conclusion
	}{
		{"true", ledger.Conclusion{Outcome: ledger.Exited, ExitCode: code(0), Duration: time.Second}},
		{"false", ledger.Conclusion{Outcome: ledger.Exited, ExitCode: code(1)}},
		{"kill -9 $$", ledger.Conclusion{Outcome: ledger.Signalled, Signal: "KILL"}},
		{"sleep 9", ledger.Conclusion{Outcome: ledger.Exited, ExitCode: code(130), Error: agent.InterruptedText}},
		{"far away", ledger.Conclusion{Outcome: ledger.Unknown, Error: "the link was lost"}},
		{"slow", ledger.Conclusion{Outcome: ledger.TimedOut}},
	} {
		w.ends(w.begins(ledger.Intent{Conversation: "talk", Target: "local", Command: c.command, Time: began, Recording: &ledger.Recording{File: "a.cast"}}), c.end)
	}
	w.begins(ledger.Intent{Conversation: "talk", Target: "local", Command: "still", Time: began})
	w.begins(ledger.Intent{Conversation: "another", Target: "local", Command: "elsewhere", Time: began})
	w.begins(ledger.Intent{Conversation: "sub", Parent: "talk", Agent: "scout", Target: "local", Tool: "write_file", Path: "/tmp/x", Time: began})
	note := ledger.Note{Kind: "denied", Text: "the operator", Proposal: &ledger.Intent{Conversation: "talk", Target: "local", Command: "rm -rf x", Time: began}}
	if err := w.ledger.Note(note); err != nil {
		t.Fatal(err)
	}
	w.log.Noted(note)
	w.log.Noted(ledger.Note{Kind: "posture", Text: "ask"})

	for name, l := range map[string]*Log{"here": w.log, "later": New(w.dir)} {
		got := told(t, l, "talk")
		still := timeline.Running
		if name == "later" {
			still = timeline.Unknown // nod ended before it did
		}
		for command, want := range map[string]timeline.State{
			"true": timeline.OK, "false": timeline.Failed, "kill -9 $$": timeline.Failed, "sleep 9": timeline.Interrupted, "far away": timeline.Unknown,
			"slow": timeline.Failed, "still": still, "write_file /tmp/x": still, "rm -rf x": timeline.Denied,
		} {
			if r, ok := got[command]; !ok || r.State != want {
				t.Errorf("%s: %q is %v, want %v", name, command, r.State, want)
			}
		}
		if len(got) != 9 {
			t.Errorf("%s: there are %d runs: %v", name, len(got), got)
		}
		if r := got["true"]; r.Took != time.Second || !r.Recorded || r.Outcome != "exited 0" || r.Began.Sub(began).Abs() > time.Second {
			t.Errorf("%s: %+v", name, r)
		}
		if r := got["rm -rf x"]; !strings.Contains(r.Outcome, "the operator") {
			t.Errorf("%s: %+v", name, r)
		}
		if r := got["write_file /tmp/x"]; r.Agent != "scout" {
			t.Errorf("%s: %+v", name, r)
		}
		told(t, l, "talk") // again, and nothing is there twice
	}
}

func TestWhoWantsToIsToldOfChanges(t *testing.T) {
	w := newWorld(t)
	changes := 0
	w.log.OnChange(func() { changes++ })
	ref := w.begins(ledger.Intent{Conversation: "talk", Command: "x"})
	w.ends(ref, ledger.Conclusion{Outcome: ledger.Exited, ExitCode: code(0)})
	if changes != 2 {
		t.Errorf("%d changes", changes)
	}
	if runs, err := w.log.List(""); err != nil || runs != nil {
		t.Errorf("without a conversation: %v, %v", runs, err)
	}
}

// A conversation that begins here is not looked for in the record, which may be long.
func TestAFreshConversationIsNotReadFromTheRecord(t *testing.T) {
	w := newWorld(t)
	w.begins(ledger.Intent{Conversation: "talk", Command: "before"})
	l := New(w.dir)
	l.Fresh("talk")
	l.Begun("1", ledger.Intent{Conversation: "talk", Command: "now"})
	if got := told(t, l, "talk"); len(got) != 1 || got["now"].ID != "1" {
		t.Errorf("%v", got)
	}
}

func TestADamagedRecordIsToldWithWhatItStillSays(t *testing.T) {
	w := newWorld(t)
	w.begins(ledger.Intent{Conversation: "talk", Command: "first"})
	w.begins(ledger.Intent{Conversation: "talk", Command: "second"})
	if err := w.ledger.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(w.dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil || !strings.Contains(string(text), "second") {
			continue
		}
		if err := os.WriteFile(f, []byte(strings.Replace(string(text), "second", "SECOND", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all, err := New(w.dir).List("talk")
	if err == nil || !slices.ContainsFunc(all, func(r timeline.Run) bool { return r.What == "first" }) {
		t.Errorf("%v, %v", all, err)
	}
}

func TestWhatIsKnownIsBounded(t *testing.T) {
	l := New(t.TempDir())
	for i := range mostTalks + 5 {
		l.Begun(string(rune('a'+i)), ledger.Intent{Conversation: string(rune('a' + i))})
	}
	for range most + 5 {
		l.Noted(ledger.Note{Kind: "denied", Proposal: &ledger.Intent{Conversation: "long"}})
	}
	if n := len(l.talks["long"].runs); n != most || len(l.talks) != mostTalks {
		t.Errorf("%d runs, %d conversations", n, len(l.talks))
	}
}

// What is under way are the targets of what was told to begin and not to end.
func TestWhatIsUnderway(t *testing.T) {
	w := newWorld(t)
	if on := w.log.Underway(); len(on) != 0 {
		t.Errorf("at first: %v", on)
	}
	one := w.begins(ledger.Intent{Conversation: "c1", Target: "ssh:a", Command: "sleep 9"})
	other := w.begins(ledger.Intent{Conversation: "c2", Target: "ssh:b", Command: "sleep 9"})
	w.ends(w.begins(ledger.Intent{Conversation: "c1", Target: "ssh:c", Command: "true"}), ledger.Conclusion{Outcome: ledger.Exited, ExitCode: code(0)})
	if on := w.log.Underway(); len(on) != 2 || !on["ssh:a"] || !on["ssh:b"] {
		t.Errorf("two: %v", on)
	}
	w.ends(one, ledger.Conclusion{Outcome: ledger.TimedOut})
	w.ends(other, ledger.Conclusion{Outcome: ledger.Exited, ExitCode: code(1)})
	if on := w.log.Underway(); len(on) != 0 {
		t.Errorf("in the end: %v", on)
	}
}
