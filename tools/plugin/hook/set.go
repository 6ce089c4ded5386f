package hook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nod-console/nod/tools/plugin/harmless"
)

// Kinds of what is put on record.
const (
	KindDenied = "hook denied"
	KindNote   = "hook note"
	KindFailed = "hook failed"
)

// Options are what a set works with. Nil functions are not called.
type Options struct {
	// Record puts on record what a hook has said, or that it failed.
	Record func(kind, text string)
	// Tell tells the operator, in a sentence, that a hook has failed.
	Tell func(text string)
}

// Set is all hooks, by whose they are. Safe for concurrent use; the zero value and nil
// have none.
type Set struct {
	o Options

	mu     sync.Mutex
	owners []string // in the order in which their hooks are asked
	hooks  map[string][]Hook
	faults map[string]string // by name, why a hook failed last; none: it did not

	beginning sync.Mutex // held while session_start goes on
	begun     atomic.Bool
}

// New returns a set without hooks.
func New(o Options) *Set {
	return &Set{o: o, hooks: map[string][]Hook{}, faults: map[string]string{}}
}

// Replace puts hooks in the place of all that owner has; there is no moment without either.
func (s *Set) Replace(owner string, hooks ...Hook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.hooks[owner] {
		delete(s.faults, h.Name)
	}
	if !slices.Contains(s.owners, owner) {
		s.owners = append(s.owners, owner)
	}
	s.hooks[owner] = hooks
}

// Said is what hooks say of an event.
type Said struct {
	// Deny is why not, with the name of the hook that denies; empty: none does.
	Deny string
	// Notes have the names of their hooks before them.
	Notes []string
}

// Run puts an event before the hooks that want it, one after the other, in the order in
// which they were added. The first that denies ends it. A hook's failure counts only if
// ctx has not ended; who calls looks at ctx itself.
func (s *Set) Run(ctx context.Context, e Event) Said {
	var said Said
	for _, h := range s.of(e.Event) {
		answer, err := ask(ctx, h, e)
		if ctx.Err() != nil {
			said.Deny = "interrupted"
			return said
		}
		s.note(h, e, answer, err)
		who := "hook " + h.Name
		switch {
		case err != nil && h.requires(e.Event):
			said.Deny = fmt.Sprintf("%s is required and failed: %s", who, harmless.Line(err.Error(), mostDeny))
		case err != nil:
			continue
		case answer.Deny != "":
			said.Deny = who + ": " + answer.Deny
		}
		if answer.Note != "" {
			if s.o.Tell != nil && (e.Event == SessionStart || e.Event == RunEnded) {
				s.o.Tell(who + ": " + answer.Note) // nobody else does
			}
			said.Notes = append(said.Notes, who+": "+answer.Note)
		}
		if said.Deny != "" {
			return said
		}
	}
	return said
}

// ask is what a hook answers in its time. It is an error to deny what has ended already.
func ask(ctx context.Context, h Hook, e Event) (Answer, error) {
	limited, cancel := context.WithTimeoutCause(ctx, h.Timeout, fmt.Errorf("it did not answer within %s", h.Timeout))
	defer cancel()
	answer, err := h.Call(limited, e)
	if err != nil && limited.Err() != nil {
		err = context.Cause(limited)
	}
	if err == nil && answer.Deny != "" && e.Event == RunEnded {
		err = errors.New("it denies what has ended already")
	}
	return answer, err
}

// Begin puts session_start before the hooks, unless that was done and none has denied it.
// Callers wait for one another.
func (s *Set) Begin(ctx context.Context) Said {
	if s == nil || s.begun.Load() {
		return Said{}
	}
	s.beginning.Lock()
	defer s.beginning.Unlock()
	if s.begun.Load() {
		return Said{}
	}
	said := s.Run(ctx, Event{Event: SessionStart})
	s.begun.Store(said.Deny == "")
	return said
}

// of are the hooks that want an event.
func (s *Set) of(event string) []Hook {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Hook
	for _, owner := range s.owners {
		for _, h := range s.hooks[owner] {
			if h.wants(event) {
				all = append(all, h)
			}
		}
	}
	return all
}

// Wanted reports whether a hook wants an event.
func (s *Set) Wanted(event string) bool { return len(s.of(event)) > 0 }

// Required reports whether a hook that wants an event is required there.
func (s *Set) Required(event string) bool {
	return slices.ContainsFunc(s.of(event), func(h Hook) bool { return h.requires(event) })
}

// note puts on record what a hook has said. Its failure is told if it is another one than
// the last time.
func (s *Set) note(h Hook, e Event, a Answer, err error) {
	about := h.Name + " (" + strings.TrimSpace(e.Event+" "+e.Call) + ")"
	if err == nil {
		s.mu.Lock()
		delete(s.faults, h.Name)
		s.mu.Unlock()
		if a.Deny != "" {
			s.record(KindDenied, about+": "+a.Deny)
		}
		if a.Note != "" {
			s.record(KindNote, about+": "+a.Note)
		}
		return
	}
	text := harmless.Line(err.Error(), mostDeny)
	s.mu.Lock()
	known := s.faults[h.Name] == text
	s.faults[h.Name] = text
	s.mu.Unlock()
	if errors.Is(err, ErrAbsent) && !h.requires(e.Event) {
		return
	}
	s.record(KindFailed, about+": "+text)
	if !known && s.o.Tell != nil && !h.requires(e.Event) {
		s.o.Tell(fmt.Sprintf("the hook %s failed at %s: %s", h.Name, e.Event, text))
	}
}

func (s *Set) record(kind, text string) {
	if s.o.Record != nil {
		s.o.Record(kind, text)
	}
}

// Status is how a hook stands.
type Status struct {
	Name     string
	Events   []string
	Required []string
	Timeout  time.Duration
	Fault    string // why it failed last; empty if it did not
}

// Line is the status in a line.
func (s Status) Line() string {
	var events []string
	for _, e := range s.Events {
		if slices.Contains(s.Required, e) {
			e += " (required)"
		}
		events = append(events, e)
	}
	line := s.Name + ": " + strings.Join(events, ", ")
	if s.Fault != "" {
		line += "; failed: " + s.Fault
	}
	return line
}

// Statuses are how the hooks stand, in the order in which they are asked.
func (s *Set) Statuses() []Status {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Status
	for _, owner := range s.owners {
		for _, h := range s.hooks[owner] {
			all = append(all, Status{h.Name, h.Events, h.Required, h.Timeout, s.faults[h.Name]})
		}
	}
	return all
}
