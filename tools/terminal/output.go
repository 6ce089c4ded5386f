package terminal

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
)

// Limits of what a result holds of an output, in characters.
const (
	// MaxCharacters is how many unless the call says otherwise.
	MaxCharacters = 4_000
	// MostCharacters is how many a call can ask for.
	MostCharacters = 30_000
)

// keepBytes is how much of each output is kept beyond that, for reading on.
const keepBytes = 8 << 20

// ShellValue is the Value of the Results of run_shell, jobs and kill_job.
type ShellValue struct {
	ExitCode *int     `json:"exit_code"` // null if the command has not ended, or how is unknown
	Signal   string   `json:"signal,omitempty"`
	Stdout   string   `json:"stdout"`
	Stderr   string   `json:"stderr"`
	Pane     string   `json:"pane,omitempty"`
	Job      string   `json:"job,omitempty"` // the handle of a command that goes on
	Notices  []string `json:"notices,omitempty"`
}

// ended puts an outcome into the value.
func (v *ShellValue) ended(o backends.Outcome) {
	switch o.State {
	case backends.Exited:
		v.ExitCode = &o.Code
	case backends.Signalled:
		v.Signal = string(o.Signal)
	}
}

func (v *ShellValue) notice(format string, args ...any) {
	v.Notices = append(v.Notices, fmt.Sprintf(format, args...))
}

// refused says what the cage has refused the command of a, at the end of its output.
func (v *ShellValue) refused(a tools.Action, output string) {
	if what := guard.Refused(a, output); what != "" {
		v.notice("it ran held, where it can change nothing, and the cage refused: %s. The output may be less than it would be. If the command has to do that, call again with mutation: true, and the operator is asked", what)
	}
}

// output is what is known of an output.
type output struct {
	text string // its beginning and, behind what is lost, its end
	lost int64  // bytes between them
}

// join puts the end of an output behind its beginning, which bytes beyond it follow in
// the output; end are the last of these.
func join(beginning, end string, beyond int64, bytes int) output {
	o := output{text: beginning, lost: max(0, beyond-int64(bytes))}
	if o.lost > 0 {
		if !strings.HasSuffix(o.text, "\n") {
			o.text += "\n"
		}
		o.text += fmt.Sprintf("[%d bytes were not kept]\n", o.lost)
	}
	o.text += end
	return o
}

// text is what of an output goes into the result: its head and its tail, with at most so
// many characters. What is cut is kept.
func (v *ShellValue) text(ctx context.Context, env tools.Env, stream string, o output, most int) string {
	valid := v.valid(stream, o.text)
	c := cutMiddle(valid, most)
	if c.omitted == 0 {
		return valid
	}
	lost := ""
	if o.lost > 0 {
		lost = fmt.Sprintf(", and %d bytes in it that were not kept", o.lost)
	}
	v.notice("%s is cut: its middle, %d characters, is left out%s%s", stream, c.omitted, lost, keep(ctx, env, stream, valid, c))
	return c.String()
}

// valid is an output in UTF-8.
func (v *ShellValue) valid(stream, text string) string {
	valid := strings.ToValidUTF8(text, "\uFFFD")
	if valid != text {
		v.notice("%s holds bytes that are not UTF-8; they are shown as \uFFFD", stream)
	}
	return valid
}

// keep stores a full output and says how to read what was cut.
func keep(ctx context.Context, env tools.Env, stream, text string, c cut) string {
	if env.Outputs == nil {
		return "; run the command again with its output in a file, or filtered"
	}
	// An interrupted call's output is worth keeping, too.
	ref, err := env.Outputs.Keep(context.WithoutCancel(ctx), env.Call, stream, text)
	if err != nil {
		return fmt.Sprintf("; the rest could not be kept: %v", err)
	}
	return fmt.Sprintf(`; read it with read_file {"path": %q, "offset": %d, "limit": %d}`, ref, c.first, c.lines)
}

// cut is a text without its middle.
type cut struct {
	head, tail string
	omitted    int // characters between them; 0: head is all
	first      int // the line of the text that the middle begins in, from 1
	lines      int // how many it touches
}

func (c cut) String() string {
	if c.omitted == 0 {
		return c.head
	}
	return fmt.Sprintf("%s\n...[%d characters left out]...\n%s", strings.TrimSuffix(c.head, "\n"), c.omitted, c.tail)
}

// cutMiddle cuts a text to at most so many characters, half at each end, at ends of
// lines where these are not far.
func cutMiddle(text string, most int) cut {
	total := utf8.RuneCountInString(text)
	if total <= most {
		return cut{head: text}
	}
	head, _ := tools.Head(text, most/2)
	tail, _ := tools.Tail(text, most-most/2)
	if end := strings.LastIndexByte(head, '\n'); end >= len(head)/2 {
		head = head[:end+1]
	}
	if before := text[:len(text)-len(tail)]; !strings.HasSuffix(before, "\n") {
		if start := strings.IndexByte(tail, '\n'); start >= 0 && start < len(tail)/2 {
			tail = tail[start+1:]
		}
	}
	middle := text[len(head) : len(text)-len(tail)]
	return cut{
		head: head, tail: tail, omitted: utf8.RuneCountInString(middle),
		first: strings.Count(head, "\n") + 1, lines: strings.Count(strings.TrimSuffix(middle, "\n"), "\n") + 1,
	}
}

// budget is how many characters of an output the result of an action holds.
func budget(a tools.Action) int {
	if a.Until.Most > 0 {
		return a.Until.Most
	}
	return MaxCharacters
}

// collector keeps the beginning and the end of an output and counts the rest. Safe for
// concurrent use.
type collector struct {
	progress *tools.Meter
	chunks   *tools.Chunks // nil if nobody listens
	most     int           // bytes that are kept of the beginning; 0: keepBytes
	sum      hash.Hash     // of all of it; nil: nobody wants that

	mu    sync.Mutex
	kept  bytes.Buffer
	end   ring
	total int64
}

func (c *collector) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.total += int64(len(p))
	if c.sum != nil {
		c.sum.Write(p) // never fails
	}
	room := min(len(p), cmp.Or(c.most, keepBytes)-c.kept.Len())
	c.kept.Write(p[:room]) // never fails
	c.end.put(p[room:])
	c.mu.Unlock()
	_, _ = c.chunks.Write(p) // never fails
	return c.progress.Write(p)
}

// content is what was kept, and how many bytes there were.
func (c *collector) content() (o output, total int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	beyond := c.total - int64(c.kept.Len())
	end := c.end.last(beyond)
	return join(c.kept.String(), string(end), beyond, len(end)), c.total
}
