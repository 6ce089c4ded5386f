package console

import (
	"sync"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
)

// mailbox takes what other goroutines have for the pump. Putting never blocks
// and never fails. Mail is taken out in the order in which it came, except that
// of states that only count as they are now the latest alone is kept.
type mailbox struct {
	wake chan struct{} // holds one: there is mail

	mu     sync.Mutex
	closed bool
	now    mail
}

// mail is what the mailbox holds.
type mail struct {
	letters []any           // in order
	screens map[string]bool // ids of panes that changed
	asked   bool            // the queue of approvals or of questions changed
}

// Letters, besides those that are agent events of a turn.
type (
	turnEvent struct{ event agent.Event }
	turnEnded struct{ err error }
	prompted  struct{ text string } // said in an earlier conversation
	noted     struct{ text string }
	failed    struct{ text, hint string }
	postured  struct{ posture string }
	targeted  struct{ target TargetStatus }
	alarmed   struct {
		text  string
		grave bool
	}
	cleared   struct{}
	relisted  struct{}
	offered   struct{ resume *Resume }
	paneAdded struct{ pane Pane }
	paneGone  struct{ id string }
	voided    struct{ request, why string }
	reverting struct{ news agent.Reverting }
	modelled  struct{ model ModelStatus }
	unsteered struct{ text string } // the turn is over already
	looked    struct {
		request string
		held    bool // it comes of a held run
		found   []policy.Look
	}
	panicked struct {
		value any
		stack []byte
	}
)

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

// put adds a letter. Text that follows text of the same kind is joined to it.
func (m *mailbox) put(letter any) {
	m.change(func(now *mail) {
		if n := len(now.letters); n > 0 {
			if joined, ok := join(now.letters[n-1], letter); ok {
				now.letters[n-1] = joined
				return
			}
		}
		now.letters = append(now.letters, letter)
	})
}

// pieces is text that is still being joined.
type pieces struct {
	reasoning bool
	text      []byte
}

// join adds a piece of text to the letter before it.
func join(before, letter any) (joined any, ok bool) {
	next, ok := piecesOf(letter)
	if !ok {
		return nil, false
	}
	if p, is := before.(*pieces); is {
		if p.reasoning != next.reasoning {
			return nil, false
		}
		p.text = append(p.text, next.text...)
		return p, true
	}
	if p, is := piecesOf(before); is && p.reasoning == next.reasoning {
		p.text = append(p.text, next.text...)
		return p, true
	}
	return nil, false
}

func piecesOf(letter any) (*pieces, bool) {
	if e, ok := letter.(turnEvent); ok {
		switch e := e.event.(type) {
		case agent.Text:
			return &pieces{false, []byte(e.Text)}, true
		case agent.Reasoning:
			return &pieces{true, []byte(e.Text)}, true
		}
	}
	return nil, false
}

func (p *pieces) event() agent.Event {
	if p.reasoning {
		return agent.Reasoning{Text: string(p.text)}
	}
	return agent.Text{Text: string(p.text)}
}

// changedPane says that a pane's screen is new.
func (m *mailbox) changedPane(id string) {
	m.change(func(now *mail) {
		if now.screens == nil {
			now.screens = map[string]bool{}
		}
		now.screens[id] = true
	})
}

// changedQueue says that the queue of approvals, or that of questions, is new.
func (m *mailbox) changedQueue() { m.change(func(now *mail) { now.asked = true }) }

func (m *mailbox) change(change func(*mail)) {
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return
	}
	change(&m.now)
	m.mu.Unlock()
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// take empties the mailbox.
func (m *mailbox) take() mail {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := m.now
	m.now = mail{}
	return all
}

// close makes the mailbox ignore everything that comes.
func (m *mailbox) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.now = mail{}
}
