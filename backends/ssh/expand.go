package ssh

import (
	"crypto/sha1" //nolint:gosec // %C is defined by it (ssh_config(5)); it protects nothing
	"encoding/hex"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
)

// expander fills in what "ssh -G" leaves as it is: "~", "${NAME}" and the
// tokens of ssh_config(5).
type expander struct {
	home, local       string // of the operator
	getenv            func(string) string
	host, name, alias string // HostName, as asked for, HostKeyAlias
	port              int
	user, jump        string
}

func (e expander) tokens(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '%' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if value, known := e.token(s[i]); known {
			b.WriteString(value)
		} else {
			b.WriteString(s[i-1 : i+1])
		}
	}
	return b.String()
}

func (e expander) token(c byte) (string, bool) {
	switch c {
	case '%':
		return "%", true
	case 'h':
		return e.host, true
	case 'n':
		return e.name, true
	case 'k':
		return or(e.alias, e.name), true
	case 'p':
		return strconv.Itoa(e.port), true
	case 'r':
		return e.user, true
	case 'u':
		return e.local, true
	case 'd':
		return e.home, true
	case 'i':
		return strconv.Itoa(os.Getuid()), true
	case 'j':
		return e.jump, true
	case 'l', 'L', 'C':
		return e.tokenOfHere(c)
	}
	return "", false
}

// tokenOfHere is a token that has the name of this machine, which may not be known.
func (e expander) tokenOfHere(c byte) (string, bool) {
	name, err := os.Hostname()
	if err != nil {
		return "", false
	}
	switch c {
	case 'L':
		name, _, _ = strings.Cut(name, ".")
	case 'C':
		sum := sha1.Sum([]byte(name + e.host + strconv.Itoa(e.port) + e.user + e.jump)) //nolint:gosec // see the import
		return hex.EncodeToString(sum[:]), true
	}
	return name, true
}

// path expands the name of a file.
func (e expander) path(s string) string {
	if s == "" {
		return ""
	}
	s = e.tokens(e.environment(s))
	rest, ok := strings.CutPrefix(s, "~")
	if !ok {
		return s
	}
	who, rest, _ := strings.Cut(rest, "/")
	if who == "" {
		return filepath.Join(e.home, rest)
	}
	if u, err := user.Lookup(who); err == nil {
		return filepath.Join(u.HomeDir, rest)
	}
	return s // there is no such file, which whoever opens it reports
}

// environment fills in ${NAME}.
func (e expander) environment(s string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "${")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			b.WriteString("${" + rest)
			return b.String()
		}
		if e.getenv != nil {
			b.WriteString(e.getenv(name))
		}
		s = after
	}
}

// paths expands a list of files and drops "none".
func (e expander) paths(list []string) []string {
	var all []string
	for _, s := range list {
		if s != "none" && s != "" {
			all = append(all, e.path(unquote(s)))
		}
	}
	return all
}

// fileLists expands lists of files with blanks in between.
func (e expander) fileLists(lists []string) []string {
	var all []string
	for _, list := range lists {
		all = append(all, e.paths(words(list))...)
	}
	return all
}

func unquote(s string) string {
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' {
		return s[1 : len(s)-1]
	}
	return s
}

// words splits a line of ssh_config; double quotes keep blanks together.
func words(line string) []string {
	var (
		all    []string
		word   strings.Builder
		in     bool
		quoted bool
	)
	end := func() {
		if in {
			all = append(all, word.String())
			word.Reset()
			in = false
		}
	}
	for _, r := range line {
		switch {
		case r == '"':
			quoted, in = !quoted, true
		case !quoted && (r == ' ' || r == '\t'):
			end()
		case !quoted && !in && r == '#':
			return all
		default:
			word.WriteRune(r)
			in = true
		}
	}
	end()
	return all
}
