package guide

import (
	"net/http"
	"time"
)

// What a client is configured with to talk to the guide.
const (
	ModelName = "guide"
	BaseURL   = "http://guide.invalid/v1"
)

// Options are the guide's settings; the zero value is right for use.
type Options struct {
	// Pace is the pause between two pieces of a reply, for demonstrations; 0 is none.
	Pace time.Duration
}

// Guide is a responder inside the process. It is safe for concurrent use and keeps nothing
// between requests: all it knows is in the conversation.
type Guide struct {
	opts Options
}

// New returns a guide.
func New(opts Options) *Guide { return &Guide{opts: opts} }

// Transport returns what a client uses in place of the network.
func (g *Guide) Transport() http.RoundTripper { return g }

// Topics lists what the guide can look at, as questions an operator can ask.
func Topics() []string {
	list := make([]string, 0, len(known().Topics))
	for _, t := range known().Topics {
		list = append(list, t.Example)
	}
	return list
}
