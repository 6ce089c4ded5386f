package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/daemon"
	"github.com/nod-console/nod/backends/ssh/mux"
	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
)

func (a *program) sshCommand() *cobra.Command {
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
	parent.AddCommand(a.sshStart(), a.sshStatus(), a.sshStop(), a.sshList(), a.sshDaemon(), a.sshAskpass())
	return parent
}

// connections are those to hosts over ssh, as the configuration wants them.
func (a *program) connections() (targets.Connections, error) {
	c, err := a.config()
	if err != nil {
		return targets.Connections{}, err
	}
	return targets.NewConnections(c, a.Getenv)
}

// onHost is a command for one host.
func (a *program) onHost(use, short string, do func(context.Context, targets.Connections, ssh.Host) error) *cobra.Command {
	return &cobra.Command{
		Use: use + " HOST", Short: short, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			host, err := parseHost(args[0])
			if err != nil {
				return err
			}
			l, err := a.connections()
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

func (a *program) sshStart() *cobra.Command {
	return a.onHost("start", "log in and hold the connection; print its control socket",
		func(ctx context.Context, l targets.Connections, host ssh.Host) error {
			questions := questions.OnTerminal(&a.System)
			defer questions.Close()
			info, err := l.Start(ctx, host, 0, questions.Asker(), targets.Notes(host.String(), a.Warn))
			if err != nil {
				return err
			}
			socket, err := syntax.Quote(info.Socket, syntax.LangPOSIX)
			if err != nil {
				return fmt.Errorf("ssh: %q: %w", info.Socket, err)
			}
			return a.Printf("%s\nssh -S %s %s\n", info.Socket, socket, host.Name)
		})
}

func (a *program) sshStatus() *cobra.Command {
	return a.onHost("status", "print the control socket of a connection that is held",
		func(ctx context.Context, l targets.Connections, host ssh.Host) error {
			info, err := l.Folder.Status(ctx, host)
			if err != nil {
				return err
			}
			return a.Printf("%s\n", info.Socket)
		})
}

func (a *program) sshStop() *cobra.Command {
	return a.onHost("stop", "end a connection that is held, and what runs on it",
		func(ctx context.Context, l targets.Connections, host ssh.Host) error { return l.Folder.Stop(ctx, host) })
}

func (a *program) sshList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "list", Short: "list the connections that are held", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := a.connections()
			if err != nil {
				return err
			}
			all, err := l.Folder.List(cmd.Context())
			if err != nil {
				return err
			}
			if asJSON {
				if all == nil {
					all = []daemon.Info{}
				}
				return json.NewEncoder(a.Out).Encode(all)
			}
			w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
			for _, i := range all {
				socket := i.Socket
				if i.Closed {
					socket = "(its socket was closed)"
				}
				fmt.Fprintf(w, "%s\tpid %d\tsince %s\t%s\n", i.Host, i.Pid, i.Since.Format(time.DateTime), socket)
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	return cmd
}

// sshDaemon is the daemon itself, which "nod ssh start" and the console run.
func (a *program) sshDaemon() *cobra.Command {
	return &cobra.Command{
		Use: "daemon FOLDER", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("ssh: %w", err)
			}
			debug.SetGCPercent(daemonGC)
			debug.SetMemoryLimit(daemonMemory)
			runtime.GOMAXPROCS(daemonProcessors)
			return daemon.Serve(cmd.Context(), daemon.Folder(args[0]), logIn, ssh.Lasting, []string{self, "ssh", "askpass"})
		},
	}
}

// The daemon's heap may grow more before it is collected, up to a limit: it holds
// next to nothing but the buffers of what goes through, and bulk is made of small
// pieces.
const (
	daemonGC     = 300      // percent
	daemonMemory = 96 << 20 // bytes
	// What goes through is handed on from goroutine to goroutine in small pieces: across
	// processors, that costs more than all the rest (BenchmarkDownload of backends/ssh/mux).
	daemonProcessors = 1
)

// sshAskpass relays a question of the system's ssh, which runs it as SSH_ASKPASS.
func (a *program) sshAskpass() *cobra.Command {
	return &cobra.Command{
		Use: "askpass FOLDER TOKEN PROMPT", Hidden: true, Args: cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			said, err := daemon.Folder(args[0]).Ask(cmd.Context(), daemon.Prompt{Token: args[1], Text: args[2], Kind: a.Getenv("SSH_ASKPASS_PROMPT")})
			if err != nil {
				return err
			}
			return a.Printf("%s\n", said)
		},
	}
}

// logIn makes a connection that the daemon holds.
func logIn(ctx context.Context, host ssh.Host, opt ssh.Options) (mux.Conn, mux.Options, error) {
	login, err := ssh.LogIn(ctx, host, opt)
	if err != nil {
		return nil, mux.Options{}, err
	}
	s := login.Settings()
	return login, mux.Options{SendEnv: s.SendEnv, SetEnv: s.SetEnv}, nil
}
