package docker

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// remoteShell is the shell that stays in a container for as long as the target.
// Programs report to it, through its standard output, that they begin and how they
// end; it signals them and ends them with all that they have started; and it does the
// latter, too, when nod's connection is gone without a word.
type remoteShell struct {
	*posix.RemoteShell
	s     Stream
	about facts
}

// facts are what a container is.
type facts struct {
	nonce    string
	pid      int               // of the remote shell
	proc     bool              // programs can reach it through /proc
	tools    map[string]string // program to path
	waiter   waiter
	uid      string
	user     string
	home     string
	machine  string
	umask    string
	writable []string // folders
}

// needed are the programs without which nothing can be signalled or ended.
var needed = []string{"sed", "grep", "env", "sleep"}

// startRemoteShell starts the remote shell. Where that is not possible in this container, the
// error is ErrNoShell.
func startRemoteShell(ctx context.Context, e Engine, container string) (*remoteShell, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, startTime, errors.New("the engine does not start a shell in time"))
	defer cancel()
	nonce := posix.NewNonce()
	x := Exec{Argv: []string{"sh", "-c", posix.Brief(posix.EndingScript) + posix.Brief(remoteShellScript), "sh", nonce}, Stdin: true}
	id, err := e.CreateExec(ctx, container, x)
	if err != nil {
		return nil, err
	}
	s, err := e.StartExec(ctx, id, x)
	if err != nil {
		return nil, notStarted(err)
	}
	pr, pw := io.Pipe()
	end := func() {
		_ = s.Close()  // it has ended
		_ = pr.Close() // never fails
	}
	a := &remoteShell{
		RemoteShell: posix.NewRemoteShell(nonce, s, end), s: s, about: facts{nonce: nonce, tools: map[string]string{}},
	}
	var said posix.Tail
	go func() {
		err := unframe(s, make([]byte, 4<<10), func(which byte, p []byte) {
			if which == stderrMark {
				_, _ = said.Write(p) // never fails
				return
			}
			_, _ = pw.Write(p) // fails when nobody listens any more
		})
		_ = pw.CloseWithError(err) // never fails
	}()
	r := bufio.NewReader(pr)
	var before posix.Tail
	_, err = posix.Interruptible(ctx, func() (struct{}, error) { return struct{}{}, a.Greet(r, &before, a.about.learn) }, func(struct{}) {})
	if err == nil {
		err = a.about.suffice()
	} else if ctx.Err() == nil { // it ended
		err = noRemoteShell(ctx, e, id, strings.TrimSpace(before.String()+said.String()))
	}
	if err != nil {
		end() // it is of no use
		return nil, err
	}
	go a.Listen(r, timed)
	return a, nil
}

// noRemoteShell tells why a shell ended before it was of use: because it is not one,
// or because the runtime did not start it at all.
func noRemoteShell(ctx context.Context, e Engine, exec, said string) error {
	err := fmt.Errorf("%w: it says %q", ErrNoShell, said)
	state, ierr := e.InspectExec(ctx, exec)
	if ierr != nil || state.ExitCode != couldNotRun || errors.Is(notStarted(errors.New(said)), ErrNoShell) {
		return err
	}
	return fmt.Errorf("%w: %s; correct what it was made with, and make it anew", ErrRefused, said)
}

// notStarted tells an exec that the runtime could not start from other faults:
// newer engines say so with an error.
func notStarted(err error) error {
	if strings.Contains(err.Error(), "executable file not found") || strings.Contains(err.Error(), "no such file or directory") {
		return fmt.Errorf("%w: %w", ErrNoShell, err)
	}
	return err
}

// suffice reports what is missing for a remote shell to be of use.
func (f *facts) suffice() error {
	if !f.proc {
		return fmt.Errorf("%w: its /proc does not show programs each other", ErrNoShell)
	}
	for _, t := range needed {
		if f.tools[t] == "" {
			return fmt.Errorf("%w: it has no %s", ErrNoShell, t)
		}
	}
	return nil
}

// word is where a fact is kept that is taken as it is; nil for others.
func (f *facts) word(key string) *string {
	switch key {
	case "uid":
		return &f.uid
	case "user":
		return &f.user
	case "home":
		return &f.home
	case "machine":
		return &f.machine
	case "umask":
		return &f.umask
	}
	return nil
}

// learn takes one fact.
func (f *facts) learn(key, value string) {
	if word := f.word(key); word != nil {
		*word = value
		return
	}
	switch key {
	case "pid":
		f.pid, _ = strconv.Atoi(value) // suffice looks
	case "proc":
		f.proc = value == "yes"
	case "has":
		name, path, _ := strings.Cut(value, " ")
		if !strings.HasPrefix(path, "/") {
			path = name // a function of the shell's own, or a word of its language
		}
		f.tools[name] = path
	case "awk":
		w := strings.Fields(value)
		if len(w) == 2 && w[0] == "137" && byWaitStatus(w[1]) == backends.EndedBy(backends.KILL) {
			f.waiter = byAwk
		}
	case "time":
		if f.waiter == byShell && strings.HasPrefix(value, terminated+"9 ") {
			f.waiter = byTime
		}
	case "writable":
		if !slices.Contains(f.writable, value) {
			f.writable = append(f.writable, value)
		}
	}
}

// terminated is how time(1) begins its report of a signal.
const terminated = "Command terminated by signal "

// byWaitStatus reads what system() of an awk returned: gawk and mawk add 256 to a
// signal, gawk 512 if it left a core; an old gawk gives a fraction.
func byWaitStatus(s string) backends.Outcome {
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil || v < 0 || v > 1023:
		return backends.Outcome{}
	case v != math.Trunc(v):
		return bySignal(int(math.Round(v*256)) & 0x7f) // it has six digits
	case v >= 256:
		return bySignal(int(v) & 0x7f)
	}
	return backends.ExitedWith(int(v))
}

func bySignal(n int) backends.Outcome {
	name, ok := strings.CutPrefix(unix.SignalName(unix.Signal(n)), "SIG")
	if !ok {
		name = strconv.Itoa(n) // of real time
	}
	return backends.EndedBy(backends.Signal(name))
}

// timed is what a program's last word is where time(1) waited for it: a signal stands
// in a line of its own before that.
func timed(before, word string) string {
	if n, ok := strings.CutPrefix(before, terminated); ok && strings.HasPrefix(word, "ended ") {
		return "signalled " + n
	}
	return word
}

// close ends the remote shell. Nothing that it would have to end runs any more.
func (a *remoteShell) close() {
	go func() {
		_ = a.Tell("0", "bye") // it may have ended, or be frozen
		_ = a.s.CloseWrite()
	}()
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	select {
	case <-a.Ended():
	case <-ctx.Done():
		_ = a.s.Close() // frozen: it ends by itself later
		<-a.Ended()
	}
}
