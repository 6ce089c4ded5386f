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

// ErrNoPane says that a pane is not there.
var ErrNoPane = errors.New("tmux: no such pane")

// target is how a session is named to tmux: by its id ("$3") if that is what
// there is, which holds when somebody renames it, else by exactly its name.
func target(session string) string {
	if strings.HasPrefix(session, "$") {
		return session
	}
	return "=" + session
}

// Session is a tmux session that nod made.
type Session struct {
	ID    string // "$3": all methods that take a session take it as well as its name
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

// Create makes a session with one window and returns its id. It is a
// *CommandError if the name is taken.
func (s *Server) Create(ctx context.Context, n NewSession) (id string, err error) {
	if !strings.HasPrefix(n.Name, Prefix) {
		return "", fmt.Errorf("%w: %q does not begin with %q", ErrForeign, n.Name, Prefix)
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
	exact := target(n.Name) + ":"
	args = append(args, "new-session", "-d", "-P", "-F", "#{session_id}|"+paneFormat, "-s", n.Name, "-n", escapeLast(n.Window),
		"-x", strconv.Itoa(n.Size.Cols), "-y", strconv.Itoa(n.Size.Rows))
	args = append(args, program(n.Shell)...)
	args = append(args, ";",
		// Else it may end with the very command that made it.
		"set-option", "-t", exact, "destroy-unattached", "off", ";",
		"set-option", "-t", exact, "@nod_managed", "1", ";",
		"set-option", "-t", exact, "@nod_owner", escapeLast(n.Owner))
	out, err := s.Run(ctx, args...)
	if err != nil {
		return "", err
	}
	id, pane, _ := strings.Cut(strings.TrimSuffix(string(out), "\n"), "|")
	p, err := parsePane(pane)
	if err == nil {
		err = s.mark(ctx, p, n.Window)
	}
	if err != nil {
		return "", errors.Join(err, s.Kill(ctx, id))
	}
	return id, nil
}

// mark makes a pane known as nod's, by a name that a renamed window does not
// change. It and its window stay when the program in it ends, so that the exit
// status can be read. The keys of other panes are not its own, nor its theirs.
//
// A program that has ended by now may have taken its pane with it.
func (s *Server) mark(ctx context.Context, p Pane, name string) error {
	args := []string{
		"set-option", "-p", "-t", p.ID, "@nod_pane", escapeLast(name), ";",
		"set-option", "-w", "-t", p.ID, "remain-on-exit", "on", ";",
		"set-option", "-w", "-t", p.ID, "automatic-rename", "off", ";",
		"set-option", "-w", "-t", p.ID, "allow-rename", "off",
	}
	if s.version.Has(PaneOptions) {
		args = append(args, ";", "set-option", "-p", "-t", p.ID, "synchronize-panes", "off")
	}
	_, err := s.Run(ctx, args...)
	if err = absent(err); errors.Is(err, ErrNoSession) {
		return nil
	}
	return err
}

// program is a command for new-session and new-window. Several arguments are
// run as they are; a single one would be a command for the default shell, which
// may be anything.
func program(argv []string) []string {
	if len(argv) == 1 {
		argv = []string{"env", argv[0]}
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
	out, err := s.Run(ctx, "list-sessions", "-F", "#{@nod_managed}|#{session_id}|#{session_name}|#{@nod_owner}")
	if noServer(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []Session
	for line := range strings.Lines(string(out)) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "|", 4)
		if len(f) == 4 && f[0] == "1" && strings.HasPrefix(f[2], Prefix) {
			all = append(all, Session{ID: f[1], Name: f[2], Owner: f[3]})
		}
	}
	return all, nil
}

// Adopt makes owner the owner of a session, if was still is. It reports
// whether it did; of several that try only one does.
func (s *Server) Adopt(ctx context.Context, session, was, owner string) (bool, error) {
	exact := target(session) + ":"
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
	exact := target(session) + ":"
	ask := []string{"display-message", "-p", "-t", exact, "#{session_id}|#{@nod_managed}|#{session_name}"}
	byID := strings.HasPrefix(session, "$") && strings.Trim(session, "$0123456789") == ""
	if byID { // in one go, by the same rule as below
		ours := "#{&&:#{==:#{@nod_managed},1},#{==:#{session_id}," + session + "}}"
		ask = append(ask, ";", "if-shell", "-F", "-t", exact, ours, "kill-session -t '"+exact+"'")
	}
	out, err := s.Run(ctx, ask...)
	f := strings.SplitN(strings.TrimSuffix(string(out), "\n"), "|", 3)
	switch err = absent(err); {
	case errors.Is(err, ErrNoSession):
		return nil
	case err != nil:
		return err
	case len(f) == 3 && f[0] == "": // display-message knows no missing session
		return nil
	case len(f) != 3 || f[1] != "1" || f[0] != session && (f[2] != session || !strings.HasPrefix(session, Prefix)):
		return fmt.Errorf("%w: %q", ErrForeign, session)
	case byID:
		return nil
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
	Session string // "$1"; one of several for a window that is linked
	Pid     int    // of the program that tmux started in it
	Command string // name of the program in the foreground
	Dead    bool
	Managed bool   // nod made it
	Name    string // as nod calls it; its window's if nod did not make it
	Where   string // "work:1.0", for people
}

const paneFormat = "#{pane_id}|#{window_id}|#{session_id}|#{pane_pid}|#{pane_dead}|#{pane_current_command}|" +
	"#{@nod_pane}|#{session_name}:#{window_index}.#{pane_index}|#{window_name}"

// Panes lists the panes of a session. ErrNoSession says that it is not there.
func (s *Server) Panes(ctx context.Context, session string) ([]Pane, error) {
	return s.panes(ctx, "-s", "-t", target(session)+":")
}

// AllPanes lists the panes of all sessions. No server means ErrNoSession.
func (s *Server) AllPanes(ctx context.Context) ([]Pane, error) { return s.panes(ctx, "-a") }

// FindPane looks for a pane by its id ("%3"). ErrNoPane says that it is not
// there.
func (s *Server) FindPane(ctx context.Context, id string) (Pane, error) {
	all, err := s.AllPanes(ctx)
	if err != nil && !errors.Is(err, ErrNoSession) {
		return Pane{}, err
	}
	for _, p := range all {
		if p.ID == id {
			return p, nil
		}
	}
	return Pane{}, fmt.Errorf("%w: %q; %s", ErrNoPane, id, roster(all))
}

// roster is what there is instead of the pane that was looked for.
func roster(panes []Pane) string {
	const most = 20
	if len(panes) == 0 {
		return "there is none on this server"
	}
	var words []string
	for i, p := range panes {
		if i == most {
			words = append(words, fmt.Sprintf("and %d more", len(panes)-most))
			break
		}
		words = append(words, fmt.Sprintf("%s (%s, %s)", p.ID, p.Where, p.Command))
	}
	return "there are " + strings.Join(words, ", ")
}

func (s *Server) panes(ctx context.Context, which ...string) ([]Pane, error) {
	out, err := s.Run(ctx, append([]string{"list-panes", "-F", paneFormat}, which...)...)
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
	const fields = 8
	f := strings.SplitN(line, "|", fields)
	if len(f) != fields || !strings.HasPrefix(f[0], "%") {
		return Pane{}, fmt.Errorf("tmux: not a pane: %q", line)
	}
	pid, err := strconv.Atoi(f[3])
	if err != nil && f[3] != "" { // as in a dead pane from 3.7 on
		return Pane{}, fmt.Errorf("tmux: pane %s: process id %q: %w", f[0], f[3], err)
	}
	// The name of a session may hold anything but a colon.
	session, rest, _ := strings.Cut(f[7], ":")
	index, window, _ := strings.Cut(rest, "|")
	p := Pane{
		ID: f[0], Window: f[1], Session: f[2], Pid: pid, Dead: f[4] == "1", Command: f[5],
		Managed: f[6] != "", Name: f[6], Where: session + ":" + index,
	}
	if !p.Managed {
		p.Name = window
	}
	return p, nil
}

// NewPane makes a window with one pane in a session.
func (s *Server) NewPane(ctx context.Context, session, name string, shell []string) (Pane, error) {
	return s.newWindow(ctx, name, shell, "-d", "-t", target(session)+":")
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
	p.Managed, p.Name = true, name
	return p, s.mark(ctx, p, name)
}

// RenamePane gives a pane of nod's another name, and its window, too.
func (s *Server) RenamePane(ctx context.Context, id, name string) error {
	_, err := s.Run(ctx, "set-option", "-p", "-t", id, "@nod_pane", escapeLast(name), ";", "rename-window", "-t", id, escapeLast(name))
	return err
}

// KillPane ends a pane and what runs in it.
func (s *Server) KillPane(ctx context.Context, id string) error {
	_, err := s.Run(ctx, "kill-pane", "-t", id)
	return err
}
