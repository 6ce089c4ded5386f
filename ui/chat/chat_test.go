package chat

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/ui/screen"
)

func styles(t testing.TB) *screen.Styles {
	t.Helper()
	theme, err := themes.Load("")
	if err != nil {
		t.Fatal(err)
	}
	s := screen.NewStyles(theme)
	return &s
}

func display(t testing.TB, w, h int) *screen.Screen {
	t.Helper()
	sim := tcell.NewSimulationScreen("UTF-8")
	s := screen.Wrap(sim)
	if err := s.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Fini)
	sim.SetSize(w, h)
	s.Clear()
	return s
}

// shown is what a transcript looks like.
func shown(t testing.TB, tr *Transcript, w, h int) string {
	t.Helper()
	s := display(t, w, h)
	tr.Draw(s, 0, 0, w, h, false)
	return onScreen(s)
}

func onScreen(s tcell.Screen) string {
	w, h := s.Size()
	var b strings.Builder
	for y := range h {
		l := ""
		for x := 0; x < w; {
			str, _, width := s.Get(x, y)
			l += str
			x += width
		}
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

var epoch = time.Date(2024, 1, 2, 3, 4, 5, 0, time.UTC)

func newTranscript(t testing.TB) *Transcript {
	return NewTranscript(styles(t), func() time.Time { return epoch })
}

func content(fields map[string]any) string {
	return tools.Envelope(epoch, tools.Result{Value: fields})
}

func TestATurnReadsLikeAConversation(t *testing.T) {
	tr := newTranscript(t)
	tr.Prompt("why is web-1's disk full?", false)
	for _, e := range []agent.Event{
		agent.Reasoning{Text: "The user wants "}, agent.Reasoning{Text: "du."},
		agent.Text{Text: "Looking at the "}, agent.Text{Text: "**largest** folders"},
		agent.CallProposed{Call: "1", Tool: "run_shell", Arguments: json.RawMessage(`{"command":"du -xh /var"}`)},
		agent.CallStarted{Call: "1", Tool: "run_shell", Effect: "observe", Target: "local", Action: tools.Action{Command: "du -xh /var"}},
		agent.CallFinished{Call: "1", Tool: "run_shell", Outcome: "exited 0", Duration: 812 * time.Millisecond,
			Content: content(map[string]any{"stdout": "512M\t/var/log\n18G\t/var/lib\n", "exit_code": 0})},
		agent.CallProposed{Call: "2", Tool: "write_file", Arguments: json.RawMessage(`{"path":"/etc/motd","content":"x"}`)},
		agent.CallFinished{Call: "2", Tool: "write_file", Denied: true, IsError: true, Content: content(map[string]any{"error": "denied"})},
		agent.Text{Text: "It is `/var/lib`."},
		agent.Done{Ending: agent.Answered},
	} {
		tr.Event(e)
	}
	want := `
> why is web-1's disk full?
▸ thought · 4 words

◆ Looking at the largest folders
▸ du -xh /var on local ✓ 812 ms · 2 lines
▸ write /etc/motd ✗ denied

  It is /var/lib.`
	if got := shown(t, tr, 46, 14); got != want[1:] {
		t.Errorf("shown:\n%s\nwant:\n%s", got, want[1:])
	}
}

func TestAnOpenCardShowsAllOfIt(t *testing.T) {
	tr := newTranscript(t)
	tr.Event(agent.CallProposed{Call: "1", Tool: "run_shell", Arguments: json.RawMessage(`{"command":"printf 'a\\tb'\nfalse"}`)})
	tr.Event(agent.CallStarted{Call: "1", Target: "local", Pane: "%3", Effect: "mutate"})
	tr.Event(agent.CallFinished{Call: "1", IsError: true, Outcome: "exited 1", Duration: 2 * time.Second,
		Content: content(map[string]any{"stdout": "a\tb\x1b[31m\n", "exit_code": 1})})
	tr.Select(-1)
	if !tr.Fold() {
		t.Fatal("the card does not open")
	}
	want := `
▾ printf 'a\tb' false on local · mutate
  ✗ exit 1 · 2 s · 1 line
  │ local · pane %3
  │ printf 'a\tb'
  │ false
  │ stdout:
  │ a       b␛[31m
  │ exit_code: 1`
	if got := shown(t, tr, 46, 10); got != want[1:] {
		t.Errorf("shown:\n%s\nwant:\n%s", got, want[1:])
	}
	if raw := tr.Raw(); !strings.Contains(raw, "printf 'a\\tb'\nfalse\n") || !strings.Contains(raw, "a\tb\x1b[31m") {
		t.Errorf("copied: %q", raw)
	}
}

func TestMarkdownIsSetPlainly(t *testing.T) {
	cases := []struct{ name, source, want string }{
		{"paragraphs", "one *two* **three**\nfour\n\nfive  \nsix", "one two three four\n\nfive\nsix"},
		{"heading", "# Title\ntext", "Title\n\ntext"},
		{"list", "- a\n- b\n  - c\n- d", "• a\n• b\n  • c\n• d"},
		{"ordered", "3. a\n4. b\n\n   more", "3. a\n\n4. b\n\n   more"},
		{"tasks", "- [x] a\n- [ ] b", "• ☑ a\n• ☐ b"},
		{"quote", "> a\n> b", "│ a b"},
		{"code", "x\n```sh\nls\t-l  \n\n  y\n```\nz", "x\n\n  ls      -l  \n\n    y\n\nz"},
		{"two codes", "```\na\n```\n```\nb\n```", "  a\n\n  b"},
		{"rule", "a\n\n---\n\nb", "a\n\n────────────────────────\n\nb"},
		{"link", "see [docs](http://x/y) and <http://z>", "see docs <http://x/y> and\nhttp://z"},
		{"tags are text", "[red]x[-] <b>y</b>", "[red]x[-] <b>y</b>"},
		{"escapes", "a\x1b[31mb\u202ec", "a␛[31mb�c"},
		{"table", "|a|bb|\n|-|-:|\n|1|2|\n|long|3|", "a    │ bb\n─────────\n1    │  2\nlong │  3"},
		{"wide table", "|name|what it is|\n|-|-|\n|x|" + strings.Repeat("word ", 9) + "|",
			"name: x\nwhat it is: word word word\nword word word word word word"},
		{"wrapped", strings.Repeat("word ", 9), "word word word word word word\nword word word"},
		{"paths stay whole", "a word or two more `/var/lib/dpkg` and /usr/lib/x86", "a word or two more\n/var/lib/dpkg and /usr/lib/x86"},
		{"options stay whole", "a word and then some `--max-depth` x", "a word and then some\n--max-depth x"},
		{"long word", strings.Repeat("x", 40), strings.Repeat("x", 30) + "\n" + strings.Repeat("x", 10)},
		{"wide", strings.Repeat("日", 20), strings.Repeat("日", 15) + "\n" + strings.Repeat("日", 5)},
	}
	for _, c := range cases {
		p := prose{parser: newParser}
		p.add(c.source)
		if got := proseText(&p, 30); got != c.want {
			t.Errorf("%s:\n%s\nwant:\n%s", c.name, got, c.want)
		}
	}
}

func proseText(p *prose, width int) string {
	var lines []string
	for i := range p.layout(width) {
		l := p.line(i).text()
		if strings.TrimSpace(l) == "" {
			l = ""
		}
		lines = append(lines, l)
	}
	return strings.Join(lines, "\n")
}

// TestStreamedProseEqualsTheWhole proves that it does not matter in which
// pieces an answer arrives, nor when it is drawn meanwhile.
func TestStreamedProseEqualsTheWhole(t *testing.T) {
	pieces := []string{
		"# Head\n", "A paragraph\nof *two* lines.\n", "\n", "- item\n", "- other\n\n  more\n", "```go\ncode()\n\n\tmore\n```\n",
		"~~~\nx\n", "~~~\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "> quote\n", "1. one\n2. two\n", "end", "\n\n", "    indented\n",
	}
	r := rand.New(rand.NewSource(7))
	for range 300 {
		source := ""
		for range 1 + r.Intn(12) {
			source += pieces[r.Intn(len(pieces))]
		}
		whole := prose{parser: newParser}
		whole.add(source)
		streamed := prose{parser: newParser}
		for rest := source; rest != ""; {
			n := 1 + r.Intn(min(len(rest), 9))
			streamed.add(rest[:n])
			rest = rest[n:]
			if r.Intn(3) == 0 {
				streamed.layout(20 + r.Intn(2))
			}
		}
		if got, want := proseText(&streamed, 20), proseText(&whole, 20); got != want {
			t.Fatalf("%q:\n%s\nwant:\n%s", source, got, want)
		}
		if streamed.source.String() != source {
			t.Fatal("the source is not what came")
		}
	}
}

func TestNothingJumpsWhileTheOperatorReadsAbove(t *testing.T) {
	tr := newTranscript(t)
	for i := range 50 {
		tr.Prompt(fmt.Sprintf("prompt %d", i), false)
		tr.Event(agent.Text{Text: fmt.Sprintf("answer %d", i)})
	}
	s := display(t, 40, 12)
	tr.Draw(s, 0, 0, 40, 12, false)
	tr.Page(-2)
	before := shown(t, tr, 40, 12)
	tr.Event(agent.Text{Text: strings.Repeat("more ", 200)})
	tr.Notice("something")
	tr.Event(agent.CallProposed{Call: "1", Tool: "time"})
	after := shown(t, tr, 40, 12)
	if first := func(s string) string { return s[:strings.LastIndex(s, "\n")] }; first(before) != first(after) {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	if !strings.Contains(after, "↓ 2 more below") {
		t.Errorf("the end does not announce itself:\n%s", after)
	}
	tr.Bottom()
	if got := shown(t, tr, 40, 12); !strings.Contains(got, "▸ look at the clock") {
		t.Errorf("at the end:\n%s", got)
	}
}

func TestScrollingDownToTheEndFollowsAgain(t *testing.T) {
	tr := newTranscript(t)
	for i := range 40 {
		tr.Notice(fmt.Sprintf("line %d", i))
	}
	end := shown(t, tr, 30, 10)
	tr.Scroll(-7)
	tr.Scroll(3)
	middle := shown(t, tr, 30, 10)
	if !strings.Contains(middle, "line 26") || strings.Contains(middle, "line 39") || tr.Following() {
		t.Errorf("in the middle:\n%s", middle)
	}
	tr.Scroll(4)
	if got := shown(t, tr, 30, 10); got != end || !tr.Following() {
		t.Errorf("at the end:\n%s", got)
	}
	tr.Top()
	if got := shown(t, tr, 30, 10); !strings.HasPrefix(got, "· line 0\n") {
		t.Errorf("at the top:\n%s", got)
	}
	tr.Scroll(-100)
	tr.Scroll(1000)
	if got := shown(t, tr, 30, 10); got != end {
		t.Errorf("after too much:\n%s", got)
	}
}

func TestAResizeKeepsThePlace(t *testing.T) {
	tr := newTranscript(t)
	for i := range 40 {
		tr.Notice(fmt.Sprintf("line %d %s", i, strings.Repeat("word ", 10)))
	}
	shown(t, tr, 60, 10)
	tr.Scroll(-30)
	first := strings.SplitN(shown(t, tr, 60, 10), "\n", 2)[0]
	narrow := strings.SplitN(shown(t, tr, 25, 10), "\n", 2)[0]
	if first[:15] != narrow[:15] {
		t.Errorf("%q became %q", first, narrow)
	}
}

func TestQueuedPromptsWaitAtTheEnd(t *testing.T) {
	tr := newTranscript(t)
	tr.Prompt("first", false)
	tr.Prompt("second", true)
	tr.Event(agent.Text{Text: "answer"})
	if got := shown(t, tr, 40, 8); !strings.HasSuffix(got, "> second  (waits)") {
		t.Errorf("waiting:\n%s", got)
	}
	tr.Dequeue()
	tr.Event(agent.Text{Text: "other"})
	want := "\n> first\n\n◆ answer\n\n> second\n\n◆ other"
	if got := shown(t, tr, 40, 9); got != want[1:] {
		t.Errorf("sent:\n%s", got)
	}
}

func TestUnfinishedCallsEndWithTheTurn(t *testing.T) {
	tr := newTranscript(t)
	tr.Event(agent.CallProposed{Call: "1", Tool: "run_shell"})
	tr.Event(agent.CallStarted{Call: "1"})
	if tr.Running() != 1 {
		t.Error("a started call does not run")
	}
	tr.Event(agent.Done{Ending: agent.Interrupted})
	got := shown(t, tr, 40, 5)
	if tr.Running() != 0 || !strings.Contains(got, "✗ not finished") || !strings.Contains(got, "■ interrupted") {
		t.Errorf("%d running:\n%s", tr.Running(), got)
	}
}

func TestACardSaysWhatItIsAboutAndWhyItWasDenied(t *testing.T) {
	tr := newTranscript(t)
	tr.Event(agent.CallProposed{Call: "1", Tool: "read_file", Arguments: json.RawMessage(`{"path":"/etc/fstab"}`)})
	tr.Event(agent.CallStarted{Call: "1", Action: tools.Action{Path: "/etc/fstab", Command: `{"offset":1}`}})
	tr.Event(agent.CallFinished{Call: "1", Content: content(map[string]any{"content": "x"})})
	tr.Event(agent.CallProposed{Call: "2", Tool: "run_shell", Arguments: json.RawMessage(`{"command":"touch x"}`)})
	tr.Event(agent.CallFinished{Call: "2", IsError: true, Denied: true,
		Content: content(map[string]any{"error": "denied by policy: the posture is read-only", "code": "denied"})})
	got := shown(t, tr, 70, 6)
	for _, want := range []string{"▸ read /etc/fstab", "✗ denied · the posture is read-only"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q:\n%s", want, got)
		}
	}
}

func TestComingToReadMovesNothing(t *testing.T) {
	tr := newTranscript(t)
	tr.Prompt("tell me", false)
	tr.Event(agent.Text{Text: strings.Repeat("a line of a long answer\n\n", 20)})
	before := shown(t, tr, 40, 8)
	tr.Select(0)
	if got := shown(t, tr, 40, 8); got != before || !tr.Following() {
		t.Errorf("following %v:\n%s\nbefore:\n%s", tr.Following(), got, before)
	}
	tr.Select(-1)
	if got := shown(t, tr, 40, 8); !strings.Contains(got, "> tell me") {
		t.Errorf("the entry above is not shown:\n%s", got)
	}
}

func TestTheEndOfAnInterruptedTurnIsSaidOnce(t *testing.T) {
	tr := newTranscript(t)
	tr.Event(agent.CallProposed{Call: "1", Tool: "run_shell", Arguments: json.RawMessage(`{"command":"touch x"}`)})
	tr.Event(agent.ApprovalAsked{Call: "1"})
	tr.Event(agent.ApprovalAnswered{Call: "1", Reason: "nobody answered"})
	tr.Event(agent.CallFinished{Call: "1", IsError: true, Denied: true,
		Content: content(map[string]any{"error": "not run: interrupted by the operator", "code": "interrupted"})})
	tr.Event(agent.Notice{Text: "interrupted by the operator"})
	tr.Event(agent.Done{Ending: agent.Interrupted})
	want := "▸ touch x ■ not run: interrupted\n■ interrupted by the operator"
	if got := shown(t, tr, 60, 5); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestACommandThatGoesOnIsNoFailureAndCountsUntilItsEnd(t *testing.T) {
	tr := newTranscript(t)
	tr.Event(agent.CallProposed{Call: "1", Tool: "run_shell", Arguments: json.RawMessage(`{"command":"vim x"}`)})
	tr.Event(agent.CallStarted{Call: "1"})
	tr.Event(agent.CallFinished{Call: "1", IsError: true, Outcome: "running", Duration: 1600 * time.Millisecond,
		Content: content(map[string]any{"exit_code": nil})})
	tr.Event(agent.Done{Ending: agent.Answered})
	if got := shown(t, tr, 60, 5); !strings.Contains(got, "… still running · 1.6 s") {
		t.Errorf("got:\n%s", got)
	}
	tr.Clear()
	if tr.Running() != 1 {
		t.Error("what goes on does not count as running")
	}
	tr.Event(agent.RunEnded{Call: "1", Text: "vim x in %0: exited 0"})
	if tr.Running() != 0 {
		t.Error("what has ended counts as running")
	}
}

// A card of a command that goes on says how long it has run, and how it has ended as
// soon as it has, whether that is told before the call's own end, after the turn, or
// when the screen was cleared meanwhile.
func TestACardBecomesTrueWhenItsRunEnds(t *testing.T) {
	ended := agent.RunEnded{Call: "1", Text: "make in %0: exited 2", Outcome: "exited 2", Duration: 184 * time.Second}
	for _, early := range []bool{false, true} {
		now := epoch
		tr := NewTranscript(styles(t), func() time.Time { return now })
		tr.Event(agent.CallProposed{Call: "1", Tool: "run_shell", Arguments: json.RawMessage(`{"command":"make"}`)})
		tr.Event(agent.CallStarted{Call: "1"})
		if early {
			tr.Event(ended)
		}
		tr.Event(agent.CallFinished{Call: "1", Outcome: "running", Content: content(map[string]any{"exit_code": nil})})
		if !early {
			for _, want := range []string{"… still running\n", "… still running · 12 s"} {
				if got := shown(t, tr, 60, 5) + "\n"; !strings.Contains(got, want) {
					t.Errorf("got:\n%s\nwant %q", got, want)
				}
				now = now.Add(12 * time.Second)
			}
			tr.Event(agent.Done{Ending: agent.Answered})
			tr.Event(ended)
		}
		if got := shown(t, tr, 60, 8); !strings.Contains(got, "✗ exit 2 · 3 min 4 s") || strings.Contains(got, "still") || tr.Running() != 0 {
			t.Errorf("early %v, %d running:\n%s", early, tr.Running(), got)
		}
	}
}

// Whatever is told while an answer or a thought streams stands outside of it.
func TestNoticesStandOutsideAStreamingAnswer(t *testing.T) {
	const text = "The disk is full of **logs**, and of `core` files."
	between := []func(*Transcript){
		func(tr *Transcript) { tr.Event(agent.RunEnded{Call: "1", Text: "make: exited 2"}) },
		func(tr *Transcript) { tr.Notice("the link is back") },
		func(tr *Transcript) { tr.Event(agent.Notice{Text: "a number was repaired"}) },
		func(tr *Transcript) { tr.Fault("the disk is full", "") },
	}
	for cut := range len(text) {
		for _, other := range between {
			tr := newTranscript(t)
			tr.Event(agent.Reasoning{Text: text[:cut]})
			other(tr)
			tr.Event(agent.Reasoning{Text: text[cut:]})
			tr.Event(agent.Text{Text: text[:cut] + "."})
			other(tr)
			tr.Event(agent.Text{Text: text[cut:]})
			tr.Event(agent.Done{Ending: agent.Answered})
			var raws []string
			for _, b := range tr.blocks {
				switch b := b.(type) {
				case *answer, *thought:
					raws = append(raws, b.raw())
				}
			}
			if want := []string{text, text[:cut] + "." + text[cut:]}; !slices.Equal(raws, want) {
				t.Fatalf("cut at %d: %q", cut, raws)
			}
		}
	}
}

// The end of a command is told at once and, when the model hears of it, again:
// one line says it.
func TestTheEndOfACommandIsSaidOnce(t *testing.T) {
	tr := newTranscript(t)
	for range 2 { // another call may have the same name in a later turn
		tr.Event(agent.CallProposed{Call: "1", Tool: "run_shell"})
		tr.Event(agent.CallFinished{Call: "1", Outcome: stillRunning})
		tr.Event(agent.RunEnded{Call: "1", Text: "make in %0: exited 2"})
		tr.Event(agent.Text{Text: "I see."})
		tr.Event(agent.RunEnded{Call: "1", Text: "make in %0: exited 2"})
	}
	if n := strings.Count(shown(t, tr, 80, 24), "make in %0: exited 2"); n != 2 {
		t.Errorf("said %d times", n)
	}
}

// What went wrong and what to do next is on the card without unfolding it.
func TestACardSaysWhatToDoNext(t *testing.T) {
	for name, e := range map[string]agent.CallFinished{
		"unknown": {Outcome: "unknown", Content: content(map[string]any{"note": "the link was lost while it ran; look at ssh:web-1 before anything is repeated", "stdout": "x\n"})},
		"failed":  {Content: content(map[string]any{"error": "ssh: dial web-1: connection refused by the host that was asked: look at ssh:web-1 before anything is repeated"})},
		"void":    {Outcome: "void", Denied: true, Content: content(map[string]any{"error": "not run", "hint": "look at ssh:web-1 before anything is repeated"})},
		"denied":  {Denied: true, Content: content(map[string]any{"error": "denied by policy: the posture is read-only; look at ssh:web-1 before anything is repeated"})},
	} {
		for _, width := range []int{80, 40} {
			tr := newTranscript(t)
			tr.Event(agent.CallProposed{Call: "1", Tool: "run_shell"})
			e.Call, e.IsError = "1", true
			tr.Event(e)
			if got := strings.Join(strings.Fields(shown(t, tr, width, 24)), " "); !strings.Contains(got, "look at ssh:web-1 before anything is repeated") {
				t.Errorf("%s in %d columns:\n%s", name, width, shown(t, tr, width, 24))
			}
		}
	}
}

// What nobody could approve any more was not denied.
func TestAVoidCallIsNotDenied(t *testing.T) {
	tr := newTranscript(t)
	tr.Event(agent.CallProposed{Call: "1", Tool: "run_shell"})
	tr.Event(agent.ApprovalAnswered{Call: "1", Reason: "somebody has typed in the pane"})
	tr.Event(agent.CallFinished{Call: "1", IsError: true, Denied: true, Outcome: "void", Content: content(map[string]any{"error": "not run", "code": "changed"})})
	if got := shown(t, tr, 80, 24); !strings.Contains(got, "✗ void · somebody has typed in the pane") || strings.Contains(got, "denied") {
		t.Error(got)
	}
}

func FuzzProse(f *testing.F) {
	f.Add("# a\n\n- b\n```\nc\n```\n|x|y|\n|-|-|\n|1|2|", 12)
	f.Add("[a](b \"c\") ![d](e) <f@g> ~~h~~\x1b]0;x\a", 1)
	f.Add("1) a\n   ```\n   b\n", 40)
	f.Fuzz(func(t *testing.T, source string, width int) {
		width = 1 + abs(width)%200
		p := prose{parser: newParser}
		p.add(source)
		for i := range p.layout(width) {
			for _, r := range p.line(i).text() {
				if r < 0x20 || r >= 0x7f && r < 0xa0 {
					t.Fatalf("%U is drawn", r)
				}
			}
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

// TestALineWithoutAnEnd: no piece of Markdown is so long that the parser holds the screen up,
// and nothing of it is lost, whether it comes at once or bit by bit.
func TestALineWithoutAnEnd(t *testing.T) {
	for _, unit := range []string{">", "> ", "[", "1. ", "*a_", "é", "word ", "~~~ ", "`"} {
		text := strings.Repeat(unit, (64<<10)/len(unit)) + "\nthe end\n"
		for _, size := range []int{len(text), 1000, 7} {
			p := prose{parser: newParser}
			for piece := range slices.Chunk([]byte(text), size) {
				p.add(string(piece))
			}
			var all strings.Builder
			for _, s := range p.closed {
				if len(s.source) > 2*longSegment || !utf8.ValidString(s.source) {
					t.Fatalf("%q in pieces of %d: a segment of %d bytes, valid %t", unit, size, len(s.source), utf8.ValidString(s.source))
				}
				all.WriteString(s.source)
			}
			if got := all.String() + string(p.open); !strings.ContainsAny(unit, "`~") && len(got) < len(text)-len(p.closed) {
				t.Errorf("%q in pieces of %d: %d bytes of %d", unit, size, len(got), len(text))
			}
		}
	}
}
