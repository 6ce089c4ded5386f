package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/holder"
	"github.com/nod-console/nod/backends/ssh/mux"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// withheld are settings of nod's environment that are secrets of the model's and
// no business of a connection.
var withheld = []string{"NOD_API_KEY", "OPENAI_API_KEY"}

// lines are the ways to hosts: the operator's own masters and nod's holders.
type lines struct {
	config *config.Config
	folder holder.Folder
	env    []string
}

func (a *app) lines(c *config.Config) (lines, error) {
	state, barred, err := a.stateDir()
	if err != nil {
		return lines{}, err
	}
	return lines{config: c, folder: socketFolder(a.getenv, state, barred != nil), env: os.Environ()}, nil
}

// longestFolder is how long the path of a folder may be for the path of a
// control socket in it to fit into an address.
const longestFolder = 80

// socketFolder is where control sockets are: with the state, or where that is
// too far down or cannot be written, in the folder that the system gives the
// operator for such.
func socketFolder(getenv func(string) string, state string, barred bool) holder.Folder {
	folder := filepath.Join(state, "ssh")
	if run := getenv("XDG_RUNTIME_DIR"); (barred || len(folder) > longestFolder) && filepath.IsAbs(run) {
		folder = filepath.Join(run, "nod-ssh")
	}
	return holder.Folder(folder)
}

// options are how hosts are reached, without anybody to ask.
func (l lines) options() ssh.Options {
	return ssh.Options{Config: l.config.SSH.Config, Keepalive: l.config.SSH.Keepalive}
}

// ride finds the connection for a host: the operator's own master if one
// answers, else nod's holder, which is started if there is none. took is told
// the path of the operator's master, or nil. warn, if not nil, is told once of a
// ControlPath in somebody else's hands.
func (l lines) ride(ask ssh.Asker, step func(ssh.Step), took func(master *string), warn func(string)) func(context.Context, ssh.Settings, time.Duration) (*ssh.Ride, error) {
	ask = keepingPassphrases(ask)
	var once sync.Once
	return func(ctx context.Context, s ssh.Settings, dialTimeout time.Duration) (*ssh.Ride, error) {
		if s.ControlPath != "" && !l.config.SSH.Own {
			master, err := mux.Dial(ctx, s.ControlPath)
			if err == nil && through(ctx, master) {
				took(&s.ControlPath)
				return &ssh.Ride{Passenger: master}, nil
			}
			if errors.Is(err, mux.ErrForeign) && warn != nil {
				once.Do(func() {
					warn(fmt.Sprintf("%s: the ControlPath %s belongs to another user and is not used", s.Host, s.ControlPath))
				})
			}
		}
		info, err := l.start(ctx, s.Host, dialTimeout, ask, step)
		if err != nil {
			return nil, err
		}
		client, err := mux.DialProxy(ctx, info.Socket)
		if err != nil {
			return nil, err
		}
		took(nil)
		return &ssh.Ride{Client: client}, nil
	}
}

// keepingPassphrases answers for a key whose passphrase was told before: when a
// connection is made again, in a holder of its own, nobody may be there to be
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
func (l lines) command(s ssh.Settings, master bool) string {
	argv := []string{"ssh", "-t"}
	if l.config.SSH.Config != "" {
		argv = append(argv, "-F", l.config.SSH.Config)
	}
	if !master {
		argv = append(argv, "-S", l.folder.Socket(s.Host))
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

// start finds or starts a host's holder.
func (l lines) start(ctx context.Context, host ssh.Host, dialTimeout time.Duration, ask ssh.Asker, step func(ssh.Step)) (holder.Info, error) {
	self, err := os.Executable()
	if err != nil {
		return holder.Info{}, fmt.Errorf("ssh: %w", err)
	}
	s := holder.Starter{Command: []string{self, "ssh", "hold"}, Env: l.env, Withhold: withheld}
	return s.Start(ctx, holder.Order{
		Folder: l.folder, Host: host.String(), Persist: l.config.SSH.Persist,
		Config: l.config.SSH.Config, Keepalive: l.config.SSH.Keepalive, DialTimeout: dialTimeout,
	}, ask, step)
}

func (a *app) sshCommand() *cobra.Command {
	parent := &cobra.Command{
		Use:   "ssh",
		Short: "hold connections that ssh, scp and rsync can share",
		Long: `ssh holds a connection to a host in a process of its own, as ssh's ControlMaster
does: one login serves the console, nod run, and your own ssh, scp, sftp and
rsync. The console starts it by itself and uses your own master where one runs.`,
		Example: `  nod ssh start web-1
  ssh -S "$(nod ssh status web-1)" web-1
  nod ssh stop web-1`,
	}
	parent.AddCommand(a.sshStart(), a.sshStatus(), a.sshStop(), a.sshList(), a.sshHold())
	return parent
}

// onHost is a command for one host.
func (a *app) onHost(use, short string, do func(context.Context, lines, ssh.Host) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " HOST", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			host, err := parseHost(args[0])
			if err != nil {
				return err
			}
			c, err := a.config()
			if err != nil {
				return err
			}
			l, err := a.lines(c)
			if err != nil {
				return err
			}
			return do(cmd.Context(), l, host)
		},
	}
}

// parseHost reads a host as people write it after "nod ssh start": with or
// without "ssh:".
func parseHost(name string) (ssh.Host, error) {
	host, err := ssh.Parse(name)
	if err != nil {
		return ssh.Parse("ssh:" + name)
	}
	return host, nil
}

func (a *app) sshStart() *cobra.Command {
	return a.onHost("start", "log in and hold the connection; print its control socket",
		func(ctx context.Context, l lines, host ssh.Host) error {
			ask, closeTTY := a.questionsOnTerminal()
			defer closeTTY()
			info, err := l.start(ctx, host, 0, ask, nil)
			if err != nil {
				return err
			}
			socket, err := syntax.Quote(info.Socket, syntax.LangPOSIX)
			if err != nil {
				return fmt.Errorf("ssh: %q: %w", info.Socket, err)
			}
			return a.printf("%s\nssh -S %s %s\n", info.Socket, socket, host.Name)
		})
}

func (a *app) sshStatus() *cobra.Command {
	return a.onHost("status", "print the control socket of a connection that is held",
		func(ctx context.Context, l lines, host ssh.Host) error {
			info, err := l.folder.Status(ctx, host)
			if err != nil {
				return err
			}
			return a.printf("%s\n", info.Socket)
		})
}

func (a *app) sshStop() *cobra.Command {
	return a.onHost("stop", "end a connection that is held, and what runs on it",
		func(ctx context.Context, l lines, host ssh.Host) error { return l.folder.Stop(ctx, host) })
}

func (a *app) sshList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "list the connections that are held", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config()
			if err != nil {
				return err
			}
			l, err := a.lines(c)
			if err != nil {
				return err
			}
			all, err := l.folder.List(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				if all == nil {
					all = []holder.Info{}
				}
				return json.NewEncoder(a.out).Encode(all)
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			for _, i := range all {
				fmt.Fprintf(w, "%s\tpid %d\tsince %s\t%s\n", i.Host, i.Pid, i.Since.Format(time.DateTime), i.Socket)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	return cmd
}

// sshHold is the holder itself, which "nod ssh start" and the console run.
func (a *app) sshHold() *cobra.Command {
	return &cobra.Command{
		Use: "hold", Hidden: true, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, out, err := holder.Pipe()
			if err != nil {
				return err
			}
			debug.SetGCPercent(holderGC)
			return holder.Hold(cmd.Context(), in, out, logIn, lasting)
		},
	}
}

// holderGC lets a holder's heap grow more before it is collected: it holds next to
// nothing but the buffers of what goes through, and bulk is made of small pieces.
const holderGC = 800 // percent

// logIn makes the connection that a holder holds.
func logIn(ctx context.Context, host ssh.Host, opt ssh.Options) (mux.Conn, mux.Options, error) {
	login, err := ssh.LogIn(ctx, host, opt)
	if err != nil {
		return nil, mux.Options{}, err
	}
	s := login.Settings()
	return login, mux.Options{SendEnv: s.SendEnv, SetEnv: s.SetEnv}, nil
}

// lasting reports whether another try would fail, too: whatever is not the
// network's fault.
func lasting(err error) bool {
	var unreachable net.Error
	return !errors.Is(err, ssh.ErrTimeout) && !errors.Is(err, ssh.ErrLost) && !errors.As(err, &unreachable)
}
