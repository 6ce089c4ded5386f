package ssh

import (
	"context"
	"sync"
)

// loginsAtOnce is how many logins to one server may be under way: sshd begins to
// refuse some at ten (MaxStartups), and others may log in, too.
const loginsAtOnce = 8

// Limit bounds how many logins to one server are under way at once. It is safe for
// concurrent use.
type Limit struct {
	mu      sync.Mutex
	servers map[string]chan struct{} // by address; each has room for so many
}

// NewLimit makes a limit that several [Options] can share.
func NewLimit() *Limit { return &Limit{servers: map[string]chan struct{}{}} }

// take waits until a login to a server may begin; done says that it is over.
func (l *Limit) take(ctx context.Context, address string) (done func(), err error) {
	if l == nil {
		return func() {}, nil
	}
	l.mu.Lock()
	room := l.servers[address]
	if room == nil {
		room = make(chan struct{}, loginsAtOnce)
		l.servers[address] = room
	}
	l.mu.Unlock()
	select {
	case room <- struct{}{}:
		return func() { <-room }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
