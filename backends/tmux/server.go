package tmux

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/nod-console/nod/backends"
)

// DefaultSocket is the name of nod's own tmux server.
const DefaultSocket = "nod"

// ErrNoTmux says that the target has no tmux.
var ErrNoTmux = errors.New("tmux is not installed")

// TooOldError says that the target's tmux cannot be driven.
type TooOldError struct{ Version string }

// Error implements error.
func (e *TooOldError) Error() string {
	return fmt.Sprintf("tmux too old: %q, need %s or later", e.Version, MinVersion)
}

// Options say which server of a target is meant.
type Options struct {
	// Socket is the server's socket name (tmux -L), or with a slash its path
	// (tmux -S). Empty means DefaultSocket.
	Socket string
	// Config is the configuration file that a server is started with. Empty
	// means none on nod's own socket, where the operator's plugins and options
	// could break what nod relies on, and the user's own on any other. A server
	// for which it is given is taken to be nod's alone: its global options are
	// set.
	Config string
}

// Server is one tmux server of a target, running or not. It is safe for
// concurrent use and holds nothing open.
type Server struct {
	target  backends.Target
	socket  string
	config  string
	version Version
	badge   string // the terminal's name that the control clients of this Server give
}

// badges is what all badges begin with.
const badges = "nod-"

// Open checks the target's tmux. It starts nothing.
func Open(ctx context.Context, target backends.Target, opt Options) (*Server, error) {
	s := &Server{target: target, socket: opt.Socket, config: opt.Config, badge: badges + rand.Text()}
	if s.socket == "" {
		s.socket = DefaultSocket
	}
	if s.config == "" && s.socket == DefaultSocket {
		s.config = "/dev/null"
	}
	out, errs, outcome, err := s.exec(ctx, []string{"tmux", "-V"})
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && outcome.State == backends.Exited && outcome.Code == 127:
		return nil, fmt.Errorf("%s: %w", target.Name(), ErrNoTmux)
	case err != nil:
		return nil, fmt.Errorf("tmux: %w", err)
	case !outcome.OK(): // tmux before 1.5 has no -V
		return nil, &TooOldError{strings.TrimSpace(string(errs))}
	}
	if s.version, err = parseVersion(string(out)); err != nil {
		return nil, err
	}
	if !s.version.AtLeast(MinVersion.Major, MinVersion.Minor) {
		return nil, &TooOldError{strings.TrimPrefix(strings.TrimSpace(string(out)), "tmux ")}
	}
	return s, nil
}

// Version is the version of the target's tmux.
func (s *Server) Version() Version { return s.version }

// AttachCommand is what the operator types on the target to look at a session.
func (s *Server) AttachCommand(session string) string {
	return "tmux " + s.socketFlag() + " " + s.socket + " attach -t " + shellWord(target(session))
}

// KillCommand is what the operator types on the target to end a session.
func (s *Server) KillCommand(session string) string {
	return "tmux " + s.socketFlag() + " " + s.socket + " kill-session -t " + shellWord(target(session))
}

func (s *Server) socketFlag() string {
	if strings.Contains(s.socket, "/") {
		return "-S"
	}
	return "-L"
}

// argv is the command line of a tmux client. -u says that we read UTF-8,
// whatever the target's locale is.
func (s *Server) argv(args ...string) []string {
	argv := []string{"tmux", "-u", s.socketFlag(), s.socket}
	if s.config != "" {
		argv = append(argv, "-f", s.config)
	}
	return append(argv, args...)
}

// startTries bounds how often a command is tried again when the server was
// just ending: tmux says so, and that it has not run.
const startTries = 20

// Run runs tmux with the given arguments, several commands separated by ";",
// and returns what it printed. The error is a *CommandError if tmux refused.
func (s *Server) Run(ctx context.Context, args ...string) ([]byte, error) {
	for try := 1; ; try++ {
		out, errs, outcome, err := s.exec(ctx, s.argv(args...))
		if err != nil {
			return nil, fmt.Errorf("tmux: %s: %w", clip(commandLine(args)), err)
		}
		if ctx.Err() != nil {
			// A client that is told to end before it has its answer ends with
			// status 0 and without a word (3.3a).
			return nil, fmt.Errorf("tmux: %s: %w", clip(commandLine(args)), context.Cause(ctx))
		}
		if outcome.OK() {
			return out, nil
		}
		said := strings.TrimSpace(string(errs))
		if said == "" {
			said = outcome.String()
		}
		if !transient(said) || try == startTries {
			return nil, &CommandError{Command: commandLine(args), Message: said}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("tmux: %s: %w", clip(commandLine(args)), context.Cause(ctx))
		case <-time.After(time.Duration(try) * 2 * time.Millisecond):
		}
	}
}

// transient reports whether tmux failed because its server was on the way out
// when the client came.
func transient(said string) bool {
	return strings.Contains(said, "server exited unexpectedly") || strings.Contains(said, "lost server")
}

// noServer reports whether err says that no server runs on the socket.
func noServer(err error) bool {
	var refused *CommandError
	return errors.As(err, &refused) &&
		(strings.Contains(refused.Message, "no server running") || strings.Contains(refused.Message, "error connecting to"))
}

func (s *Server) exec(ctx context.Context, argv []string) (out, errs []byte, _ backends.Outcome, _ error) {
	var stdout, stderr bytes.Buffer
	p, err := s.target.Exec(ctx, backends.Command{Argv: argv, Stdout: &stdout, Stderr: &stderr})
	if err != nil {
		return nil, nil, backends.Outcome{}, err
	}
	outcome, err := p.Wait()
	return stdout.Bytes(), stderr.Bytes(), outcome, err
}

// Errors of control mode.
var (
	// ErrNoControl says that tmux does its work but not in control mode, as
	// some builds do: see [Server.Poll].
	ErrNoControl = errors.New("tmux: control mode does not answer, although tmux does")
	errSilent    = errors.New("no answer")
)

const (
	// attachWait is how long control mode may surely take to answer, and after
	// that as long as plain tmux takes to answer controlProbes times, each within
	// controlProbe: so what is slow because the target is busy is not given up.
	attachWait    = 1500 * time.Millisecond
	controlProbe  = time.Second
	controlProbes = 3
)

// Attach connects to a session in control mode. The pane's size follows the
// operator's terminal until [Client.Resize] is called. ctx bounds the
// attaching, not the connection. ErrNoControl says that there is no use in
// trying again soon.
func (s *Server) Attach(ctx context.Context, session string, to Handler) (*Client, error) {
	c, err := s.attach(ctx, session, to)
	if err != nil {
		return nil, err
	}
	if !s.version.Has(ClientFlags) { // whose clients have no terminal's name
		c.Queue(nil, []string{"set-option", "-F", "-t", target(session) + ":", "@nod_client", "#{client_pid}"})
	}
	c.keepVigil()
	return c, nil
}

// Visit is Attach for a session that is the operator's: nothing of it is
// changed, not its size, its options or its environment.
func (s *Server) Visit(ctx context.Context, session string, to Handler) (*Client, error) {
	c, err := s.attach(ctx, session, to, "-E")
	if err != nil {
		return nil, err
	}
	c.shared = true
	c.keepVigil()
	return c, nil
}

func (s *Server) attach(ctx context.Context, session string, to Handler, flags ...string) (*Client, error) {
	args := append([]string{"-C", "attach-session", "-t", target(session)}, flags...)
	argv := s.argv(args...)
	if s.version.Has(ClientFlags) {
		// A stalled link must not freeze the pane.
		f := fmt.Sprintf("pause-after=%d", lagMost)
		if len(flags) > 0 {
			f += ",ignore-size"
		}
		relief := []string{"-C", "attach-session", "-E", "-t", target(session), "-f", "no-output,ignore-size"}
		argv = s.beside(append(argv, "-f", f), relief)
	}
	c, err := start(ctx, s, argv, to)
	if err != nil {
		return nil, err
	}
	c.session = session
	select {
	case <-c.attached:
		return c, nil
	case <-c.done:
		return nil, c.err
	case <-ctx.Done():
		c.Close()
		return nil, fmt.Errorf("tmux: attach: %w", context.Cause(ctx))
	case <-time.After(attachWait):
	}
	// Who is slow here, the whole of tmux, or the link to it, or control mode?
	if s.outruns(ctx, c) {
		c.Close()
		return nil, fmt.Errorf("%w (%w for more than %s)", ErrNoControl, errSilent, attachWait)
	}
	select {
	case <-c.attached:
		return c, nil
	case <-c.done:
		return nil, c.err
	case <-ctx.Done():
		c.Close()
		return nil, fmt.Errorf("tmux: attach: %w", context.Cause(ctx))
	}
}

// outruns reports whether plain tmux answers again and again before a control
// client says anything, or ends.
func (s *Server) outruns(ctx context.Context, c *Client) bool {
	for range controlProbes {
		plainly := s.answers(ctx)
		select {
		case <-c.attached:
			return false
		case <-c.done:
			return false
		default:
		}
		if !plainly {
			return false
		}
	}
	return true
}

// answers reports whether plain tmux answers soon.
func (s *Server) answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, controlProbe)
	defer cancel()
	out, err := s.Run(ctx, "display-message", "-p", "yes")
	return err == nil && strings.TrimSpace(string(out)) == "yes"
}

// endWait is how long an ended client may take to be gone.
const endWait = time.Second

// EndClients ends the control clients by which any nod is attached to a session of
// nod's that is taken over, or taken up again after the link was lost. Where the
// owner of one has died in the middle of output, or its link has, tmux (3.3a) waits
// for ever to write the rest to it, the pane stands still for everybody, and the
// server never ends. It returns when they are gone, or look as if they would stay:
// a connection that is made while they go may be the end of the server, see
// lagging.go.
func (s *Server) EndClients(ctx context.Context, session string) error {
	return s.endClients(ctx, session, badges)
}

// EndVisits is EndClients for a session that is the operator's: it ends only what
// this Server has left there.
func (s *Server) EndVisits(ctx context.Context, session string) error {
	return s.endClients(ctx, session, s.badge)
}

func (s *Server) endClients(ctx context.Context, session, prefix string) error {
	for limit := time.Now().Add(endWait); ; time.Sleep(10 * time.Millisecond) {
		pids, err := s.clients(ctx, session, prefix)
		if err != nil || len(pids) == 0 || time.Now().After(limit) {
			return err
		}
		argv := append([]string{"sh", "-c", `kill -9 "$@" 2>/dev/null`, "sh"}, pids...)
		if _, _, _, err := s.exec(ctx, argv); err != nil {
			return fmt.Errorf("tmux: end the stuck clients %s of %s: %w", strings.Join(pids, ", "), session, err)
		}
	}
}

// clients are the process ids of the control clients of a session whose badge
// begins with prefix.
func (s *Server) clients(ctx context.Context, session, prefix string) (pids []string, err error) {
	out, err := s.Run(ctx, "list-clients", "-t", target(session), "-F", "#{client_control_mode}|#{client_pid}|#{@nod_client}|#{client_termname}")
	if err != nil {
		return nil, absent(err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "|", 4)
		if len(f) == 4 && f[0] == "1" && (f[1] == f[2] || strings.HasPrefix(f[3], prefix)) {
			pids = append(pids, f[1])
		}
	}
	return pids, nil
}

// shellWord quotes a word for a POSIX shell.
func shellWord(w string) string {
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// shellLine quotes words for a POSIX shell.
func shellLine(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = shellWord(w)
	}
	return strings.Join(quoted, " ")
}
