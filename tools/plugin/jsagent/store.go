package jsagent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nod-console/nod/tools/plugin"
)

// Store is the folder of the agents that are installed, with what was accepted of each.
type Store struct{ Dir string }

// Installed is an agent in the store.
type Installed struct {
	Agent
	Fault string // why it is not run; empty if it is
}

func (s Store) plugins() plugin.Store { return plugin.Store{Dir: s.Dir} }

// All are the agents in the store, sorted by name, also those that are not run.
func (s Store) All() ([]Installed, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	pins, err := s.plugins().Accepted()
	if err != nil {
		return nil, err
	}
	var all []Installed
	for _, e := range entries {
		if !e.IsDir() || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		a, err := Read(filepath.Join(s.Dir, e.Name()))
		i := Installed{Agent: a}
		switch {
		case err != nil:
			i.Fault = err.Error()
		case a.Name != e.Name():
			i.Fault = fmt.Sprintf("%s calls it %q", ManifestName, a.Name)
		case pins[a.Name].Digest != a.Digest:
			i.Fault = fmt.Sprintf("it was changed since it was accepted; nod agent install %s shows it and asks again", a.Dir)
		}
		i.Name = e.Name()
		all = append(all, i)
	}
	return all, nil
}

// Find is the agent of a name, if it is as it was accepted.
func (s Store) Find(name string) (Agent, error) {
	all, err := s.All()
	if err != nil {
		return Agent{}, err
	}
	for _, i := range all {
		if i.Name != name {
			continue
		}
		if i.Fault != "" {
			return Agent{}, fmt.Errorf("the agent %s is not run: %s", name, i.Fault)
		}
		return i.Agent, nil
	}
	return Agent{}, fmt.Errorf("there is no agent %q; nod agent list shows which there are, and a folder is named with a slash: ./%s", name, name)
}

// Install puts an agent in its place, in place of one of the same name, and pins it.
func (s Store) Install(a Agent) error {
	return s.plugins().Install(plugin.Plugin{Manifest: plugin.Manifest{Name: a.Name}, Files: a.Files, Digest: a.Digest})
}

// Has reports, as an error, that there is no agent of that name in the store.
func (s Store) Has(name string) error {
	if err := s.plugins().Has(name); err != nil {
		return fmt.Errorf("there is no agent %q; nod agent list shows which there are", name)
	}
	return nil
}

// Remove takes an agent out of the store.
func (s Store) Remove(name string) error {
	if err := s.Has(name); err != nil {
		return err
	}
	return s.plugins().Remove(name)
}
