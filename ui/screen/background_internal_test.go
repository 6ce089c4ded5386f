package screen

import (
	"strings"
	"testing"
	"time"
)

// hear gives pieces of input to a listener, one after the other, and returns what
// came out as keys. A piece "…" is the time in which an answer counts, and nothing
// else comes meanwhile; behind every other one nothing comes for as long as a piece
// waits.
func hear(g *ground, pieces ...string) (keys, color string) {
	now := time.Unix(1_800_000_000, 0)
	if !g.ask(now) {
		return "", "it had been asked"
	}
	for _, piece := range pieces {
		if piece == "…" {
			now = now.Add(groundTime)
		} else {
			out, c := g.take([]byte(piece))
			keys, color = keys+string(out), color+c
		}
		if held, wait := g.held(now); held && (piece == "…" || wait <= pieceTime) {
			keys += string(g.pass())
		}
	}
	return keys, color
}

const whole = "\x1b]11;rgb:ffff/ffff/dddd\x1b\\"

// Wherever an answer is cut, nothing of it is a key, and what is typed before,
// between and behind comes through.
func TestAnAnswerInPiecesIsNoKey(t *testing.T) {
	for _, answer := range []string{whole, strings.TrimSuffix(whole, "\x1b\\") + "\a"} {
		for i := range len(answer) + 1 {
			for j := i; j <= len(answer); j++ {
				keys, color := hear(&ground{}, "ab", answer[:i], answer[i:j], answer[j:], "cd\x1b[A")
				if keys != "abcd\x1b[A" || color != "rgb:ffff/ffff/dddd" {
					t.Fatalf("cut at %d and %d: %q are keys, the colour is %q", i, j, keys, color)
				}
			}
		}
		var single []string
		for _, c := range []byte("ab" + answer + "cd") {
			single = append(single, string(c))
		}
		if keys, color := hear(&ground{}, single...); keys != "abcd" || color == "" {
			t.Errorf("byte by byte: %q, %q", keys, color)
		}
		if keys, color := hear(&ground{}, "ab"+answer+"cd"); keys != "abcd" || color == "" {
			t.Errorf("in one: %q, %q", keys, color)
		}
	}
}

func TestWhatIsNoAnswerIsKeys(t *testing.T) {
	for _, c := range []struct{ name, want, pieces string }{
		{"keys", "ls -l\r", "ls -l\r"},
		{"an escape", "\x1b", "\x1b|…"},
		{"an escape and more", "\x1bx", "\x1b|…|x"},
		{"escapes", "\x1b\x1b\x1b", "\x1b\x1b|\x1b|…"},
		{"an escape, later", "\x1b", "…|\x1b"},
		{"an arrow in pieces", "\x1b[A", "\x1b|[A"},
		{"another answer", "\x1b]10;rgb:0/0/0\x1b\\", "\x1b]10;rgb:0/0/0\x1b\\"},
		{"Alt and a bracket", "\x1b[93;3ux", "\x1b]|…|x"},
		{"a bracket by itself", "]11;x", "]11;x"},
	} {
		if keys, color := hear(&ground{}, strings.Split(c.pieces, "|")...); keys != c.want || color != "" {
			t.Errorf("%s: %q, %q, want %q", c.name, keys, color, c.want)
		}
	}
}

// A late answer is no key either.
func TestALateAnswerIsNoKey(t *testing.T) {
	for i := range len(whole) + 1 {
		keys, color := hear(&ground{}, "a", "…", whole[:i], whole[i:], "b")
		want := map[int]string{1: "a\x1bb", 2: "a\x1b[93;3ub"}[i] // one cannot wait for ever
		if want == "" {
			want = "ab"
		}
		if keys != want || color != "rgb:ffff/ffff/dddd" {
			t.Errorf("cut at %d: %q, %q, want %q", i, keys, color, want)
		}
	}
	if keys, color := hear(&ground{}, "\x1b", "…", whole[1:]); keys != "\x1b" || color == "" {
		t.Errorf("an answer whose escape was passed on: %q, %q", keys, color)
	}
}

// What a terminal began and never ended does not take the keyboard away.
func TestAnAnswerThatIsBrokenOffEnds(t *testing.T) {
	for input, want := range map[string]string{
		"\x1b]11;rgb:ff|\r":                            "\r",
		"\x1b]11;rgb:ff|\x03":                          "\x03",
		"\x1b]11;rgb:ff|\x1b[A":                        "\x1b[A",
		"\x1b]11;" + strings.Repeat("f", 60) + "|end":  strings.Repeat("f", 20) + "end",
		"\x1b]11;rgb:ff|\x1b|\x1b[A":                   "\x1b\x1b[A",
		"\x1b]11;rgb:ff|\xe6\x97\xa5 and what follows": "\xe6\x97\xa5 and what follows",
	} {
		if keys, color := hear(&ground{}, strings.Split(input, "|")...); keys != want || color != "" {
			t.Errorf("%q: %q, %q", input, keys, color)
		}
	}
}

func TestTheGroundIsAskedForOnce(t *testing.T) {
	g := &ground{}
	if keys, color := hear(g, whole); keys != "" || color == "" {
		t.Fatalf("%q, %q", keys, color)
	}
	if g.ask(time.Now()) {
		t.Error("it was asked twice")
	}
	if keys, _ := g.take([]byte("\x1b")); string(keys) != "\x1b" {
		t.Error("keys are held back although nothing is awaited")
	}
}

func TestLightAndDarkColours(t *testing.T) {
	for color, want := range map[string]string{
		"rgb:ffff/ffff/ffff": "light", "rgb:0000/0000/0000": "dark", "rgb:fd/f6/e3": "light", "rgb:00/2b/36": "dark",
		"rgb:f/f/f": "light", "rgba:ffff/ffff/ffff/ffff": "light", "rgb:0000/0000/ffff": "dark", "rgb:0000/ffff/0000": "light",
		"rgb:808/808/808": "light", "rgb:7ff/7ff/7ff": "dark",
		"#ffffff": "", "": "", "?": "", "rgb:gg/0/0": "", "rgb:fffff/0/0": "",
	} {
		got := ""
		if light, ok := lightColor(color); ok {
			if got = "dark"; light {
				got = "light"
			}
		}
		if got != want {
			t.Errorf("%q is %q, want %q", color, got, want)
		}
	}
}

func FuzzGround(f *testing.F) {
	f.Add("ab" + whole + "cd")
	f.Add("\x1b|]1|1;rgb:|\x1b|[A")
	f.Fuzz(func(t *testing.T, input string) {
		g := &ground{asked: time.Now()}
		out := 0
		for piece := range strings.SplitSeq(input, "|") {
			keys, _ := g.take([]byte(piece))
			out += len(keys)
			if g.read > len(groundBeginning) || g.passed > g.read || len(g.body) > groundBody+1 {
				t.Fatalf("%+v", g)
			}
		}
		if out > len(input)+len(groundBeginning) {
			t.Errorf("%d bytes came out of %d", out, len(input))
		}
	})
}
