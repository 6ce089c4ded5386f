package tmux

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// script writes down what a parser reports.
type script struct {
	out  strings.Builder
	sure int
}

func (s *script) output(pane string, data []byte) {
	// Joined, since a pane's output may come in any pieces.
	fmt.Fprintf(&s.out, "%s<%q>", pane, data)
}
func (s *script) begin(ours bool) int { return s.sure }
func (s *script) reply(ours, ok bool, lines [][]byte) {
	fmt.Fprintf(&s.out, "reply(%v %v %q)", ours, ok, lines)
}
func (s *script) notify(name, args string) { fmt.Fprintf(&s.out, "note(%q %q)", name, args) }

func parse(t testing.TB, sure int, chunks ...[]byte) string {
	t.Helper()
	s := &script{sure: sure}
	p := parser{to: s}
	for _, c := range chunks {
		before := bytes.Clone(c)
		if _, err := p.Write(c); err != nil {
			fmt.Fprintf(&s.out, "error(%v)", err)
		}
		if !bytes.Equal(c, before) {
			t.Fatalf("the parser changed its input %q to %q", before, c)
		}
	}
	return s.out.String()
}

var protocol = []struct {
	name, in string
	sure     int
	out      string
}{
	{"output", "%output %3 a\\015\\012b\\134c ä\n", 0, `%3<"a\r\nb\\c ä">`},
	{"output of a blank", "%output %3  \n", 0, `%3<" ">`},
	{"extended output", "%extended-output %3 12 : a : b\\033\n", 0, `%3<"a : b\x1b">`},
	{"extended output with more fields", "%extended-output %3 12 x y : a\n", 0, `%3<"a">`},
	{"half an escape", "%output %1 a\\01\n%output %1 \\\n%output %1 \\9ab\n", 0, `%1<"a\\01">%1<"\\">%1<"\\9ab">`},
	{"a notification", "%layout-change @0 x y *\n%sessions-changed\n", 0, `note("layout-change" "@0 x y *")note("sessions-changed" "")`},
	{"a reply", "%begin 1 2 1\na\n\nb\n%end 1 2 1\n", 0, `reply(true true ["a" "" "b"])`},
	{"a refusal", "%begin 1 2 1\nno\n%error 1 2 1\n", 0, `reply(true false ["no"])`},
	{"a reply to another's command", "%begin 1 2 0\n%end 1 2 0\n", 0, `reply(false true [])`},
	{"another end in the body", "%begin 1 2 1\n%end 1 3 1\n%output %1 x\n%end 1 2 1\n", 0, `reply(true true ["%end 1 3 1" "%output %1 x"])`},
	{"a forged end where lines are sure", "%begin 1 2 1\n%end 1 2 1\n%error 1 2 1\n%end 1 2 1\n", 2, `reply(true true ["%end 1 2 1" "%error 1 2 1"])`},
	{"stray lines", "hello\n\n%output %1 x\n", 0, `%1<"x">`},
	{"malformed lines", "%output\n%output %1\n%extended-output %1 x\n%\n", 0, `note("" "")`},
}

func TestParser(t *testing.T) {
	for _, c := range protocol {
		if got := parse(t, c.sure, []byte(c.in)); got != c.out {
			t.Errorf("%s: %s, want %s", c.name, got, c.out)
		}
		for cut := range len(c.in) {
			if got := parse(t, c.sure, []byte(c.in[:cut]), []byte(c.in[cut:])); got != c.out {
				t.Errorf("%s, cut at %d: %s, want %s", c.name, cut, got, c.out)
			}
		}
	}
}

func TestParserIsBounded(t *testing.T) {
	line := bytes.Repeat([]byte("x"), 1<<20)
	s := &script{}
	p := parser{to: s}
	for range 2 * maxLine / len(line) {
		if _, err := p.Write(line); err != nil {
			return
		}
	}
	t.Error("a line without an end was taken")
}

// FuzzParser: how the stream is cut changes nothing.
func FuzzParser(f *testing.F) {
	for _, c := range protocol {
		f.Add([]byte(c.in), uint8(1), uint8(c.sure))
	}
	f.Fuzz(func(t *testing.T, data []byte, step, sure uint8) {
		whole := parse(t, int(sure), data)
		size := int(step)%7 + 1
		var chunks [][]byte
		for rest := data; len(rest) > 0; rest = rest[min(size, len(rest)):] {
			chunks = append(chunks, rest[:min(size, len(rest))])
		}
		if got := parse(t, int(sure), chunks...); got != whole {
			t.Fatalf("in pieces of %d: %s, at once %s", size, got, whole)
		}
	})
}

func TestVersions(t *testing.T) {
	for in, want := range map[string]Version{
		"tmux 3.3a\n":      {3, 3},
		"tmux 3.0":         {3, 0},
		"tmux next-3.7":    {3, 7},
		"tmux 2.8":         {2, 8},
		"tmux 3.10":        {3, 10},
		"tmux master":      {99, 0},
		"tmux openbsd-7.5": {99, 0},
	} {
		if got, err := parseVersion(in); err != nil || got != want {
			t.Errorf("%q: %v, %v, want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "bash: tmux: not found", "tmux", "tmux "} {
		if got, err := parseVersion(in); err == nil {
			t.Errorf("%q was read as %v", in, got)
		}
	}
	if !(Version{3, 10}).AtLeast(3, 2) || (Version{2, 9}).AtLeast(3, 0) || !(Version{3, 0}).AtLeast(3, 0) {
		t.Error("versions are compared wrongly")
	}
}

func TestOwnersAreTold(t *testing.T) {
	mine := Owner()
	f := strings.Split(mine, "/")
	if OwnerGone(mine) {
		t.Errorf("this process %q is said to be gone", mine)
	}
	for mark, gone := range map[string]bool{
		f[0] + "/" + f[1] + "/another-start":   true,
		f[0] + "/4194304999/" + f[2]:           true,
		"elsewhere/" + f[1] + "/another-start": false, // not ours to judge
		"":                                     false,
		"x":                                    false,
		f[0] + "/-1/" + f[2]:                   false,
		f[0] + "/" + fmt.Sprint(os.Getpid()):   false,
	} {
		if OwnerGone(mark) != gone {
			t.Errorf("owner %q gone: %v, want %v", mark, !gone, gone)
		}
	}
}
