package policy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/nod-console/nod/agent/policy/show"
)

// Terminal is an Approver that asks in plain lines: "[y/N]", or the target's
// name where it must be typed; "always", and "r" for a revert that is armed before,
// where these are offered. "p" looks around, "h" runs it held, "x" explains and "a" shows the rule that
// "always" would write, without which that is no answer; then the question comes
// again. Nothing, an end of input and everything else than an answer deny. What was
// typed before a question is thrown away, and an approval with which more lines came is
// none. Safe for concurrent use; questions are
// asked one after the other.
type Terminal struct {
	rw    io.ReadWriter
	look  func(context.Context, Request) []Look
	looks func(Request) bool
	try   func(context.Context, Request) []Look
	tries func(Request) bool
	alone func() (over func())
	turn  chan struct{} // holds one while nobody asks
	lines chan line     // from the one reader
	stale bool          // the reader still waits for a line that a withdrawn question asked for
}

type line struct {
	text string
	err  error
}

// NewTerminal asks on rw, typically an open /dev/tty.
//
// A wait that is cancelled returns at once; if rw has no read deadline, the
// line that comes next is then thrown away, and until it comes, or rw is
// closed, a goroutine waits for it.
func NewTerminal(rw io.ReadWriter) *Terminal {
	t := &Terminal{rw: rw, turn: make(chan struct{}, 1), lines: make(chan line, 1)}
	t.turn <- struct{}{}
	return t
}

var _ Approver = (*Terminal)(nil)

// OnPreview offers a look around before the decision, for requests of which there
// says that there is something to look at. It is called before the first Approve.
func (t *Terminal) OnPreview(there func(Request) bool, look func(context.Context, Request) []Look) {
	t.looks, t.look = there, look
}

// OnTrial offers to run what is asked about where it can change nothing, for requests of
// which can says that something there holds it. It is called before the first Approve.
func (t *Terminal) OnTrial(can func(Request) bool, try func(context.Context, Request) []Look) {
	t.tries, t.try = can, try
}

// OnQuestion has begin called when a question's turn comes, and what it returns when
// that is answered: nothing else should be written to the terminal meanwhile. It is
// called before the first Approve.
func (t *Terminal) OnQuestion(begin func() (over func())) { t.alone = begin }

// previews reports whether a look around is offered.
func (t *Terminal) previews(r Request) bool { return t.looks != nil && t.looks(r) }

// tried reports whether a held run is offered.
func (t *Terminal) tried(r Request) bool { return t.tries != nil && t.tries(r) }

// Approve asks and waits for a line.
func (t *Terminal) Approve(ctx context.Context, r Request) (Answer, error) {
	select {
	case <-t.turn:
	case <-ctx.Done():
		return Answer{}, ctx.Err()
	}
	defer func() { t.turn <- struct{}{} }()
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	if t.alone != nil {
		defer t.alone()()
	}
	q := &asking{Request: r, said: Describe(r)}
	for {
		answer, over, err := t.ask(ctx, q)
		if over || err != nil {
			return answer, err
		}
	}
}

// asking is a question that may be asked more than once.
type asking struct {
	Request
	said string // before the question
	kept bool   // the operator has seen the rule of "always"
}

// ask asks, and takes the next line. The question is over unless that only wanted to see
// something.
func (t *Terminal) ask(ctx context.Context, q *asking) (answer Answer, over bool, err error) {
	t.flush()
	if _, err := io.WriteString(t.rw, q.said+t.question(q.Request, q.kept)); err != nil {
		return Answer{}, true, fmt.Errorf("write the question: %w", err)
	}
	text, err := t.line(ctx)
	if ctx.Err() != nil {
		return t.withdrawn(ctx)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return Answer{}, true, fmt.Errorf("read the answer: %w", err)
	}
	complete := err == nil
	if complete {
		shown, err := t.show(ctx, q, text)
		if err != nil {
			return t.withdrawn(ctx)
		}
		if shown {
			return Answer{}, false, nil
		}
	}
	answer = reply(q.Request, text, complete)
	if !answer.Approved {
		return answer, true, nil
	}
	followed := t.followed(ctx)
	if ctx.Err() != nil {
		return t.withdrawn(ctx)
	}
	if !followed {
		return answer, true, nil
	}
	q.said = "  more came together with that answer, as in a paste: it does not count\n"
	return Answer{}, false, nil
}

// show has the question come again with what a line wants to see. It reports false for a
// line that wants to see nothing.
func (t *Terminal) show(ctx context.Context, q *asking, text string) (shown bool, err error) {
	switch {
	case text == "p" && t.previews(q.Request):
		q.said, err = t.lookAround(ctx, q.Request, "looking", "preview", t.look)
	case text == "h" && t.tried(q.Request):
		q.said, err = t.lookAround(ctx, q.Request, "running", "held", t.try)
	case text == "x" && q.Revert != nil:
		q.said = describeArming(q.Request)
	case keepable(q.Request) && (text == "a" || text == "always" && !q.kept):
		q.said, q.kept = describeKeep(q.Request), true
	default:
		return false, nil
	}
	return true, err
}

// withdrawn is the end of a question that nobody answers any more.
func (t *Terminal) withdrawn(ctx context.Context) (answer Answer, over bool, err error) {
	_, err = io.WriteString(t.rw, "\nwithdrawn\n")
	return Answer{}, true, errors.Join(ctx.Err(), err)
}

// lookAround looks around, or runs it held, and returns what that has found. The error is
// ctx's.
func (t *Terminal) lookAround(ctx context.Context, r Request, does, word string, look func(context.Context, Request) []Look) (string, error) {
	if _, err := io.WriteString(t.rw, does+" …\n"); err != nil {
		return "", err
	}
	found := look(ctx, r)
	return describeLooks(word, found), ctx.Err()
}

// keepable reports whether "always" is an answer.
func keepable(r Request) bool { return r.Keep != "" && r.Confirm == "" }

// question is what the operator can answer. kept says that he has seen the rule of
// "always".
func (t *Terminal) question(r Request, kept bool) string {
	var b strings.Builder
	name := show.Text(r.Confirm)
	if r.Revert != nil {
		fmt.Fprintf(&b, "  %q arms the revert before, \"x\" shows what arms it\n", strings.TrimSpace("r "+name))
	}
	if t.previews(r) {
		b.WriteString("  \"p\" looks around first\n")
	}
	if t.tried(r) {
		b.WriteString("  \"h\" runs it held first, where it can change nothing\n")
	}
	switch {
	case r.Confirm != "":
		fmt.Fprintf(&b, "to run it, type %s: ", wanted(r, name))
	case kept:
		b.WriteString(`run it? [y/N, or "always" to write that rule] `)
	case keepable(r):
		b.WriteString(`run it? [y/N, or "a" to see the rule for always] `)
	default:
		b.WriteString("run it? [y/N] ")
	}
	return b.String()
}

// wanted says what is to be typed.
func wanted(r Request, name string) string {
	if len(r.Action.Parts) > 0 {
		return "this (" + name + ")"
	}
	return "the target's name (" + name + ")"
}

// reply is what a line means. A line without its end is no answer.
func reply(r Request, text string, complete bool) Answer {
	a := Answer{RequestID: r.ID}
	switch {
	case !complete:
		a.Reason = "nobody answered"
	case r.Confirm != "":
		name, revert := text, false
		if r.Revert != nil && text == "r "+r.Confirm {
			name, revert = r.Confirm, true
		}
		a.Typed = name
		a.Approved, a.Revert = name == r.Confirm, revert
	case r.Revert != nil && text == "r":
		a.Approved, a.Revert = true, true
	case r.Keep != "" && text == "always":
		a.Approved, a.Scope = true, Always
	default:
		a.Approved = text == "y" || text == "yes"
	}
	return a
}

// line waits for a line that is typed from now on.
func (t *Terminal) line(ctx context.Context) (string, error) {
	deadline, ok := t.rw.(interface{ SetReadDeadline(time.Time) error })
	limited := ok && deadline.SetReadDeadline(time.Time{}) == nil
	if limited {
		done := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			defer close(done)
			_ = deadline.SetReadDeadline(time.Unix(1, 0)) // ends the read
		})
		defer func() {
			if !stop() {
				<-done // or it would end the next question's read
				_ = deadline.SetReadDeadline(time.Time{})
			}
		}()
	}
	for {
		if !t.stale {
			go func() { t.lines <- t.read() }()
		}
		select {
		case l := <-t.lines:
			if !t.stale {
				return l.text, l.err
			}
			t.stale = false // that was meant for the question before
		case <-ctx.Done():
			if limited {
				<-t.lines // the deadline ends the read at once; nobody else's line is taken
			} else {
				t.stale = true
			}
			return "", ctx.Err()
		}
	}
}

// maxLine bounds an answer.
const maxLine = 4096

// read reads a line byte by byte, so that nothing behind it is taken.
func (t *Terminal) read() line {
	var text []byte
	var b [1]byte
	for {
		n, err := t.rw.Read(b[:])
		if n == 1 && b[0] == '\n' {
			return line{text: strings.TrimSuffix(string(text), "\r")}
		}
		if n == 1 && len(text) < maxLine {
			text = append(text, b[0])
		}
		if err != nil {
			return line{string(text), err}
		}
	}
}

// flush throws away what was typed before the question.
func (t *Terminal) flush() {
	f, ok := t.rw.(syscall.Conn)
	if !ok {
		return
	}
	if conn, err := f.SyscallConn(); err == nil {
		// Where this fails there is no terminal, and nothing was typed ahead.
		_ = conn.Control(func(fd uintptr) { _ = flushInput(int(fd)) })
	}
}

// alone is how long nothing may follow the line that approves. What comes in one piece
// comes within it.
const alone = 350 * time.Millisecond

// followed waits for as long as an answer must be the last line, and reports whether
// another one came. Where rw is no terminal, there is nothing to wait for. It returns
// early if ctx ends.
func (t *Terminal) followed(ctx context.Context) bool {
	f, ok := t.rw.(syscall.Conn)
	if !ok {
		return false
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return false
	}
	waits := false
	look := func(fd uintptr) { waits = unread(int(fd)) > 0 } //nolint:gosec // a descriptor
	for end := time.Now().Add(alone); !waits && time.Now().Before(end) && ctx.Err() == nil; {
		if err := conn.Control(look); err != nil {
			return false
		}
		if !waits && !pause(ctx, 10*time.Millisecond) {
			return false
		}
	}
	return waits
}

// pause waits for d. It reports false if ctx ends meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
