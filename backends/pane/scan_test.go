package pane

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

const testNonce nonce = "0123456789abcdef01234567"

// scanAll feeds the chunks and writes down what comes out: output as it is,
// marks in braces.
func scanAll(chunks ...[]byte) string {
	var out bytes.Buffer
	s := scanner{keys: []key{testNonce.key()}}
	s.plain = func(p []byte) { out.Write(p) }
	s.found = func(m mark) { fmt.Fprintf(&out, "{%c%s}", m.kind, m.arg) }
	s.told = func(a account, _ int) { fmt.Fprintf(&out, "{%d}", a.prompts) }
	for _, c := range chunks {
		s.feed(c)
	}
	return out.String()
}

func TestScannerFindsMarksAndKeepsTheRest(t *testing.T) {
	const n = ";h=" + string(testNonce)
	cases := []struct{ in, out string }{
		{"plain", "plain"},
		{"a\x1b]133;C" + n + "\ab", "a{C}b"},
		{"a\x1b]133;D;0" + n + "\x1b\\b", "a{D0}b"},
		{"\x1b]133;D;130" + n + "\a\x1b]133;B;h=" + testNonce.prompt() + "\a", "{D130}{B}"},
		{"\x1b]133;R;bash,4194304" + n + "\a", "{Rbash,4194304}"},
		{"\x1b]133;R;zsh,4194304" + n + "\a", "{Rzsh,4194304}"},
		{"\x1b]133;R;fish,4194304" + n + "\a", "{Rfish,4194304}"},
		{"out\x1b]133;E" + n + "\a%", "out{E}%"},
		{"\x1b]7;nod:" + string(testNonce) + ":7:run:7=0,\ax", "{7}x"},
		{"\x1b]7;nod:" + string(testNonce) + ":12:130:" + strings.Repeat("12=130,", 25) + "\ax", "{12}x"},
		{"\x1b]7;nod:" + string(testNonce) + ":run\ax", "\x1b]7;nod:" + string(testNonce) + ":run\ax"},
		{"\x1b]133;B" + n + "\a\x1b]133;C;h=" + testNonce.prompt() + "\a", "\x1b]133;B" + n + "\a\x1b]133;C;h=" + testNonce.prompt() + "\a"},
		{"\x1b]7;nod:ffff:run\ax", "\x1b]7;nod:ffff:run\ax"},
		{"\x1b]7;file:///tmp\ax", "\x1b]7;file:///tmp\ax"},
		// No marks: another nonce, none, malformed, cut off, too long.
		{"\x1b]133;D;0;h=ffffffffffffffffffffffff\ax", "\x1b]133;D;0;h=ffffffffffffffffffffffff\ax"},
		{"\x1b]133;D;0\ax", "\x1b]133;D;0\ax"},
		{"\x1b]133;D;0x" + n + "\a", "\x1b]133;D;0x" + n + "\a"},
		{"\x1b]133;D;" + n + "\a", "\x1b]133;D;" + n + "\a"},
		{"\x1b]133;D;1234" + n + "\a", "\x1b]133;D;1234" + n + "\a"},
		{"\x1b]133;R;bash" + n + "\a", "\x1b]133;R;bash" + n + "\a"},
		{"\x1b]133;R;bash,-1" + n + "\a", "\x1b]133;R;bash,-1" + n + "\a"},
		{"\x1b]133;R;other" + n + "\a", "\x1b]133;R;other" + n + "\a"},
		{"\x1b]133;Z" + n + "\a", "\x1b]133;Z" + n + "\a"},
		{"\x1b]133;C" + n + "\r\n\a", "\x1b]133;C" + n + "\r\n\a"},
		{"\x1b]133;" + strings.Repeat("x", 200) + "\a", "\x1b]133;" + strings.Repeat("x", 200) + "\a"},
		// A sequence that is cut short by the real mark.
		{"\x1b]133;C\x1b]133;D;1" + n + "\a", "\x1b]133;C{D1}"},
		{"\x1b]0;title\x1b]133;D;1" + n + "\a", "\x1b]0;title{D1}"},
		{"\x1b\x1b\x1b]133;C" + n + "\a", "\x1b\x1b{C}"},
		{"\x1b[1m\x1b]8;;x\x1b\\y", "\x1b[1m\x1b]8;;x\x1b\\y"},
	}
	for _, c := range cases {
		if got := scanAll([]byte(c.in)); got != c.out {
			t.Errorf("%q gives %q, want %q", c.in, got, c.out)
		}
		for cut := range len(c.in) {
			if got := scanAll([]byte(c.in[:cut]), []byte(c.in[cut:])); got != c.out {
				t.Errorf("%q cut at %d gives %q, want %q", c.in, cut, got, c.out)
			}
		}
		var single [][]byte
		for i := range len(c.in) {
			single = append(single, []byte(c.in[i:i+1]))
		}
		if got := scanAll(single...); got != c.out {
			t.Errorf("%q byte by byte gives %q, want %q", c.in, got, c.out)
		}
	}
}

// FuzzScanner: how the stream is cut changes nothing, nothing is lost but
// marks, and nothing is held for ever.
func FuzzScanner(f *testing.F) {
	n := ";h=" + string(testNonce)
	f.Add([]byte("a\x1b]133;C"+n+"\ab\x1b]133;D;0"+n+"\x1b\\"), uint8(3))
	f.Add([]byte("\x1b]7;nod:"+string(testNonce)+":1:0:1=0,\a\x1b]133;D;0;h=00\a"), uint8(1))
	f.Fuzz(func(t *testing.T, data []byte, step uint8) {
		end := []byte("end") // makes known what was held
		whole := scanAll(append(bytes.Clone(data), end...))
		size := int(step)%7 + 1
		var chunks [][]byte
		for rest := data; len(rest) > 0; rest = rest[min(size, len(rest)):] {
			chunks = append(chunks, rest[:min(size, len(rest))])
		}
		if got := scanAll(append(chunks, end)...); got != whole {
			t.Fatalf("in pieces of %d: %q, at once %q", size, got, whole)
		}
		if !bytes.Contains(data, []byte(testNonce)) && len(whole) < len(data)+len(end)-maxAccount {
			t.Fatalf("%q lost bytes: %q", data, whole)
		}
		if !bytes.Contains(data, []byte{0x1b}) && whole != string(data)+"end" {
			t.Fatalf("%q changed to %q", data, whole)
		}
	})
}

func TestResolve(t *testing.T) {
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
		if got := resolve([]byte(in)); got != want {
			t.Errorf("%.40q gives %.60q (%d), want %.60q (%d)", in, got, len(got), want, len(want))
		}
	}
}

func FuzzResolve(f *testing.F) {
	f.Add([]byte("a\x1b[5Cb\r\x1b[Kc\b\x1b]0;x\x1b\\"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := resolve(data); strings.ContainsAny(got, "\x1b\r\b\a") {
			t.Fatalf("%q leaves controls: %q", data, got)
		}
	})
}
