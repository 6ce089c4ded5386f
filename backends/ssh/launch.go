package ssh

import (
	"fmt"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"

	_ "embed"
)

//go:embed scripts/launch.sh
var launchScript string

//go:embed scripts/remoteshell.sh
var remoteShellScript string

// maxLine is the longest command line that a remote shell can be given: the
// kernel's limit for one argument (MAX_ARG_STRLEN, execve(2)).
const maxLine = 128<<10 - 1

// dialect is what is known of the login shell. The zero value is good for every
// shell.
type dialect struct {
	posix bool // single quotes keep everything as it is
}

// quoteProbe are two more arguments for the remote shell, which tells how they
// arrived: fish takes two backslashes for one, csh drops the one in front of the
// mark. It costs nothing, and whatever $SHELL says does not matter.
const (
	quoteProbe = ` '\\' '\\!'`
	quotePosix = `\\\\!`
)

// commandLine is what the login shell is given to run a POSIX shell script,
// whatever that shell is: sh, bash, zsh, fish and csh all read it the same way,
// since the script is in single quotes and holds nothing that any of them acts
// on in there. What one of them might act on is written as \0ooo, which printf
// turns back. For shells that are known to be POSIX's, plain quotes save that
// work.
func commandLine(prefix, script string, d dialect) (string, error) {
	line := "exec " + prefix + "/bin/sh -c "
	if d.posix {
		line += posix.Quote(script)
	} else {
		line += `'eval "$(printf %b "$0")"' '` + posix.Octal(script) + "'"
	}
	if len(line) > maxLine {
		return "", fmt.Errorf("ssh: the command line is %d bytes long for the other side, which takes %d: put it into a file or into standard input", len(line), maxLine)
	}
	return line, nil
}

// launch is the script that starts a command. nonce marks where its own words
// end and the program's output begins.
func launch(c backends.Command, nonce string, terminal, askGroup bool) string {
	s := fmt.Sprintf("nod_n=%s nod_ask=%s\n", nonce, posix.Flag(askGroup, "1")) + posix.Brief(launchScript) + posix.Find(c) + "nod_ready\n"
	if !terminal {
		s += redirect(c)
	}
	return s + posix.Become("/bin/sh", c)
}

// redirect marks where the program's standard error begins, and sends what
// nobody wants nowhere.
func redirect(c backends.Command) string {
	const mark = `printf '%s\n' "$nod_n" >&2` + "\n"
	switch {
	case posix.SameWriter(c.Stdout, c.Stderr):
		return mark + "exec 2>&1\n"
	case c.Stdout == nil && c.Stderr == nil:
		return mark + "exec >/dev/null 2>&1\n"
	case c.Stdout == nil:
		return mark + "exec >/dev/null\n"
	case c.Stderr == nil:
		return mark + "exec 2>/dev/null\n"
	}
	return mark
}
