package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/harmless"
	"github.com/nod-console/nod/tools/plugin/mcp/oauth"
)

// maxListed bounds the prompts and the resources of a server that are listed.
const maxListed = 256

// maxRetry bounds how long a program that could not be started is left alone.
const maxRetry = time.Minute

// errPatience is the cause of the end of a request that took too long.
var errPatience = errors.New("its time is up")

// server is one server of the configuration, connected or not.
type server struct {
	cfg Config
	set *Set

	turn chan struct{} // holds one token: who has it connects, lists or ends

	mu        sync.Mutex
	link      *link
	err       error // why there is no link
	tried     bool
	failures  int
	retry     time.Time
	offered   map[string]Definition
	left      int               // tools beyond MaxTools
	odd       int               // resources whose address cannot be shown
	withheld  map[string]string // of the offered tools, why a tool cannot be registered
	prompts   []*sdk.Prompt
	resources []*sdk.Resource
	about     string // what the server calls itself
	stale     bool   // it has said that what it offers has changed
	shown     string // the fingerprint of the changes that the operator has seen
	progress  map[string]func(tools.Progress)
}

// link is a connection to a server.
type link struct {
	session *sdk.ClientSession
	meter   *meter
	program *program // nil over HTTP
	free    func()
	over    chan struct{} // closed when the connection has ended
}

func newServer(c Config, set *Set) *server {
	s := &server{cfg: c, set: set, turn: make(chan struct{}, 1), progress: map[string]func(tools.Progress){}}
	s.turn <- struct{}{}
	return s
}

// alone runs f while nobody else changes the connection.
func (s *server) alone(ctx context.Context, f func() error) error {
	select {
	case <-s.turn:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { s.turn <- struct{}{} }()
	return f()
}

// patience bounds a request.
func (s *server) patience(ctx context.Context) (context.Context, context.CancelFunc) {
	d := s.cfg.timeout()
	if s.set.opt.Patience > 0 {
		d = s.set.opt.Patience
	}
	return context.WithTimeoutCause(ctx, d, errPatience)
}

// ensure connects if there is no connection, and reads the tools anew if they have
// changed. A program that could not be started is left alone for a while.
func (s *server) ensure(ctx context.Context) (*link, error) {
	var got *link
	err := s.alone(ctx, func() (err error) {
		got, err = s.connected(ctx)
		return err
	})
	return got, err
}

// connected is ensure for who has the turn.
func (s *server) connected(ctx context.Context) (*link, error) {
	s.mu.Lock()
	l, stale, retry, failed := s.link, s.stale, s.retry, s.err // a link that has ended may be tried again at once
	s.mu.Unlock()
	if l != nil {
		select {
		case <-l.over:
			s.drop(l, l.end("it has ended"))
			l = nil
		default:
			if fault := l.meter.why(); fault != nil {
				s.drop(l, fault)
				l = nil
			}
		}
	}
	if l != nil && !stale {
		return l, nil
	}
	if l == nil {
		if wait := retry.Sub(s.set.now()); failed != nil && s.cfg.Command != "" && wait > 0 {
			return nil, fmt.Errorf("%w; it is tried again in %s", failed, wait.Round(time.Second))
		}
		var err error
		if l, err = s.connect(ctx); err != nil {
			s.failed(ctx, err)
			return nil, err
		}
	}
	if err := s.list(ctx, l); err != nil {
		s.drop(l, err)
		s.failed(ctx, err)
		return nil, err
	}
	s.mu.Lock()
	s.link, s.err, s.tried, s.failures, s.retry = l, nil, true, 0, time.Time{}
	s.mu.Unlock()
	s.set.sync()
	return l, nil
}

// failed notes that there is no connection. An interruption says nothing of the server.
func (s *server) failed(ctx context.Context, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tried = true
	s.err = err
	if ctx.Err() != nil {
		return
	}
	s.retry = s.set.now().Add(min(time.Second<<min(s.failures, 10), maxRetry))
	s.failures++
}

// connect starts the program, or reaches the server, and shakes hands.
func (s *server) connect(ctx context.Context) (l *link, err error) {
	var argv []string
	if s.cfg.Command != "" { // the cage is not the server's to wait for
		if argv, err = held(ctx, s.set.opt, s.cfg); err != nil {
			return nil, err
		}
	}
	ctx, stop := s.patience(ctx)
	defer stop()
	l = &link{meter: &meter{}, over: make(chan struct{}), free: func() {}}
	var transport sdk.Transport
	if s.cfg.URL != "" {
		transport, l.free, err = remote(s.cfg, s.set.opt.Getenv, l.meter, s.logins())
	} else if l.program, err = s.start(argv, l.meter); err == nil {
		transport = connection{l.program}
	}
	if err != nil {
		return nil, err
	}
	l.session, err = s.client().Connect(ctx, transport, nil)
	if err != nil {
		if l.program != nil {
			_ = connection{l.program}.Close()
		}
		l.free()
		return nil, s.reason(ctx, l, err, "start")
	}
	s.set.wg.Go(func() {
		_ = l.session.Wait() // the reason is the meter's, or how the program ended
		close(l.over)
	})
	return l, nil
}

// start runs the server's program.
func (s *server) start(argv []string, m *meter) (*program, error) {
	var env []string
	for _, name := range s.cfg.EnvNames {
		if value := s.set.opt.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return runProgram(s.set.opt.Local, argv, env, m, s.outdated)
}

// client is what the server sees of nod.
func (s *server) client() *sdk.Client {
	return sdk.NewClient(&sdk.Implementation{Name: "nod", Version: s.set.opt.Version}, &sdk.ClientOptions{
		Logger:                      slog.New(slog.DiscardHandler),
		Capabilities:                &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{Form: &sdk.FormElicitationCapabilities{}}},
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { s.renewed() },
		PromptListChangedHandler:    func(context.Context, *sdk.PromptListChangedRequest) { s.renewed() },
		ResourceListChangedHandler:  func(context.Context, *sdk.ResourceListChangedRequest) { s.renewed() },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { s.progressed(r.Params) },
		ElicitationHandler: func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
			return s.set.elicit(ctx, s.cfg.Name, r.Params)
		},
	})
}

// renewed has the lists read anew that the server has said have changed.
func (s *server) renewed() {
	s.outdated()
	s.set.look()
}

// outdated notes that the server has said that what it offers has changed.
func (s *server) outdated() {
	s.mu.Lock()
	s.stale = true
	s.mu.Unlock()
}

// call calls a tool whose definition has the digest.
func (s *server) call(ctx context.Context, tool, digest string, args json.RawMessage, env tools.Env) (result *sdk.CallToolResult, err error) {
	params := &sdk.CallToolParams{Name: tool, Arguments: args}
	params.SetProgressToken(env.Call)
	s.mu.Lock()
	s.progress[env.Call] = env.Report
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.progress, env.Call)
		s.mu.Unlock()
	}()
	err = s.ask(ctx, func() error {
		if !s.accepts(tool, digest) {
			return &changed{"tool", tool}
		}
		return nil
	}, func(ctx context.Context, l *link) (err error) {
		result, err = l.session.CallTool(ctx, params)
		return err
	})
	return result, err
}

// ask makes a request of the server. still is called once the server is there; its error
// keeps the request from being made. A request that has not arrived is made once more, in
// a new connection: a server of HTTP that was started anew knows no session of before.
func (s *server) ask(ctx context.Context, still func() error, request func(context.Context, *link) error) error {
	for again := false; ; again = true {
		l, err := s.ensure(ctx)
		if err != nil {
			return &unreachable{err}
		}
		if err := still(); err != nil {
			return err
		}
		lost, arrived, err := s.try(ctx, l, request)
		if lost {
			s.discard(l)
		}
		if again || !lost || arrived {
			return err
		}
	}
}

// try makes a request. lost reports whether the connection over HTTP is of no more use,
// and arrived whether the server can have seen the request.
func (s *server) try(ctx context.Context, l *link, request func(context.Context, *link) error) (lost, arrived bool, err error) {
	ctx, stop := s.patience(ctx)
	defer stop()
	ctx, seen := withDelivery(ctx)
	l.meter.begin()
	if err = request(ctx, l); err == nil {
		return false, true, nil
	}
	var answer *jsonrpc.Error
	lost = l.program == nil && ctx.Err() == nil && (!errors.As(err, &answer) || answer.Message == rejected)
	return lost, seen.Load(), s.reason(ctx, l, err, "answer")
}

// discard forgets a connection, so that the next request makes a new one.
func (s *server) discard(l *link) {
	_ = s.alone(context.Background(), func() error { // it waits for no server: each request is bounded
		s.mu.Lock()
		mine := s.link == l
		s.mu.Unlock()
		if mine {
			s.drop(l, l.end("the connection has ended"))
		}
		return nil
	})
}

// unreachable wraps why a call did not reach the server.
type unreachable struct{ err error }

func (e *unreachable) Error() string { return e.err.Error() }
func (e *unreachable) Unwrap() error { return e.err }

// changed says that a tool is no more what was approved.
type changed struct{ kind, name string }

func (e *changed) Error() string {
	return fmt.Sprintf("the server describes its %s %q in another way than the operator has accepted", e.kind, e.name)
}

func (s *server) progressed(p *sdk.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	s.mu.Lock()
	report := s.progress[token]
	s.mu.Unlock()
	if report == nil {
		return
	}
	note := harmless.Line(p.Message, 80)
	if p.Total > 0 {
		note = strings.TrimSpace(fmt.Sprintf("%g of %g %s", p.Progress, p.Total, note))
	} else if note == "" {
		note = fmt.Sprintf("%g", p.Progress)
	}
	report(tools.Progress{Note: note})
}

// drop ends a connection and forgets it.
func (s *server) drop(l *link, why error) {
	s.mu.Lock()
	if s.link == l {
		s.link = nil
	}
	s.err = why
	s.mu.Unlock()
	l.close()
}

// close ends the connection. It returns when the program has ended.
func (l *link) close() {
	if l.program != nil {
		_ = connection{l.program}.Close() // it answers nothing any more: what it is asked must not be waited for
	}
	_ = l.session.Close()
	l.free()
}

// end says why a connection has ended.
func (l *link) end(otherwise string) error {
	if fault := l.meter.why(); fault != nil {
		return fault
	}
	if l.program != nil {
		if said := l.program.said(); said != "" {
			return &FaultError{said}
		}
	}
	return &FaultError{otherwise}
}

// rejected is what the SDK calls what the transport could not send.
const rejected = "rejected by transport"

// reason is an error of the SDK in nod's words. what is what the server was to do.
func (s *server) reason(ctx context.Context, l *link, err error, what string) error {
	var (
		answer *jsonrpc.Error
		needed *oauth.NeededError
	)
	fault := l.meter.why()
	switch {
	case errors.As(err, &needed):
		return needed
	case errors.Is(context.Cause(ctx), errPatience):
		return fmt.Errorf("it did not %s in time (timeout = %q): %w", what, s.cfg.timeout(), errPatience)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case fault != nil:
		return fault
	case errors.As(err, &answer) && answer.Message != rejected:
		return answer
	case l.program != nil && (errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, io.EOF) || errors.Is(err, errClosed) || errors.Is(err, io.ErrClosedPipe)):
		<-l.program.ended // the connection is closed by the SDK then
		return l.end("it has ended")
	case errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, io.EOF):
		return &FaultError{"the connection has ended"}
	}
	return &FaultError{harmless.Line(err.Error(), 300)}
}
