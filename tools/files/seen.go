package files

import (
	"sync"

	"github.com/nod-console/nod/backends"
)

// Seen remembers which content of which file the model has seen. One belongs
// to each conversation. The zero value has seen nothing. Safe for concurrent
// use.
type Seen struct {
	mu    sync.Mutex
	files map[fileName]backends.Version
}

type fileName struct{ target, path string }

// note remembers the content that a file was seen to have.
func (s *Seen) note(target, path string, v backends.Version) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.files == nil {
		s.files = map[fileName]backends.Version{}
	}
	s.files[fileName{target, path}] = v
}

// last is the content that the model saw last.
func (s *Seen) last(target, path string) (backends.Version, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.files[fileName{target, path}]
	return v, ok
}

// Forget forgets everything, for a new conversation.
func (s *Seen) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.files)
}
