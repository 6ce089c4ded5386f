package process

import (
	"os"
	"sync"
)

// Environment is the environment that nod was started with. Its secrets are kept here alone:
// no program that nod starts, by whatever part of it, finds them in its own. The zero value
// hides nothing; it is safe for concurrent use.
type Environment struct {
	mu   sync.Mutex
	kept map[string]string
}

// Get is the value of a variable, hidden or not; empty if it is not set.
func (e *Environment) Get(name string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if value, ok := e.kept[name]; ok {
		return value
	}
	return os.Getenv(name)
}

// Hide takes variables out of what programs get.
func (e *Environment) Hide(names ...string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, name := range names {
		if value, ok := os.LookupEnv(name); ok && os.Unsetenv(name) == nil {
			if e.kept == nil {
				e.kept = map[string]string{}
			}
			e.kept[name] = value
		}
	}
}
