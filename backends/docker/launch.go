package docker

import (
	"fmt"
	"strings"
	"unicode/utf8"

	_ "embed"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

//go:embed scripts/launch.sh
var launchScript string

//go:embed scripts/remoteshell.sh
var remoteShellScript string

// part is how much of a launch script one setting of the environment holds. The
// kernel takes 128 KiB for each (MAX_ARG_STRLEN, execve(2)), and 2 MiB in all.
const (
	part     = 100 << 10
	maxParts = 10
)

// waiter is a way to wait for a program in the container and to tell how it
// ended: the engine itself has one number for exit codes and signals.
type waiter uint8

const (
	// byShell cannot tell an exit code above 128 from a signal.
	byShell waiter = iota
	byAwk          // system() of mawk and gawk gives 256 and more for signals
	byTime         // time(1) of GNU and busybox says "terminated by signal"
)

// launch is what the engine is to run for a command.
func (f facts) launch(c backends.Command, id string, size backends.Size) (Exec, error) {
	script := f.script(c, id, size)
	decode := !utf8.ValidString(script) // the engine's interface is JSON, which holds nothing else
	if decode {
		script = posix.Octal(script)
	}
	x := Exec{Stdin: c.Stdin != nil, Size: size}
	all := ""
	for i := 0; script != ""; i++ {
		if i == maxParts {
			return Exec{}, fmt.Errorf("docker: the command is %d bytes too long: put it into a file or into standard input", len(script))
		}
		n := min(len(script), part)
		name := fmt.Sprintf("NOD_LAUNCH_%d", i)
		x.Env = append(x.Env, name+"="+script[:n])
		all += "$" + name
		script = script[n:]
	}
	run := `eval "` + all + `"`
	if decode {
		run = `eval "$(printf %b "` + all + `")"`
	}
	own := "" // a session of its own, but for a terminal, which has one
	if !x.terminal() {
		own = f.tools["setsid"]
	}
	to := fmt.Sprintf("/proc/%d/fd/1", f.pid)
	switch f.waiter {
	case byAwk:
		if own != "" {
			run = "exec " + own + " sh -c " + posix.Quote(run)
		}
		program := fmt.Sprintf(`BEGIN { r = system(%s); print "%s %s ended", r > "%s" }`, quoteAwk(run), f.nonce, id, to)
		x.Argv = []string{f.tools["awk"], program}
	case byTime:
		x.Argv = []string{f.tools["time"], "-o", to, "-f", f.nonce + " " + id + " ended %x"}
		if own != "" {
			x.Argv = append(x.Argv, own)
		}
		x.Argv = append(x.Argv, "sh", "-c", run)
	default:
		wait := fmt.Sprintf(`trap : HUP INT QUIT TERM; %s sh -c '%s'; echo "%s %s told $?" >%s`, own, run, f.nonce, id, to)
		x.Argv = []string{"sh", "-c", wait}
	}
	return x, nil
}

func quoteAwk(s string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`) + `"`
}

// script is the shell script that becomes the program.
func (f facts) script(c backends.Command, id string, size backends.Size) string {
	tty := ""
	if size != (backends.Size{}) {
		tty = fmt.Sprintf("rows %d cols %d", size.Rows, size.Cols)
	}
	s := fmt.Sprintf("nod_n=%s nod_i=%s nod_a=%d nod_t=%s\n", f.nonce, id, f.pid, posix.Quote(tty)) +
		posix.Brief(launchScript) + posix.Find(c) + "nod_ready\n"
	if tty == "" {
		s += redirect(c)
	}
	return s + posix.Become("sh", c)
}

// redirect gives an absent input an end, and sends what nobody wants nowhere.
func redirect(c backends.Command) string {
	s := ""
	if c.Stdin == nil {
		s = "exec </dev/null\n"
	}
	switch {
	case posix.SameWriter(c.Stdout, c.Stderr):
		s += "exec 2>&1\n"
	case c.Stdout == nil && c.Stderr == nil:
		s += "exec >/dev/null 2>&1\n"
	case c.Stdout == nil:
		s += "exec >/dev/null\n"
	case c.Stderr == nil:
		s += "exec 2>/dev/null\n"
	}
	return s
}
