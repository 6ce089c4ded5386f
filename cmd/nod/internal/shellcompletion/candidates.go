package shellcompletion

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// Candidates finds what there is.
type Candidates struct {
	Config func() (*config.Config, error)
	Getenv func(string) string
}

// Targets are the targets that nod targets lists, hosts also without "ssh:" once
// a letter is written, and containers once their kind is.
func (c *Candidates) Targets(ctx context.Context, word string) (names []cobra.Completion, err error) {
	for _, kind := range []docker.Kind{docker.Docker, docker.Podman} {
		if strings.HasPrefix(word, string(kind)+":") {
			return c.containers(ctx, kind)
		}
	}
	names = append(names, described(local.Name, "this machine"))
	hosts, err := c.Hosts(ctx, "")
	for _, h := range hosts {
		names = append(names, "ssh:"+h)
	}
	if word != "" {
		names = append(names, hosts...)
	}
	return names, err
}

// listTime is how long an engine may take to list its containers.
const listTime = 3 * time.Second

func (c *Candidates) containers(ctx context.Context, kind docker.Kind) (names []cobra.Completion, err error) {
	conf, err := c.Config()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, listTime)
	defer cancel()
	engine, err := docker.Find(ctx, docker.Settings{Kind: kind, Host: conf.Docker.Host, Context: conf.Docker.Context, Getenv: c.Getenv})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	all, err := engine.List(ctx)
	for _, one := range all {
		names = append(names, described(string(kind)+":"+one.Name, one.Image+" "+one.Status))
	}
	return names, err
}

// Hosts are the hosts of ssh_config and those that a connection is held to.
func (c *Candidates) Hosts(ctx context.Context, _ string) (names []cobra.Completion, err error) {
	conf, err := c.Config()
	if err != nil {
		return nil, err
	}
	l, err := targets.NewConnections(conf, c.Getenv)
	if err != nil {
		return nil, err
	}
	names, err = ssh.Names(l.SSHOptions())
	if err != nil {
		return nil, err
	}
	held, err := l.Folder.List(ctx)
	for _, h := range held {
		if name := strings.TrimPrefix(h.Host, "ssh:"); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// Models are the models of the configuration.
func (c *Candidates) Models(context.Context, string) (names []cobra.Completion, err error) {
	conf, err := c.Config()
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(conf.Models)) {
		names = append(names, described(name, conf.Models[name].Model))
	}
	return names, nil
}

// inHistory reads the conversations, if there are any, and changes nothing.
func (c *Candidates) inHistory(ctx context.Context, f func(*history.Store) error) error {
	state, err := config.StatePath(c.Getenv)
	if err != nil {
		return err
	}
	s, err := history.Open(ctx, config.HistoryDir(state), history.Options{ReadOnly: true})
	if errors.Is(err, history.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(f(s), s.Close())
}

// Conversations are the conversations that are kept.
func (c *Candidates) Conversations(ctx context.Context, _ string) (names []cobra.Completion, err error) {
	err = c.inHistory(ctx, func(s *history.Store) error {
		all, err := s.List(ctx, 0)
		for _, one := range all {
			names = append(names, described(one.ID, one.Title))
		}
		return err
	})
	return names, err
}

// Patterns are the patterns that were learned.
func (c *Candidates) Patterns(ctx context.Context, _ string) (names []cobra.Completion, err error) {
	err = c.inHistory(ctx, func(s *history.Store) error {
		all, err := s.Patterns(ctx, "", false)
		for _, p := range all {
			names = append(names, described(p.ID, p.Step.Action))
		}
		return err
	})
	return names, err
}

// Skills are the skills that are found.
func (c *Candidates) Skills(ctx context.Context, _ string) (names []cobra.Completion, err error) {
	conf, err := c.Config()
	if err != nil {
		return nil, err
	}
	state, err := config.StatePath(c.Getenv)
	if err != nil {
		return nil, err
	}
	k := app.NewGuidance(conf, c.Getenv, state, nil, func(string) {}) // what is wrong with a folder, its own commands say
	k.Read(ctx)
	for _, s := range k.Catalog().All() {
		names = append(names, described(s.Name, s.Description))
	}
	return names, nil
}

// Recordings are the recordings of panes, the newest first.
func (c *Candidates) Recordings(context.Context, string) (names []cobra.Completion, err error) {
	state, err := config.StatePath(c.Getenv)
	if err != nil {
		return nil, err
	}
	all, err := recording.List(config.RecordingsDir(state))
	for _, f := range slices.Backward(all) {
		names = append(names, described(f.Name, f.Target+" "+f.Started.Local().Format(time.DateTime)))
	}
	return names, err
}

// Runs are the runs that can be played, the newest first.
func (c *Candidates) Runs(context.Context, string) (names []cobra.Completion, err error) {
	state, err := config.StatePath(c.Getenv)
	if err != nil {
		return nil, err
	}
	err = ledger.Read(config.LedgerDir(state), func(r ledger.Record) error {
		if r.Intent != nil && r.Intent.Recording != nil {
			names = append(names, described(record.Short(r.Intent.ID), r.Intent.Target+": "+r.Intent.Command))
		}
		return nil
	})
	slices.Reverse(names)
	if errors.Is(err, ledger.ErrNone) {
		err = nil
	}
	return names, err
}
