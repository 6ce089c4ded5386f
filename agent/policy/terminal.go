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
	"github.com/nod-console/nod/backends/confine"
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
	said, kept := Describe(r), false
	for {
		t.flush()
		if _, err := io.WriteString(t.rw, said+t.question(r, kept)); err != nil {
			return Answer{}, fmt.Errorf("write the question: %w", err)
		}
		text, err := t.line(ctx)
		if ctx.Err() != nil {
			return t.withdrawn(ctx)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return Answer{}, fmt.Errorf("read the answer: %w", err)
		}
		switch {
		case err == nil && text == "p" && t.previews(r):
			if said, err = t.lookAround(ctx, r, "looking", "preview", t.look); err != nil {
				return t.withdrawn(ctx)
			}
		case err == nil && text == "h" && t.tried(r):
			if said, err = t.lookAround(ctx, r, "running", "held", t.try); err != nil {
				return t.withdrawn(ctx)
			}
		case err == nil && text == "x" && r.Revert != nil:
			said = describeArming(r)
		case err == nil && keepable(r) && (text == "a" || text == "always" && !kept):
			said, kept = describeKeep(r), true
		default:
			answer := reply(r, text, err == nil)
			if !answer.Approved {
				return answer, nil
			}
			followed := t.followed(ctx)
			if ctx.Err() != nil {
				return t.withdrawn(ctx)
			}
			if !followed {
				return answer, nil
			}
			said = "  more came together with that answer, as in a paste: it does not count\n"
		}
	}
}

// withdrawn is the end of a question that nobody answers any more.
func (t *Terminal) withdrawn(ctx context.Context) (Answer, error) {
	_, err := io.WriteString(t.rw, "\nwithdrawn\n")
	return Answer{}, errors.Join(ctx.Err(), err)
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
			fmt.Fprintf(&b, "         %s: %s\n", show.Text(s.Text[f.Start:f.End]), f.Why)
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
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "\n  note: %s", show.Text(n))
	}
	if r.Hasty != "" {
		fmt.Fprintf(&b, "\n  ! %s", show.Text(r.Hasty))
	}
	switch {
	case r.Final:
		b.WriteString("\n  ! it cannot be undone")
	case r.Undo != "":
		fmt.Fprintf(&b, "\n  afterwards: %s", show.Text(r.Undo))
	}
	switch {
	case r.Revert != nil:
		fmt.Fprintf(&b, "\n  revert: the host itself brings back %s after %s, unless a new login works", list(r.Revert.Covers), r.Revert.Delay())
		if len(r.Revert.Lacks) > 0 {
			fmt.Fprintf(&b, "\n  ! the revert does not bring back %s", list(r.Revert.Lacks))
		}
	case r.NoRevert != "":
		fmt.Fprintf(&b, "\n  no revert: %s", show.Text(r.NoRevert))
	}
	fmt.Fprintf(&b, "\n  %s\n", show.Text(r.Why))
	return b.String()
}

// describeKeep is the rule that "always" writes.
func describeKeep(r Request) string {
	var b strings.Builder
	b.WriteString("\n  \"always\" writes this rule into the rules file, and holds from now on:\n")
	numbered(&b, strings.TrimSuffix(r.Keep, "\n"))
	return b.String()
}

// numbered writes a foreign text, line by line.
func numbered(b *strings.Builder, text string) {
	for _, row := range show.Rows(text, 1<<20) {
		fmt.Fprintf(b, "  %4d | %s\n", row.Line, row.Text())
	}
}

// list is texts in a line.
func list(texts []string) string {
	shown := make([]string, len(texts))
	for i, t := range texts {
		shown[i] = show.Text(t)
	}
	return strings.Join(shown, ", ")
}

// describeArming is exactly what arming a request's revert runs.
func describeArming(r Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  \"r\" arms a revert first; if that fails, nothing runs. It comes %s later by itself,\n", r.Revert.Delay())
	b.WriteString("  also without nod, and is taken back as soon as a new login works. Armed by:\n")
	numbered(&b, r.Revert.Arm.Command)
	b.WriteString("  with this for its standard input:\n")
	numbered(&b, string(r.Revert.Arm.Stdin))
	return b.String()
}

// describeLooks is what a look has found, of which word says what it is.
func describeLooks(word string, found []Look) string {
	var b strings.Builder
	for _, l := range found {
		fmt.Fprintf(&b, "\n  %s: %s\n", word, show.Text(l.Title))
		if l.Ran != "" {
			numbered(&b, l.Ran)
		}
		if l.Output != "" {
			b.WriteString("  says:\n")
			numbered(&b, l.Output)
		}
		if l.Note != "" {
			fmt.Fprintf(&b, "  %s\n", show.Text(l.Note))
		}
	}
	return b.String()
}

// Title says where something would run: "APPROVE on ssh:web-1 (prod) as deploy,
// in /srv/app".
func Title(r Request) string {
	a := r.Action
	text := "APPROVE on " + show.Text(a.Target)
	switch {
	case len(a.Parts) > 0:
		text = "APPROVE on " + r.places()
	case r.Trust != "":
		text += " (" + string(r.Trust) + ")"
	}
	switch { // not last: a frame may cut the title
	case r.Agent == "":
	case strings.Contains(r.Agent, " "): // "agent explorer", "plugin tickets"
		text += " for the " + show.Text(r.Agent)
	default:
		text += " for the sub-agent " + show.Text(r.Agent)
	}
	switch {
	case a.User == "":
	case len(a.Parts) > 0:
		text += ", as " + show.Text(a.User)
	default:
		text += " as " + show.Text(a.User)
	}
	if a.Pane != "" {
		text += ", pane " + show.Text(a.Pane)
	}
	if a.Dir != "" {
		text += ", in " + show.Text(a.Dir)
	}
	for _, opened := range a.Inside {
		text += ", inside " + show.Text(opened)
	}
	if a.Wall != confine.None {
		text += ", held by " + a.Wall.String()
	}
	if asRoot(a) {
		text += " within sudo"
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
