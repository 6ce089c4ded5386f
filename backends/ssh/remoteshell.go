package ssh

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/posix"
)

// remoteShell is our hand at the other end: a shell that stays for as long as
// the connection. It ends programs with all that they have started, which the
// protocol itself cannot, and it can do so when the server allows no further
// session.
type remoteShell struct {
	s     session
	nonce string
	about about

	mu     sync.Mutex
	nextID int
	asked  map[string]chan string
	done   chan struct{} // closed when it does not answer any more
}

// about is what the other end is.
type about struct {
	dialect
	own    bool // programs start in sessions of their own
	proc   bool // there is a /proc as on Linux
	setsid bool
	system string // "Linux"
	uid    string
	user   string
	home   string
	shell  string
	umask  string
}

// maxBanner is how much a login shell may print in front of what was asked
// for, in bytes.
const maxBanner = 1 << 20

// startRemoteShell starts the remote shell. The error quotes what the other side says
// instead.
func startRemoteShell(ctx context.Context, l link, open func(context.Context, request) (session, error)) (*remoteShell, error) {
	nonce := posix.NewNonce()
	line, err := commandLine("", "nod_n="+nonce+"\n"+posix.Brief(remoteShellScript), dialect{})
	line += quoteProbe
	if err != nil {
		return nil, err
	}
	s, err := open(ctx, request{command: line, remoteShell: true})
	if errors.Is(err, errRefused) {
		if gone := silent(ctx, l); gone != nil {
			return nil, gone
		}
		return nil, ErrNoShell
	}
	if err != nil {
		return nil, err
	}
	a := &remoteShell{s: s, nonce: nonce, asked: map[string]chan string{}, done: make(chan struct{})}
	complaint := &posix.Tail{}
	go func() { _, _ = io.Copy(complaint, s.stderr()) }() // ends with the session
	r := bufio.NewReaderSize(s, 64<<10)
	var before posix.Tail
	greeting, cancel := limited(ctx, l, openTime)
	_, err = interruptible(greeting, func() (struct{}, error) { return struct{}{}, a.greet(r, &before) }, func(struct{}) {})
	cancel()
	if err != nil {
		s.close()
		if gone := silent(ctx, l); gone != nil {
			return nil, gone
		}
		if errors.Is(err, io.EOF) || errors.Is(err, errNotUnderstood) || errors.Is(err, ErrTimeout) {
			return nil, fmt.Errorf("%w: %w", ErrNoShell, describeSilence(err, before.LastWords(), complaint.LastWords()))
		}
		return nil, err
	}
	go a.listen(r)
	return a, nil
}

// silent is the error of a link whose end looked like the session's own end: what
// is wrong there lasts, what is wrong with the link does not. The sessions on a
// link may end a moment before it does, and who holds it answers until then.
func silent(ctx context.Context, l link) error {
	for _, pause := range []time.Duration{0, backends.DrainDelay} {
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if !echo(ctx, l, openTime) {
			return fmt.Errorf("%w: it does not answer any more", ErrLost)
		}
	}
	return nil
}

var errNotUnderstood = errors.New("it does not understand a POSIX command line")

func describeSilence(err error, stdout, stderr string) error {
	if errors.Is(err, io.EOF) {
		err = errors.New("it ends at once")
	}
	said := strings.TrimSpace(strings.TrimSpace(stderr) + "\n" + strings.TrimSpace(stdout))
	if said == "" {
		return fmt.Errorf("%w and says nothing; is there a ForceCommand, or a login shell like nologin?", err)
	}
	return fmt.Errorf("%w; it says %q; is there a ForceCommand, or a login shell like nologin?", err, said)
}

// greet reads the facts, past what the login shell prints by itself.
func (a *remoteShell) greet(r *bufio.Reader, before *posix.Tail) error {
	read := 0
	for {
		line, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			err = nil
		}
		i := bytes.Index(line, []byte(a.nonce+" "))
		if i < 0 {
			_, _ = before.Write(line) // never fails
			if err != nil {
				return err
			}
			if read += len(line); read > maxBanner {
				return errNotUnderstood
			}
			continue
		}
		key, value, _ := strings.Cut(strings.TrimRight(string(line[i+len(a.nonce)+1:]), "\r\n"), " ")
		switch key {
		case "quote":
			a.about.posix = value == quotePosix
		case "proc":
			a.about.proc = value == "yes"
		case "own":
			a.about.own = value == "yes"
		case "setsid":
			a.about.setsid = value == "yes"
		case "system":
			a.about.system = value
		case "uid":
			a.about.uid = value
		case "user":
			a.about.user = value
		case "home":
			a.about.home = value
		case "shell":
			a.about.shell = value
		case "umask":
			a.about.umask = value
		case "ready":
			return nil
		}
	}
}

// listen hands the answers out until the session ends.
func (a *remoteShell) listen(r *bufio.Reader) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			break
		}
		rest, ok := strings.CutPrefix(line, a.nonce+" ")
		if !ok {
			continue
		}
		id, answer, _ := strings.Cut(strings.TrimRight(rest, "\n"), " ")
		a.mu.Lock()
		if c, ok := a.asked[id]; ok {
			delete(a.asked, id)
			c <- answer // has room for it
		}
		a.mu.Unlock()
	}
	a.s.close()
	close(a.done)
}

// errRemoteShellGone says that the remote shell has ended, by whatever has ended it.
var errRemoteShellGone = errors.New("the shell at the other end has gone")

// ask has the remote shell do something and returns its answer, unless ctx ends
// before. The words hold no blanks.
func (a *remoteShell) ask(ctx context.Context, words ...string) (string, error) {
	answer := make(chan string, 1)
	a.mu.Lock()
	a.nextID++
	id := strconv.Itoa(a.nextID)
	a.asked[id] = answer
	a.mu.Unlock()
	defer func() {
		a.mu.Lock()
		delete(a.asked, id)
		a.mu.Unlock()
	}()
	line := id + " " + strings.Join(words, " ") + "\n"
	if _, err := interruptible(ctx, func() (int, error) { return a.s.Write([]byte(line)) }, func(int) {}); err != nil {
		return "", err
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

// steps is how many looks of 50 ms make up KillDelay.
const steps = int(backends.KillDelay / (50 * time.Millisecond))

// end makes a group and a session end. It returns when they have, or when
// something resists even the KILL.
func (a *remoteShell) end(ctx context.Context, group, sid int, polite backends.Signal) error {
	answer, err := a.ask(ctx, "end", strconv.Itoa(group), strconv.Itoa(sid), string(polite), strconv.Itoa(steps))
	if err != nil {
		return err
	}
	if answer != "ok" {
		return fmt.Errorf("something in process group %d did not end", group)
	}
	return nil
}

// signal signals a group. One that has ended is no error.
func (a *remoteShell) signal(ctx context.Context, group int, s backends.Signal) error {
	answer, err := a.ask(ctx, "signal", strconv.Itoa(group), string(s))
	if err != nil {
		return err
	}
	if answer == "denied" {
		return fmt.Errorf("process group %d may not be signalled by this user", group)
	}
	return nil
}

// alive reports whether it still answers, as far as is known.
func (a *remoteShell) alive() bool {
	select {
	case <-a.done:
		return false
	default:
		return true
	}
}

// close ends the remote shell, which ends by itself when its input does.
func (a *remoteShell) close() {
	go func() { _ = a.s.closeInput() }() // on a frozen link it would block
	select {
	case <-a.done:
	case <-time.After(backends.DrainDelay):
		a.s.close()
	}
}
