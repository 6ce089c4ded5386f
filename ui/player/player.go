package player

import (
	"fmt"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/ui/keys"
	"github.com/nod-console/nod/ui/mirror"
	"github.com/nod-console/nod/ui/screen"
)

const (
	jump      = 5 * time.Second
	slowest   = 1.0 / 8
	fastest   = 64
	frameTime = time.Second / 60
)

// Options of New. The zero value is ready for use.
type Options struct {
	// Name is what the frame says is played.
	Name string
	// Speed is how fast; 1 if 0.
	Speed float64
	// Idle is the longest pause that is played as it was; 0 means all are.
	Idle time.Duration
	// At is where to begin, and Paused whether to wait there.
	At     time.Duration
	Paused bool
	// Keys say what keys mean; nil stands for those that nod brings.
	Keys *keys.Table
	// Hints names the keys beside the track, where nothing else does.
	Hints bool
}

// Player plays one recording.
type Player struct {
	opt      Options
	play     *recording.Playback
	commands []recording.Command
	ends     time.Duration
	styles   *screen.Styles
	view     *mirror.Mirror

	at     time.Duration // what is shown
	speed  float64
	paused bool
	last   time.Time // of the last Tick
}

// New returns a player at the beginning of a recording, or where the options
// say.
func New(rec *recording.Recording, styles *screen.Styles, opt Options) *Player {
	p := &Player{
		opt: opt, play: recording.Play(rec), commands: rec.Commands(), ends: rec.Duration(),
		speed: opt.Speed, paused: opt.Paused,
	}
	if p.speed <= 0 {
		p.speed = 1
	}
	if p.opt.Name == "" {
		p.opt.Name = rec.Header.Title
	}
	p.SetStyles(styles)
	p.seek(opt.At)
	return p
}

// SetStyles changes the colours.
func (p *Player) SetStyles(s *screen.Styles) {
	p.styles = s
	p.view = mirror.New(mirror.Styles{
		Text: s.Text, Muted: s.Muted, Border: s.Border, Focus: s.Focus, Notice: s.Warn,
		Selection: s.Selection, Match: s.Warn.Underline(true).Reverse(true),
	})
}

// At is the time in the recording that is shown.
func (p *Player) At() time.Duration { return p.at }

// Paused reports whether time stands still, which it does at the end, too.
func (p *Player) Paused() bool { return p.paused }

// Speed is how fast it plays.
func (p *Player) Speed() float64 { return p.speed }

// seek shows another time.
func (p *Player) seek(at time.Duration) {
	p.at = min(max(at, 0), p.ends)
	p.play.Seek(p.at)
}

// Tick moves on by the time that has passed since the last call. It reports
// whether the picture or the position has changed, and after how long to call
// again; 0 means not before the next key.
func (p *Player) Tick(now time.Time) (changed bool, again time.Duration) {
	passed := now.Sub(p.last)
	first := p.last.IsZero()
	p.last = now
	if p.paused || p.ends == 0 {
		return first, 0
	}
	if first {
		return true, frameTime
	}
	was, tick := p.play.Next(), p.at/p.ticks()
	to := p.at + time.Duration(float64(passed)*p.speed)
	if next, ok := p.next(); ok && p.opt.Idle > 0 && next-p.at > p.opt.Idle {
		to = max(to, next-p.opt.Idle)
	}
	p.seek(to)
	if p.at >= p.ends {
		p.paused = true
		return true, 0
	}
	return p.play.Next() != was || p.at/p.ticks() != tick, p.wait()
}

// next is when something next happens.
func (p *Player) next() (time.Duration, bool) {
	events := p.play.Recording().Events
	if n := p.play.Next(); n < len(events) {
		return events[n].At, true
	}
	return 0, false
}

// ticks is how often the position that is shown changes.
func (p *Player) ticks() time.Duration {
	if p.ends < time.Minute {
		return time.Second / 10
	}
	return time.Second
}

// wait is how long nothing will change: not before the next event, or the next
// tick of the position.
func (p *Player) wait() time.Duration {
	until := (p.at/p.ticks() + 1) * p.ticks()
	if next, ok := p.next(); ok {
		until = min(until, next)
	}
	return max(time.Duration(float64(until-p.at)/p.speed), frameTime)
}

// Do carries out a command of [keys.Playing] and reports whether it was one.
// done is set if the operator wants to leave.
func (p *Player) Do(id keys.ID) (ok, done bool) {
	switch id {
	case keys.Back:
		return true, true
	case keys.Pause:
		if p.paused = !p.paused; !p.paused && p.at >= p.ends {
			p.seek(0)
		}
	case keys.Backwards:
		p.seek(p.at - jump)
	case keys.Forwards:
		p.seek(p.at + jump)
	case keys.Top:
		p.seek(0)
	case keys.Bottom:
		p.seek(p.ends)
	case keys.Faster:
		p.speed = min(p.speed*2, fastest)
	case keys.Slower:
		p.speed = max(p.speed/2, slowest)
	case keys.NextCommand:
		p.toCommand(1)
	case keys.PreviousCommand:
		p.toCommand(-1)
	case keys.Step:
		p.paused = true
		if next, ok := p.next(); ok {
			p.seek(next)
		}
	default:
		return false, false
	}
	return true, false
}

// grace is how far into a command that plays the way back still leads to the
// one before it.
const grace = time.Second

// toCommand goes to where the next command begins, or the one before.
func (p *Player) toCommand(direction int) {
	limit := p.at
	if direction < 0 && !p.paused {
		limit -= grace
	}
	to := time.Duration(0)
	for _, c := range p.commands {
		switch {
		case direction > 0 && c.At > limit:
			p.seek(c.At)
			return
		case c.At < limit:
			to = c.At
		}
	}
	if direction > 0 {
		to = p.ends
	}
	p.seek(to)
}

// Key carries out what a key means here.
func (p *Player) Key(ev *tcell.EventKey) (ok, done bool) {
	c, known := p.opt.Keys.Find(keys.Playing, keys.Name(keys.Pressed(ev)))
	if !known {
		return false, false
	}
	return p.Do(c.ID)
}

// Draw draws the picture and the line below it.
func (p *Player) Draw(s tcell.Screen, x, y, width, height int) {
	if width < 1 || height < 1 {
		return
	}
	below := 0
	if height > 3 {
		below = 1
	}
	p.view.SetSnapshot(p.play.Screen())
	size := p.play.Screen().Size
	p.view.SetTitle(screen.Clean(p.opt.Name), fmt.Sprintf("%d×%d", size.Cols, size.Rows))
	p.view.SetState(p.doing())
	p.view.SetRect(x, y, width, height-below)
	p.view.Draw(s)
	s.HideCursor()
	if below > 0 {
		p.drawLine(s, x, y+height-1, width)
	}
}

// doing is the command that runs, or ran last, in words.
func (p *Player) doing() string {
	var now *recording.Command
	for i, c := range p.commands {
		if c.At <= p.at {
			now = &p.commands[i]
		}
	}
	switch {
	case now == nil:
		return ""
	case now.Outcome != "" && now.End <= p.at:
		return now.Outcome + ": " + oneLine(now.Text)
	}
	return "runs: " + oneLine(now.Text)
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// drawLine draws where the picture is in the recording, with a tick for each
// command.
func (p *Player) drawLine(s tcell.Screen, x, y, width int) {
	bar := p.styles.Bar
	screen.Fill(s, x, y, width, 1, " ", bar)
	sign := "▶"
	if p.paused {
		sign = "‖"
	}
	left := fmt.Sprintf(" %s %s / %s ", sign, clock(p.at, p.ends), clock(p.ends, p.ends))
	if p.speed != 1 {
		left += fmt.Sprintf("×%g ", p.speed)
	}
	used := screen.Draw(s, x, y, width, left, bar.Bold(true))
	hints := ""
	if p.opt.Hints {
		hints = p.hints()
	}
	track := width - used - screen.Width(hints) - 1
	if track < 12 { // the position says more than the keys
		hints, track = "", width-used-1
	}
	if track >= 4 {
		p.drawTrack(s, x+used, y, track)
		used += track + 1
	}
	screen.Draw(s, x+used, y, width-used, hints, bar)
}

func (p *Player) hints() string {
	var words []string
	for _, h := range p.opt.Keys.Hints(keys.Playing, keys.Facts{}) {
		words = append(words, h.Key+" "+h.Text)
	}
	return strings.Join(words, "  ")
}

// drawTrack draws the whole recording as a line.
func (p *Player) drawTrack(s tcell.Screen, x, y, width int) {
	place := func(at time.Duration) int {
		if p.ends == 0 {
			return 0
		}
		return int(int64(width-1) * int64(at) / int64(p.ends))
	}
	now := place(p.at)
	for i := range width {
		sign := "─"
		if i <= now {
			sign = "━"
		}
		s.Put(x+i, y, sign, p.styles.Bar)
	}
	for _, c := range p.commands {
		s.Put(x+place(c.At), y, "┷", p.styles.Bar)
	}
	s.Put(x+now, y, "●", p.styles.Bar.Bold(true))
}

// clock is a time in a recording of a length: 12:34, 1:02:03, in a short one 7.2.
func clock(d, length time.Duration) string {
	s := int(d / time.Second)
	switch {
	case length < time.Minute:
		return fmt.Sprintf("%.1f", d.Truncate(time.Second/10).Seconds())
	case length >= time.Hour:
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}
