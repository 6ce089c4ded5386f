package terminal_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/terminal"
)

func TestKeysAreTypedInOrder(t *testing.T) {
	b := newBench(t)
	_, r := b.run(`echo rea""dy; IFS= read -r line; printf '<%s>\n' "$line"`, map[string]any{"wait": false})
	b.shows("ready")
	a := b.planned(b.keys, args(map[string]any{"literal_text": "hello wörlx C-c", "keys": []string{"BSpace", "BSpace", "BSpace", "BSpace", "BSpace", "d"}, "enter": true}))
	if a.Prompt || a.Dialect != "bash" {
		t.Errorf("planned %+v", a)
	}
	sent := b.execute(t.Context(), b.keys, a)
	if v := sent.Value.(terminal.KeysValue); sent.IsError || !strings.Contains(v.Message, "15 characters of text, then BSpace BSpace BSpace BSpace BSpace d, then Enter") {
		t.Errorf("%+v", sent)
	}
	b.shows("<hello wörld>")
	<-r.Running.Done()
}

func TestKeysAtAPromptKnowTheLine(t *testing.T) {
	b := newBench(t)
	first := b.planned(b.keys, args(map[string]any{"literal_text": "echo so"}))
	if !first.Prompt || first.Pending != "" {
		t.Errorf("planned %+v", first)
	}
	b.execute(t.Context(), b.keys, first)
	var second tools.Action
	b.until("the line", func() bool {
		second = b.planned(b.keys, args(map[string]any{"literal_text": "_far", "enter": true}))
		return second.Pending == "echo so"
	})
	b.execute(t.Context(), b.keys, second)
	b.shows("\nso_far")
}

// A call that is planned right behind one that typed sees what was typed: both
// were assessed on their own, and together they may be another command.
func TestTheNextCallSeesWhatWasTyped(t *testing.T) {
	b := newBench(t)
	b.run("true")
	want := ""
	for _, piece := range []string{"tee", " ", "x", strings.Repeat("long-", 300), "z"} {
		b.execute(t.Context(), b.keys, b.planned(b.keys, args(map[string]any{"literal_text": piece})))
		want += piece
		next := b.planned(b.keys, args(map[string]any{"literal_text": "cat", "enter": true}))
		if next.Prompt && next.Pending != strings.TrimSpace(want) {
			t.Errorf("behind %q, the line is %q", want, next.Pending)
		}
	}
}

func TestKeysAreVoidWhenThePaneHasChanged(t *testing.T) {
	b := newBench(t)
	mark := filepath.Join(b.home, "go")
	_, r := b.run(fmt.Sprintf("while [ ! -e %s ]; do sleep 0.02; done", mark), map[string]any{"wait": false})
	a := b.planned(b.keys, args(map[string]any{"literal_text": "rm important", "enter": true}))
	if err := os.WriteFile(mark, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	<-r.Running.Done()
	// What was meant for the program would now be a command.
	if got := problem(t, b.execute(t.Context(), b.keys, a)); got != "changed" {
		t.Errorf("after the program has ended: %s", got)
	}
	if text := b.screen(nil).Text; strings.Contains(text, "important") {
		t.Errorf("it was typed: %s", text)
	}
}

// What was approved in one folder does not run in another.
func TestACommandIsVoidWhenThePaneStandsElsewhere(t *testing.T) {
	b := newBench(t)
	a := b.planned(b.shell, args(map[string]any{"command": "pwd > " + filepath.Join(b.home, "ran")}))
	if _, r := b.run("cd /"); r.IsError {
		t.Fatalf("%+v", r)
	}
	if got := problem(t, b.execute(t.Context(), b.shell, a)); got != "changed" {
		t.Errorf("in another folder: %s", got)
	}
	if _, err := os.Stat(filepath.Join(b.home, "ran")); err == nil {
		t.Error("it ran")
	}
	if again := b.planned(b.shell, args(map[string]any{"command": "pwd"})); again.Dir != "/" {
		t.Errorf("planned in %q", again.Dir)
	}
}

// deafPanes is a pane that fails while it is typed into.
type deafPanes struct{ guard.Pane }

func (p deafPanes) Find(context.Context, string, string) (guard.Pane, error) { return p, nil }
func (deafPanes) Look(context.Context) (guard.State, error) {
	return guard.State{ID: "%1", Shell: "bash", Busy: "apt upgrade"}, nil
}
func (deafPanes) Type(context.Context, string, []string) error { return errors.New("the link is gone") }

// What may have been typed is not called "nothing": neither to the model nor
// on record.
func TestKeysThatMayHaveBeenTypedAreUnknown(t *testing.T) {
	b := newBareBench(t, func(*local.Target) guard.Panes { return deafPanes{} })
	a := b.planned(b.keys, args(map[string]any{"literal_text": "y", "enter": true}))
	if a.Busy != "apt upgrade" {
		t.Errorf("planned %+v", a)
	}
	r := b.execute(t.Context(), b.keys, a)
	if p, _ := r.Value.(tools.Problem); !r.IsError || p.Code != "unknown" || r.Record.Failed != "" || r.Record.Outcome.State != backends.Unknown {
		t.Errorf("%+v", r)
	}
}

func TestKeysGoNowhereElse(t *testing.T) {
	b := newBench(t)
	_, err := b.plan(b.keys, args(map[string]any{"enter": true, "pane": "worker"}))
	if got := rejected(t, err); got.Code != "no_pane" || !strings.Contains(got.Error, "only the shared one") {
		t.Errorf("before there is any: %+v", got)
	}
	b.run("true")
	for _, more := range []map[string]any{
		{"pane": "worker"}, {"session": "other"}, {"pane": "%999"}, {"target": "%999"}, {"target": "nod-test-other"},
		{"target": "=nod-test-main:worker"}, {"session": "a:b"}, {"pane": "no name"}, {"session": "main", "pane": "%999"},
	} {
		more["enter"] = true
		_, err := b.plan(b.keys, args(more))
		if got := rejected(t, err); got.Code != "no_pane" || !strings.Contains(got.Error, "there are main:shared (%") {
			t.Errorf("%v: %+v", more, got)
		}
	}
	bare := newBareBench(t, noPanes)
	_, err = bare.plan(bare.keys, args(map[string]any{"enter": true}))
	if got := rejected(t, err); got.Code != "no_panes" {
		t.Errorf("without panes: %+v", got)
	}
}

func TestDelaysCanBeInterrupted(t *testing.T) {
	b := newBench(t)
	for tool, a := range map[tools.Tool]tools.Action{
		b.keys:    b.planned(b.keys, args(map[string]any{"enter": true, "delay": "5m"})),
		b.capture: b.planned(b.capture, map[string]any{"delay": "5m"}),
	} {
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		began := time.Now()
		if got := problem(t, b.execute(ctx, tool, a)); got != "interrupted" || time.Since(began) > patience {
			t.Errorf("%s: %s", tool.Name(), got)
		}
		cancel()
	}
}

func TestCaptureKeepsTheTail(t *testing.T) {
	b := newBench(t)
	b.run("i=1; while [ $i -le 1500 ]; do echo line $i; i=$((i+1)); done")
	screen := b.screen(nil)
	if strings.Contains(screen.Text, "line 1400\n") || !strings.Contains(screen.Text, "line 1500\n") || len(screen.Notices) != 0 {
		t.Errorf("%+v", screen)
	}
	all := b.screen(map[string]any{"start": "-", "end": "-"})
	var omitted int
	if _, err := fmt.Sscanf(all.Text, "[truncated %d chars from start]\n", &omitted); err != nil || omitted < 1000 {
		t.Errorf("%.60q: %v", all.Text, err)
	}
	_, kept, _ := strings.Cut(all.Text, "\n")
	if n := len([]rune(kept)); n != terminal.MaxCapture || !strings.Contains(kept, "line 1500\n") {
		t.Errorf("%d characters", n)
	}
	above := b.screen(map[string]any{"start": -50})
	if !strings.Contains(above.Text, "line 1450\n") || strings.Contains(above.Text, "line 1300\n") {
		t.Errorf("above the screen: %.80q", above.Text)
	}
}

func TestCaptureSaysWhatToKnow(t *testing.T) {
	b := newBench(t)
	b.run("echo something")
	b.screen(nil)
	if v := b.screen(nil); !holds(v.Notices, "unchanged since the last capture") || !strings.Contains(v.Text, "something") {
		t.Errorf("%+v", v)
	}
	if v := b.screen(map[string]any{"start": "-"}); holds(v.Notices, "unchanged") {
		t.Errorf("another view: %+v", v)
	}
	b.run("echo else")
	if v := b.screen(nil); holds(v.Notices, "unchanged") {
		t.Errorf("something new: %+v", v)
	}
	for _, missing := range []map[string]any{{"pane": "worker"}, {"session": "other", "pane": "x"}, {"pane": "%999"}} {
		v := b.screen(missing)
		if !strings.Contains(v.Text, "else") || !strings.HasPrefix(v.Text, "["+v.Notices[0]+"]\n") || !strings.Contains(v.Notices[0], "this is the shared pane, "+v.Pane) {
			t.Errorf("%v: %+v", missing, v)
		}
	}
	if v := b.screen(map[string]any{"include_alternate_screen": true}); !holds(v.Notices, "no alternate screen") {
		t.Errorf("no alternate screen: %+v", v)
	}
}

func TestCaptureJoinsAndEscapes(t *testing.T) {
	b := newBench(t)
	long := strings.Repeat("0123456789", 12)
	b.run("printf '\\033[31mred\\033[0m\\n'; echo " + long)
	if v := b.screen(nil); !strings.Contains(v.Text, "\n"+long+"\n") || strings.Contains(v.Text, "\x1b") {
		t.Errorf("joined: %q", v.Text)
	}
	if v := b.screen(map[string]any{"join_wrapped_lines": false}); strings.Contains(v.Text, "\n"+long) {
		t.Errorf("not joined: %q", v.Text)
	}
	if v := b.screen(map[string]any{"include_escape_sequences": true}); !strings.Contains(v.Text, "\x1b[31mred") {
		t.Errorf("with colours: %q", v.Text)
	}
	if v := b.screen(map[string]any{"include_escape_sequences": true, "escape_non_printable": true}); !strings.Contains(v.Text, `\033[31mred`) || strings.Contains(v.Text, "\x1b") {
		t.Errorf("with controls written out: %q", v.Text)
	}
	b.run("printf 'blanks   \\n'")
	if v := b.screen(nil); strings.Contains(v.Text, "\nblanks ") {
		t.Errorf("blanks at the end: %q", v.Text)
	}
	if v := b.screen(map[string]any{"preserve_trailing_spaces": true}); !strings.Contains(v.Text, "\nblanks   ") {
		t.Errorf("without blanks at the end: %q", v.Text)
	}
}

// While a full-screen program shows, the screen behind it can be read as well.
func TestCaptureOfTheScreenBehind(t *testing.T) {
	b := newBench(t)
	b.run("echo before")
	_, r := b.run(`printf '\033[?1049hfull screen'; sleep 1000; printf '\033[?1049l'`, map[string]any{"wait": false})
	b.shows("full screen")
	if v := b.screen(nil); strings.Contains(v.Text, "before") {
		t.Errorf("in front: %+v", v)
	}
	if v := b.screen(map[string]any{"include_alternate_screen": true}); !strings.Contains(v.Text, "\nbefore\n") || holds(v.Notices, "no alternate screen") {
		t.Errorf("behind: %+v", v)
	}
	b.execute(t.Context(), b.keys, b.planned(b.keys, args(map[string]any{"keys": []string{"C-c"}})))
	<-r.Running.Done()
}

func TestDelays(t *testing.T) {
	b := newBench(t)
	for text, want := range map[string]time.Duration{
		"": 0, "0s": 0, "500ms": 500 * time.Millisecond, "2s": 2 * time.Second, "1m": time.Minute, "5m": 5 * time.Minute, "300000ms": 5 * time.Minute,
	} {
		for tool, more := range map[tools.Tool]map[string]any{b.keys: args(map[string]any{"enter": true}), b.capture: {}} {
			more["delay"] = text
			if a := b.planned(tool, more); a.Wait != want {
				t.Errorf("%s, delay %q: %s", tool.Name(), text, a.Wait)
			}
		}
	}
	for _, text := range []string{"2", "s", "1h", "301s", "6m", "2 s", "-1s", "1.5s", "1s500ms", "2S", "1d", "99999999999s"} {
		for tool, more := range map[tools.Tool]map[string]any{b.keys: args(map[string]any{"enter": true}), b.capture: {}} {
			more["delay"] = text
			var invalid *tools.Error
			if a, err := b.plan(tool, more); !errors.As(err, &invalid) || invalid.Code != tools.InvalidArgs || !strings.Contains(err.Error(), "delay") {
				t.Errorf("%s, delay %q: %+v, %v", tool.Name(), text, a, err)
			}
		}
	}
}
