package posix

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	_ "embed"

	"github.com/nod-console/nod/backends"
)

//go:embed scripts/find.sh
var findScript string

// Check refuses commands that make no sense.
func Check(c backends.Command) error {
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return errors.New("a command without a program")
	}
	for i, a := range c.Argv {
		if strings.IndexByte(a, 0) >= 0 {
			return fmt.Errorf("argument %d holds a zero byte: %q", i, a)
		}
	}
	if c.Dir != "" && c.Dir[0] != '/' || strings.IndexByte(c.Dir, 0) >= 0 {
		return fmt.Errorf("the directory %q is not absolute", c.Dir)
	}
	for _, kv := range c.Env {
		if i := strings.IndexByte(kv, '='); i <= 0 || strings.IndexByte(kv, 0) >= 0 {
			return fmt.Errorf("the environment setting %q is not NAME=value", kv)
		}
	}
	return nil
}

// CheckSize refuses sizes that no terminal has.
func CheckSize(s backends.Size) error {
	if s.Cols < 1 || s.Rows < 1 || s.Cols > math.MaxUint16 || s.Rows > math.MaxUint16 {
		return fmt.Errorf("a terminal of %s is not possible", s)
	}
	return nil
}

// Find is the part of a script that looks for c's program in c's directory. The
// script has a function nod_say, which is called with the words "dir WHY" or
// "program WHY", and ends, if the program cannot be started; WHY is "none",
// "denied" or "notdir". Else nod_x is the program, for [Become]. Nothing in it
// forks, and its names begin with nod_: nod_d, nod_p, nod_P, nod_x, nod_q and
// some more.
func Find(c backends.Command) string {
	path := `"$PATH"`
	for _, kv := range Latest(c.Env) {
		if value, ok := strings.CutPrefix(kv, "PATH="); ok {
			path = Quote(value)
		}
	}
	return fmt.Sprintf("nod_d=%s nod_p=%s nod_P=%s\n", Quote(c.Dir), Quote(c.Argv[0]), path) + Brief(findScript)
}

// Become is the line that puts c's program in the shell's place. sh is the shell
// that is used where env would take the program for a setting.
func Become(sh string, c backends.Command) string {
	line, program := "exec ", `"$nod_x"`
	if env := Latest(c.Env); len(env) > 0 {
		line += "env --"
		for _, kv := range env {
			line += " " + Quote(kv)
		}
		line += " "
		if strings.Contains(c.Argv[0], "=") {
			program = sh + ` -c 'exec "$0" "$@"' "$nod_x"`
		}
	}
	var b strings.Builder
	b.WriteString(line + program)
	for _, a := range c.Argv[1:] {
		b.WriteString(" " + Quote(a))
	}
	return b.String()
}

// Quote quotes a word for a POSIX shell.
func Quote(w string) string { return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'" }

// Octal writes as \0ooo, which printf %b turns back, what a shell might act on
// within single quotes, and what is not ASCII.
func Octal(s string) string {
	var b strings.Builder
	for i := range len(s) {
		if c := s[i]; c == '\'' || c == '\\' || c == '!' || c < ' ' || c >= 0x7f {
			fmt.Fprintf(&b, `\0%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Brief is a script without its comments and indentation.
func Brief(script string) string {
	var b strings.Builder
	for line := range strings.Lines(script) {
		line = strings.TrimLeft(line, "\t")
		if strings.HasPrefix(line, "#") || line == "\n" {
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

// Latest keeps the last setting of each name, in order.
func Latest(env []string) []string {
	var kept []string
	for i, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.ContainsFunc(env[i+1:], func(later string) bool { return strings.HasPrefix(later, name+"=") }) {
			kept = append(kept, kv)
		}
	}
	return kept
}

// Flag is word where on is set, else "": an argument of a script.
func Flag(on bool, word string) string {
	if on {
		return word
	}
	return ""
}
