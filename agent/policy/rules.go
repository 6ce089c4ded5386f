package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/pelletier/go-toml/v2"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// Rule is one rule of the operator's. All conditions that are set must hold.
type Rule struct {
	Name    string `toml:"name"`
	Verdict Ruling `toml:"verdict"`
	Reason  string `toml:"reason"` // told to the model when it denies

	Target []string `toml:"target"` // globs of target names
	Tool   []string `toml:"tool"`
	Effect []string `toml:"effect"` // any of observe, mutate, destroy
	Flags  []string `toml:"flags"`  // any of the flags
	Level  []string `toml:"level"`  // any of low, medium, high

	Program string   `toml:"program"`
	Argv    []string `toml:"argv"`  // what the arguments start with
	Exact   bool     `toml:"exact"` // argv is all of them

	Path []string `toml:"path"` // globs of clean, absolute paths
	Dir  []string `toml:"dir"`  // globs of the folder that it runs in
	Host []string `toml:"host"` // globs of the other hosts that it talks to

	// Match and NotMatch are command lines, or paths for a rule without a
	// program, that must and must not meet the conditions. They are checked
	// whenever the rule is read.
	Match    []string `toml:"match"`
	NotMatch []string `toml:"not_match"`

	targets, paths, dirs, hosts []glob

	line    int // of its heading in the file
	ceiling ceiling
}

// Line is where the rule's heading stands in its file, from 1.
func (r Rule) Line() int { return r.line }

// Rules are the operator's rules. A nil *Rules has none.
type Rules struct{ rules []Rule }

// ReadRules reads a rules file. A file that is not there has no rules. Errors
// name the line or the rule; a rule that fails its own examples is an error, and
// so is a file that others than this user and root can write.
func ReadRules(file string) (*Rules, error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return &Rules{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	if err := ownRules(f); err != nil {
		return nil, fmt.Errorf("policy: %s: %w", file, err)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	rules, err := ParseRules(text)
	if err != nil {
		return nil, fmt.Errorf("policy: %s: %w; correct it, then \"nod policy test\" reads it again: nothing runs by rules that are not understood", file, err)
	}
	return rules, nil
}

// ownRules reports who else could write the rules.
func ownRules(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("others can write it (mode %#o): nothing runs by rules that are not the operator's own; chmod 600 it, after a look at what it says", mode)
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Uid != 0 && int(s.Uid) != os.Getuid() {
		return fmt.Errorf("it belongs to another user (%d): nothing runs by rules that are not the operator's own; chown it, after a look at what it says", s.Uid)
	}
	return nil
}

// ParseRules reads rules in TOML:
//
//	[[rule]]
//	name = "restart the web server"
//	verdict = "allow"
//	target = ["ssh:web-*"]
//	program = "systemctl"
//	argv = ["restart", "nginx"]
//	exact = true
//	match = ["systemctl restart nginx"]
//	not_match = ["systemctl restart nginx; reboot"]
//
// A rule that allows goes no further than its own examples: without exact, what
// is worse than the program with argv and than everything in match is not
// covered, unless effect, flags or level say so. "git log" does not cover
// "git log --output=/etc/passwd".
func ParseRules(text []byte) (*Rules, error) {
	rules, faults := CheckRules(text)
	if len(faults) > 0 {
		return nil, faults[0]
	}
	return rules, nil
}

// CheckRules is ParseRules for somebody who mends a file: it goes on behind a
// rule that is wrong, and returns everything that is.
func CheckRules(text []byte) (*Rules, []error) {
	var file struct {
		Rule []Rule `toml:"rule"`
	}
	dec := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
	if err := dec.Decode(&file); err != nil {
		return nil, []error{located(err)}
	}
	lines := headings(text)
	var faults []error
	for i := range file.Rule {
		r := &file.Rule[i]
		if i < len(lines) {
			r.line = lines[i]
		}
		if r.Name == "" {
			r.Name = fmt.Sprintf("rule %d", i+1)
		}
		err := errors.Join(r.check(), r.compile())
		if err == nil {
			r.ceiling = r.measure()
			err = r.test()
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("line %d: rule %q: %w", r.line, r.Name, err))
		}
	}
	return &Rules{file.Rule}, faults
}

var heading = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*\[\[[ \t]*rule[ \t]*\]\]`) })

// headings are the lines on which rules begin.
func headings(text []byte) []int {
	var lines []int
	for _, at := range heading().FindAllIndex(text, -1) {
		lines = append(lines, 1+bytes.Count(text[:at[0]], []byte("\n")))
	}
	return lines
}

// located adds the line to an error of the TOML reader.
func located(err error) error {
	var strict *toml.StrictMissingError
	if errors.As(err, &strict) && len(strict.Errors) > 0 {
		e := strict.Errors[0]
		row, _ := e.Position()
		key := e.Key()
		return fmt.Errorf("line %d: unknown key %q: %s", row, key[len(key)-1], known(key))
	}
	var decode *toml.DecodeError
	if errors.As(err, &decode) {
		row, _ := decode.Position()
		return fmt.Errorf("line %d: %w", row, err)
	}
	return err
}

// ruleKeys are what may stand in a rule.
var ruleKeys = []string{
	"name", "verdict", "reason", "target", "tool", "effect", "flags", "level", "program", "argv", "exact", "path", "dir", "host", "match", "not_match",
}

// known says which keys there are; the one that was meant comes first.
func known(key []string) string {
	if len(key) < 2 || key[0] != "rule" {
		return "a rules file holds [[rule]] and nothing else"
	}
	for _, k := range ruleKeys {
		if last := key[len(key)-1]; strings.HasPrefix(last, k[:min(3, len(k))]) || strings.HasPrefix(k, last) {
			return fmt.Sprintf("did you mean %q? A rule has %s", k, strings.Join(ruleKeys, ", "))
		}
	}
	return "a rule has " + strings.Join(ruleKeys, ", ")
}

// check says what is wrong with a rule.
func (r *Rule) check() error {
	var errs []error
	words := func(list []string, into func() interface{ UnmarshalText([]byte) error }) {
		for _, w := range list {
			errs = append(errs, into().UnmarshalText([]byte(w)))
		}
	}
	words(r.Effect, func() interface{ UnmarshalText([]byte) error } { return new(risk.Effect) })
	words(r.Level, func() interface{ UnmarshalText([]byte) error } { return new(risk.Level) })
	for _, f := range r.Flags {
		_, err := risk.ParseFlag(f)
		errs = append(errs, err)
	}
	if r.Program == "" && (len(r.Argv) > 0 || r.Exact) {
		errs = append(errs, errors.New("argv and exact need a program"))
	}
	if r.Verdict == Allow && r.Program == "" && len(r.Path) == 0 && len(r.Effect)+len(r.Level)+len(r.Tool) == 0 {
		errs = append(errs, errors.New("a rule that allows needs a program, a path, a tool, an effect or a level"))
	}
	return errors.Join(errs...)
}

// compile prepares the patterns.
func (r *Rule) compile() error {
	for _, t := range r.Target {
		g, err := newGlob(t, false)
		if err != nil {
			return err
		}
		r.targets = append(r.targets, g)
	}
	for _, p := range r.Path {
		if !path.IsAbs(p) && !strings.HasPrefix(p, "**") {
			return fmt.Errorf("path %q is not absolute", p)
		}
		g, err := newGlob(p, false)
		if err != nil {
			return err
		}
		r.paths = append(r.paths, g)
	}
	for _, d := range r.Dir {
		if !path.IsAbs(d) {
			return fmt.Errorf("dir %q is not absolute", d)
		}
		g, err := newGlob(d, false)
		if err != nil {
			return err
		}
		r.dirs = append(r.dirs, g)
	}
	for _, h := range r.Host {
		g, err := newGlob(strings.ToLower(h), true)
		if err != nil {
			return err
		}
		r.hosts = append(r.hosts, g)
	}
	return nil
}

// test checks a rule's own examples, regardless of target and tool.
func (r *Rule) test() error {
	bare := *r
	bare.targets, bare.Tool = nil, nil
	bare.dirs, bare.ceiling.anywhere = nil, true // an example says nothing of its folder
	for want, examples := range map[bool][]string{true: r.Match, false: r.NotMatch} {
		for _, e := range examples {
			a := tools.Action{Kind: tools.Run, Command: e, Dialect: "bash", Dir: "/"}
			if r.Program == "" && path.IsAbs(e) && !strings.ContainsAny(e, " \t\n") {
				a = tools.Action{Kind: tools.Write, Path: e}
			}
			if got := bare.matches(newSubject(a, assess(a), "/root")); got != want {
				return fmt.Errorf("the example %q: matches is %t, want %t", e, got, want)
			}
		}
	}
	return nil
}

// subject is an action as the rules see it.
type subject struct {
	action  tools.Action
	verdict risk.Verdict // the worse of nod's and the model's
	reading reading
}

func newSubject(a tools.Action, v risk.Verdict, home string) subject {
	return subject{action: a, verdict: v, reading: read(a, home)}
}

// matches reports whether all conditions hold. A rule that allows is about its
// targets, and never about a shell that may be on another machine; a server's tool it
// has to name.
func (r *Rule) matches(s subject) bool {
	if r.Verdict == Allow && (len(s.action.Inside) > 0 || s.action.Kind == tools.Invoke && !slices.Contains(r.Tool, s.action.Tool)) {
		return false
	}
	return r.matchesTarget(s.action.Target) &&
		(len(r.Tool) == 0 || slices.Contains(r.Tool, s.action.Tool)) &&
		r.matchesVerdict(s.verdict) &&
		r.matchesProgram(s) && r.matchesPath(s) && r.matchesDir(s.action.Dir) && r.matchesHost(s.verdict) && !r.exceeded(s)
}

// matchesVerdict: of what it names, one has to be there.
func (r *Rule) matchesVerdict(v risk.Verdict) bool {
	return (len(r.Effect) == 0 || slices.Contains(r.Effect, v.Effect.String())) &&
		(len(r.Level) == 0 || slices.Contains(r.Level, v.Level.String())) &&
		(len(r.Flags) == 0 || slices.ContainsFunc(v.Flags.Words(), func(w string) bool { return slices.Contains(r.Flags, w) }))
}

// matchesDir: a folder that is not known is none that a rule is about.
func (r *Rule) matchesDir(dir string) bool {
	return len(r.dirs) == 0 || path.IsAbs(dir) && oneOf(r.dirs, path.Clean(dir))
}

// matchesHost: a rule that allows wants all hosts within its patterns, another
// one any.
func (r *Rule) matchesHost(v risk.Verdict) bool {
	fits := func(reach risk.Reach) bool { return oneOf(r.hosts, reach.Host) }
	switch {
	case len(r.hosts) == 0:
		return true
	case r.Verdict == Allow:
		return !slices.ContainsFunc(v.Reaches, func(reach risk.Reach) bool { return !fits(reach) })
	}
	return slices.ContainsFunc(v.Reaches, fits)
}

// matchesTarget: a rule that allows means the target's whole name, another one
// the host or container by whatever way it is reached.
func (r *Rule) matchesTarget(name string) bool {
	if r.Verdict == Allow {
		return oneOf(r.targets, name)
	}
	return len(r.targets) == 0 || slices.ContainsFunc(r.targets, func(g glob) bool { return g.covers(name) })
}

func oneOf(globs []glob, s string) bool {
	return len(globs) == 0 || slices.ContainsFunc(globs, func(g glob) bool { return g.match(s) })
}

// matchesProgram is narrow for a rule that allows and broad for all others.
func (r *Rule) matchesProgram(s subject) bool {
	if r.Program == "" {
		return true
	}
	if r.Verdict != Allow {
		return s.reading.runs(r.Program, r.Argv)
	}
	words := s.reading.plain
	if s.action.Kind == tools.Type || len(s.action.Stdin) > 0 {
		return false // what the keys or the input do to the program is not known
	}
	return len(words) > 0 && words[0] == r.Program && startsWith(words[1:], r.Argv) &&
		(!r.Exact || len(words) == 1+len(r.Argv))
}

// matchesPath: a rule that allows wants all paths within its patterns, another
// one any.
func (r *Rule) matchesPath(s subject) bool {
	if len(r.paths) == 0 {
		return true
	}
	a := s.action
	if a.Path != "" {
		return oneOf(r.paths, path.Clean(a.Path))
	}
	if r.Verdict != Allow {
		return slices.ContainsFunc(s.reading.mentioned(), func(w string) bool { return r.touches(s, w) })
	}
	words := s.reading.plain
	if r.Program == "" || len(words) < 1+len(r.Argv) {
		return false
	}
	named := false
	for _, w := range words[1+len(r.Argv):] {
		if strings.HasPrefix(w, "-") {
			_, value, ok := strings.Cut(w, "=")
			if !ok && strings.Contains(w, "/") {
				return false // "-f/etc/x": where the option ends is not known
			}
			if !ok {
				continue
			}
			w = value
		}
		p, ok := clean(w, a.Dir)
		if !ok || !path.IsAbs(p) || !oneOf(r.paths, p) {
			return false
		}
		named = true
	}
	return named
}

// touches reports whether a word may name a path that a rule which restricts is
// about: the path itself, a folder into which something of that name is put, a
// pattern that fits, or a folder above it from which things are removed.
func (r *Rule) touches(s subject, word string) bool {
	if strings.HasPrefix(word, "-") {
		return false
	}
	all, _ := s.paths(word)
	for _, p := range all {
		for _, g := range r.paths {
			switch {
			case g.match(p), wild(word) && patternsMeet(g.text, p):
				return true
			case s.verdict.Effect.AtLeast(risk.Mutate) && r.holds(s, g, p):
				return true
			}
		}
	}
	return false
}

// holds reports whether a change of the folder p may change what g is about.
func (r *Rule) holds(s subject, g glob, p string) bool {
	if g.match(path.Join(p, "x")) {
		return true
	}
	if s.verdict.Effect.AtLeast(risk.Destroy) && patternsMeet(g.text, path.Join(p, "**")) && !strings.HasPrefix(g.text, "**") {
		return true
	}
	return slices.ContainsFunc(s.reading.words, func(w string) bool {
		return w != "" && !strings.HasPrefix(w, "-") && g.match(path.Join(p, path.Base(w)))
	})
}

// names reports whether the rule spells out this very path and does not deny.
func (r *Rule) names(p string) bool {
	return r.Verdict != Deny && slices.ContainsFunc(r.paths, func(g glob) bool { return g.literal() && g.match(p) })
}

// strictest returns the strictest rule that matches.
func (rs *Rules) strictest(s subject) (found Rule, ok bool) {
	for _, r := range rs.all() {
		if (!ok || r.Verdict.strictness() > found.Verdict.strictness()) && r.matches(s) {
			found, ok = r, true
		}
	}
	return found, ok
}

// All returns the rules in the order of the file.
func (rs *Rules) All() []Rule { return slices.Clone(rs.all()) }

func (rs *Rules) all() []Rule {
	if rs == nil {
		return nil
	}
	return rs.rules
}
