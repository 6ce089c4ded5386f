package plugin

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Store is the folder of the plugins that are installed, with what was accepted of each.
type Store struct{ Dir string }

const pinsName = "accepted.json"

// Installed is a plugin in the store.
type Installed struct {
	Plugin
	Accepted Accepted
	Fault    string // why it is not loaded; empty if it is
}

// Accepted is what the operator has accepted of a plugin. It holds what nod has to know of
// one that is changed, damaged or gone.
type Accepted struct {
	Digest   string   `json:"digest"`
	Hooks    []string `json:"hooks,omitempty"`    // events that its hooks are told of
	Required []string `json:"required,omitempty"` // of those, where it denies that it is not there
}

// All are the plugins in the store, sorted by name, also those that are not loaded.
func (s Store) All() ([]Installed, error) {
	entries, err := os.ReadDir(s.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	pins, err := s.Accepted()
	if err != nil {
		return nil, err
	}
	var all []Installed
	for name, pin := range pins {
		if s.Has(name) != nil {
			all = append(all, Installed{
				Plugin: Plugin{Manifest: Manifest{Name: name}}, Accepted: pin,
				Fault: "its folder is gone; nod plugin remove " + name + " forgets it, and nod plugin install brings it back",
			})
		}
	}
	for _, e := range entries {
		if !e.IsDir() || e.Name()[0] == '.' {
			continue
		}
		p, err := Read(filepath.Join(s.Dir, e.Name()))
		i := Installed{Plugin: p, Accepted: pins[e.Name()]}
		switch {
		case err != nil:
			i.Fault = err.Error()
		case p.Name != e.Name():
			i.Fault = fmt.Sprintf("%s calls it %q", ManifestName, p.Name)
		case i.Accepted.Digest != p.Digest:
			i.Fault = fmt.Sprintf("it was changed since it was accepted; nod plugin install %s shows it and asks again", p.Dir)
		}
		i.Name = e.Name()
		all = append(all, i)
	}
	slices.SortFunc(all, func(a, b Installed) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Install puts a plugin in its place, in place of one of the same name, and pins it.
func (s Store) Install(p Plugin) error {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	fresh, err := os.MkdirTemp(s.Dir, ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(fresh) //nolint:errcheck // nothing is in it when all went well
	for name, text := range p.Files {
		to := filepath.Join(fresh, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return err
		}
	}
	at := filepath.Join(s.Dir, p.Name)
	before := fresh + ".before" // a name with a dot: no plugin
	switch err := os.Rename(at, before); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return err
	default:
		defer os.RemoveAll(before) //nolint:errcheck // it is no plugin any more
	}
	if err := os.Rename(fresh, at); err != nil {
		return err
	}
	return s.pin(func(pins map[string]Accepted) {
		pins[p.Name] = Accepted{Digest: p.Digest, Hooks: p.Permissions.Hooks, Required: p.Permissions.Required}
	})
}

// Has reports, as an error, that there is no plugin of that name in the store.
func (s Store) Has(name string) error {
	info, err := os.Lstat(filepath.Join(s.Dir, filepath.Base(name)))
	if err != nil || !info.IsDir() || filepath.Base(name) != name || strings.HasPrefix(name, ".") {
		return fmt.Errorf("there is no plugin %q; nod plugin list shows which there are", name)
	}
	return nil
}

// Knows reports, as an error, that a plugin of that name is neither in the store nor was
// accepted.
func (s Store) Knows(name string) error {
	err := s.Has(name)
	if err == nil {
		return nil
	}
	pins, broken := s.Accepted()
	if _, there := pins[name]; there {
		return nil
	}
	return errors.Join(err, broken)
}

// Remove takes a plugin out of the store.
func (s Store) Remove(name string) error {
	if err := s.Knows(name); err != nil {
		return err
	}
	if s.Has(name) == nil {
		if err := os.RemoveAll(filepath.Join(s.Dir, name)); err != nil {
			return err
		}
	}
	return s.pin(func(pins map[string]Accepted) { delete(pins, name) })
}

// Accepted is what was accepted, by the plugins' names.
func (s Store) Accepted() (map[string]Accepted, error) {
	pins := map[string]Accepted{}
	text, err := os.ReadFile(filepath.Join(s.Dir, pinsName))
	if errors.Is(err, fs.ErrNotExist) {
		return pins, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &pins); err != nil {
		return nil, fmt.Errorf("%s: %w; remove it, and install the plugins again", filepath.Join(s.Dir, pinsName), err)
	}
	return pins, nil
}

func (s Store) pin(change func(map[string]Accepted)) error {
	pins, err := s.Accepted()
	if err != nil {
		return err
	}
	change(pins)
	text, err := json.MarshalIndent(pins, "", "  ")
	if err != nil {
		return err
	}
	at := filepath.Join(s.Dir, pinsName)
	if err := os.WriteFile(at+".new", append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(at+".new", at)
}
