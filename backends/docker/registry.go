package docker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Registry knows the containers of an engine at any moment. It asks for nothing
// on a clock: the engine tells what happens. It is safe for concurrent use.
type Registry struct {
	engine Engine
	cancel context.CancelFunc
	done   chan struct{}
	dirty  chan struct{} // has room for one wish to list again

	mu      sync.Mutex
	list    []Container
	touched map[string]bool // the ids of events that no list has followed
	last    time.Time       // of the newest event
	ended   map[string]time.Time
	lost    error
	changed chan struct{}
}

const (
	// gather is how long events are waited for before the containers are listed
	// again: one start is several events.
	gather = 20 * time.Millisecond
	// staleTries is how often the engine is asked for a list that is not older
	// than what it said itself, with longer and longer pauses.
	staleTries = 5
	// retryFirst and retryMost are the pauses between attempts at an engine that
	// is away.
	retryFirst, retryMost = 200 * time.Millisecond, 5 * time.Second
)

// Watch begins to watch an engine. It ends with Close; ctx bounds the beginning
// only.
func Watch(ctx context.Context, e Engine) (*Registry, error) {
	r := &Registry{engine: e, done: make(chan struct{}), dirty: make(chan struct{}, 1), changed: make(chan struct{}), touched: map[string]bool{}, ended: map[string]time.Time{}}
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r.cancel = cancel
	listening := make(chan struct{})
	var once sync.Once
	var running sync.WaitGroup
	running.Go(func() { r.listen(life, func() { once.Do(func() { close(listening) }) }) })
	go func() {
		running.Wait()
		close(r.done)
	}()
	select {
	case <-listening:
	case <-ctx.Done():
	}
	if err := r.refresh(ctx); err != nil {
		_ = r.Close() // it gives none
		return nil, fmt.Errorf("docker: list the containers: %w", err)
	}
	running.Go(func() { r.follow(life) })
	return r, nil
}

// List returns the containers, sorted by name. The slice is the caller's.
func (r *Registry) List() []Container {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.list)
}

// Get returns the container of a name or id.
func (r *Registry) Get(name string) (Container, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	i := slices.IndexFunc(r.list, func(c Container) bool { return c.Name == name || c.ID == name })
	if i < 0 {
		return Container{}, false
	}
	return r.list[i], true
}

// Changed returns a channel that is closed at the next change of List or Err.
func (r *Registry) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

// Ended is when a container has ended last, by the engine's own clock; zero if
// that was not seen. All that it had printed is in its log by then, so what is
// later is of its next life. (StartedAt is not: a program may have printed before
// the engine has written down that it runs.)
func (r *Registry) Ended(id string) time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended[id]
}

// Err is why the engine is not heard at the moment, or nil. List is what was
// known last then.
func (r *Registry) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lost
}

// Close ends the watch. The engine stays open.
func (r *Registry) Close() error {
	r.cancel()
	<-r.done
	return nil
}

// listen hears events, and again after the engine was away: from the last one
// on, and with a new list, so that nothing is missed.
func (r *Registry) listen(ctx context.Context, listening func()) {
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		began := time.Now()
		err := r.engine.Events(ctx, r.since(), func() {
			listening()
			r.wish()
		}, func(e Event) {
			r.mu.Lock()
			if e.Time.After(r.last) {
				r.last = e.Time
			}
			r.touched[e.ID] = true
			switch e.Action {
			case "die":
				r.ended[e.ID] = e.Time
			case "destroy", "remove":
				delete(r.ended, e.ID)
			}
			r.mu.Unlock()
			r.wish()
		})
		if ctx.Err() != nil {
			return
		}
		r.set(nil, fmt.Errorf("docker: the engine's events: %w", err))
		if time.Since(began) > retryMost {
			pause = retryFirst
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
	}
}

func (r *Registry) since() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

func (r *Registry) wish() {
	select {
	case r.dirty <- struct{}{}:
	default: // one is on its way
	}
}

// follow lists again whenever something has happened.
func (r *Registry) follow(ctx context.Context) {
	for pause := retryFirst; ; {
		select {
		case <-r.dirty:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(gather):
		case <-ctx.Done():
			return
		}
		select {
		case <-r.dirty:
		default:
		}
		if r.refresh(ctx) == nil {
			pause = retryFirst
			continue
		}
		select { // that the engine is away is told by listen
		case <-time.After(pause):
			r.wish() // what had happened is still not known
		case <-ctx.Done():
			return
		}
		pause = min(2*pause, retryMost)
	}
}

// refresh lists the containers. After an error, what has happened is kept for the next
// time.
func (r *Registry) refresh(ctx context.Context) (err error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	r.mu.Lock()
	touched := r.touched
	r.touched = map[string]bool{}
	r.mu.Unlock()
	defer func() {
		if err != nil {
			r.mu.Lock()
			maps.Copy(r.touched, touched)
			r.mu.Unlock()
		}
	}()
	var list []Container
	for try, late := 0, true; late && try < staleTries; try++ {
		if try > 0 {
			select {
			case <-time.After(gather << try):
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		if list, err = r.engine.List(ctx); err == nil {
			list, late, err = r.correct(ctx, list, touched)
		}
		if err != nil {
			return err
		}
	}
	slices.SortFunc(list, func(a, b Container) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID)) })
	r.set(&list, nil)
	return nil
}

// correct asks for each of the containers that something has happened to: Docker's
// list may be older than the event (moby, daemon/pause.go: first the event, then
// the checkpoint that lists are made from); what it says of one is never. It
// reports whether the list was late.
func (r *Registry) correct(ctx context.Context, list []Container, touched map[string]bool) (_ []Container, late bool, _ error) {
	for id := range touched {
		is := func(c Container) bool { return c.ID == id }
		c, err := r.engine.Inspect(ctx, id)
		at := slices.IndexFunc(list, is)
		switch {
		case errors.Is(err, ErrNotFound):
			late = late || at >= 0
			list = slices.DeleteFunc(list, is)
		case err != nil:
			return nil, false, err
		case at < 0:
			late = true
			list = append(list, c)
		default:
			known := &list[at]
			late = late || known.State != c.State
			known.Name, known.State, known.Health, known.ExitCode = c.Name, c.State, c.Health, c.ExitCode
		}
	}
	return list, late, nil
}

func (r *Registry) set(list *[]Container, lost error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if list != nil {
		if r.lost == nil && lost == nil && equal(r.list, *list) {
			return
		}
		r.list = *list
	}
	r.lost = lost
	close(r.changed)
	r.changed = make(chan struct{})
}

// equal compares what a registry shows.
func equal(a, b []Container) bool {
	return slices.EqualFunc(a, b, func(a, b Container) bool {
		return a.ID == b.ID && a.Name == b.Name && a.Image == b.Image && a.State == b.State && a.Health == b.Health && a.Status == b.Status
	})
}
