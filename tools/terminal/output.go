package terminal

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
)

const (
	// MaxCharacters is how much of each output of a command a result holds.
	MaxCharacters = 4_000
	// keepBytes is how much of each output is kept for reading on.
	keepBytes = 8 << 20
)

// ShellValue is the Value of run_shell's Result.
type ShellValue struct {
	ExitCode *int     `json:"exit_code"` // null if the command has not ended, or how is unknown
	Signal   string   `json:"signal,omitempty"`
	Stdout   string   `json:"stdout"`
	Stderr   string   `json:"stderr"`
	Pane     string   `json:"pane,omitempty"`
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

// text is what of an output goes into the result; what is cut is kept. lost
// says how many bytes are not even in the text.
func (v *ShellValue) text(ctx context.Context, env tools.Env, stream, text string, lost int64) string {
	valid := strings.ToValidUTF8(text, "\uFFFD")
	if valid != text && lost == 0 {
		v.notice("%s holds bytes that are not UTF-8; they are shown as \uFFFD", stream)
	}
	head, omitted := tools.Head(valid, MaxCharacters)
	if omitted == 0 && lost == 0 {
		return head
	}
	rest := fmt.Sprintf("%d more characters", omitted)
	if lost > 0 {
		rest = fmt.Sprintf("%d more characters, and %d bytes behind them that were not kept", omitted, lost)
	}
	v.notice("%s is cut: %s%s", stream, rest, v.keep(ctx, env, stream, valid, head))
	return head + "\n...[truncated]"
}

// keep stores a full output and says how to read it.
func (v *ShellValue) keep(ctx context.Context, env tools.Env, stream, text, head string) string {
	if env.Outputs == nil {
		return "; run the command again with its output in a file, or filtered"
	}
	// An interrupted call's output is worth keeping, too.
	ref, err := env.Outputs.Keep(context.WithoutCancel(ctx), env.Call, stream, text)
	if err != nil {
		return fmt.Sprintf("; the rest could not be kept: %v", err)
	}
	return fmt.Sprintf(`; read on with read_file {"path": %q, "offset": %d}`, ref, strings.Count(head, "\n")+1)
}

// collector keeps the beginning of an output and counts the rest. Safe for
// concurrent use.
type collector struct {
	progress *tools.Meter
	chunks   *tools.Chunks // nil if nobody listens

	mu    sync.Mutex
	kept  bytes.Buffer
	total int64
}

func (c *collector) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.total += int64(len(p))
	c.kept.Write(p[:min(len(p), keepBytes-c.kept.Len())]) // never fails
	c.mu.Unlock()
	_, _ = c.chunks.Write(p) // never fails
	return c.progress.Write(p)
}

// content is what was kept, and how many bytes there were.
func (c *collector) content() (text string, total int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.String(), c.total
}
