package main

import (
	"encoding/json"
	"fmt"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/ssh"
)

// targetJSON is a target as "nod targets --json" prints it.
type targetJSON struct {
	Name   string     `json:"name"`
	Held   *time.Time `json:"held_since,omitempty"` // nod holds a connection to it
	Socket string     `json:"socket,omitempty"`
}

// targetsCommand lists what can be named as a target without asking anybody:
// this machine, and the hosts that ssh_config names or that a connection is held
// to.
func (a *program) targetsCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "targets",
		Short: "list this machine and the hosts of ssh_config",
		Long: `targets lists what a target can be called: this machine, the hosts that
ssh_config names, and those to which nod holds a connection. Containers are listed
by docker ps; they are called docker:NAME or podman:NAME.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := a.allTargets(cmd)
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.Out).Encode(all)
			}
			w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
			for _, t := range all {
				state := ""
				switch {
				case t.Name == local.Name:
					state = "this machine"
				case t.Held != nil:
					state = "connected since " + t.Held.Format(time.DateTime)
				}
				if _, err := fmt.Fprintf(w, "%s\t%s\n", t.Name, state); err != nil {
					return err
				}
			}
			return w.Flush()
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	return cmd
}

func (a *program) allTargets(cmd *cobra.Command) ([]targetJSON, error) {
	l, err := a.connections()
	if err != nil {
		return nil, err
	}
	names, err := ssh.Names(l.SSHOptions())
	if err != nil {
		return nil, err
	}
	held, err := l.Folder.List(cmd.Context())
	if err != nil {
		return nil, err
	}
	all := []targetJSON{{Name: local.Name}}
	place := map[string]int{}
	at := func(name string) *targetJSON {
		i, ok := place[name]
		if !ok {
			i = len(all)
			place[name], all = i, append(all, targetJSON{Name: name})
		}
		return &all[i]
	}
	for _, n := range names {
		at(ssh.Host{Name: n}.String())
	}
	for _, h := range held {
		t := at(h.Host)
		t.Held, t.Socket = &h.Since, h.Socket
	}
	return all, nil
}
