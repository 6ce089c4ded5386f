package risk

import (
	"fmt"
	"path"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Dialect is the language of the shell that will read a text.
type Dialect uint8

const (
	// Bash is bash 4 and later.
	Bash Dialect = iota
	// POSIX stands for sh, dash, busybox and ksh used as sh.
	POSIX
	// Zsh is zsh in its own mode.
	Zsh
	// Fish is fish 3 and later.
	Fish
)

// String returns the dialect's usual name.
func (d Dialect) String() string {
	switch d {
	case Bash:
		return "bash"
	case POSIX:
		return "sh"
	case Zsh:
		return "zsh"
	case Fish:
		return "fish"
	default:
		return fmt.Sprintf("dialect(%d)", uint8(d))
	}
}

// ParseDialect takes a shell's name or path: bash, sh, dash, ash, busybox,
// zsh, fish, also in the form of a login shell ("-bash").
func ParseDialect(name string) (Dialect, error) {
	switch strings.TrimPrefix(path.Base(name), "-") {
	case "bash", "rbash":
		return Bash, nil
	case "sh", "dash", "ash", "busybox", "posix":
		return POSIX, nil
	case "zsh":
		return Zsh, nil
	case "fish":
		return Fish, nil
	}
	return 0, fmt.Errorf("unknown shell %q: want bash, sh, zsh or fish", name)
}

// variant is the parser's name for the dialect. POSIX is read as bash, because
// sh is bash on many hosts and whatever bash would do must be seen; fish is read
// as bash after a check that both agree on the text.
func (d Dialect) variant() syntax.LangVariant {
	if d == Zsh {
		return syntax.LangZsh
	}
	return syntax.LangBash
}
