package guard

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/tools"
)

const (
	// effectFirst is how long an effect of what was typed may take to begin.
	effectFirst = 500 * time.Millisecond
	// effectQuiet is how long a pane must not have changed for an effect to count
	// as complete: a program that was given a line shows the line at once, and its
	// answer a moment later.
	effectQuiet = 200 * time.Millisecond
	// effectMost bounds the wait for a pane that goes on changing.
	effectMost = 1500 * time.Millisecond
	// untilMost bounds the wait for what a call waits for, if that does not.
	untilMost = 30 * time.Second
)

// watched is a pane that tells when it may have changed, and what it shows.
type watched interface {
	Subscribe() (changed <-chan struct{}, cancel func())
	Screen() *vt.Snapshot
	AtPrompt() bool
}

var _ watched = keptPane{}

// Effect is what became of keys.
type Effect struct {
	Blind   bool   // the pane does not tell what changes
	Changed bool   // the screen has changed, if only its cursor
	Text    string // what is new on it
	Met     bool   // what a.Until waits for is there: the pattern, the silence, or the end
}

// TypeAndSee is Type, and then a wait until the effect is on the screen: the pane has
// changed, and does not change any more, or has had 1.5 seconds; nothing has changed
// within 500 ms. Where a.Until waits for something, it is a wait for that instead, for 30
// seconds if it says no time: also ended, which may be nil, and the prompt behind a line
// that was entered at one, end it. The end of ctx ends the wait, not the typing, and is no
// error. A pane that cannot tell is not waited for.
func (g *Guard) TypeAndSee(ctx context.Context, a tools.Action, grant tools.Grant, ended <-chan struct{}) (Effect, error) {
	p, err := g.admit(tools.Type, a, grant)
	if err != nil {
		return Effect{}, err
	}
	at, err := find(ctx, p, "", a.Pane)
	if err != nil {
		return Effect{}, err
	}
	w, ok := at.(watched)
	if !ok {
		return Effect{Blind: true}, g.Type(ctx, a, grant)
	}
	e := expectation{until: a.Until, entered: a.Prompt && a.Enter, literal: a.Literal}
	if a.Until.Pattern != "" {
		if e.pattern, err = Pattern(a.Until.Pattern); err != nil {
			return Effect{}, fmt.Errorf("guard: %w: %w", ErrMalformed, err)
		}
	}
	told, cancel := w.Subscribe()
	defer cancel()
	e.before = w.Screen()
	if err := g.Type(ctx, a, grant); err != nil {
		return Effect{}, err
	}
	return e.wait(ctx, told, ended, w), nil
}

// Pattern compiles the pattern of a [tools.Until].
func Pattern(text string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(text); err != nil { // which names no more than the text itself
		return nil, err
	}
	return regexp.Compile("(?m:" + text + ")")
}

// expectation is what the effect of keys is to be.
type expectation struct {
	until   tools.Until
	pattern *regexp.Regexp // of until; nil if there is none
	entered bool           // the keys gave a line to the shell at its prompt
	literal string         // what was typed, which shows and is no effect
	before  *vt.Snapshot   // the screen without it
}

// wait waits for the effect; told says when to look at w.
func (e expectation) wait(ctx context.Context, told, ended <-chan struct{}, w watched) Effect {
	first, most := effectFirst, effectMost
	if e.until.Waits() {
		first, most = e.until.Silence, untilMost
		if e.until.Time > 0 {
			most = e.until.Time
		}
	}
	limit := time.NewTimer(most)
	defer limit.Stop()
	quiet := time.NewTimer(max(first, 1))
	defer quiet.Stop()
	if first == 0 {
		quiet.Stop()
	}
	last := e.before
	met := false
	for waiting := true; waiting; {
		select {
		case <-told:
			if now := w.Screen(); now.Generation != last.Generation {
				last = now
				switch {
				case !e.until.Waits():
					quiet.Reset(effectQuiet)
				case e.until.Silence > 0:
					quiet.Reset(e.until.Silence)
				}
			}
			met = e.met(last, w)
			waiting = !met
		case <-ended:
			met, waiting = true, false
		case <-quiet.C:
			met, waiting = e.until.Silence > 0, false
		case <-limit.C:
			waiting = false
		case <-ctx.Done():
			waiting = false
		}
	}
	last = w.Screen()
	return Effect{Changed: last.Generation != e.before.Generation, Text: change(e.before, last), Met: met}
}

// met reports whether what is waited for is there.
func (e expectation) met(now *vt.Snapshot, w watched) bool {
	switch {
	case !e.until.Waits() || now.Generation == e.before.Generation:
		return false
	case e.entered && w.AtPrompt():
		return true
	}
	return e.pattern != nil && e.pattern.MatchString(e.answer(now))
}

// answer is what is new on the screen without what was typed.
func (e expectation) answer(now *vt.Snapshot) string {
	text := change(e.before, now)
	for line := range strings.Lines(e.literal) {
		if line = strings.TrimSpace(line); line != "" {
			if _, behind, found := strings.Cut(text, line); found {
				text = behind
			}
		}
	}
	return text
}
