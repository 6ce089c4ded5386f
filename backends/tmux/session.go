package tmux

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nod-console/nod/backends"
)

// Prefix is how the names of managed sessions begin.
const Prefix = "nod-"

// ErrForeign says that a session is not one of nod's and is left alone.
var ErrForeign = errors.New("tmux: not a session of nod")

// ErrNoSession says that a session, or the whole server, is not there.
var ErrNoSession = errors.New("tmux: no such session")

// absent turns tmux's ways of saying so into ErrNoSession.
func absent(err error) error {
	var refused *CommandError
	if errors.As(err, &refused) && (noServer(err) || strings.Contains(refused.Message, "can't find") ||
		strings.Contains(refused.Message, "no such session")) {
		return fmt.Errorf("%w: %s", ErrNoSession, refused.Message)
	}
	return err
}

// Session is a tmux session that nod made.
type Session struct {
	Name  string
	Owner string // the mark of the process that owns it, see [Owner]
}

// NewSession says how to make a session.
type NewSession struct {
	Name       string // begins with Prefix
	Window     string // name of its window
	Owner      string
	Size       backends.Size
	Scrollback int      // lines kept above the screen; tmux's default if 0
	Shell      []string // what runs in the pane; tmux's default shell if empty
}

// Create makes a session with one window. It is a *CommandError if the name is
// taken.
func (s *Server) Create(ctx context.Context, n NewSession) error {
	if !strings.HasPrefix(n.Name, Prefix) {
		return fmt.Errorf("%w: %q does not begin with %q", ErrForeign, n.Name, Prefix)
	}
	var args []string
	if s.socket == DefaultSocket || s.config != "" {
		// The options of a server that is nod's alone. On another one its
		// owner's hold.
		args = append(args, "start-server", ";", "set-option", "-g", "default-terminal", "screen-256color", ";",
			"set-option", "-gw", "remain-on-exit", "on", ";")
		if n.Scrollback > 0 {
			args = append(args, "set-option", "-g", "history-limit", strconv.Itoa(n.Scrollback), ";")
		}
	}
	exact := "=" + n.Name + ":"
	args = append(args, "new-session", "-d", "-s", n.Name, "-n", escapeLast(n.Window),
		"-x", strconv.Itoa(n.Size.Cols), "-y", strconv.Itoa(n.Size.Rows))
	args = append(args, program(n.Shell)...)
	args = append(args, ";",
		"set-option", "-t", exact, "@nod_managed", "1", ";",
		"set-option", "-t", exact, "@nod_owner", escapeLast(n.Owner))
	args = append(append(args, ";"), keepDead(exact)...)
	_, err := s.Run(ctx, args...)
	return err
}

// keepDead makes a window keep its pane when the program in it ends, so that
// its exit status can be read, and its name.
func keepDead(window string) []string {
	return []string{
		"set-option", "-w", "-t", window, "remain-on-exit", "on", ";",
		"set-option", "-w", "-t", window, "automatic-rename", "off", ";",
		"set-option", "-w", "-t", window, "allow-rename", "off",
	}
}

// program is a command for new-session, new-window and respawn-pane. Several
// arguments are run as they are; a single one would be a shell command.
func program(argv []string) []string {
	if len(argv) == 1 {
		return []string{"exec " + shellWord(argv[0])}
	}
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = escapeLast(a)
	}
	return words
}

// escapeLast keeps an argument of tmux's command line from ending a command,
// which is what a semicolon at its end does.
func escapeLast(arg string) string {
	if cut, ok := strings.CutSuffix(arg, ";"); ok {
		return cut + `\;`
	}
	return arg
}

// Sessions lists the sessions that carry nod's marks. No server means none.
func (s *Server) Sessions(ctx context.Context) ([]Session, error) {
	out, err := s.Run(ctx, "list-sessions", "-F", "#{@nod_managed}|#{session_name}|#{@nod_owner}")
	if noServer(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Session
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "|", 3)
		if len(f) == 3 && f[0] == "1" && strings.HasPrefix(f[1], Prefix) {
			all = append(all, Session{Name: f[1], Owner: f[2]})
		}
	}
	return all, nil
}

// Adopt makes owner the owner of a session, if was still is. It reports
// whether it did; of several that try only one does.
func (s *Server) Adopt(ctx context.Context, session, was, owner string) (bool, error) {
	exact := "=" + session + ":"
	// One client's commands run without another's in between.
	_, err := s.Run(ctx, "if-shell", "-F", "-t", exact, "#{==:#{@nod_owner},"+was+"}",
		"set-option -t "+Quote(exact)+" @nod_owner "+Quote(owner))
	if err != nil {
		return false, err
	}
	out, err := s.Run(ctx, "show-options", "-v", "-t", exact, "@nod_owner")
	return err == nil && strings.TrimSpace(string(out)) == owner, err
}

// Kill ends a managed session and what runs in it. A session without nod's
// marks is ErrForeign; one that is not there is no error.
func (s *Server) Kill(ctx context.Context, session string) error {
	exact := "=" + session + ":"
	out, err := s.Run(ctx, "display-message", "-p", "-t", exact, "#{session_name}|#{@nod_managed}")
	switch err = absent(err); {
	case errors.Is(err, ErrNoSession):
		return nil
	case err != nil:
		return err
	case strings.TrimSpace(string(out)) == "|": // display-message knows no missing session
		return nil
	case strings.TrimSpace(string(out)) != session+"|1" || !strings.HasPrefix(session, Prefix):
		return fmt.Errorf("%w: %q", ErrForeign, session)
	}
	_, err = s.Run(ctx, "kill-session", "-t", exact)
	if err = absent(err); errors.Is(err, ErrNoSession) {
		return nil
	}
	return err
}

// Pane is a pane of a session.
type Pane struct {
	ID      string // "%3", never given to another pane while the server lives
	Window  string // "@2"
	Name    string // of its window
	Pid     int    // of the program that tmux started in it
	Command string // name of the program in the foreground
	Dead    bool
}

const paneFormat = "#{pane_id}|#{window_id}|#{pane_pid}|#{pane_dead}|#{pane_current_command}|#{window_name}"

// Panes lists the panes of a session. ErrNoSession says that it is not there.
func (s *Server) Panes(ctx context.Context, session string) ([]Pane, error) {
	out, err := s.Run(ctx, "list-panes", "-s", "-t", "="+session+":", "-F", paneFormat)
	if err != nil {
		return nil, absent(err)
	}
	var panes []Pane
	for line := range strings.Lines(string(out)) {
		p, err := parsePane(strings.TrimSuffix(line, "\n"))
		if err != nil {
			return nil, err
		}
		panes = append(panes, p)
	}
	return panes, nil
}

func parsePane(line string) (Pane, error) {
	f := strings.SplitN(line, "|", 6)
	if len(f) != 6 || !strings.HasPrefix(f[0], "%") {
		return Pane{}, fmt.Errorf("tmux: not a pane: %q", line)
	}
	pid, err := strconv.Atoi(f[2])
	if err != nil {
		return Pane{}, fmt.Errorf("tmux: pane %s: process id %q: %w", f[0], f[2], err)
	}
	return Pane{ID: f[0], Window: f[1], Pid: pid, Dead: f[3] == "1", Command: f[4], Name: f[5]}, nil
}

// NewPane makes a window with one pane in a session.
func (s *Server) NewPane(ctx context.Context, session, name string, shell []string) (Pane, error) {
	return s.newWindow(ctx, name, shell, "-d", "-t", "="+session+":")
}

// Replace makes a new pane in the place of an old one, whose window it ends.
// The pane that it returns has another id.
//
// respawn-pane would keep the id, but a server that sends the pane's output to
// a control mode client may crash of it (3.3a: the new program's output is read
// with the offsets of the old one's).
func (s *Server) Replace(ctx context.Context, old Pane, shell []string) (Pane, error) {
	return s.newWindow(ctx, old.Name, shell, "-k", "-t", old.Window)
}

func (s *Server) newWindow(ctx context.Context, name string, shell []string, where ...string) (Pane, error) {
	args := append([]string{"new-window", "-P", "-F", paneFormat, "-n", escapeLast(name)}, where...)
	out, err := s.Run(ctx, append(args, program(shell)...)...)
	if err != nil {
		return Pane{}, absent(err)
	}
	p, err := parsePane(strings.TrimSuffix(string(out), "\n"))
	if err != nil {
		return Pane{}, err
	}
	// A program that has ended already has taken its window with it.
	_, err = s.Run(ctx, keepDead(p.Window)...)
	return p, absent(err)
}

// KillPane ends a pane and what runs in it.
func (s *Server) KillPane(ctx context.Context, id string) error {
	_, err := s.Run(ctx, "kill-pane", "-t", id)
	return err
}
