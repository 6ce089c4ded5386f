package screen

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Wherever an answer is cut, nothing of it is a key, and what is typed before and
// behind comes through.
func TestAnswersToOthersAreNoKeys(t *testing.T) {
	for _, answer := range []string{
		"\x1bP>|term 1.0\x1b\\", "\x1b]52;c;aGVsbG8=\a", "\x1b]10;rgb:0/0/0\x1b\\", "\x1bXany\x1b\\", "\x1b^one\x1b\\", "\x1b_Gi=1;OK\x1b\\", "\x1b]2;日本\x1b\\",
	} {
		for i := 2; i <= len(answer); i++ { // escapes holds one back that stands at an end
			a := &answers{}
			got := string(a.take([]byte("ab"+answer[:i]))) + string(a.take([]byte(answer[i:]+"cd\x1b[A")))
			if got != "abcd\x1b[A" || a.holds() {
				t.Errorf("%q cut at %d: %q are keys", answer, i, got)
			}
		}
	}
}

// What never ends, or cannot be an answer, is a key with Alt and what follows it.
func TestWhatIsNoAnswerToOthersIsKeys(t *testing.T) {
	for _, c := range []struct{ input, want, held string }{
		{"\x1b]", "", "\x1b[93;3u"},
		{"\x1bX\x1b^\x1b_\x1bP", "\x1b[88;3u\x1b[94;3u\x1b[95;3u", "\x1b[80;3u"},
		{"\x1b]ls -l\r", "\x1b[93;3uls -l\r", ""},
		{"\x1bXab\x7f", "\x1b[88;3uab\x7f", ""},
		{"\x1b_\x03", "\x1b[95;3u\x03", ""},
		{"\x1b]a\x1b[A", "\x1b[93;3ua\x1b[A", ""},
		{"\x1b]a\x1b", "", "\x1b[93;3ua\x1b"},
		{"\x1b]a\x1b\x1b[A", "\x1b[93;3ua\x1b\x1b[A", ""},
		{"\x1b]a\x1b\x1b]", "\x1b[93;3ua\x1b", "\x1b[93;3u"},
		{"\x1b", "\x1b", ""},
		{"\x1b\x1b", "\x1b\x1b", ""},
		{"\x1b[A\x1bOP\x1bx", "\x1b[A\x1bOP\x1bx", ""},
		{"\x1b]" + strings.Repeat("f", answerLength-1), "\x1b[93;3u" + strings.Repeat("f", answerLength-1), ""},
	} {
		a := &answers{}
		got := string(a.take([]byte(c.input)))
		if held := string(a.pass()); got != c.want || held != c.held || a.holds() {
			t.Errorf("%.40q: %.60q, then %.60q; want %.60q, then %.60q", c.input, got, held, c.want, c.held)
		}
	}
}

// However input is cut, at any place but behind an escape, the same is left of it,
// and no beginning of an answer is.
func TestCutsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		input := rapid.StringOfN(rapid.SampledFrom([]rune("\x1b\x1b]PX_a\\[\a\r")), 0, 20, -1).Draw(t, "input")
		cut := rapid.IntRange(0, len(input)).Draw(t, "cut")
		whole, parts := &answers{}, &answers{}
		want := string(whole.take([]byte(input))) + string(whole.pass())
		got := string(parts.take([]byte(input[:cut])))
		if cut < len(input) && (strings.HasSuffix(got, "\x1b") || strings.HasSuffix(input[:cut], "\x1b")) {
			return // the escape alone is with tcell
		}
		got += string(parts.take([]byte(input[cut:]))) + string(parts.pass())
		for _, kind := range answerKinds {
			if strings.Contains(got, "\x1b"+string(kind)) {
				t.Errorf("of %q, tcell gets %q", input, got)
			}
		}
		if got != want {
			t.Errorf("%q cut at %d: %q, in one %q", input, cut, got, want)
		}
	})
}
