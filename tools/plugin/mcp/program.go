package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools/plugin/harmless"
)

// tailSize is how much of a program's standard error is kept, in bytes.
const tailSize = 4096

// grace is how long a program has to end once its input is closed.
const grace = 2 * time.Second

// program is the connection to a program: a JSON-RPC message a line. It implements
// [sdk.Transport] and [sdk.Connection].
type program struct {
	meter    *meter
	outdated func() // called when the program says that what it offers has changed

	process backends.Process
	kill    context.CancelCauseFunc
	input   *io.PipeWriter
	ended   chan struct{} // closed when the program has ended
	outcome string        // how; valid then

	incoming chan jsonrpc.Message
	closed   chan struct{}
	close    sync.Once

	write  sync.Mutex
	line   []byte // the begun line
	errors tail
}

// runProgram starts a server's program on the target, argv as it is.
func runProgram(target backends.Target, argv, env []string, m *meter, outdated func()) (*program, error) {
	ctx, kill := context.WithCancelCause(context.Background())
	in, out := io.Pipe()
	p := &program{
		meter: m, kill: kill, input: out, outdated: outdated,
		ended: make(chan struct{}), closed: make(chan struct{}), incoming: make(chan jsonrpc.Message),
	}
	var err error
	p.process, err = target.Exec(ctx, backends.Command{Argv: argv, Env: env, Stdin: in, Stdout: p, Stderr: &p.errors})
	if err != nil {
		kill(nil)
		return nil, err
	}
	go func() {
		o, _ := p.process.Wait() // an outcome that is not known is said by its own text
		kill(nil)
		p.outcome = o.String()
		_ = in.CloseWithError(errClosed)
		close(p.ended)
	}()
	return p, nil
}

// Write takes a part of the program's output: it implements [io.Writer] for the target.
// An error ends the program.
func (p *program) Write(part []byte) (int, error) {
	taken := len(part)
	for len(part) > 0 {
		line, rest, whole := bytes.Cut(part, []byte("\n"))
		if len(p.line)+len(line) > MaxMessage {
			return 0, p.broken(tooLong())
		}
		p.line = append(p.line, line...)
		part = rest
		if !whole {
			break
		}
		err := p.take(p.line)
		p.line = p.line[:0]
		if cap(p.line) > 1<<16 {
			p.line = nil
		}
		if err != nil {
			return 0, p.broken(err)
		}
	}
	return taken, nil
}

// take hands one line on.
func (p *program) take(line []byte) error {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return p.meter.unasked(1, 1)
	}
	msg, err := jsonrpc.DecodeMessage(bytes.Clone(line))
	if err != nil {
		return &FaultError{fmt.Sprintf("it wrote something to its standard output that is no message of the protocol: \"%s\"", harmless.Line(string(line[:min(len(line), 400)]), 80))}
	}
	wanted, err := p.meter.received(msg, len(line))
	if err != nil || !wanted {
		return err
	}
	if r, ok := msg.(*jsonrpc.Request); ok {
		switch r.Method {
		case "notifications/tools/list_changed", "notifications/prompts/list_changed", "notifications/resources/list_changed":
			p.outdated() // before the answer that follows it is handed on
		case "notifications/message":
			return nil // nobody reads what servers log
		}
	}
	select {
	case p.incoming <- msg:
		return nil
	case <-p.closed:
		return errClosed
	}
}

// broken ends the program because of what it did.
func (p *program) broken(err error) error {
	if !errors.Is(err, errClosed) {
		p.meter.fail(err)
	}
	p.kill(err)
	return err
}

// connection is the part of a program that the SDK works with.
type connection struct{ *program }

var (
	_ sdk.Transport  = connection{}
	_ sdk.Connection = connection{}
)

// Connect implements [sdk.Transport].
func (c connection) Connect(context.Context) (sdk.Connection, error) { return c, nil }

// SessionID implements [sdk.Connection].
func (connection) SessionID() string { return "" }

// Read implements [sdk.Connection].
func (c connection) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-c.incoming:
		return msg, nil
	case <-c.ended:
		return nil, io.EOF
	case <-c.closed:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write implements [sdk.Connection].
func (c connection) Write(ctx context.Context, msg jsonrpc.Message) error {
	text, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	c.meter.sent(msg)
	done := make(chan error, 1)
	go func() { // a program that does not read must not hold anybody up
		c.write.Lock()
		defer c.write.Unlock()
		_, err := c.input.Write(append(text, '\n'))
		done <- err
	}()
	select {
	case err := <-done:
		return err
	case <-c.closed:
		return errClosed
	case <-c.ended:
		return io.ErrClosedPipe
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close implements [sdk.Connection]: it closes the program's input, and ends the program
// if it does not end by itself. It returns when the program has ended.
func (c connection) Close() error {
	c.program.close.Do(func() {
		close(c.closed)
		_ = c.input.CloseWithError(io.EOF)
		late := time.NewTimer(grace)
		defer late.Stop()
		select {
		case <-c.ended:
			return
		case <-late.C:
		}
		c.kill(errClosed)
	})
	<-c.ended
	return nil
}

// said is how the program ended and the end of what it wrote to standard error; empty
// while it runs.
func (p *program) said() string {
	select {
	case <-p.ended:
	default:
		return ""
	}
	text := "the program " + p.outcome
	if last := p.errors.lastLines(3); last != "" {
		text += ": " + last
	}
	return text
}

// tail keeps the end of a text. Safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(part []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, part...)
	if extra := len(t.text) - tailSize; extra > 0 {
		t.text = append([]byte(nil), t.text[extra:]...)
	}
	return len(part), nil
}

// lastLines are the last lines that are not empty, in one.
func (t *tail) lastLines(n int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for line := range strings.SplitSeq(string(t.text), "\n") {
		if line = harmless.Line(line, 200); line != "" {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-n):], "; ")
}

// held is a server's command line in its cage.
func held(ctx context.Context, o Options, c Config) ([]string, error) {
	argv := append([]string{c.Command}, c.Args...)
	if c.reaches(ReachAll) {
		return argv, nil
	}
	folders := c.folders(o.Getenv("HOME"))
	for _, dir := range folders {
		for _, own := range o.Hidden {
			if within(own, dir) || within(dir, own) {
				return nil, fmt.Errorf("it is not started: reach = %q would let it change nod's own %s", dir, own)
			}
		}
	}
	cage, err := o.Cages.Cage(ctx)
	if err == nil {
		err = cage.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("it is not started, since nothing would hold it: %w; reach = [%q] lets it run all the same", err, ReachAll)
	}
	grants := confine.Closed
	if c.reaches(ReachNetwork) {
		grants += confine.Network
	}
	if c.reaches(ReachSockets) {
		grants += confine.Sockets
	}
	wall := cage.For(grants)
	if len(folders) > 0 && wall != confine.Landlock || wall == confine.None {
		return nil, fmt.Errorf("it is not started: this kernel can not hold it (%v) with reach = %q; reach = [%q] lets it run without a cage", cage.Wall(), c.Reach, ReachAll)
	}
	return cage.Wrap(argv, confine.Hold{Wall: wall, Grants: grants, Limits: confine.Limits{Processes: 512}, Writable: folders}), nil
}

// within reports whether a path is a folder or lies in it, links resolved where they can
// be.
func within(name, folder string) bool {
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real
	}
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		folder = real
	}
	rel, err := filepath.Rel(folder, name)
	return err == nil && rel != ".." && !strings.HasPrefix(rel, "../")
}
