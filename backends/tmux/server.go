package tmux

import (
	"bytes"
	"context"
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
}

// Open checks the target's tmux. It starts nothing.
func Open(ctx context.Context, target backends.Target, opt Options) (*Server, error) {
	s := &Server{target: target, socket: opt.Socket, config: opt.Config}
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
	return "tmux " + s.socketFlag() + " " + s.socket + " attach -t " + shellWord("="+session)
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

// Attach connects to a session in control mode. The pane's size follows the
// operator's terminal until [Client.Resize] is called. ctx bounds the
// attaching, not the connection.
func (s *Server) Attach(ctx context.Context, session string, to Handler) (*Client, error) {
	args := []string{"-C", "attach-session", "-t", "=" + session}
	if s.version.AtLeast(3, 2) {
		// A stalled link must not freeze a pane that the operator looks at.
		args = append(args, "-f", "pause-after=5")
	}
	c, err := attach(ctx, s.target, s.argv(args...), to)
	if err != nil {
		return nil, err
	}
	c.version = s.version
	c.Queue(nil, []string{"set-option", "-F", "-t", "=" + session + ":", "@nod_client", "#{client_pid}"})
	return c, nil
}

// EndClient ends the control client by which nod was last attached to a
// session, if it still is there. Where its owner has died in the middle of
// output, tmux (3.3a) waits for ever to write the rest to it, and the pane
// stands still for everybody.
func (s *Server) EndClient(ctx context.Context, session string) error {
	out, err := s.Run(ctx, "list-clients", "-t", "="+session, "-F", "#{client_pid} #{@nod_client} #{client_control_mode}")
	if err != nil {
		return absent(err)
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[0] != f[1] || f[2] != "1" {
			continue // the operator's
		}
		if _, _, _, err := s.exec(ctx, []string{"sh", "-c", `kill -9 "$1"`, "sh", f[0]}); err != nil {
			return fmt.Errorf("tmux: end the stuck client %s of %s: %w", f[0], session, err)
		}
	}
	return nil
}

// shellWord quotes a word for a POSIX shell.
func shellWord(w string) string {
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
