package targets

import (
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/internal/uitest"
	"github.com/nod-console/nod/ui/screen"
)

func key(k tcell.Key) *tcell.EventKey { return tcell.NewEventKey(k, 0, tcell.ModNone) }

func typed(p *Picker, text string) {
	for _, r := range text {
		p.Key(tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone))
	}
}

func some() []Target {
	return []Target{
		{Name: "local", State: Connected, Panes: 1},
		{Name: "ssh:db-1", Trust: "prod", Detail: "10.0.0.7"},
		{Name: "ssh:web-1", State: Connected, Trust: "prod", Current: true, Latency: 42 * time.Millisecond, Panes: 2},
		{Name: "docker:api", Detail: "registry/api:7\x1b[2J"},
	}
}

func drawn(t *testing.T, p *Picker, w, h int) []string {
	t.Helper()
	return uitest.Drawn(t, w, h, func(s tcell.Screen, styles *screen.Styles) { p.Draw(s, 0, 0, w, h, styles) })
}

func TestWhatIsInUseComesFirstAndIsToldInWords(t *testing.T) {
	p := &Picker{}
	p.Set(some())
	rows := drawn(t, p, 80, 10)
	for i, want := range []string{"", "", "• ssh:web-1", "local", "ssh:db-1", "docker:api"} {
		if !strings.Contains(rows[i], want) {
			t.Errorf("row %d is %q, want %q", i, rows[i], want)
		}
	}
	if row := rows[2]; !strings.Contains(row, "connected  ●prod  42 ms · 2 panes") {
		t.Errorf("%q", row)
	}
	if text := strings.Join(rows, ""); strings.ContainsRune(text, 0x1b) {
		t.Error("an escape sequence reached the screen")
	}
	drawn(t, p, 40, 10)
	drawn(t, p, 3, 2)
}

func TestTypingFiltersAndEnterChooses(t *testing.T) {
	p := &Picker{}
	p.Set(some())
	typed(p, "prod 1")
	p.Key(key(tcell.KeyDown))
	if c := p.Key(key(tcell.KeyEnter)); c != (Choice{Use, "ssh:db-1"}) {
		t.Errorf("%+v", c)
	}
	p.Set(some()[:2]) // the list changes under what is chosen
	if c := p.Key(key(tcell.KeyCtrlX)); c != (Choice{Drop, "ssh:db-1"}) {
		t.Errorf("%+v", c)
	}
	if c := p.Key(key(tcell.KeyEscape)); c.Verb != Nothing {
		t.Errorf("Esc with a filter: %+v", c)
	}
	if c := p.Key(key(tcell.KeyEscape)); c.Verb != Close {
		t.Errorf("Esc: %+v", c)
	}
	typed(p, "ssh://root@10.9.9.9:2222")
	if c := p.Key(key(tcell.KeyCtrlY)); c.Verb != Nothing {
		t.Errorf("no such row: %+v", c)
	}
	if c := p.Key(key(tcell.KeyEnter)); c != (Choice{Use, "ssh://root@10.9.9.9:2222"}) {
		t.Errorf("a name of its own: %+v", c)
	}
}

func TestTheChosenRowStaysInSight(t *testing.T) {
	p := &Picker{}
	var all []Target
	for i := range 50 {
		all = append(all, Target{Name: "ssh:h" + string(rune('a'+i/10)) + string(rune('0'+i%10))})
	}
	p.Set(all)
	drawn(t, p, 60, 12)
	for range 3 {
		p.Key(key(tcell.KeyPgDn))
	}
	if rows := strings.Join(drawn(t, p, 60, 12), "\n"); !strings.Contains(rows, "›  ssh:hc1") {
		t.Error(rows)
	}
}

func TestALogIsOfWhatHasOne(t *testing.T) {
	p := &Picker{}
	p.Set([]Target{{Name: "docker:api", State: Lost, Word: "paused", Detail: "the container is paused", Logs: true}, {Name: "local"}})
	rows := drawn(t, p, 80, 8)
	if !strings.Contains(rows[2], "paused  the container is paused") || !strings.Contains(rows[6], "Ctrl-O logs") {
		t.Errorf("%q, %q", rows[2], rows[6])
	}
	if c := p.Key(key(tcell.KeyCtrlO)); c != (Choice{Logs, "docker:api"}) {
		t.Errorf("%+v", c)
	}
	p.Key(key(tcell.KeyDown))
	if c := p.Key(key(tcell.KeyCtrlO)); c.Verb != Nothing {
		t.Errorf("this machine: %+v", c)
	}
	if rows := drawn(t, p, 80, 8); strings.Contains(rows[6], "Ctrl-O") {
		t.Errorf("%q", rows[6])
	}
}

func TestWhatWasUsedLastComesFirstAndIsFoundByWhatIsKnown(t *testing.T) {
	now := time.Date(2024, 5, 6, 12, 0, 0, 0, time.UTC)
	p := &Picker{Now: func() time.Time { return now }}
	p.Set([]Target{
		{Name: "ssh:a", Address: "192.0.2.1", Groups: []string{"db", "new"}},
		{Name: "ssh:b", Address: "192.0.2.2\x1b[2J", System: "FreeBSD", Used: now.Add(-72 * time.Hour)},
		{Name: "ssh:c", Used: now.Add(-90 * time.Minute)},
		{Name: "local", State: Connected, Current: true, Used: now},
	})
	rows := drawn(t, p, 100, 10)
	for i, want := range []string{"", "", "• local", "ssh:c                      used 1 h ago", "192.0.2.2␛[2J · FreeBSD · used 3 days ago", "@db @new · 192.0.2.1"} {
		if !strings.Contains(rows[i], want) {
			t.Errorf("row %d is %q, want %q", i, rows[i], want)
		}
	}
	if strings.Contains(rows[2], "used") {
		t.Errorf("what is connected is used now: %q", rows[2])
	}
	for typedIn, want := range map[string]string{"freebsd": "ssh:b", "0.2.1": "ssh:a", "@db": "ssh:a"} {
		p.Insert(typedIn)
		if c := p.Key(key(tcell.KeyEnter)); c != (Choice{Use, want}) {
			t.Errorf("%s: %+v", typedIn, c)
		}
		p.Key(key(tcell.KeyCtrlU))
	}
}

func TestOffersAreFoundByTheirLetterAndTheirName(t *testing.T) {
	p := &Picker{}
	p.Set([]Target{{Name: "ssh:nas"}, {Name: "ssh:newton"}})
	p.Offer([]Offer{{Verb: Open, Letter: "n", Name: "new terminal", Detail: "on local"}})
	if rows := strings.Join(drawn(t, p, 80, 8), "\n"); strings.Contains(rows, "on local") {
		t.Errorf("it is shown before anything is typed:\n%s", rows)
	}
	typed(p, "n")
	if c := p.Key(key(tcell.KeyEnter)); c != (Choice{Verb: Open}) {
		t.Errorf("its letter: %+v", c)
	}
	if c := p.Key(key(tcell.KeyCtrlX)); c.Verb != Nothing {
		t.Errorf("it cannot be dropped: %+v", c)
	}
	typed(p, "ew")
	if c := p.Key(key(tcell.KeyEnter)); c != (Choice{Use, "ssh:newton"}) {
		t.Errorf("a target of that name comes first: %+v", c)
	}
	typed(p, " term")
	if c := p.Key(key(tcell.KeyEnter)); c != (Choice{Verb: Open}) {
		t.Errorf("its name: %+v", c)
	}
	p.Key(key(tcell.KeyCtrlU))
	typed(p, "nas")
	if c := p.Key(key(tcell.KeyCtrlN)); c != (Choice{Open, "ssh:nas"}) {
		t.Errorf("on a target: %+v", c)
	}
}

// TestSpaceMarksAndEnterConnectsAll: a space behind a word that is typed goes on with the
// filter; all others mark.
func TestSpaceMarksAndEnterConnectsAll(t *testing.T) {
	p := &Picker{}
	p.Set(some()) // in the order ssh:web-1, local, ssh:db-1, docker:api
	typed(p, "prod db ")
	if c := p.Key(key(tcell.KeyEnter)); c != (Choice{Use, "ssh:db-1"}) || len(p.Marked()) > 0 {
		t.Errorf("a filter of two words: %+v, %q", c, p.Marked())
	}
	typed(p, " ") // the second one behind a word
	p.Key(key(tcell.KeyCtrlU))
	p.Key(key(tcell.KeyUp))
	typed(p, "  ")
	if got := strings.Join(p.Marked(), " "); got != "ssh:web-1 local ssh:db-1" {
		t.Errorf("marked %s", got)
	}
	rows := drawn(t, p, 80, 10)
	if !strings.HasSuffix(strings.TrimRight(rows[1], " │"), "3 marked") || !strings.Contains(rows[2], " * ssh:web-1") || !strings.Contains(rows[8], "Enter connects all 3") {
		t.Errorf("%s", strings.Join(rows, "\n"))
	}
	drawn(t, p, 12, 4)
	typed(p, "nothing like it")
	if c := p.Key(key(tcell.KeyEnter)); c != (Choice{Verb: UseMarked}) {
		t.Errorf("marked ones are meant whatever is typed: %+v", c)
	}
	p.Key(key(tcell.KeyEscape))
	p.Set(some()[1:])
	if got := strings.Join(p.Marked(), " "); got != "ssh:web-1 ssh:db-1" {
		t.Errorf("what is not there any more: %s", got)
	}
	p.Key(key(tcell.KeyDown))
	typed(p, " ")
	if got := strings.Join(p.Marked(), " "); got != "ssh:web-1" {
		t.Errorf("again: %s", got)
	}
	if c := p.Key(key(tcell.KeyEscape)); c.Verb != Nothing || len(p.Marked()) > 0 {
		t.Errorf("Esc with marks: %+v", c)
	}
	if c := p.Key(key(tcell.KeyEscape)); c.Verb != Close {
		t.Errorf("Esc: %+v", c)
	}
	p.Offer([]Offer{{Verb: Open, Letter: "n", Name: "new terminal"}})
	typed(p, "new term")
	p.Key(key(tcell.KeyUp))
	if typed(p, " "); len(p.Marked()) > 0 {
		t.Error("an offer is marked")
	}
}
