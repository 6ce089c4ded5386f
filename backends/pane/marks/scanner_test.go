package marks

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

const testNonce Nonce = "0123456789abcdef01234567"

// scanAll feeds the chunks and writes down what comes out: output as it is,
// marks in braces.
func scanAll(chunks ...[]byte) string {
	var out bytes.Buffer
	s := Scanner{}
	s.Expect(0, testNonce)
	s.Plain = func(p []byte) { out.Write(p) }
	s.Found = func(m Mark) { fmt.Fprintf(&out, "{%c%s}", m.Kind, m.Arg) }
	s.Account = func(a Account, _ int) { fmt.Fprintf(&out, "{%d}", a.Prompts) }
	for _, c := range chunks {
		s.Feed(c)
	}
	return out.String()
}

func TestScannerFindsMarksAndKeepsTheRest(t *testing.T) {
	const n = ";h=" + string(testNonce)
	cases := []struct{ in, out string }{
		{"plain", "plain"},
		{"a\x1b]133;C" + n + "\ab", "a{C}b"},
		{"a\x1b]133;D;0" + n + "\x1b\\b", "a{D0}b"},
		{"\x1b]133;D;130" + n + "\a\x1b]133;B;h=" + testNonce.Prompt() + "\a", "{D130}{B}"},
		{"\x1b]133;R;bash,4194304" + n + "\a", "{Rbash,4194304}"},
		{"\x1b]133;R;zsh,4194304" + n + "\a", "{Rzsh,4194304}"},
		{"\x1b]133;R;fish,4194304" + n + "\a", "{Rfish,4194304}"},
		{"out\x1b]133;E" + n + "\a%", "out{E}%"},
		{"\x1b]7;nod:" + string(testNonce) + ":7:run:7=0,\ax", "{7}x"},
		{"\x1b]7;nod:" + string(testNonce) + ":12:130:" + strings.Repeat("12=130,", 25) + "\ax", "{12}x"},
		{"\x1b]7;nod:" + string(testNonce) + ":run\ax", "\x1b]7;nod:" + string(testNonce) + ":run\ax"},
		{"\x1b]133;B" + n + "\a\x1b]133;C;h=" + testNonce.Prompt() + "\a", "\x1b]133;B" + n + "\a\x1b]133;C;h=" + testNonce.Prompt() + "\a"},
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
		{"\x1b]133;R;Other,1" + n + "\a", "\x1b]133;R;Other,1" + n + "\a"},
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

func TestBirth(t *testing.T) {
	const n = ";h=" + string(testNonce)
	for in, want := range map[string]string{
		"":                                      "more",
		"\x1b]133;I;":                           "more",
		"\x1b]133;I;42" + n:                     "more",
		"\x1b]133;I;42" + n + "\arest":          "42 rest",
		"\x1b]133;I;x" + n + "\arest":           "0 rest",
		"bash: no such thing":                   "0 bash: no such thing",
		"\x1b]133;I;" + strings.Repeat("1", 99): "0 \x1b]133;I;" + strings.Repeat("1", 99),
	} {
		got := "more"
		if pid, rest, more := Birth([]byte(in), testNonce); !more {
			got = fmt.Sprintf("%d %s", pid, rest)
		}
		if got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}
