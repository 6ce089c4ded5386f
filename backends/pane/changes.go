package pane

import "sync"

// Changes returns a channel that holds a value whenever, since it was last
// read, a pane has come or gone, or has got another [Pane.ID] or [Pane.Name]. What there
// is now, [Keeper.List] tells. However slow its reader is, nothing waits for it.
// cancel ends the subscription.
func (k *Keeper) Changes() (changed <-chan struct{}, cancel func()) {
	return k.roll.subscribe()
}

// roll tells of the panes that come and go. The zero value is ready for use.
type roll struct {
	mu   sync.Mutex
	subs map[chan struct{}]struct{}
}

func (r *roll) subscribe() (changed <-chan struct{}, cancel func()) {
	ch := make(chan struct{}, 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.subs == nil {
		r.subs = map[chan struct{}]struct{}{}
	}
	r.subs[ch] = struct{}{}
	return ch, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.subs, ch)
	}
}

// changed is called after each change. It does not block.
func (r *roll) changed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for ch := range r.subs {
		select {
		case ch <- struct{}{}:
		default:
		}
	}
}
