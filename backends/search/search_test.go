package search_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/search"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func compile(t testing.TB, q backends.Query) search.Plan {
	t.Helper()
	if q.Root == "" {
		q.Root = "/x"
	}
	p, err := search.Compile(q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return p
}

func TestWhatGrepIsAsked(t *testing.T) {
	for pattern, want := range map[string]string{
		`plain`:              `plain`,
		`a.b*c`:              `a(..?.?.?)(b)*c`,
		`.*x.+`:              `.*x..*`,
		`\d+\.\d{1,3}`:       `([0-9])+\.([0-9]){1,3}`,
		`(?i)ok`:             "(O|o)(K|k|\u212a)",
		`^[^#\s]`:            `^(..?.?.?)`,
		`\bport\b`:           `port`,
		`x$`:                 "x(\r?$)",
		`(a|)b`:              `((a)?)b`,
		`(?:|a|b)c`:          `([ab])?c`,
		`a{300,}`:            `(a){255,}`,
		`[\]\-\\^[x]`:        `[]x\[^-]`,
		`ü`:                  `ü`,
		`($)+|^*`:            ``,
		`[\^\-]`:             `(-|\^)`,
		`\{\}\(\)\[\]\|\?\+`: `\{}\(\)\[]\|\?\+`,
	} {
		if got := compile(t, backends.Query{Pattern: pattern}).ERE; got != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
}

// greps are the userlands that the pattern must be right for.
func greps(t *testing.T) map[string][]string {
	all := map[string][]string{"grep": {"grep", "-a"}}
	if _, err := exec.LookPath("busybox"); err == nil {
		all["busybox"] = []string{"busybox", "grep"}
	} else if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
		t.Fatal("there is no busybox: run make deps")
	}
	return all
}

// pieces are what random patterns are made of.
var pieces = []string{
	"a", "B", "é", "Ω", `\.`, `\d`, `\w`, `\s`, `\S`, ".", "[a-c]", "[^a]", "[]x]", "[-^]", "[^^]", `[\[\]]`, `\b`, `\B`, "^", "$", "(?i:aK)", "(?i:é)",
	`\{`, "}", `\|`, "x{2}", "(a|bc)", "(|b)", "[[:alpha:]]", `\p{L}`, `[à-ü]`, ".*", ".+", "a?", "b*?", "(?:ab)+", "(^a|b$)", `\\`, "-", `[\\/]`, "~", "a{0,2}", "(a*)*", `\x{2028}`,
}

var letters = []string{"a", "b", "B", "c", "é", "É", "Ω", ".", "1", " ", "\t", "x", "xx", "k", "K", "\u212a", "{", "}", "|", "^", "$", "[", "]", "-", "\\", "/", "~", "ab", "\xe9", "\r", "\u2028"}

// TestGrepFindsAtLeastAsMuch: whatever matches here, a target's own grep passes
// on, whatever its userland.
func TestGrepFindsAtLeastAsMuch(t *testing.T) {
	programs := greps(t)
	file := filepath.Join(t.TempDir(), "lines")
	rapid.Check(t, func(rt *rapid.T) {
		pattern := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(rt, "pattern"), "")
		if _, err := regexp.Compile(pattern); err != nil {
			rt.Skip(err)
		}
		plan := compile(t, backends.Query{Pattern: pattern})
		var text strings.Builder
		want := []int{}
		for n := range 40 {
			line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(letters), 0, 8).Draw(rt, "line"), "")
			text.WriteString(line + "\n")
			if _, ok := plan.Line([]byte(line)); ok {
				want = append(want, n+1)
			}
		}
		if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
			rt.Fatal(err)
		}
		for name, argv := range programs {
			cmd := exec.Command(argv[0], append(slices.Clone(argv[1:]), "-n", "-E", "-e", plan.ERE, "--", file)...)
			cmd.Env = []string{"LC_ALL=C", "PATH=" + os.Getenv("PATH")}
			var complaint bytes.Buffer
			cmd.Stderr = &complaint
			out, _ := cmd.Output() // 1 means that there is none
			if complaint.Len() > 0 {
				rt.Fatalf("%s: %q as %q: %s", name, pattern, plan.ERE, complaint.String())
			}
			for _, n := range want {
				if !bytes.Contains(append([]byte("\n"), out...), fmt.Appendf(nil, "\n%d:", n)) {
					rt.Fatalf("%s: %q as %q misses line %d of %q", name, pattern, plan.ERE, n, text.String())
				}
			}
		}
	})
}

func TestPatternsThatAreNone(t *testing.T) {
	for _, q := range []backends.Query{
		{Root: "x", Pattern: "x"}, {Root: "/x/", Pattern: "x"}, {Root: "/x/../y", Pattern: "x"}, {Root: "/a\x00b", Pattern: "x"},
		{Root: "/x", Pattern: "("}, {Root: "/x", Pattern: "a\nb"}, {Root: "/x", Pattern: "a\x00"}, {Root: "/x", Pattern: strings.Repeat("x", 3000)}, {Root: "/x", Pattern: `(?=x)`},
		{Root: "/x", Names: "[a"}, {Root: "/x", Names: "{a"}, {Root: "/x", Names: "a\\"}, {Root: "/x", Names: "{a,{b}}"}, {Root: "/x", Names: "/etc/*"},
		{Root: "/x", Names: "../*"}, {Root: "/x", Names: "a//b"}, {Root: "/x", Names: "[z-a]"}, {Root: "/x", Names: "[a/b]"}, {Root: "/x", Names: "a\x00"},
	} {
		if p, err := search.Compile(q); err == nil {
			t.Errorf("%+v: %+v", q, p)
		}
	}
}

func TestNames(t *testing.T) {
	for _, c := range []struct {
		glob    string
		yes, no []string
		find    string
		depth   int
	}{
		{"*.conf", []string{"a.conf", ".conf"}, []string{"a/b.conf", "a.confx", "aXconf"}, "*.conf", 1},
		{"**/*.conf", []string{"a.conf", "a/b.conf", "a/b/c.conf"}, []string{"a.conf/x"}, "*.conf", 0},
		{"a/**", []string{"a/b", "a/b/c"}, []string{"a", "b/a"}, "", 0},
		{"a/?/c", []string{"a/é/c"}, []string{"a//c", "a/bb/c"}, "c", 3},
		{"[!a-c]*", []string{"d", "-"}, []string{"a", "", "/"}, "", 1},
		{"x[a-]y", []string{"x-y", "xay"}, []string{"xby"}, "x*y", 1},
		{"[]]", []string{"]"}, nil, "", 1},
		{"{a,b*}.c", []string{"a.c", "bb.c"}, []string{"c.c"}, "*.c", 1},
		{"{a/b,c}/d", []string{"a/b/d", "c/d"}, []string{"b/d"}, "", 0},
		{`\*.\[x`, []string{"*.[x"}, []string{"a.[x"}, "", 1},
		{"a**b", []string{"ab", "a/x/b"}, []string{"b"}, "a*b", 0},
		{"a.b", []string{"a.b"}, []string{"axb"}, "a.b", 1},
	} {
		p := compile(t, backends.Query{Names: c.glob})
		for _, name := range c.yes {
			if !p.Name(name) {
				t.Errorf("%s does not take %q", c.glob, name)
			}
		}
		for _, name := range c.no {
			if p.Name(name) {
				t.Errorf("%s takes %q", c.glob, name)
			}
		}
		if p.FindName != c.find || p.Depth != c.depth {
			t.Errorf("%s: find -maxdepth %d -name %q, want %d %q", c.glob, p.Depth, p.FindName, c.depth, c.find)
		}
	}
}

// Whatever somebody writes as a pattern for names: no panic, and find is asked
// for at least as much.
func FuzzNames(f *testing.F) {
	f.Add("**/*.conf", "a/b.conf")
	f.Add("{a,b}[!x]?\\*", "ab*")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		p, err := search.Compile(backends.Query{Root: "/x", Names: pattern})
		if err != nil || !p.Name(name) {
			return
		}
		if p.Depth > 0 && strings.Count(name, "/") >= p.Depth {
			t.Errorf("%q takes %q, which is deeper than %d", pattern, name, p.Depth)
		}
		last := name[strings.LastIndexByte(name, '/')+1:]
		parts := strings.Split(p.FindName, "*")
		if p.FindName != "" && (!strings.HasPrefix(last, parts[0]) || !strings.HasSuffix(last, parts[len(parts)-1])) {
			t.Errorf("%q takes %q, and find -name %q does not", pattern, name, p.FindName)
		}
	})
}
