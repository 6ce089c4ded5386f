package policy

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/google/renameio/v2"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// keepable is the narrow rule, in TOML, that would let exactly this command run
// at this target from now on; empty if there must be none, or if it cannot be
// said in a rule.
func (e *Engine) keepable(p Proposal, x Explanation) string {
	a := p.Action
	if e.opt.Keep == nil || x.Confirm || x.Ruling != Ask || x.Posture != PostureAsk || !harmless(x.Combined) || !selfContained(a) {
		return ""
	}
	dialect, err := risk.ParseDialect(a.Dialect)
	if err != nil {
		return ""
	}
	words := plain(a.Command, dialect)
	if len(words) == 0 || words[0] == "" || inFolder(x.Combined) && !literalFolder(a.Dir) {
		return ""
	}
	text := ruleText(a, words, inFolder(x.Combined))
	rules, err := ParseRules([]byte(text))
	if err != nil || len(rules.rules) != 1 || !rules.rules[0].matches(newSubject(a, x.Combined, e.opt.Home)) {
		return ""
	}
	return text
}

// selfContained reports whether an action is one command on one target, and nothing
// beside the command says what it does.
func selfContained(a tools.Action) bool {
	return len(a.Parts) == 0 && literalTarget(a.Target) && (a.Kind == tools.Exec || a.Kind == tools.Run) && len(a.Stdin) == 0 && len(a.Inside) == 0
}

// literalFolder reports whether a rule can name this folder and no other.
func literalFolder(dir string) bool { return path.IsAbs(dir) && !strings.ContainsAny(dir, "*?[") }

// ruleText writes the rule with its examples; with here it holds in the folder of
// the action and in no other.
func ruleText(a tools.Action, words []string, here bool) string {
	list := func(words []string) string {
		quoted := make([]string, len(words))
		for i, w := range words {
			quoted[i] = tomlString(w)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "[[rule]]\nname = %s\nverdict = \"allow\"\ntarget = %s\n", tomlString("always: "+a.Command), list([]string{a.Target}))
	fmt.Fprintf(&b, "program = %s\nargv = %s\nexact = true\n", tomlString(words[0]), list(words[1:]))
	if here {
		fmt.Fprintf(&b, "dir = %s\n", list([]string{path.Clean(a.Dir)}))
	}
	fmt.Fprintf(&b, "match = %s\n", list([]string{a.Command}))
	fmt.Fprintf(&b, "not_match = %s\n", list([]string{a.Command + "; reboot", a.Command + "\nreboot", a.Command + " > /etc/passwd", a.Command + " x"}))
	return b.String()
}

// tomlString is a basic string of TOML.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f || r > 0x7e && !strconv.IsPrint(r):
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// ErrRulesChanged: the rules file on disk is not one that could be read.
var ErrRulesChanged = errors.New("the rules file as it is now cannot be read")

// AppendRule adds a rule, in TOML, to the rules file and returns all rules of
// the file as it then is. What stands in the file stays as it is, comments
// included; a file that is not there is made, with its folder. The new file is
// complete on disk before it takes the old one's place, two of nod's processes
// that write at once take turns, and nothing is written unless the whole passes
// its own examples.
func AppendRule(file, rule string) (rules *Rules, err error) {
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real // a link stays a link
	}
	folder := filepath.Dir(file)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	lock, err := os.Open(folder)
	if err != nil {
		return nil, fmt.Errorf("policy: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return nil, fmt.Errorf("policy: lock %s: %w", folder, err)
	}
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("policy: %w", err)
	}
	if _, err := ParseRules(text); err != nil {
		return nil, fmt.Errorf("policy: %s: %w: %w", file, ErrRulesChanged, err)
	}
	if len(text) > 0 {
		text = append(bytes.TrimRight(text, "\n"), "\n\n"...)
	}
	text = append(text, rule...)
	if rules, err = ParseRules(text); err != nil {
		return nil, fmt.Errorf("policy: the rule to be added: %w", err)
	}
	if err := renameio.WriteFile(file, text, 0o600, renameio.WithTempDir(folder)); err != nil {
		return nil, fmt.Errorf("policy: write %s: %w", file, err)
	}
	return rules, nil
}

// keep writes the rule that a request showed and has it hold at once.
func (e *Engine) keep(rule string) (name string, err error) {
	rules, err := e.opt.Keep(rule)
	if err != nil {
		return "", err
	}
	e.rules.Store(rules)
	if all := rules.all(); len(all) > 0 {
		name = all[len(all)-1].Name
	}
	return name, nil
}
