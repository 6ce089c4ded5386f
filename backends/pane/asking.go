package pane

import (
	"bytes"
	"context"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
)

// Asking says what a command that runs, and is silent, seems to wait for. The
// zero value says that nothing is known to be waited for.
type Asking struct {
	// Shell is the command, where all that it has done is to open a shell, which
	// waits for commands: see [Pane.Inside].
	Shell string
	// Line is what stands in front of the cursor, where it looks like a question
	// or like a program's prompt.
	Line string
	// Reads says that a program in the foreground reads the terminal.
	Reads bool
}

// Any reports whether something is waited for.
func (a Asking) Any() bool { return a != Asking{} }

const (
	// askQuiet is how long a command must have been silent in front of what
	// looks like a question to be taken to wait for the answer. Programs that
	// say what they are about to do, and then do it, look the same.
	askQuiet = 3 * time.Second
	// readsFor is how long the target may take to say what its processes do.
	readsFor = 2 * time.Second
)

// Asks says what a run waits for. next is when to ask again if that is nothing
// so far. Whether a program reads the terminal is asked for on the target, and
// only if look is set: it costs a process there.
func (p *Pane) Asks(ctx context.Context, r *Run, look bool) (a Asking, next time.Duration) {
	p.mu.Lock()
	if !p.shows(r) {
		p.mu.Unlock()
		return Asking{}, askQuiet
	}
	silent, pid := time.Since(p.lastly), p.seen.pid
	a.Shell = p.waiting()
	if silent >= askQuiet {
		a.Line = p.question()
	}
	p.mu.Unlock()
	switch {
	case a.Any():
		return a, 0
	case silent < nestQuiet:
		return a, nestQuiet - silent
	case silent < askQuiet:
		return a, min(askQuiet-silent, time.Second) // a shell that starts slowly is seen soon
	}
	if look && p.reads(ctx, pid) {
		p.mu.Lock()
		a.Reads = p.shows(r) // else it may be the shell behind the run that reads
		p.mu.Unlock()
	}
	return a, askQuiet
}

// shows reports whether what the terminal shows and does is r's: it goes on, and nothing
// has been missed that might have told its end. p.mu is held.
func (p *Pane) shows(r *Run) bool { return p.run == r && p.phase == executing && !p.away && p.seeded }

// questions are the ends of lines behind which programs wait for words: a
// prompt's last character, or a choice.
var questions = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)([:?>$#❯➜»λ]|[\[(]\s*y(es)?\s*[/|,]\s*no?\b[^\])]*[\])]|--more--.*|^\([\w .-]+\)|\bcontinue[ .…]*)$`)
})

// progressBar is a line that ends like a prompt and is none.
var progressBar = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(==+>|##+|\d+\s*%.*[>#])$`) })

// question is what stands in front of the cursor, where it looks as if the
// program waits for an answer. p.mu is held.
func (p *Pane) question() string {
	s := p.term.Snapshot()
	row := s.Scrolled + s.Cursor.Row
	line := textUpTo(s, row, s.Cursor.Col)
	if line == "" || line != strings.TrimRight(s.LineText(row), " ") || !looksLikeQuestion(line) {
		return ""
	}
	return strings.TrimSpace(line)
}

// looksLikeQuestion reports whether a line without its end is one behind which
// programs wait for words.
func looksLikeQuestion(line string) bool {
	return questions().MatchString(line) && !progressBar().MatchString(line)
}

// reading prints "reads" if a process in the foreground of the terminal of the
// process $1 waits in read(2) on a terminal, or in select(2) for its standard
// input alone (proc(5): syscall; the numbers of x86_64 and of arm64 and riscv64
// mean nothing that blocks on the other). It prints nothing where the target has
// no such /proc, and "hidden" where that does not show this user what processes wait
// for.
const reading = `read -r l 2>/dev/null <"/proc/$1/stat" || exit 0
set -- ${l##*) }
g=$6 h=
for s in /proc/[0-9]*/stat; do
	read -r l 2>/dev/null <"$s" || continue
	set -- ${l##*) }
	[ "$3" = "$g" ] || continue
	p=${s%/stat}
	read -r n a l 2>/dev/null <"$p/syscall" || { h=hidden; continue; }
	case "$n $a" in
	"0 "*|"63 "*) fd=$((a)) ;;
	"23 0x1"|"270 0x1"|"72 0x1") fd=0 ;;
	*) continue ;;
	esac
	case $(readlink "$p/fd/$fd" 2>/dev/null) in /dev/pts/*|/dev/tty*|/dev/console) echo reads; exit 0 ;; esac
done
echo "$h"`

// Foreground is the process group in the foreground of the pane's terminal, on
// the target; 0 where that does not tell.
func (p *Pane) Foreground(ctx context.Context) int {
	p.mu.Lock()
	pid := p.seen.pid
	p.mu.Unlock()
	group, _ := strconv.Atoi(p.ask(ctx, pid, foregroundGroup)) // 0 if there is none
	return group
}

// Occupied reports whether the target's kernel says that something else than the pane's own
// shell is in the foreground, whatever the pane has told of it so far. It is false where the
// target does not tell, and costs a process there.
func (p *Pane) Occupied(ctx context.Context) bool {
	p.mu.Lock()
	pid := p.seen.pid
	p.mu.Unlock()
	group := p.Foreground(ctx)
	return group != 0 && group != pid
}

// foregroundGroup prints the process group in the foreground of the terminal of
// the process $1 (proc(5): stat field 8).
const foregroundGroup = `read -r l 2>/dev/null <"/proc/$1/stat" || exit 0
set -- ${l##*) }
printf '%s' "$6"`

// reads reports whether a program in the foreground of a process' terminal is
// known to read it.
func (p *Pane) reads(ctx context.Context, pid int) bool { return p.ask(ctx, pid, reading) == "reads" }

// ask is what a script prints on the target that is given a process as $1; empty
// if it cannot be had.
func (p *Pane) ask(ctx context.Context, pid int, script string) string {
	w, ok := p.wire.(interface{ host() backends.Target })
	if !ok || pid <= 0 {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, readsFor)
	defer cancel()
	var out bytes.Buffer
	proc, err := w.host().Exec(ctx, backends.Command{
		Argv: []string{"sh", "-c", script, "sh", strconv.Itoa(pid)}, Stdout: &out,
	})
	if err != nil {
		return ""
	}
	if _, err := proc.Wait(); err != nil {
		return ""
	}
	return strings.TrimSpace(out.String())
}

// host is the target that the pane is on.
func (w *tmuxWire) host() backends.Target { return w.s.keeper.target }

// host is the target that the pane is on.
func (w *bareWire) host() backends.Target { return w.ground.keeper.target }
