package pane

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/pane/shells"
)

// front is the program in the foreground of a terminal, as the target's kernel
// tells. The zero value says that the target does not.
type front struct {
	asOf time.Time // the latest output from before it was asked

	pid   int // of the leader of the foreground's process group
	name  string
	argv  []string
	exec  program
	stdin input  // where it reads from
	raw   bool   // the terminal gives keys one by one: something edits a line, or draws a screen
	mute  bool   // the terminal does not show what is typed
	rests bool   // it waits for something, and does not compute
	reads bool   // it waits in read(2) for its standard input
	lines bool   // and for more than a single key, as who reads lines
	file  string // the name of its program's file, which busybox shows; empty if the kernel does not tell

	home program // of the process that was asked for: hasEnded where it has ended
}

// input is where a program's standard input comes from.
type input uint8

const (
	readsUnknown  input = iota // the kernel does not show it to this user
	readsTerminal              // from the terminal
	readsOther
)

// program identifies what a process executes: it changes with exec. Empty means
// that the target does not tell.
type program string

// hasEnded is the program of a process that has ended.
const hasEnded program = "ended"

// asking prints, for the process $1 that was started in a terminal, and for
// another one, $2: their lines of /proc/PID/stat behind the name, then that of
// the leader of the foreground's process group (field 8 of stat, proc(5)), its
// name, whether its standard input is that of $1, whether the terminal is raw and shows
// what is typed, whether it reads lines (see reading), the file of its program, and its arguments.
const asking = `stat() { l=; read -r l 2>/dev/null <"/proc/$1/stat" && l=${l##*) }; printf '%s\n' "$l"; }
stat "$1"
f=$l
stat "$2"
set -- "$1" $f
f=$7
stat "$f"
c=; read -r c 2>/dev/null <"/proc/$f/comm"; printf '%s\n' "$c"
a=$(readlink "/proc/$1/fd/0" 2>/dev/null); b=$(readlink "/proc/$f/fd/0" 2>/dev/null)
case $a in "") echo ;; "$b") echo terminal ;; *) [ -z "$b" ] && echo || echo other ;; esac
set -f; s=" $(echo $(stty -a 2>/dev/null <"/proc/$1/fd/0")) " m=
case $s in *" -icanon "*) m=raw ;; esac
case $s in *" -echo "*) m="$m mute" ;; esac
printf '%s\n' "$m"
n= s=; read -r n a b s l 2>/dev/null <"/proc/$f/syscall"
case "$n $a $s" in "0 0x0 0x1"|"63 0x0 0x1") echo reads ;; "0 "*|"63 "*) echo lines ;; *) echo ;; esac
e=$(readlink "/proc/$f/exe" 2>/dev/null); printf '%s\n' "${e##*/}"
tr '\0' '\n' 2>/dev/null <"/proc/$f/cmdline"`

// frontLines are the lines in front of the arguments.
const frontLines = 8

// frontOn asks a target for the program in the foreground of the terminal in
// which the process pid was started, and whether the process home is still
// there. It costs a process on the target.
func frontOn(ctx context.Context, target backends.Target, pid, home int) (front, error) {
	if pid <= 0 {
		return front{}, nil
	}
	if home <= 0 {
		home = pid
	}
	var out bytes.Buffer
	proc, err := target.Exec(ctx, backends.Command{
		Argv: []string{"sh", "-c", asking, "sh", strconv.Itoa(pid), strconv.Itoa(home)}, Stdout: &out,
	})
	if err == nil {
		_, err = proc.Wait()
	}
	if err != nil {
		return front{}, fmt.Errorf("pane: look at the terminal of process %d: %w", pid, err)
	}
	return parseFront(out.String()), nil
}

// parseFront reads what asking has printed.
func parseFront(text string) front {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) < frontLines {
		return front{}
	}
	started := strings.Fields(lines[0])
	const first = 3 // the number of the field behind the program's name
	if len(started) <= 8-first {
		return front{} // no such /proc
	}
	f := front{home: programOf(lines[1]), exec: programOf(lines[2])}
	pid, err := strconv.Atoi(started[8-first])
	if err != nil || pid <= 0 || f.exec == hasEnded {
		return front{home: f.home}
	}
	f.pid, f.name, f.argv = pid, lines[3], lines[frontLines:]
	switch lines[4] {
	case "terminal":
		f.stdin = readsTerminal
	case "other":
		f.stdin = readsOther
	}
	f.raw, f.mute = strings.HasPrefix(lines[5], "raw"), strings.HasSuffix(lines[5], "mute")
	f.rests = strings.HasPrefix(lines[2], "S")
	f.reads, f.lines, f.file = lines[6] != "", lines[6] == "lines", lines[7]
	return f
}

// programOf reads when a process was started, and where its code, stack and
// arguments lie (proc(5), stat fields 22, 26, 28, 48 and 50): the kernel draws
// these addresses anew with each exec. It shows them only to who may trace the
// process. One that is ending has no memory any more (23), and with that no such
// addresses: what it was is not known then, and that it has ended soon is.
func programOf(stat string) program {
	f := strings.Fields(stat)
	const first = 3
	if len(f) == 0 || f[0] == "Z" || f[0] == "X" {
		return hasEnded
	}
	if len(f) <= 50-first || f[23-first] == "0" {
		return ""
	}
	return program(strings.Join([]string{f[22-first], f[26-first], f[28-first], f[48-first], f[50-first]}, "."))
}

// command is the program with its arguments.
func (f front) command() string {
	return strings.TrimSpace(strings.ReplaceAll(strings.Join(f.argv, " "), "\n", " "))
}

// shell is the name of the shell that f is, if it is one that was not started to
// run a script.
func (f front) shell() (name string, ok bool) {
	argv := shells.Applet(f.argv)
	if len(argv) == 0 || shells.Script(argv) != "" {
		return "", false
	}
	name = path.Base(shells.Named(argv[0]))
	return name, shells.Is(name) && (shells.Is(f.name) || f.name == shells.Busybox)
}

// lookAround asks the target's kernel what is in the foreground, and draws the
// conclusions: that the shell was replaced by exec, that it has ended and left
// the terminal to another one, that a line has been entered in a shell that does
// not say so.
func (p *Pane) lookAround(ctx context.Context, seen sight) error {
	p.mu.Lock()
	asOf, home, run := p.lastly, p.home, p.run
	p.mu.Unlock()
	f, err := p.wire.front(ctx, seen.pid, home)
	if err != nil {
		return err
	}
	f.asOf = asOf
	if f.home == hasEnded { // what it wrote last may be on its way
		if _, err := p.looked(ctx); err != nil {
			return err
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lastly != asOf || p.run != run || p.home != home || p.seen.dead {
		return nil // it is another moment; the next look tells
	}
	p.front = f
	defer p.changed()
	if home != 0 && f.home == hasEnded {
		if home != seen.pid { // of the pane's own one, the terminal tells
			p.shellGone(f)
		}
		return nil
	}
	switch p.phase {
	case executing:
		p.frontOfCommand(f)
	case dispatched:
		p.frontOfLine(f)
	case atPrompt:
		p.frontOfPrompt(f)
	}
	return nil
}

// frontOfCommand concludes from what is in front whether the shell that was to execute a
// command still does. p.mu is held.
func (p *Pane) frontOfCommand(f front) {
	switch {
	case p.exec != "" && f.home != "" && f.home != p.exec:
		p.replaced(f)
	case p.home != 0 && f.pid == p.home && p.atUnsaidPrompt(f):
		p.muted()
	}
}

// frontOfLine concludes from what is in front whether the shell that has refused a line, or
// another one, will not read the run's any more. p.mu is held.
func (p *Pane) frontOfLine(f front) {
	if p.refusal.State == backends.Unknown || !p.isOver(time.Since(p.lastly)) {
		return
	}
	if f.pid == 0 || f.pid != p.home || f.rests { // else it is yet to come to what was typed
		p.refused()
	}
}

// frontOfPrompt concludes from what is in front whether a line has been entered at the
// prompt of a shell that does not say so. p.mu is held.
func (p *Pane) frontOfPrompt(f front) {
	if !p.strayed {
		return
	}
	p.strayed = false
	if f.pid != 0 && p.home != 0 && f.pid != p.home {
		p.doing, p.prompt = f.command(), promptSpot{}
		p.began()
	}
}

// atUnsaidPrompt reports whether the shell, which is in the foreground, waits at its
// prompt and not in a command of its own, such as read. A prompt that has been seen to come
// up says so. Where it does not, dash and its like read more than single keys at their
// prompts alone, and mksh has its terminal raw there alone; ksh93 reads keys one by one, but
// in a command that only redirects its output it reads none; the others are believed where the
// screen shows a prompt, or where the command may have changed that. p.mu is held.
func (p *Pane) atUnsaidPrompt(f front) bool {
	switch {
	case p.unsaid && f.raw:
		return true
	case !f.rests || p.term.Snapshot().Alternate:
		return false
	case p.shell.Plain() && f.lines, p.shell == shells.Mksh && f.raw:
		return true
	}
	command := p.underWay()
	if p.shell == shells.Ksh && f.reads && shells.Redirects(command) {
		return true
	}
	return f.raw && (shells.ChangesPrompt(command) || p.shell.Plain() && looksLikePrompt(p.term.Snapshot()))
}

// underWay is the command that is executed: the run's, or one that was entered by hand, as
// far as the screen tells. p.mu is held.
func (p *Pane) underWay() string {
	if p.run != nil {
		return p.run.Command
	}
	return p.doing
}

// replaced says that the shell has been replaced by exec, which takes the hook
// away: no mark would ever come. p.mu is held.
func (p *Pane) replaced(by front) {
	p.forget()
	p.generation++
	p.reborn = "an earlier command replaced the shell of this pane by exec: this one ran in the new shell"
	if p.run != nil {
		p.finish(backends.Outcome{}, fmt.Sprintf("the command replaced the shell of this pane by %q (exec); its own outcome cannot be known", by.name))
	}
}

// muted says that the shell is at its prompt again without having said that the
// command ended: PROMPT_COMMAND was set anew, or the like. It is hooked again
// before it gets a command. p.mu is held.
func (p *Pane) muted() {
	p.forget()
	if p.run != nil {
		p.finish(backends.Outcome{}, "the shell is at its prompt again, but what it is to say there was changed (its prompt, PROMPT_COMMAND, a precmd hook): with which status the command ended is not known; the next command is tracked again")
	}
}

// shellGone says that the shell has ended, but not the pane: it was one inside
// another that nod knows nothing of. p.mu is held.
func (p *Pane) shellGone(f front) {
	if depth := len(p.outer); depth > 0 {
		p.leave(depth - 1)
		return
	}
	p.forget()
	p.generation++
	p.reborn = "the shell in which nod worked has ended: this command ran in the one around it"
	if p.run != nil {
		now := "another program"
		if name, ok := f.shell(); ok {
			now = fmt.Sprintf("another shell, %q,", name)
		} else if f.name != "" {
			now = fmt.Sprintf("%q", f.name)
		}
		p.finish(backends.Outcome{}, "the command ended the shell that it ran in, with which status is not known; "+now+" is in front in this pane now, and gets the next command")
	}
}
