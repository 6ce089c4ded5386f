package policy

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/nod-console/nod/tools"
)

// keeping is an engine whose operator answers "always" wherever that is offered.
func keeping(t *testing.T, file string, opt Options) *setup {
	t.Helper()
	opt.Keep = func(rule string) (*Rules, error) { return AppendRule(file, rule) }
	if opt.Approver == nil {
		opt.Approver = say(func(r Request) Answer { return Answer{Approved: true, Scope: Always, Typed: r.Confirm} })
	}
	return engine(t, opt)
}

func TestAlwaysWritesTheRuleThatWasShownAndHoldsAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nod", "rules.toml")
	var shown string
	s := keeping(t, file, Options{Approver: say(func(r Request) Answer {
		shown = r.Keep
		return Answer{Approved: true, Scope: Always}
	})})
	p := command("systemctl restart 'my app'")
	d := s.decide(t, p)
	if !d.Allowed || d.How != ByAlways || d.Rule != "always: systemctl restart 'my app'" {
		t.Fatalf("%+v", d)
	}
	text, err := os.ReadFile(file)
	if err != nil || string(text) != shown || !strings.Contains(shown, "not_match") {
		t.Fatalf("shown %q, written %q, %v", shown, text, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	p.Conversation = "another"
	if d := s.decide(t, p); d.How != ByRule || d.Asked {
		t.Errorf("in another conversation: %s, asked %t", d.How, d.Asked)
	}
	for _, other := range []Proposal{command("systemctl restart 'my app' x"), command("systemctl restart 'my app'; reboot"), on("ssh:web-1", p)} {
		if x := s.Explain(other); x.Ruling == Allow {
			t.Errorf("%q on %s rides on the rule", other.Action.Command, other.Action.Target)
		}
	}
	again, err := ReadRules(file)
	if err != nil || len(again.All()) != 1 {
		t.Errorf("%v, %v", again, err)
	}
}

func TestAlwaysIsNeverOfferedForWhatIsWorse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.toml")
	for text, want := range map[string]bool{
		"systemctl restart app": true, "touch x": true, "git fetch": true, "sudo systemctl restart app": false, // rated high: the name is typed
		"rm -rf x": false, "systemctl stop sshd": false, "scp f h:": false, "python3 x.py": false, "cat x | sh": false,
		"touch x; touch y": false, "touch $x": false, "touch x > y": false, "touch *": false, "X=1 touch x": false, "touch x &": false,
		"touch {a,b}": false, "touch \"$HOME\"": false,
	} {
		s := keeping(t, file, Options{})
		p := command(text)
		r := s.request(p, s.Explain(p))
		if got := r.Keep != ""; got != want {
			t.Errorf("%q: offered is %t, want %t (%s)", text, got, want, s.Explain(p).Combined.Flags)
		}
	}
	for _, text := range []string{"rm -rf x", "systemctl stop sshd", "scp f h:", "python3 x.py"} { // on lab, no name is typed
		s := keeping(t, file, Options{Trust: map[string]Trust{"*": Lab}})
		p := command(text)
		if r := s.request(p, s.Explain(p)); r.Keep != "" || len(r.Scopes) != 1 {
			t.Errorf("on lab, %q: %v, %q", text, r.Scopes, r.Keep)
		}
	}
	for name, change := range map[string]func(p *Proposal, o *Options){
		"prod":                  func(_ *Proposal, o *Options) { o.Trust = map[string]Trust{"*": Prod} },
		"ask-all":               func(_ *Proposal, o *Options) { o.Posture = PostureAskAll },
		"input":                 func(p *Proposal, _ *Options) { p.Action.Kind, p.Action.Stdin = tools.Exec, []byte("y") },
		"inside":                func(p *Proposal, _ *Options) { p.Action.Inside = []string{"ssh db-1"} },
		"a pattern of a target": func(p *Proposal, _ *Options) { p.Action.Target = "docker:a*" },
		"keys":                  func(p *Proposal, _ *Options) { p.Action.Kind, p.Action.Literal = tools.Type, "touch x" },
		"a shell unknown":       func(p *Proposal, _ *Options) { p.Action.Dialect = "tcsh" },
	} {
		p, o := command("touch x"), Options{}
		change(&p, &o)
		s := keeping(t, file, o)
		if r := s.request(p, s.Explain(p)); r.Keep != "" {
			t.Errorf("%s: offered %q", name, r.Keep)
		}
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Error("offering wrote the file")
	}
}

// An answer that takes a scope which was not offered denies, as ever.
func TestAlwaysThatWasNotOfferedDenies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.toml")
	s := keeping(t, file, Options{})
	if d := s.decide(t, command("rm -rf x")); d.Allowed {
		t.Errorf("%+v", d)
	}
	s = engine(t, Options{Approver: say(func(Request) Answer { return Answer{Approved: true, Scope: Always} })})
	if d := s.decide(t, command("touch x")); d.Allowed {
		t.Error("without a rules file it was approved for good")
	}
}

func TestARuleThatCannotBeWrittenRunsNothing(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "rules.toml")
	const broken = "[[rule]]\nname = \"x\"\nverdict = \"perhaps\"\n"
	if err := os.WriteFile(file, []byte(broken), 0o600); err != nil {
		t.Fatal(err)
	}
	s := keeping(t, file, Options{})
	d := s.decide(t, command("touch x"))
	if d.Allowed || !strings.Contains(d.Reason, "perhaps") {
		t.Errorf("%+v", d)
	}
	if text, _ := os.ReadFile(file); string(text) != broken {
		t.Errorf("the file became %q", text)
	}
	left, err := filepath.Glob(filepath.Join(folder, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestAppendKeepsWhatStandsThere(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "real.toml")
	const before = "# mine\n[[rule]]\nverdict = \"deny\"\nprogram = \"reboot\" # never\n"
	if err := os.WriteFile(file, []byte(before), 0o640); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(folder, "rules.toml")
	if err := os.Symlink("real.toml", link); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			rule := fmt.Sprintf("[[rule]]\nname = \"r%d\"\nverdict = \"allow\"\nprogram = \"touch\"\nargv = [\"f%d\"]\nexact = true\n", i, i)
			if _, err := AppendRule(link, rule); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(text), before) || strings.Count(string(text), "[[rule]]") != 9 {
		t.Errorf("%s, %v", text, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link became %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// A rule that allows goes no further than its examples.
func TestARuleThatAllowsGoesNoFurtherThanItsExamples(t *testing.T) {
	s := engine(t, Options{Rules: rules(t, `
[[rule]]
name = "log"
verdict = "allow"
program = "git"
argv = ["log"]
dir = ["/srv"]
[[rule]]
name = "restart"
verdict = "allow"
program = "systemctl"
argv = ["restart"]
[[rule]]
name = "as root"
verdict = "allow"
program = "sudo"
argv = ["systemctl", "reload"]
match = ["sudo systemctl reload nginx"]
[[rule]]
name = "whatever it sends"
verdict = "allow"
program = "scp"
flags = ["exfil"]
effect = ["mutate"]
[[rule]]
name = "looking"
verdict = "allow"
effect = ["observe"]
`)})
	for text, want := range map[string]bool{
		"git log -p": true, "git log --output=/tmp/x": false, "git log --ext-diff": false,
		"systemctl restart app": true, "systemctl restart app sshd": false,
		"sudo systemctl reload app": true, "sudo systemctl reload ssh": false,
		"scp f h:": true, "env": false, "unknown-program": false,
	} {
		if x := s.Explain(command(text)); (x.Ruling == Allow) != want {
			t.Errorf("%q: %s by %q", text, x.Ruling, x.Rule)
		}
	}
}

func TestTomlStringsReadBack(t *testing.T) {
	for _, text := range []string{"plain", `"quoted" \ back`, "tab\tand\nnewline", "ünïcode ⟦", "\u202e\u200b\x7f"} {
		r := rules(t, "[[rule]]\nverdict = \"deny\"\nname = "+tomlString(text)+"\nprogram = \"x\"\n")
		if got := r.All()[0].Name; got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
}

// Whatever a rules file holds is rules or an error that names a line; what a
// rule is written from reads back.
func FuzzRules(f *testing.F) {
	f.Add("[[rule]]\nverdict = \"deny\"\nprogram = \"reboot\"\n", "touch 'a b'")
	f.Add("[[ rule ]]\npath = [\"/[\"]\n", "touch \"\u202e\"")
	f.Add("[[rule]]\nverdict = \"allow\"\nlevel = [\"low\"]\nmatch = [\"ls\"]\nflags = [\"x\"]", "a\\b")
	f.Fuzz(func(t *testing.T, text, line string) {
		if _, err := ParseRules([]byte(text)); err != nil && !strings.Contains(err.Error(), "line ") {
			t.Errorf("%q: %v names no line", text, err)
		}
		s := engine(t, Options{Keep: func(rule string) (*Rules, error) { return ParseRules([]byte(rule)) }})
		p := command(line)
		x := s.Explain(p)
		if keep := s.request(p, x).Keep; keep != "" {
			if !harmless(x.Combined) || x.Confirm {
				t.Errorf("%q may be kept", line)
			}
			if _, err := ParseRules([]byte(keep)); err != nil {
				t.Errorf("%q: %v in %s", line, err, keep)
			}
		}
	})
}

// Rules that others could write are nobody's rules.
func TestRulesOfOthersAreRefused(t *testing.T) {
	file := filepath.Join(t.TempDir(), "rules.toml")
	text := "[[rule]]\nname = \"x\"\nverdict = \"allow\"\nprogram = \"touch\"\nmatch = [\"touch x\"]\n"
	for _, c := range []struct {
		mode  os.FileMode
		owner int
		want  string
	}{{0o600, os.Getuid(), ""}, {0o644, os.Getuid(), ""}, {0o666, os.Getuid(), "chmod 600"}, {0o620, os.Getuid(), "chmod 600"}, {0o600, 65534, "another user"}} {
		if err := errors.Join(os.WriteFile(file, []byte(text), 0o600), os.Chmod(file, c.mode)); err != nil {
			t.Fatal(err)
		}
		if c.owner != os.Getuid() {
			if os.Getuid() != 0 {
				continue // only root can give a file away
			}
			if err := os.Chown(file, c.owner, -1); err != nil {
				t.Fatal(err)
			}
		}
		_, err := ReadRules(file)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%o of %d: %v", c.mode, c.owner, err)
		}
	}
}
