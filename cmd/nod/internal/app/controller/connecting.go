package controller

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/ui/console"
)

// mostConnecting bounds how many targets of the start are connected at once: a login may
// take seconds, and a host between nod and many others takes only so many at a time
// (MaxStartups of sshd is 10).
const mostConnecting = 8

// connectAll connects the targets of the start, several at once. Without this machine there
// is no console; a host that cannot be reached is told.
func (d *Controller) connectAll(ctx context.Context) error {
	d.targetsChanged()
	defer d.together.Begin()()
	err := inOrder(d.background.Go, d.Targets, mostConnecting, func(name string) error {
		err := d.connect(ctx, d.parts.core, name)
		if err != nil && (name == local.Name || ctx.Err() != nil) {
			return err
		}
		d.targetsChanged()
		if err != nil {
			d.screen.Fail(console.Explain("connect to "+name, err))
		}
		return nil
	})
	if err == nil && !d.Lines {
		d.reopen(ctx, d.parts.core)
	}
	return err
}

// inOrder does something for each name, for most of them at once, and begins in their order.
// It returns when all of it is done, or with the first error: then nothing more is begun, and
// what was begun ends where spawn has it end.
func inOrder(spawn func(func()), names []string, most int, do func(name string) error) error {
	results := make(chan error, len(names))
	var begun atomic.Int64
	var failed atomic.Bool
	for range min(most, len(names)) {
		spawn(func() {
			for {
				i := int(begun.Add(1)) - 1
				if i >= len(names) || failed.Load() {
					return
				}
				err := do(names[i])
				if err != nil {
					failed.Store(true)
				}
				results <- err
			}
		})
	}
	for range names {
		if err := <-results; err != nil {
			return err
		}
	}
	return nil
}

// connecting says what is being connected: the target that the operator looks at, or what is
// left of the others. opening are those whose attempt has begun; a target of the start is left
// until its panes are there. It is empty if there is none.
func (d *Controller) connecting(name string, opening []string) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := slices.Clone(opening)
	for _, t := range d.Targets {
		if t != name && !d.attempted[t] && !slices.Contains(opening, t) {
			left = append(left, t)
		}
	}
	switch {
	case len(left) == 0:
		return ""
	case slices.Contains(opening, name):
		return fmt.Sprintf("connecting %s: %s", name, d.steps[name])
	case len(left) == 1:
		return fmt.Sprintf("connecting %s: %s", left[0], d.steps[left[0]])
	}
	return fmt.Sprintf("connecting %d targets", len(left))
}

// order is the place of a target among those of the start, from 1 on; 0 if it is none of
// them.
func (d *Controller) order(name string) int { return slices.Index(d.Targets, name) + 1 }
