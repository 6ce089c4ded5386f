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
	"sync"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// remoteShell is our hand in a container: a shell that stays for as long as the
// target. Programs report to it, through its standard output, that they begin
// and how they end; it signals them and ends them with all that they have
// started; and it does the latter, too, when our connection is gone without a
// word.
type remoteShell struct {
	s     Stream
	about facts

	mu      sync.Mutex // held while writing and for the maps
	nextID  int
	asked   map[string]chan string
	reports map[string]chan string
	done    chan struct{} // closed when it has ended
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
	x := Exec{Argv: []string{"sh", "-c", posix.Brief(remoteShellScript), "sh", nonce}, Stdin: true}
	id, err := e.CreateExec(ctx, container, x)
	if err != nil {
		return nil, err
	}
	s, err := e.StartExec(ctx, id, x)
	if err != nil {
		return nil, notStarted(err)
	}
	a := &remoteShell{
		s: s, about: facts{nonce: nonce, tools: map[string]string{}},
		asked: map[string]chan string{}, reports: map[string]chan string{}, done: make(chan struct{}),
	}
	pr, pw := io.Pipe()
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
	_, err = within(ctx, func() (struct{}, error) { return struct{}{}, a.greet(r, &before) }, func(struct{}) {})
	if err == nil {
		err = a.about.suffice()
	} else if ctx.Err() == nil { // it ended
		err = noRemoteShell(ctx, e, id, strings.TrimSpace(before.String()+said.String()))
	}
	if err != nil {
		_ = s.Close() // of no use
		_ = pr.Close()
		return nil, err
	}
	go func() {
		a.listen(r)
		_ = pr.Close() // never fails
	}()
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

// greet reads the facts.
func (a *remoteShell) greet(r *bufio.Reader, before io.Writer) error {
	f := &a.about
	for {
		line, err := r.ReadString('\n')
		rest, ok := strings.CutPrefix(line, f.nonce+" ")
		if !ok {
			_, _ = io.WriteString(before, line) // never fails
			if err != nil {
				return err
			}
			continue
		}
		key, value, _ := strings.Cut(strings.TrimRight(rest, "\n"), " ")
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
		case "uid":
			f.uid = value
		case "user":
			f.user = value
		case "home":
			f.home = value
		case "machine":
			f.machine = value
		case "umask":
			f.umask = value
		case "writable":
			if !slices.Contains(f.writable, value) {
				f.writable = append(f.writable, value)
			}
		case "ready":
			return nil
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

// listen hands the answers and reports out until the shell ends.
func (a *remoteShell) listen(r *bufio.Reader) {
	before := ""
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			break
		}
		line = strings.TrimRight(line, "\n")
		rest, ok := strings.CutPrefix(line, a.about.nonce+" ")
		if !ok {
			before = line
			continue
		}
		id, word, _ := strings.Cut(rest, " ")
		if n, ok := strings.CutPrefix(before, terminated); ok && strings.HasPrefix(word, "ended ") {
			word = "signalled " + n // time(1) has it in a line of its own
		}
		before = ""
		a.mu.Lock()
		to := a.reports[id]
		if c, ok := a.asked[id]; ok {
			to = c
		}
		a.mu.Unlock()
		if to == nil {
			continue
		}
		select {
		case to <- word:
		default: // more than anybody has to say
		}
	}
	_ = a.s.Close() // it has ended
	close(a.done)
}

// programs expects reports about a new program.
func (a *remoteShell) program() (id string, reports <-chan string) {
	c := make(chan string, 4)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.nextID++
	id = strconv.Itoa(a.nextID)
	a.reports[id] = c
	return id, c
}

func (a *remoteShell) forget(id string) {
	a.mu.Lock()
	delete(a.reports, id)
	a.mu.Unlock()
}

// errRemoteShellGone says that the remote shell has ended, by whatever has ended it.
var errRemoteShellGone = errors.New("the shell that attends to programs in the container has ended")

// ask has the remote shell do something and returns its answer. The words hold no
// blanks.
func (a *remoteShell) ask(ctx context.Context, words ...string) (string, error) {
	answer := make(chan string, 1)
	a.mu.Lock()
	a.nextID++
	id := strconv.Itoa(a.nextID)
	a.asked[id] = answer
	_, err := a.s.Write([]byte(id + " " + strings.Join(words, " ") + "\n")) // it reads at once, unless frozen: a few bytes always fit
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		delete(a.asked, id)
		a.mu.Unlock()
	}()
	if err != nil {
		return "", fmt.Errorf("%w: %w", errRemoteShellGone, err)
	}
	select {
	case s := <-answer:
		return s, nil
	case <-a.done:
		return "", errRemoteShellGone
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

func (a *remoteShell) alive() bool {
	select {
	case <-a.done:
		return false
	default:
		return true
	}
}

// close ends the remote shell. Nothing that it would have to end runs any more.
func (a *remoteShell) close() {
	a.mu.Lock()
	_, _ = io.WriteString(a.s, "0 bye\n") // it may have ended
	_ = a.s.CloseWrite()
	a.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	defer cancel()
	select {
	case <-a.done:
	case <-ctx.Done():
		_ = a.s.Close() // frozen: it ends by itself later
		<-a.done
	}
}
