package screen

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gdamore/tcell/v2"
)

// EventGround is the terminal's answer to AskGround: what its text stands on. It
// comes at most once, or never.
type EventGround struct {
	tcell.EventTime
	Light bool
}

// groundTime is how long an answer is waited for where something has to wait: an
// escape that may be its beginning, and the end of the screen.
const groundTime = 500 * time.Millisecond

// pieceTime is how long more than an escape waits for what comes behind it, later.
const pieceTime = 100 * time.Millisecond

// AskGround asks the terminal for its ground, without waiting: the answer is an
// EventGround. A terminal without colours is not asked, and neither is the Linux
// console, which prints what it does not know; with NO_COLOR nobody wants to know.
// Every terminal is asked once. What it answers, and be it in pieces and late, is
// never taken for keys. Fini and Suspend wait up to half a second after the question
// for an answer that is on its way, so that no other program gets it.
func (s *Screen) AskGround() error {
	if s.tty == nil || !s.taken || s.Colors() < 8 || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "linux" {
		return nil
	}
	if !s.tty.ground.ask(time.Now()) {
		return nil
	}
	return s.tty.Send([]byte("\x1b]11;?\x1b\\"))
}

// ground takes the answer to AskGround out of the input. The zero value takes
// nothing. It is safe for concurrent use.
type ground struct {
	mu     sync.Mutex
	asked  time.Time // zero: never
	told   bool
	read   int    // bytes of the answer's beginning that were read
	passed int    // of these, those that were passed on as keys: nobody had more
	body   []byte // of the answer, once its beginning is complete
}

// An answer is its beginning, a colour and an end: BEL, or ESC and a backslash.
const (
	groundBeginning = "\x1b]11;"
	groundBody      = 40 // bytes at most
)

// ask reports whether the terminal is to be asked now.
func (g *ground) ask(now time.Time) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.asked.IsZero() {
		return false
	}
	g.asked = now
	return true
}

// due is how long an answer is waited for still.
func (g *ground) due(now time.Time) time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.left(now)
}

func (g *ground) left(now time.Time) time.Duration {
	if g.asked.IsZero() || g.told {
		return 0
	}
	return max(0, groundTime-now.Sub(g.asked))
}

// take returns what is left of input without the answer, and the colour of a
// complete one. The beginning of what may be an answer is held back.
func (g *ground) take(input []byte) (keys []byte, color string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.asked.IsZero() || g.told {
		return input, ""
	}
	for i := 0; i < len(input); i++ {
		c := input[i]
		switch {
		case g.read < len(groundBeginning):
			if c == groundBeginning[g.read] {
				g.read++
				continue
			}
			keys = append(keys, g.letGo()...)
			if c == groundBeginning[0] {
				g.read = 1
				continue
			}
			keys = append(keys, c)
		case c == '\a', c == '\\' && bytes.HasSuffix(g.body, []byte{'\x1b'}):
			color = strings.TrimSuffix(string(g.body), "\x1b")
			g.told, g.body = true, nil
			return append(keys, input[i+1:]...), color
		case c == '\x1b' && !bytes.HasSuffix(g.body, []byte{'\x1b'}),
			c > ' ' && c < 0x7f && len(g.body) < groundBody && !bytes.HasSuffix(g.body, []byte{'\x1b'}):
			g.body = append(g.body, c)
		default: // it was broken off: what comes now are keys
			if bytes.HasSuffix(g.body, []byte{'\x1b'}) {
				keys = append(keys, '\x1b')
			}
			g.read, g.passed, g.body = 0, 0, nil
			i--
		}
	}
	return keys, color
}

// held reports whether input is held back that may be keys after all, and how long
// it may wait for more.
func (g *ground) held(now time.Time) (bool, time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.passed >= g.read, g.read == len(groundBeginning), g.read > 2 && g.passed == 0:
		return false, 0
	case g.read == 1:
		return true, g.left(now)
	}
	return true, max(g.left(now), pieceTime)
}

// pass is what was held back, as keys. If the answer goes on behind them after all,
// its rest is taken out nevertheless.
func (g *ground) pass() []byte {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := []byte(groundBeginning[g.passed:g.read])
	if string(out) == "\x1b]" {
		out = withAlt(']')
	}
	g.passed = g.read
	return out
}

// letGo is what was held back and is no answer.
func (g *ground) letGo() []byte {
	out := []byte(groundBeginning[g.passed:g.read])
	g.read, g.passed = 0, 0
	return out
}

var rgbAnswer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})`)
})

// lightColor reports whether a colour in X11's notation ("rgb:ffff/ffff/ffff") is
// nearer to white than to black for the eye, if it can be read.
func lightColor(color string) (light, ok bool) {
	parts := rgbAnswer().FindStringSubmatch(color)
	if parts == nil {
		return false, false
	}
	luma := 0.0 // of Rec. 601
	for i, weight := range []float64{0.299, 0.587, 0.114} {
		v, err := strconv.ParseUint(parts[i+1], 16, 16)
		if err != nil {
			return false, false
		}
		luma += weight * float64(v) / float64(uint64(1)<<(4*len(parts[i+1]))-1)
	}
	return luma > 0.5, true
}
