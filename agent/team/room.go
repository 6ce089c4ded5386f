package team

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"
)

// Limits of a room.
const (
	MaxText    = 4_000 // characters of a message or a note
	MaxWaiting = 100   // messages that a member has not read
	MaxNotes   = 200   // notes in all namespaces
)

// Everybody is whom a message to all others goes to.
const Everybody = "*"

// Message is what one member says to another one.
type Message struct {
	From string `json:"from"`
	To   string `json:"to"` // a member, or Everybody
	Text string `json:"text"`
}

// Room is where the members of a team meet.
type Room struct {
	members []string

	mu      sync.Mutex
	waiting map[string][]Message         // by member
	notes   map[string]map[string]string // by namespace and key
}

// NewRoom returns an empty room.
func NewRoom(members ...string) *Room {
	return &Room{members: slices.Clone(members), waiting: map[string][]Message{}, notes: map[string]map[string]string{}}
}

// Send puts a message where those that it is for find it. After an error nobody does.
func (r *Room) Send(m Message) error {
	to := []string{m.To}
	if m.To == Everybody {
		to = slices.DeleteFunc(slices.Clone(r.members), func(name string) bool { return name == m.From })
	}
	if err := fits(m.Text); err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, name := range to {
		switch {
		case !slices.Contains(r.members, name):
			return fmt.Errorf("there is no member %q", name)
		case len(r.waiting[name]) >= MaxWaiting:
			return fmt.Errorf("%s has %d messages that it has not read", name, MaxWaiting)
		}
	}
	for _, name := range to {
		r.waiting[name] = append(r.waiting[name], m)
	}
	return nil
}

// Read takes the messages of a member, in the order in which they were sent.
func (r *Room) Read(member string) []Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := r.waiting[member]
	delete(r.waiting, member)
	return all
}

// Put keeps a note in a namespace, in place of the one of that key.
func (r *Room) Put(namespace, key, text string) error {
	if namespace == "" || key == "" {
		return fmt.Errorf("a note has a namespace and a key, not %q and %q", namespace, key)
	}
	for _, part := range []string{namespace, key, text} {
		if err := fits(part); err != nil {
			return err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	count := 0
	for _, notes := range r.notes {
		count += len(notes)
	}
	if _, there := r.notes[namespace][key]; !there && count >= MaxNotes {
		return fmt.Errorf("there are %d notes already, and that is all there may be", MaxNotes)
	}
	if r.notes[namespace] == nil {
		r.notes[namespace] = map[string]string{}
	}
	r.notes[namespace][key] = text
	return nil
}

// Notes are those of a namespace, by key.
func (r *Room) Notes(namespace string) map[string]string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.notes[namespace])
}

func fits(text string) error {
	if n := utf8.RuneCountInString(text); n > MaxText {
		return fmt.Errorf("%d characters are more than %d", n, MaxText)
	}
	return nil
}
