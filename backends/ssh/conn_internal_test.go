package ssh

import (
	"errors"
	"fmt"
	"testing"

	"github.com/nod-console/nod/backends"
)

// A lost connection is closed, too. What was going on over it then says that it was lost,
// and not that somebody has closed it: callers may get over a loss.
func TestALostConnectionThatIsClosedIsLost(t *testing.T) {
	lost := &Conn{closing: make(chan struct{}), down: make(chan struct{}), downErr: fmt.Errorf("ssh: %w: reset", ErrLost)}
	close(lost.down)
	close(lost.closing)
	for range 100 { // both are ready, and either may be chosen
		if err := lost.isClosed(); !errors.Is(err, ErrLost) || !errors.Is(err, backends.ErrUnreachable) {
			t.Fatal(err)
		}
	}
	closing := &Conn{closing: make(chan struct{}), down: make(chan struct{})}
	close(closing.closing)
	if err := closing.isClosed(); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// Who holds the connection says that they are there when the server has not answered yet:
// what it has sent may still be on its way.
func TestASignOfLifeIsNoAnswer(t *testing.T) {
	server := &lateServer{}
	(&Conn{link: server}).caughtUp()
	if server.asked != 4 { // and once more, as each time
		t.Errorf("asked %d times", server.asked)
	}
}

// lateServer answers the third question.
type lateServer struct {
	link
	asked int
}

func (l *lateServer) ping() (all bool, err error) {
	l.asked++
	return l.asked >= 3, nil
}
