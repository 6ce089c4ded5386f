package posix

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

// EndingScript are the functions by which a remote shell's script ends programs:
// see scripts/ending.sh.
//
//go:embed scripts/ending.sh
var EndingScript string

// Errors of a remote shell.
var (
	// ErrRemoteShellGone says that it has ended, by whatever has ended it.
	ErrRemoteShellGone = errors.New("the shell that attends to programs at the other end has ended")
	// ErrNotUnderstood says that no shell answers, only something that prints.
	ErrNotUnderstood = errors.New("it does not understand a POSIX command line")
)

// MaxBanner is how much a login shell may print in front of what was asked for, in
// bytes.
const MaxBanner = 1 << 20

// RemoteShell is the conversation with a shell that stays at the other end for as
// long as nod's connection: it signals programs, and ends them with all that they have
// started, which neither ssh nor a container engine does. nod writes lines "ID WORDS";
// lines "NONCE ID ANSWER" are heard, whatever is printed beside them. It is safe for
// concurrent use.
type RemoteShell struct {
	nonce string
	end   func()
	done  chan struct{}

	writing sync.Mutex
	in      io.Writer

	mu     sync.Mutex
	lastID int
	heard  map[string]chan string // by ID, with room
}

// maxReports is how many answers to one ID wait to be read; no program has as many.
const maxReports = 4

// NewRemoteShell begins the conversation with a shell that has been started, and that
// marks its lines with the nonce. in is its standard input; end is called when it does
// not answer any more.
func NewRemoteShell(nonce string, in io.Writer, end func()) *RemoteShell {
	return &RemoteShell{nonce: nonce, in: in, end: end, done: make(chan struct{}), heard: map[string]chan string{}}
}

// Greet reads what the shell says first, past what a login shell prints by itself:
// fact gets each line "NONCE KEY VALUE" up to "NONCE ready", before gets the rest.
// The error is the reader's, or ErrNotUnderstood.
func (r *RemoteShell) Greet(from *bufio.Reader, before io.Writer, fact func(key, value string)) error {
	read := 0
	for {
		line, err := from.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			err = nil
		}
		i := bytes.Index(line, []byte(r.nonce+" "))
		if i < 0 {
			_, _ = before.Write(line) // it is for a message only
			if err != nil {
				return err
			}
			if read += len(line); read > MaxBanner {
				return ErrNotUnderstood
			}
			continue
		}
		key, value, _ := strings.Cut(strings.TrimRight(string(line[i+len(r.nonce)+1:]), "\r\n"), " ")
		if key == "ready" {
			return nil
		}
		fact(key, value)
	}
}

// Listen hands out the answers until the shell's output ends; then it has ended. edit,
// if not nil, gets each answer with the line before it that was not an answer, and
// returns what the answer is.
func (r *RemoteShell) Listen(from *bufio.Reader, edit func(before, answer string) string) {
	defer close(r.done)
	defer r.end()
	before := ""
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\n")
		rest, ok := strings.CutPrefix(line, r.nonce+" ")
		if !ok {
			before = line
			continue
		}
		id, answer, _ := strings.Cut(rest, " ")
		if edit != nil {
			answer = edit(before, answer)
		}
		before = ""
		r.mu.Lock()
		to := r.heard[id]
		r.mu.Unlock()
		select {
		case to <- answer: // never, if nobody waits for it
		default:
		}
	}
}

// Expect returns an ID and what is said behind it, until Forget.
func (r *RemoteShell) Expect() (id string, answers <-chan string) {
	c := make(chan string, maxReports)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lastID++
	id = strconv.Itoa(r.lastID)
	r.heard[id] = c
	return id, c
}

// Forget ends what Expect has begun.
func (r *RemoteShell) Forget(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.heard, id)
}

// Tell writes a line to the shell. It blocks while the shell reads nothing.
func (r *RemoteShell) Tell(words ...string) error { return r.tell("", words) }

// tell writes a line, and what comes behind it.
func (r *RemoteShell) tell(behind string, words []string) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	_, err := io.WriteString(r.in, strings.Join(words, " ")+"\n"+behind)
	return err
}

// Ask has the shell do something and returns its answer, unless ctx ends before. The
// words hold no blanks.
func (r *RemoteShell) Ask(ctx context.Context, words ...string) (string, error) {
	return r.ask(ctx, "", words...)
}

// ask is Ask with what comes behind the line.
func (r *RemoteShell) ask(ctx context.Context, behind string, words ...string) (string, error) {
	id, answers := r.Expect()
	defer r.Forget(id)
	told := make(chan error, 1)
	go func() { told <- r.tell(behind, append([]string{id}, words...)) }() // on a frozen link it stays
	for {
		select {
		case answer := <-answers:
			return answer, nil
		case err := <-told:
			if err != nil {
				return "", fmt.Errorf("%w: %w", ErrRemoteShellGone, err)
			}
			told = nil
		case <-r.done:
			select {
			case answer := <-answers: // its last
				return answer, nil
			default:
				return "", ErrRemoteShellGone
			}
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// Ended is closed when the shell does not answer any more.
func (r *RemoteShell) Ended() <-chan struct{} { return r.done }

// Alive reports whether the shell still answers, as far as is known.
func (r *RemoteShell) Alive() bool {
	select {
	case <-r.done:
		return false
	default:
		return true
	}
}
