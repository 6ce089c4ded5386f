package player

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/themes"
	"github.com/nod-console/nod/ui/screen"
)

// Run gives a player the whole terminal until the operator leaves (nil) or ctx
// ends (its cause). The terminal is restored in any case. Where the look of theme
// depends on what the terminal's text stands on, the terminal is asked, and the player
// changes its colours with the answer.
func Run(ctx context.Context, s *screen.Screen, p *Player, theme string) error {
	if err := s.Init(); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	defer s.Fini()
	if themes.FollowsGround(theme) {
		if err := s.AskGround(); err != nil {
			return fmt.Errorf("replay: %w", err)
		}
	}
	stop := make(chan struct{})
	defer close(stop)
	events := poll(s, stop)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		changed, again := p.Tick(time.Now())
		if changed {
			draw(s, p)
		}
		if timer.Stop(); again > 0 {
			timer.Reset(again)
		}
		select {
		case <-timer.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		case ev, open := <-events:
			if !open {
				return errors.New("replay: the terminal is gone")
			}
			if done, err := take(s, p, theme, ev); done || err != nil {
				return err
			}
			draw(s, p)
		}
	}
}

// poll gives the screen's events out, until stop is closed. The channel is closed when the
// screen is finished.
func poll(s *screen.Screen, stop <-chan struct{}) <-chan tcell.Event {
	events := make(chan tcell.Event)
	go func() {
		for {
			ev := s.PollEvent()
			if ev == nil { // the screen is finished
				close(events)
				return
			}
			select {
			case events <- ev:
			case <-stop:
				return
			}
		}
	}()
	return events
}

// take handles an event, and reports whether the operator has left.
func take(s *screen.Screen, p *Player, theme string, ev tcell.Event) (done bool, err error) {
	if key, ok := ev.(*screen.EventTogether); ok {
		ev = key.EventKey
	}
	switch ev := ev.(type) {
	case *tcell.EventKey:
		if _, done := p.Key(ev); done {
			return true, nil
		}
		if ev.Key() == tcell.KeyCtrlL {
			s.Sync()
		}
	case *tcell.EventResize:
		s.Sync()
	case *screen.EventGround:
		worn, err := themes.Load(themes.On(theme, themes.GroundOf(ev.Light)))
		if err != nil {
			return false, fmt.Errorf("replay: %w", err)
		}
		styles := s.Styles(worn)
		p.SetStyles(&styles)
	case *tcell.EventError:
		return false, fmt.Errorf("replay: %w", ev)
	}
	return false, nil
}

func draw(s *screen.Screen, p *Player) {
	s.Clear()
	s.HideCursor()
	w, h := s.Size()
	p.Draw(s, 0, 0, w, h)
	s.Show()
}
