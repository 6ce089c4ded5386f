package layouts

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/nod-console/nod/ui/console"
)

const (
	// FileName is that of the file in the state folder.
	FileName = "layouts.json"
	// version is that of the file's form.
	version = 1
	// mostSets and mostTargets bound what is kept; what was not used for the longest time
	// goes first.
	mostSets, mostTargets = 64, 512
	// maxFile bounds what is read, in bytes.
	maxFile = 1 << 20
)

// Known is what was found out about a target when it was connected last.
type Known struct {
	When    time.Time `json:"when"`
	Address string    `json:"address,omitempty"`
	System  string    `json:"system,omitempty"`
}

// Terminal is a terminal that the operator has opened, by its target and its name there.
type Terminal struct {
	Target string `json:"target"`
	Name   string `json:"name"`
}

// set is what is kept for a set of targets.
type set struct {
	Targets   []string       `json:"targets"` // sorted
	Used      time.Time      `json:"used"`
	Layout    console.Layout `json:"layout"`
	Terminals []Terminal     `json:"terminals,omitempty"`
}

// content is the content of the file.
type content struct {
	Version   int              `json:"version"`
	Sets      []*set           `json:"sets"`
	Connected map[string]Known `json:"connected"`
}

// Store is the file and what it has. Safe for concurrent use; nothing but Write and Open
// touches the disk.
type Store struct {
	path string
	now  func() time.Time

	mu    sync.Mutex
	has   content
	dirty bool

	writing sync.Mutex // held while the file is written
}

// Open reads the store of a state folder.
func Open(state string, now func() time.Time) *Store {
	s := &Store{path: filepath.Join(state, FileName), now: now}
	s.has = read(s.path)
	return s
}

// read is what a file has, as far as it makes sense.
func read(path string) content {
	empty := content{Version: version, Connected: map[string]Known{}}
	file, err := os.Open(path)
	if err != nil {
		return empty
	}
	defer file.Close() //nolint:errcheck // it was only read
	page, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	var c content
	if err != nil || len(page) > maxFile || json.Unmarshal(page, &c) != nil || c.Version != version {
		return empty
	}
	c.Sets = slices.DeleteFunc(c.Sets, func(s *set) bool { return s == nil || !slices.IsSorted(s.Targets) })
	if c.Connected == nil {
		c.Connected = empty.Connected
	}
	return c
}

// of is what is kept for a set of targets, or nil. s.mu is held.
func (s *Store) of(targets []string) *set {
	sorted := slices.Sorted(slices.Values(targets))
	for _, one := range s.has.Sets {
		if slices.Equal(one.Targets, sorted) {
			return one
		}
	}
	return nil
}

// change changes what is kept for a set of targets.
func (s *Store) change(targets []string, change func(*set)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.of(targets)
	if one == nil {
		one = &set{Targets: slices.Sorted(slices.Values(targets))}
		s.has.Sets = append(s.has.Sets, one)
	}
	change(one)
	one.Used, s.dirty = s.now().UTC(), true
	if len(s.has.Sets) > mostSets {
		slices.SortStableFunc(s.has.Sets, func(a, b *set) int { return b.Used.Compare(a.Used) })
		s.has.Sets = s.has.Sets[:mostSets]
	}
}

// Layout is how the screen was divided for a set of targets.
func (s *Store) Layout(targets []string) (console.Layout, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.of(targets); one != nil {
		return one.Layout, true
	}
	return console.Layout{}, false
}

// SetLayout says how the screen is divided for a set of targets.
func (s *Store) SetLayout(targets []string, l console.Layout) {
	s.change(targets, func(one *set) { one.Layout = l })
}

// Terminals are those of the operator's own for a set of targets.
func (s *Store) Terminals(targets []string) []Terminal {
	s.mu.Lock()
	defer s.mu.Unlock()
	if one := s.of(targets); one != nil {
		return slices.Clone(one.Terminals)
	}
	return nil
}

// SetTerminals says which terminals are the operator's own for a set of targets.
func (s *Store) SetTerminals(targets []string, all []Terminal) {
	s.change(targets, func(one *set) { one.Terminals = slices.Clone(all) })
}

// Connected notes that a target is connected now, and what is known of it.
func (s *Store) Connected(target, address, system string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.has.Connected[target], s.dirty = Known{s.now().UTC(), address, system}, true
	for len(s.has.Connected) > mostTargets {
		oldest := target
		for name, k := range s.has.Connected {
			if k.When.Before(s.has.Connected[oldest].When) {
				oldest = name
			}
		}
		delete(s.has.Connected, oldest)
	}
}

// LastConnected is what is known of targets since they were connected last.
func (s *Store) LastConnected() map[string]Known {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.has.Connected)
}

// Write writes the file if something has changed. The file has either what was there
// before or all of the new.
func (s *Store) Write() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	if !s.dirty {
		s.mu.Unlock()
		return nil
	}
	s.dirty = false
	page, err := json.MarshalIndent(s.has, "", "  ")
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("layouts: %w", err)
	}
	file, err := os.CreateTemp(filepath.Dir(s.path), ".layouts-*") // made with mode 0600
	if err != nil {
		return fmt.Errorf("layouts: %w", err)
	}
	_, err = file.Write(append(page, '\n'))
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), s.path)
	}
	if err != nil {
		return fmt.Errorf("layouts: %w", errors.Join(err, os.Remove(file.Name())))
	}
	return nil
}
