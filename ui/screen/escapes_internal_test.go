package screen

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// What could go on is held back, and is a key by itself if nothing comes.
func TestBeginningsAreHeldBack(t *testing.T) {
	for _, c := range []struct{ input, keys, held string }{
		{"abc", "abc", ""},
		{"a\x1b", "a", "\x1b[27u"},
		{"\x1b\x1b", "", "\x1b[27u\x1b[27u"},
		{"a\x1b[", "a", "\x1b[91;3u"},
		{"\x1bO", "", "\x1b[79;3u"},
		{"\x1b\x1b\x1bO", "\x1b\x1b", "\x1b[79;3u"},
		{"\x1b[\x1bO\x1b[A", "\x1b[91;3u\x1b[79;3u\x1b[A", ""},
		{"\x1b[\r\x1b[\x1b", "\x1b[91;3u\r\x1b[91;3u", "\x1b[27u"},
		{"\x1b\x1b[A", "\x1b\x1b[A", ""},
		{"\x1b[A\x1bOP\x1b]", "\x1b[A\x1bOP\x1b]", ""},
		{"\x1bNext", "\x1b[78;3uext", ""},
		{"[O", "[O", ""},
	} {
		e := &escapes{}
		keys, held := string(e.take([]byte(c.input))), e.holds()
		if passed := string(e.pass()); keys != c.keys || passed != c.held || held != (c.held != "") || e.holds() {
			t.Errorf("%q: %q, then %q (%v); want %q, then %q", c.input, keys, passed, held, c.keys, c.held)
		}
	}
}

// However input is cut, the same keys come out, and no sequence is cut where tcell would
// wait for its end.
func TestCutEscapesChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input := rapid.StringOfN(rapid.SampledFrom([]rune("\x1b\x1b[ONAa]")), 0, 20, -1).Draw(t, "input")
		cut := rapid.IntRange(0, len(input)).Draw(t, "cut")
		whole, parts := &escapes{}, &escapes{}
		want := string(whole.take([]byte(input))) + string(whole.pass())
		first := string(parts.take([]byte(input[:cut])))
		for _, end := range []string{"\x1b[", "\x1bO"} {
			if strings.HasSuffix(first, end) {
				t.Errorf("of %q, tcell gets %q", input[:cut], first)
			}
		}
		if got := first + string(parts.take([]byte(input[cut:]))) + string(parts.pass()); got != want {
			t.Errorf("%q cut at %d: %q, in one %q", input, cut, got, want)
		}
	})
}
