package tools

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Errors of Registry.Register.
var (
	ErrNoName    = errors.New("tool without a name")
	ErrBadName   = errors.New("no name of a tool: want small letters, digits, _ and -, a letter first, at most 64")
	ErrNameTaken = errors.New("tool name is taken")
)

// ValidName reports whether a tool can be called that: [a-z][a-z0-9_-]*, at most 64
// characters, which every server of models takes.
func ValidName(s string) bool {
	if s == "" || len(s) > 64 || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
}

// Registry is a set of tools by name. The zero value is empty and ready. Safe
// for concurrent use.
type Registry struct {
	mu    sync.RWMutex
	tools map[string]Tool
}

// Register adds t. After an error the registry is as it was.
func (r *Registry) Register(t Tool) error {
	name := t.Name()
	if name == "" {
		return ErrNoName
	}
	if !ValidName(name) {
		return fmt.Errorf("%q: %w", name, ErrBadName)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.tools[name]; taken {
		return fmt.Errorf("%w: %q", ErrNameTaken, name)
	}
	if r.tools == nil {
		r.tools = map[string]Tool{}
	}
	r.tools[name] = t
	return nil
}

// Unregister removes the tool of that name, if there is one.
func (r *Registry) Unregister(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.tools, name)
}

// Get returns the tool of that name.
func (r *Registry) Get(name string) (Tool, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	t, ok := r.tools[name]
	return t, ok
}

// All returns the tools sorted by name, in a fresh slice.
func (r *Registry) All() []Tool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	all := make([]Tool, 0, len(r.tools))
	for _, t := range r.tools {
		all = append(all, t)
	}
	slices.SortFunc(all, func(a, b Tool) int { return strings.Compare(a.Name(), b.Name()) })
	return all
}
