package screen_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/screen"
)

// typist is a terminal in memory with a screen on it, in time of its own.
type typist struct {
	t      *testing.T
	dev    *tty
	screen *screen.Screen
}

func newTypist(t *testing.T) *typist {
	t.Helper()
	p := &typist{t: t, dev: newTTY(80, 24)}
	var err error
	if p.screen, err = screen.NewOn(p.dev); err != nil {
		t.Fatal(err)
	}
	if err := p.screen.Init(); err != nil {
		t.Fatal(err)
	}
	synctest.Wait()
	p.heard() // the first size
	return p
}

// send has one read of the terminal return text.
func (p *typist) send(text string) {
	p.t.Helper()
	for text != "" {
		n := min(len(text), 4096) // what one read of a terminal returns
		p.dev.input <- []byte(text[:n])
		text = text[n:]
		synctest.Wait()
	}
}

// heard is what has come since the last call: keys by themselves as they are, keys
// that came together in brackets.
func (p *typist) heard() string {
	p.t.Helper()
	synctest.Wait()
	name := func(key *tcell.EventKey) string {
		if key.Key() == tcell.KeyRune && key.Modifiers() == 0 {
			return string(key.Rune())
		}
		return key.Name()
	}
	var words []string
	for {
		select {
		case ev := <-p.screen.EventQ():
			switch ev := ev.(type) {
			case *tcell.EventKey:
				words = append(words, name(ev))
			case *screen.EventTogether:
				words = append(words, "["+name(ev.EventKey)+"]")
			case *tcell.EventPaste:
				words = append(words, map[bool]string{true: "<paste", false: "paste>"}[ev.Start()])
			case *tcell.EventMouse:
				words = append(words, "mouse")
			}
			synctest.Wait() // the reader waits for room
		default:
			return strings.Join(words, " ")
		}
	}
}

// A key that shared a read of the terminal with anything else is known by it.
func TestAKeyThatSharedAReadIsKnown(t *testing.T) {
	useTerm(t, "xterm-256color")
	for _, c := range []struct{ reads, want string }{
		{"y", "y"},
		{"y|e|s", "y e s"},
		{"yes", "[y] [e] [s]"},
		{"y\r", "[y] [Enter]"},
		{"\x1b[A", "Up"},
		{"\x1b[13;2u", "Shift+Enter"},
		{"\x1b|[A", "Up"},
		{"\xe6\xbc|\xa2", "漢"},
		{"\xe6\xbc|\xa2y", "[漢] [y]"},
		{"\x1b…", "Esc"},
		{"y\x1b…", "[y] [Esc]"},
		{"y\x1b[1;…", "[y]"},
		{"\x1b[<0;1;1My", "mouse [y]"},
		{"\x1b[?1;2cy", "[y]"},
		{"\x1b]10;rgb:0/0/0\x1b\\y", "[y]"},
		{"\x1b|]10;rgb:0/0/0\x1b\\y", "[y]"},
		{"\xff", "\ufffd"},
		{"y\xff", "[y] [\ufffd]"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newTypist(t)
			defer p.screen.Fini()
			for read := range strings.SplitSeq(c.reads, "|") {
				text, over := strings.CutSuffix(read, "…")
				p.send(text)
				if over {
					time.Sleep(3 * time.Second)
				}
			}
			if got := p.heard(); got != c.want {
				t.Errorf("%q: %s, want %s", c.reads, got, c.want)
			}
		})
	}
}

// What waits is seen wherever it is: held as the beginning of something, or in the
// queue.
func TestInputThatWaitsIsSeen(t *testing.T) {
	useTerm(t, "xterm-256color")
	for _, c := range []struct {
		bytes string
		waits bool
	}{{"", false}, {"\x1b", true}, {"\xe6\xbc", true}, {"\x1b[1;", true}, {"x", true}, {"\x1b[200~", true}, {strings.Repeat("x", 1000), true}} {
		synctest.Test(t, func(t *testing.T) {
			p := newTypist(t)
			defer p.screen.Fini()
			p.send(c.bytes)
			if got := p.screen.InputWaits(); got != c.waits {
				t.Errorf("%.10q: waits: %v", c.bytes, got)
			}
			time.Sleep(3 * time.Second)
			p.heard()
			if p.screen.InputWaits() {
				t.Errorf("%.10q: waits for ever", c.bytes)
			}
		})
	}
}

// The rest of a character or of a sequence is waited for, for a second.
func TestTheRestIsWaitedFor(t *testing.T) {
	useTerm(t, "xterm-256color")
	for _, c := range []struct {
		reads []string
		pause time.Duration
		want  string
	}{
		{[]string{"\xe6", "\xbc\xa2"}, 900 * time.Millisecond, "漢"},
		{[]string{"\xe6", "\xbc\xa2"}, 1100 * time.Millisecond, "\ufffd [\ufffd] [\ufffd]"},
		{[]string{"\x1b[1;", "5A"}, 900 * time.Millisecond, "Ctrl+Up"},
		{[]string{"\x1b[1;", "5A"}, 1100 * time.Millisecond, "[5] [A]"},
		{[]string{"\x1b", "x"}, 40 * time.Millisecond, "Alt+Rune[x]"},
		{[]string{"\x1b", "x"}, 60 * time.Millisecond, "Esc x"},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := newTypist(t)
			defer p.screen.Fini()
			for _, read := range c.reads {
				p.send(read)
				time.Sleep(c.pause)
			}
			if got := p.heard(); got != c.want {
				t.Errorf("%q, %v apart: %s, want %s", c.reads, c.pause, got, c.want)
			}
		})
	}
}

// A paste that the terminal does not end is handed on in parts, and a key that is
// typed later is a key.
func TestAPasteWithoutItsEnd(t *testing.T) {
	useTerm(t, "xterm-256color")
	synctest.Test(t, func(t *testing.T) {
		p := newTypist(t)
		defer p.screen.Fini()
		for _, c := range []struct {
			bytes string
			pause time.Duration
			want  string
		}{
			{"\x1b[200~ab", 100 * time.Millisecond, "<paste [a] [b]"},
			{"c\r", 400 * time.Millisecond, "[c] [Enter] paste>"},
			{"de", 2 * time.Second, "<paste [d] [e] paste>"},
			{"fg", 400 * time.Millisecond, "<paste [f] [g] paste>"},
			{"h", 2 * time.Second, "<paste h paste>"},
			{"y", 0, "y"},
			{"\r", 0, "Enter"},
			{"\x1b[200~x\x1b[201~", 0, "<paste [x] paste>"},
			{"\x1b[200~x", 2 * time.Second, "<paste [x] paste>"},
			{"\x1b[201~", 0, ""},
			{"z", 0, "z"},
		} {
			p.send(c.bytes)
			time.Sleep(c.pause)
			if got := p.heard(); got != c.want {
				t.Errorf("%q: %s, want %s", c.bytes, got, c.want)
			}
		}
	})
}

// Nothing of a paste is lost, wherever its reads end.
func TestAPasteArrivesWhole(t *testing.T) {
	useTerm(t, "xterm-256color")
	var text strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&text, "%d: äöü 漢字\r", i)
	}
	synctest.Test(t, func(t *testing.T) {
		p := newTypist(t)
		defer p.screen.Fini()
		var got strings.Builder
		take := func() {
			synctest.Wait()
			for {
				select {
				case ev := <-p.screen.EventQ():
					if key, ok := ev.(*screen.EventTogether); ok {
						if key.Key() == tcell.KeyEnter {
							got.WriteByte('\r')
						} else {
							got.WriteRune(key.Rune())
						}
					}
					synctest.Wait()
				default:
					return
				}
			}
		}
		rest := "\x1b[200~" + text.String() + "\x1b[201~"
		for i := 0; rest != ""; i++ {
			n := min(len(rest), 2+(i*37)%997)
			p.dev.input <- []byte(rest[:n])
			rest = rest[n:]
			take()
		}
		if got.String() != text.String() {
			t.Errorf("%d bytes of %d", got.Len(), text.Len())
		}
	})
}

// Whatever bytes a terminal sends, in whatever reads, a key that is pressed later is
// heard, and the screen can be given back.
func FuzzInput(f *testing.F) {
	for _, seed := range []string{"\xe9", "\xff", "\x80", "\xc3", "\x1b[200~caf\xe9", "\x1b]10;rgb", "\x1bP|\x1b", "\x1b[1;", "\x1b[|200~|\xe6|\xbc", "\x1b[0;0;27;1;0;1_", "y|\x1b", "\x1b[<0;1;"} {
		f.Add(seed)
	}
	useTermF(f)
	f.Fuzz(func(t *testing.T, reads string) {
		synctest.Test(t, func(t *testing.T) {
			p := newTypist(t)
			defer p.screen.Fini()
			for read := range strings.SplitSeq(reads, "|") {
				p.send(read)
				p.heard()
			}
			time.Sleep(3 * time.Second)
			p.heard()
			p.send("Z")
			if got := p.heard(); got != "Z" {
				t.Errorf("behind %q, Z is %q", reads, got)
			}
		})
	})
}

func useTermF(f *testing.F) {
	f.Helper()
	f.Setenv("TERM", "xterm-256color")
	f.Setenv("NO_COLOR", "")
}
