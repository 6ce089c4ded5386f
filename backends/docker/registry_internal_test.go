package docker

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// deafEngine has one container, tells of an event, and does not answer the first
// questions that come behind it.
type deafEngine struct {
	Engine
	happened chan struct{}
	state    State
	fails    int
}

func (e *deafEngine) Events(ctx context.Context, _ time.Time, started func(), got func(Event)) error {
	started()
	for {
		select {
		case <-e.happened:
			got(Event{ID: "box", Action: "pause", Time: time.Now()})
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

func (e *deafEngine) List(context.Context) ([]Container, error) {
	if e.fails > 0 {
		e.fails--
		return nil, errors.New("no answer")
	}
	return []Container{{ID: "box", State: Running}}, nil // late for good, as moby's may be
}

func (e *deafEngine) Inspect(context.Context, string) (Container, error) {
	return Container{ID: "box", State: e.state}, nil
}

// What has happened is known although the engine did not answer at once.
func TestAnEventOutlivesAnEngineThatDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &deafEngine{happened: make(chan struct{}), state: Running}
		r, err := Watch(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // what the beginning leaves to do is done
		synctest.Wait()
		e.fails, e.state = 3, Paused
		e.happened <- struct{}{}
		time.Sleep(time.Minute)
		synctest.Wait()
		if c, _ := r.Get("box"); c.State != Paused {
			t.Errorf("it is %s", c.State)
		}
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
}
