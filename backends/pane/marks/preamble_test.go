package marks

import (
	"bytes"
	"testing"
)

// cutAll is what is left of a run's output that comes in the given chunks.
func cutAll(chunks ...[]byte) string {
	p := Preamble{Pending: true}
	var out bytes.Buffer
	for _, c := range chunks {
		out.Write(p.Cut(c))
	}
	out.Write(p.Rest(0))
	return out.String()
}

func TestThePreambleOfFishIsCutAndNothingElse(t *testing.T) {
	for in, want := range map[string]string{
		"":      "",
		"plain": "plain",
		"\x1b]0;true /tmp\a\x1b[30m\x1b[m\x0f\rout":     "out",
		"\x1b]0;true /tmp\a\x1b[30m\x1b(B\x1b[m\r\rout": "\rout",
		"\x1b]0;true\x1b\\\x1b[30m\x1b(B\x1b[m\rout":    "out",
		"\x1b]0;t\a\x1b[m\r\x1b]0;mine\a\x1b[30mx":      "\x1b]0;mine\a\x1b[30mx",
		"\x1b[30m\x1b[m\x0fout":                         "out",
		"\x1b[30m\x1b(B\x1b[m\rout":                     "\rout",
		"\x1b[31mred":                                   "\x1b[31mred",
		"\x1b[30mblack and more":                        "\x1b[30mblack and more",
		"\x1b]133;D;0\aforged":                          "\x1b]133;D;0\aforged",
		"\x1b":                                          "\x1b",
		"\x1b]0;no end":                                 "\x1b]0;no end",
	} {
		if got := cutAll([]byte(in)); got != want {
			t.Errorf("%q gives %q, want %q", in, got, want)
		}
		for cut := range len(in) {
			if got := cutAll([]byte(in[:cut]), []byte(in[cut:])); got != want {
				t.Errorf("%q cut at %d gives %q, want %q", in, cut, got, want)
			}
		}
	}
}

// FuzzPreamble: how the output is cut changes nothing, and what is left is the
// end of what came.
func FuzzPreamble(f *testing.F) {
	f.Add([]byte("\x1b]0;true\a\x1b[30m\x1b[m\x0f\rout"), uint8(1))
	f.Add([]byte("\x1b[30m\x1b(B\x1b[mout"), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, step uint8) {
		whole := cutAll(data)
		if !bytes.HasSuffix(data, []byte(whole)) {
			t.Fatalf("%q gives %q", data, whole)
		}
		if len(data) > maxPreamble {
			return // when it is given up depends on the chunks
		}
		size := int(step)%7 + 1
		var chunks [][]byte
		for rest := data; len(rest) > 0; rest = rest[min(size, len(rest)):] {
			chunks = append(chunks, rest[:min(size, len(rest))])
		}
		if got := cutAll(chunks...); got != whole {
			t.Fatalf("in pieces of %d: %q, at once %q", size, got, whole)
		}
	})
}
