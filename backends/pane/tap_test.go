package pane_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/backends/vt"
)

// player shows what a tap hears, as a recording would.
type player struct {
	mu     sync.Mutex
	term   *vt.Terminal
	told   []string
	closed int
}

func (p *player) Screen(size backends.Size, restore []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.term == nil {
		p.term = vt.New(vt.Size(size), vt.Options{})
	}
	p.term.Resize(vt.Size(size))
	_, _ = p.term.Write(restore) // never fails
}

func (p *player) Output(b []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.term.Write(b) // never fails
}

func (p *player) tell(what string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.told = append(p.told, what)
}

func (p *player) Began(command string)                     { p.tell("began " + command) }
func (p *player) Ended(command string, o backends.Outcome) { p.tell(o.String() + " " + command) }
func (p *player) Lost(why string)                          { p.tell("lost " + why) }
func (p *player) Closed()                                  { p.mu.Lock(); p.closed++; p.mu.Unlock() }

// look is what a picture shows.
func look(s *vt.Snapshot) string {
	var b strings.Builder
	for y := range s.Size.Rows {
		for _, c := range s.Row(y) {
			fmt.Fprintf(&b, "%s%v", s.Text(c), s.Style(c))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%v %v %v", s.Size, s.Alternate, s.Cursor)
	return b.String()
}

func (p *player) look() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.term == nil {
		return ""
	}
	return look(p.term.Snapshot())
}

// Whatever a pane goes through, who plays what its tap heard sees what it shows.
func TestATapHearsEverything(t *testing.T) {
	need(t, "vim")
	everywhere(t, func(t *testing.T) {
		r := newRig(t, "bash")
		heard := &player{}
		r.opt.Tap = func(*pane.Pane) pane.Tap { return heard }
		k := r.open(t)
		p, err := k.Shared(t.Context())
		must(t, err)
		same := func(when string) {
			t.Helper()
			eventually(t, p, "the same picture "+when, func() bool { return look(p.Screen()) == heard.look() })
		}
		same("at the beginning")
		run(t, p, `printf '\033[31mrot\033[m 日本 é\n'; seq 100; printf '\033[44mblue'`)
		same("after colours")
		run(t, p, "false")
		p.Resize(backends.Size{Cols: 50, Rows: 10})
		eventually(t, p, "the new size", func() bool { return p.Screen().Size == vt.Size{Cols: 50, Rows: 10} })
		same("after a new size")
		must(t, p.Type(t.Context(), []byte("vim -u NONE -i NONE\r")))
		eventually(t, p, "vim", func() bool { return p.Screen().Alternate && strings.Contains(p.Screen().String(), "\n~\n") })
		same("in vim")
		p.Resize(backends.Size{Cols: 70, Rows: 20})
		eventually(t, p, "the new size", func() bool { return p.Screen().Size == vt.Size{Cols: 70, Rows: 20} })
		same("in vim after a new size")
		must(t, p.Type(t.Context(), []byte("itext\x1b:q!\r")))
		eventually(t, p, "the prompt", p.AtPrompt)
		same("after vim")
		res := finish(t, p, start(t, p, pane.Request{Command: "kill -9 $$"}))
		if res.Outcome != backends.EndedBy(backends.KILL) {
			t.Errorf("%+v", res)
		}
		run(t, p, "echo anew")
		same("in a fresh shell")
		p.Retap()
		same("after a whole picture")
		want := []string{"began false", "exited 1 false", "began vim -u NONE -i NONE", "exited 0 vim -u NONE -i NONE",
			"began kill -9 $$", "signalled KILL kill -9 $$", "began echo anew", "exited 0 echo anew"}
		heard.mu.Lock()
		if got := heard.told; len(got) < 2 || !slices.Equal(got[2:], want) {
			t.Errorf("it was told %q", got)
		}
		heard.mu.Unlock()
		must(t, k.Close())
		if heard.closed != 1 {
			t.Errorf("closed %d times", heard.closed)
		}
	})
}

// A connection that is lost, and the pictures that follow it.
func TestATapHearsOfLoss(t *testing.T) {
	t.Parallel()
	r := newRig(t, "bash")
	heard := &player{}
	r.opt.Tap = func(*pane.Pane) pane.Tap { return heard }
	p, err := r.open(t).Shared(t.Context())
	must(t, err)
	run(t, p, "seq 5")
	before := start(t, p, pane.Request{Command: "echo before; sleep 0.5; echo after"})
	eventually(t, p, "the output", func() bool { return strings.Contains(p.Screen().String(), "\nbefore") })
	r.cut(t)
	finish(t, p, before)
	run(t, p, "echo on it goes")
	eventually(t, p, "the same picture", func() bool { return look(p.Screen()) == heard.look() })
	heard.mu.Lock()
	defer heard.mu.Unlock()
	if !slices.ContainsFunc(heard.told, func(s string) bool { return strings.HasPrefix(s, "lost ") }) {
		t.Errorf("it was told %q", heard.told)
	}
}
