package targets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/daemon"
	"github.com/nod-console/nod/backends/ssh/mux"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// Withheld are settings of nod's environment that are secrets of the model's and
// no business of a connection.
var Withheld = []string{"NOD_API_KEY", "OPENAI_API_KEY"}

// Connections are the ways to hosts: the operator's own masters and nod's daemon.
type Connections struct {
	config *config.Config
	Folder daemon.Folder
	env    []string
}

// NewConnections reads how hosts and containers are reached. An error quotes the setting.
func NewConnections(c *config.Config, getenv func(string) string) (Connections, error) {
	state, barred, err := config.StateDirAnyway(getenv)
	if err != nil {
		return Connections{}, err
	}
	return Connections{config: c, Folder: socketFolder(getenv, state, barred != nil), env: os.Environ()}, nil
}

// longestFolder is how long the path of a folder may be for the path of a
// control socket in it to fit into an address.
const longestFolder = 80

// socketFolder is where control sockets are: with the state, or where that is
// too far down or cannot be written, in the folder that the system gives the
// operator for such.
func socketFolder(getenv func(string) string, state string, barred bool) daemon.Folder {
	folder := filepath.Join(state, "ssh")
	if run := getenv("XDG_RUNTIME_DIR"); (barred || len(folder) > longestFolder) && filepath.IsAbs(run) {
		folder = filepath.Join(run, "nod-ssh")
	}
	return daemon.Folder(folder)
}

// SSHOptions are how hosts are reached, without anybody to ask.
func (l Connections) SSHOptions() ssh.Options {
	return ssh.Options{Config: l.config.SSH.Config, Keepalive: l.config.SSH.Keepalive, Withhold: Withheld}
}

// Notes tells the operator what logins to a target say besides their steps, each
// once: a banner, what ssh_config asks for and is not done.
func Notes(name string, warn func(string)) func(ssh.Step) {
	var told sync.Map
	return func(s ssh.Step) {
		if s.Stage != ssh.Noted || warn == nil {
			return
		}
		if _, again := told.LoadOrStore(s.Detail, true); again {
			return
		}
		lines := strings.Split(s.Detail, "\n")
		for i, l := range lines {
			lines[i] = show.Text(l)
		}
		warn(name + ": " + strings.Join(lines, "\n"))
	}
}

// shared finds the connection for a host: the operator's own master if one
// answers, else the one that nod's daemon holds, which is made if there is none. took is told
// the path of the operator's master, or nil. warn, if not nil, is told once of a
// ControlPath in somebody else's hands.
func (l Connections) shared(ask ssh.Asker, step func(ssh.Step), took func(master *string), warn func(string)) func(context.Context, ssh.Settings, time.Duration) (*ssh.SharedConn, error) {
	ask = keepingPassphrases(ask)
	var once sync.Once
	return func(ctx context.Context, s ssh.Settings, dialTimeout time.Duration) (*ssh.SharedConn, error) {
		if s.ControlPath != "" && !l.config.SSH.Own {
			master, err := mux.Dial(ctx, s.ControlPath)
			if err == nil && through(ctx, master) {
				took(&s.ControlPath)
				return &ssh.SharedConn{Master: master}, nil
			}
			if errors.Is(err, mux.ErrForeign) && warn != nil {
				once.Do(func() {
					warn(fmt.Sprintf("%s: the ControlPath %s belongs to another user and is not used", s.Host, s.ControlPath))
				})
			}
		}
		info, err := l.Start(ctx, s.Host, dialTimeout, ask, step)
		if err != nil {
			return nil, err
		}
		if info.Stock {
			master, err := mux.Dial(ctx, info.Socket)
			if err != nil {
				return nil, err
			}
			took(nil)
			return &ssh.SharedConn{Master: master}, nil
		}
		client, err := mux.DialProxy(ctx, info.Socket)
		if err != nil {
			return nil, err
		}
		took(nil)
		return &ssh.SharedConn{Client: client}, nil
	}
}

// keepingPassphrases answers for a key whose passphrase was told before: when a
// connection is made again, by the daemon, nobody may be there to be
// asked. A wrong one is asked for anew. They are kept in memory, for as long as
// the target is in use, and nowhere else.
func keepingPassphrases(ask ssh.Asker) ssh.Asker {
	secret := ask.Secret
	if secret == nil {
		return ask
	}
	var mu sync.Mutex
	told := map[string]string{}
	ask.Secret = func(ctx context.Context, q ssh.SecretQuestion) (string, error) {
		if q.Kind != ssh.Passphrase {
			return secret(ctx, q)
		}
		mu.Lock()
		text, ok := told[q.Key]
		mu.Unlock()
		if ok && q.Try <= 1 {
			return text, nil
		}
		text, err := secret(ctx, q)
		if err == nil {
			mu.Lock()
			told[q.Key] = text
			mu.Unlock()
		}
		return text, err
	}
	return ask
}

// throughTime bounds the time for a way through a master.
const throughTime = 5 * time.Second

// through reports whether something can be run through a master. One whose link
// is dead may not know it, and answers by itself as if nothing were wrong.
func through(ctx context.Context, master *mux.Client) bool {
	ctx, cancel := context.WithTimeout(ctx, throughTime)
	defer cancel()
	s, err := master.Start(ctx, mux.Request{Command: "exit 0"})
	if err != nil {
		return false
	}
	stop := context.AfterFunc(ctx, func() { _ = s.Close() }) // gives no error
	defer stop()
	_, err = s.Wait()
	_ = s.Close() // gives no error
	return err == nil && ctx.Err() == nil
}

// command is how the operator's own ssh rides on the connection to a host:
// his own master, which it finds by itself, or nod's.
func (l Connections) command(s ssh.Settings, master bool) string {
	argv := []string{"ssh", "-t"}
	if l.config.SSH.Config != "" {
		argv = append(argv, "-F", l.config.SSH.Config)
	}
	if !master {
		argv = append(argv, "-S", l.Folder.Socket(s.Host))
	}
	name := s.Host.String()
	if !strings.HasPrefix(name, "ssh://") {
		name = strings.TrimPrefix(name, "ssh:")
	}
	argv = append(argv, name)
	for i, word := range argv {
		if quoted, err := syntax.Quote(word, syntax.LangPOSIX); err == nil { // only a zero byte cannot be
			argv[i] = quoted
		}
	}
	return strings.Join(argv, " ")
}

// Start finds or starts a host's daemon.
func (l Connections) Start(ctx context.Context, host ssh.Host, dialTimeout time.Duration, ask ssh.Asker, step func(ssh.Step)) (daemon.Info, error) {
	self, err := os.Executable()
	if err != nil {
		return daemon.Info{}, fmt.Errorf("ssh: %w", err)
	}
	s := daemon.Starter{Command: []string{self, "ssh", "daemon"}, Env: l.env, Withhold: Withheld}
	return s.Start(ctx, daemon.Order{
		Folder: l.Folder, Host: host.String(), Persist: l.config.SSH.Persist,
		Config: l.config.SSH.Config, Keepalive: l.config.SSH.Keepalive, DialTimeout: dialTimeout,
		Mode: daemon.Mode(l.config.LoginFor(host.String())), Own: l.config.SSH.Own,
	}, ask, step)
}
