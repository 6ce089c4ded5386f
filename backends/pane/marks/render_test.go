package marks

import (
	"strings"
	"testing"
)

func TestRender(t *testing.T) {
	for in, want := range map[string]string{
		"":                                     "",
		"abc":                                  "abc",
		"a\r\nb\r\n":                           "a\nb\n",
		"a\nb":                                 "a\nb",
		"  lead\ttab  \r\n":                    "  lead\ttab  \n",
		"10%\r20%\r100%\r\n":                   "100%\n",
		"abcdef\rxy\x1b[K\r\n":                 "xy\n",
		"ab\b\bxy":                             "xy",
		"\x1b[31mred\x1b[0m":                   "red",
		"\x1b]0;title\x07x\x1b]8;;u\x1b\\y":    "xy",
		"\x1b(Bx\x1b=y":                        "xy",
		"a\x1b[3Cb":                            "a   b",
		"\x1b[H\x1b[2J\x1b[3Jleft":             "left",
		"日本\x1b[1mx\xff":                       "日本x\xff",
		"\x1b":                                 "",
		"a\x1b[":                               "a",
		"a\x1b]0;":                             "a",
		"x\x1b[99999999999999999999Cy\x1b[1Gz": "z" + strings.Repeat(" ", maxColumn-1) + "y",
	} {
		if got := Render([]byte(in)); got != want {
			t.Errorf("%.40q gives %.60q (%d), want %.60q (%d)", in, got, len(got), want, len(want))
		}
	}
}

func FuzzRender(f *testing.F) {
	f.Add([]byte("a\x1b[5Cb\r\x1b[Kc\b\x1b]0;x\x1b\\"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := Render(data); strings.ContainsAny(got, "\x1b\r\b\a") {
			t.Fatalf("%q leaves controls: %q", data, got)
		}
	})
}

func TestBinaryOutputIsTold(t *testing.T) {
	for text, want := range map[string]bool{
		"":                         false,
		"plain\r\n\ttext é 日本🙂":    false,
		"\x1b[31mred\x1b[m\a\b":    false,
		"\x0e\x0f line drawing":    false,
		"cut in a letter \xe6\x97": false,
		"a\x00b":                   true,
		"\x7fELF\x02\x01":          true,
		"caf\xe9 au lait":          true,
		"\xff":                     true,
	} {
		if Binary([]byte(text)) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
