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
// name where it must be typed. Nothing, an end of input and everything else
// than an answer deny. What was typed before the question is thrown away. Safe
// for concurrent use; questions are asked one after the other.
type Terminal struct {
	rw    io.ReadWriter
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
	question := "run it? [y/N] "
	if r.Confirm != "" {
		question = fmt.Sprintf("to run it, type the target's name (%s): ", show.Text(r.Confirm))
	}
	t.flush()
	if _, err := io.WriteString(t.rw, Describe(r)+question); err != nil {
		return Answer{}, fmt.Errorf("write the question: %w", err)
	}
	text, err := t.line(ctx)
	if ctx.Err() != nil {
		_, err := io.WriteString(t.rw, "\nwithdrawn\n")
		return Answer{}, errors.Join(ctx.Err(), err)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return Answer{}, fmt.Errorf("read the answer: %w", err)
	}
	return reply(r, text, err == nil), nil
}

// reply is what a line means. A line without its end is no answer.
func reply(r Request, text string, complete bool) Answer {
	a := Answer{RequestID: r.ID}
	switch {
	case !complete:
		a.Reason = "nobody answered"
	case r.Confirm != "":
		a.Typed = text
		a.Approved = text == r.Confirm
	default:
		a.Approved = text == "y" || text == "yes"
	}
	return a
}

// line waits for a line that is typed from now on.
func (t *Terminal) line(ctx context.Context) (string, error) {
	deadline, ok := t.rw.(interface{ SetReadDeadline(time.Time) error })
	if ok && deadline.SetReadDeadline(time.Time{}) == nil {
		done := make(chan struct{})
		stop := context.AfterFunc(ctx, func() {
			defer close(done)
			_ = deadline.SetReadDeadline(time.Unix(1, 0)) // then the read goes on, and its line is thrown away
		})
		defer func() {
			if !stop() {
				<-done // or it would end the next question's read
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
			t.stale = true
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

// Describe is a request in lines of plain text. Everything that came from a
// model or a target is rendered by package show.
func Describe(r Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", Title(r))
	for _, s := range r.Sections() {
		if s.Title != "" {
			fmt.Fprintf(&b, "  %s:\n", s.Title)
		}
		for _, row := range show.Rows(s.Text, 1<<20) {
			fmt.Fprintf(&b, "  %4d | %s\n", row.Line, row.Text())
		}
		for _, f := range s.Findings {
			fmt.Fprintf(&b, "         %s: %s\n", show.Text(s.Text[f.Start:f.End]), show.Text(f.Why))
		}
	}
	fmt.Fprintf(&b, "  nod says: %s %s", strings.ToUpper(r.Verdict.Level.String()), r.Verdict.Effect)
	if flags := r.Verdict.Flags.String(); flags != "" {
		fmt.Fprintf(&b, " (%s)", flags)
	}
	if !r.Operator {
		fmt.Fprintf(&b, "\n  the model says: %s", ClaimText(r))
	}
	if r.Disagreement != "" {
		fmt.Fprintf(&b, "\n  ! %s", show.Text(r.Disagreement))
	}
	fmt.Fprintf(&b, "\n  %s\n", show.Text(r.Why))
	return b.String()
}

// Title says where something would run: "APPROVE on ssh:web-1 (prod) as deploy,
// in /srv/app".
func Title(r Request) string {
	a := r.Action
	text := "APPROVE on " + show.Text(a.Target)
	if r.Trust != "" {
		text += " (" + string(r.Trust) + ")"
	}
	if a.User != "" {
		text += " as " + show.Text(a.User)
	}
	if a.Pane != "" {
		text += ", pane " + show.Text(a.Pane)
	}
	if a.Dir != "" {
		text += ", in " + show.Text(a.Dir)
	}
	return text
}

// ClaimText is what the model says of its call.
func ClaimText(r Request) string {
	c := r.Action.Claim
	word := func(is bool, what string) string {
		if is {
			return what
		}
		return "no " + what
	}
	text := show.Text(c.Risk) + " · " + word(c.Mutation, "mutation") + " · " + word(c.Privesc, "privesc")
	if c.Why != "" {
		text += ` · "` + show.Text(c.Why) + `"`
	}
	return text
}
