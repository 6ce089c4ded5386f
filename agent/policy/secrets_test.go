package policy

import (
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/lockout"
	"github.com/nod-console/nod/tools/risk"
)

// What is passed over without a look at the pattern does not match it.
func TestPatternsThatArePassedOverDoNotMatch(t *testing.T) {
	variants := []func(string) string{
		func(p string) string { return p },
		strings.ToUpper,
		func(p string) string { return "/srv/app/" + p },
		func(p string) string { return p + "x" },
		func(p string) string { return "x" + p },
		strings.NewReplacer("s", "ſ", "k", "\u212a").Replace, // which fold to s and k
		func(p string) string { return strings.ToUpper(path.Base(p)) + "/é" },
	}
	matched := 0
	for _, sample := range secretPatterns() {
		for _, vary := range variants {
			p := path.Clean("/" + vary(sample.sample))
			want := false
			for _, s := range secretPatterns() {
				name := p
				if !s.full {
					name = path.Base(p)
				}
				if s.match(name) {
					want = !s.except
					matched++
				}
			}
			if got := secret(p); got != want {
				t.Errorf("%q: %v, by the patterns %v", p, got, want)
			}
		}
	}
	if matched < len(secretPatterns()) {
		t.Errorf("%d matches of %d patterns", matched, len(secretPatterns()))
	}
}

func TestTheLeastThatAPatternMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
	}{
		{"", ""}, {"*", ""}, {"a*b?", "abc"}, {"[a-z]é[!x]", "aéy"}, {"**/x", "x"}, {"id_[r]s[a]", "id_rsa"},
	} {
		g, err := newGlob(c.pattern, true)
		if err != nil || !g.match(c.text) {
			t.Errorf("%q does not match %q: %v", c.pattern, c.text, err)
		}
		if got, most := least(c.pattern), utf8.RuneCountInString(c.text); got > most || got == 0 && most > 1 {
			t.Errorf("%q: at least %d, but it matches %q", c.pattern, got, c.text)
		}
	}
	if _, sure := secretWild("/srv/" + strings.Repeat("x", 200) + "*"); sure {
		t.Error("a name of 200 letters is none of a secret file")
	}
	for _, word := range []string{strings.Repeat("*", 1<<20), "/srv/" + strings.Repeat("*[xi]", 5) + strings.Repeat("*", 300), strings.Repeat("/*", 1<<19) + "/id_rs?"} {
		if could, sure := secretWild(word); !could || sure {
			t.Errorf("%.20q of %d bytes: could %t, sure %t", word, len(word), could, sure)
		}
	}
	for _, word := range []string{"/root/.ssh/id_[er]*", "/etc/shado?", "/srv/a/*.pem", "/home/x/.pgpas[s]"} {
		if _, sure := secretWild(word); !sure {
			t.Errorf("%q is not found", word)
		}
	}
}

// BenchmarkAScript is a decision about a script of 14 KB, which a revert is.
func BenchmarkAScript(b *testing.B) {
	a := tools.Action{Target: "ssh:box", Command: "ip route del default", Dialect: "sh"}
	p, why := lockout.For(a, risk.Command(a.Command, risk.Bash), lockout.DefaultAfter)
	if p == nil {
		b.Fatal(why)
	}
	e := engine(b, Options{})
	for b.Loop() {
		e.Explain(Proposal{Action: p.Arm})
	}
}
