package controller

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/ui/console"
)

const (
	// logTail is how many earlier lines of a log are shown.
	logTail = 1000
	// logScrollback is how many lines of a log are kept above the screen.
	logScrollback = 10_000
	// logRetry is the pause before a log that cannot be read is tried again.
	logRetry = time.Second
)

// logs is what a container's own program prints, as a pane for reading. It goes
// on through restarts of the container.
type logs struct {
	registry *docker.Registry
	engine   *targets.Engine
	name, id string // "docker:api", and its id

	mu       sync.Mutex
	terminal *vt.Terminal
	screen   *vt.Snapshot // nil when there is news
	fault    string
	changed  func() // nil while nobody wants to know
	timer    bool   // changed is about to be called
}

// toggleLogs shows the log of a container beside the chat, or no more.
func (d *Controller) toggleLogs(ctx context.Context, name string) error {
	parts, err := d.ready(ctx)
	if err != nil {
		return err
	}
	d.mu.Lock()
	stop := d.logs[name]
	delete(d.logs, name)
	d.mu.Unlock()
	if stop != nil {
		stop()
		return nil
	}
	kind, id, err := docker.Parse(name)
	if err != nil {
		return err
	}
	e, err := parts.core.Targets.Engines.Get(ctx, kind)
	if err != nil {
		return err
	}
	r, err := parts.core.Targets.Engines.Watch(ctx, e)
	if err != nil {
		return err
	}
	c, err := e.Inspect(ctx, id)
	if err != nil {
		return err
	}
	l := &logs{registry: r, engine: e, name: name, id: c.ID, terminal: vt.New(vt.Size{Cols: 80, Rows: 24}, vt.Options{Scrollback: logScrollback, Reflow: true})}
	pane := l.pane(d.toggleLogs)
	if h := d.core(); h != nil {
		pane.Trust = string(h.Policy.TrustOf(name))
	}
	ctx, cancel := context.WithCancel(ctx)
	d.mu.Lock()
	if d.logs[name] != nil { // somebody was quicker
		d.mu.Unlock()
		cancel()
		return nil
	}
	d.logs[name] = func() {
		cancel()
		d.screen.RemovePane(pane.ID)
	}
	d.mu.Unlock()
	d.screen.AddPane(pane)
	d.background.Go(func() {
		defer cancel()
		l.follow(ctx)
	})
	return nil
}

// pane is the log on the screen; toggle takes it away.
func (l *logs) pane(toggle func(context.Context, string) error) console.Pane {
	_, short, _ := docker.Parse(l.name)
	return console.Pane{
		ID: "logs " + l.name, Title: l.name + " · logs", Name: short + " logs",
		Snapshot: func() *vt.Snapshot {
			l.mu.Lock()
			defer l.mu.Unlock()
			if l.screen == nil {
				l.screen = l.terminal.Snapshot()
			}
			return l.screen
		},
		Close: func(ctx context.Context, _ bool) error { return toggle(ctx, l.name) },
		State: func() console.PaneState {
			l.mu.Lock()
			defer l.mu.Unlock()
			return console.PaneState{Target: l.name, Fault: l.fault, Stale: l.fault != ""}
		},
		Subscribe: func(changed func()) func() {
			l.mu.Lock()
			l.changed = changed
			l.mu.Unlock()
			changed()
			return func() {
				l.mu.Lock()
				l.changed = nil
				l.mu.Unlock()
			}
		},
		Resize: func(_ context.Context, cols, rows int) {
			if cols > 0 && rows > 0 {
				l.change(func() { l.terminal.Resize(vt.Size{Cols: cols, Rows: rows}) })
			}
		},
	}
}

// change changes what is shown, and tells so, no more often than once a frame.
func (l *logs) change(change func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	change()
	l.screen = nil
	if l.changed == nil || l.timer {
		return
	}
	l.timer = true
	time.AfterFunc(feedTime, func() {
		l.mu.Lock()
		changed := l.changed
		l.timer = false
		l.mu.Unlock()
		if changed != nil {
			changed()
		}
	})
}

// follow reads the log until ctx ends: at first its end, then what the container
// prints after each of its starts.
func (l *logs) follow(ctx context.Context) {
	opt := docker.LogOptions{Tail: logTail, Follow: true}
	for ctx.Err() == nil {
		changed := l.registry.Changed() // before it is looked at
		err := docker.Logs(ctx, l.engine.Engine, l.id, opt, logWriter{l}, logWriter{l})
		if ctx.Err() != nil {
			return
		}
		opt = docker.LogOptions{Follow: true, Since: time.Now()}
		l.say(err)
		if !l.await(ctx, changed) {
			return
		}
		// Both by the engine's own clock.
		if since := l.registry.Ended(l.id); !since.IsZero() {
			opt.Since = since
		} else if c, err := l.engine.Inspect(ctx, l.id); err == nil {
			opt.Since = c.StartedAt
		}
		l.change(func() { l.fault = "" })
	}
}

// say shows why nothing comes any more.
func (l *logs) say(err error) {
	fault := "the log has ended"
	if c, ok := l.registry.Get(l.id); !ok {
		fault = "the container was removed"
	} else if c.State != docker.Running {
		fault = fmt.Sprintf("the log has ended: the container is %s", c.State)
	} else if err != nil {
		fault = err.Error()
	}
	l.change(func() { l.fault = fault })
}

// await waits until the container runs (again). A removed one never does.
func (l *logs) await(ctx context.Context, changed <-chan struct{}) bool {
	for pause := time.After(logRetry); ; {
		select {
		case <-changed:
		case <-pause:
		case <-ctx.Done():
			return false
		}
		changed = l.registry.Changed()
		if c, ok := l.registry.Get(l.id); ok && c.State == docker.Running {
			// What the registry knows may be older than the end of the log.
			if now, err := l.engine.Inspect(ctx, l.id); err != nil || now.State == docker.Running {
				return true
			}
		}
		l.say(nil)
	}
}

// logWriter ends lines as a terminal wants it: a log has line feeds only.
type logWriter struct{ *logs }

// Write implements [io.Writer].
func (w logWriter) Write(p []byte) (int, error) {
	text := bytes.ReplaceAll(bytes.ReplaceAll(p, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r\n"))
	var err error
	w.change(func() { _, err = w.terminal.Write(text) })
	return len(p), err
}
