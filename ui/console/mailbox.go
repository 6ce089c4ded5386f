package console

import (
	"sync"

	"github.com/nod-console/nod/agent"
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
	letters []letter        // in order
	screens map[string]bool // ids of panes that changed
	asked   bool            // the queue of approvals or of questions changed
}

func newMailbox() *mailbox { return &mailbox{wake: make(chan struct{}, 1)} }

// put adds a letter. Text that follows text of the same kind is joined to it.
func (m *mailbox) put(l letter) {
	m.change(func(now *mail) {
		if n := len(now.letters); n > 0 {
			if joined, ok := join(now.letters[n-1], l); ok {
				now.letters[n-1] = joined
				return
			}
		}
		now.letters = append(now.letters, l)
	})
}

// pieces is text that is still being joined.
type pieces struct {
	reasoning bool
	text      []byte
}

// join adds a piece of text to the letter before it.
func join(before, l letter) (joined letter, ok bool) {
	next, ok := piecesOf(l)
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

func piecesOf(l letter) (*pieces, bool) {
	if e, ok := l.(turnEvent); ok {
		switch e := e.event.(type) {
		case agent.Text:
			return &pieces{false, []byte(e.Text)}, true
		case agent.Reasoning:
			return &pieces{true, []byte(e.Text)}, true
		}
	}
	return nil, false
}

func (p *pieces) arrive(c *Console) { c.chat.Event(p.event()) }

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
