package mcp

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/nod-console/nod/tools/plugin/harmless"
)

// ErrNotShown is the error of Accept where what waits is not what was shown last.
var ErrNotShown = errors.New("what the server offers is not what was shown last")

// maxShown bounds the lines of one look at changes.
const maxShown = 2000

// Look connects to a server if needed and returns, in lines, how what it offers
// differs from what was accepted. Accept accepts just that.
func (s *Set) Look(ctx context.Context, name string) ([]string, error) {
	one, err := s.find(name)
	if err != nil {
		return nil, err
	}
	if _, err := one.ensure(ctx); err != nil {
		return nil, fmt.Errorf("the MCP server %s: %w", name, err)
	}
	all, err := one.changesNow()
	if err != nil {
		return nil, err
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	one.shown = fingerprint(all)
	var lines []string
	for _, c := range all {
		lines = append(lines, c.Lines()...)
	}
	if len(lines) > maxShown {
		one.shown = ""
		return append(lines[:maxShown], fmt.Sprintf("… and more: %d lines are too many to accept unread; the server has to be mended", len(lines))), nil
	}
	return lines, nil
}

// Pending is how many tools and resources of a server wait to be accepted.
func (s *Set) Pending(name string) int {
	one, err := s.find(name)
	if err != nil {
		return 0
	}
	all, err := one.changesNow()
	if err != nil {
		return 0
	}
	return pendingOf(all).count()
}

// Accept accepts what the last Look has shown, and returns what the model can use now:
// "2 tools and 1 resource". The error is ErrNotShown if the server offers something else
// meanwhile, or nothing was shown.
func (s *Set) Accept(name string) (string, error) {
	one, err := s.find(name)
	if err != nil {
		return "", err
	}
	all, err := one.changesNow()
	if err != nil {
		return "", err
	}
	one.mu.Lock()
	shown, offered := one.shown, maps.Clone(one.offered)
	one.mu.Unlock()
	if shown == "" || shown != fingerprint(all) {
		return "", ErrNotShown
	}
	if fingerprint(changesBetween(s, one, offered)) != shown {
		return "", ErrNotShown
	}
	if s.opt.Record != nil {
		text := name + ":"
		for _, c := range all {
			text += " " + c.Word() + " " + harmless.Line(c.Tool, 64)
			if c.Now != nil {
				text += " " + c.Now.Digest()[:shortDigest]
			}
		}
		if err := s.opt.Record(text); err != nil {
			return "", fmt.Errorf("nothing was accepted, because it cannot be put on record: %w", err)
		}
	}
	if err := s.opt.Pins.Set(name, offered); err != nil {
		return "", err
	}
	s.sync()
	return Counts(len(one.usable("")), len(one.usable(kindResource))), nil
}

// changesBetween compares a copy of what is offered, so that just that is accepted.
func changesBetween(s *Set, one *server, offered map[string]Definition) []Change {
	accepted, err := s.opt.Pins.Of(one.cfg.Name)
	if err != nil {
		return nil
	}
	return changes(accepted, offered)
}

// Status is how a server stands.
type Status struct {
	Name, Where, About string
	Connected          bool
	Tried              bool
	Err                error // why it is not connected
	Usable             int   // tools that the model can call
	Readable           int   // resources that the model can read
	Pending            int   // tools and resources that wait to be accepted
	pending            pending
	Left               int      // tools beyond MaxTools
	Odd                int      // resources that are left out, since their addresses cannot be shown
	Withheld           []string // why accepted tools cannot be called
	Prompts            []PromptInfo
	Resources          []ResourceInfo
}

// PromptInfo is a prompt of a server.
type PromptInfo struct {
	Name, Description string
	Args              []PromptArg
}

// PromptArg is an argument of a prompt.
type PromptArg struct {
	Name, Description string
	Required          bool
}

// ResourceInfo is a resource of a server.
type ResourceInfo struct{ URI, Name, Description string }

// Statuses are those of all servers by name.
func (s *Set) Statuses() []Status {
	var all []Status
	for _, one := range s.servers {
		usable := len(one.usable(""))
		readable := len(one.usable(kindResource))
		different, err := one.changesNow()
		waiting := pendingOf(different)
		one.mu.Lock()
		st := Status{
			Name: one.cfg.Name, Where: harmless.Text(one.cfg.Where()), About: one.about, Tried: one.tried, Err: one.err,
			Usable: usable, Readable: readable, Pending: waiting.count(), pending: waiting, Left: one.left, Odd: one.odd,
		}
		if l := one.link; l != nil {
			select {
			case <-l.over:
				st.Err = l.end("it has ended")
			default:
				st.Connected = true
			}
		}
		if err != nil {
			st.Err = err
		}
		for _, name := range sortedKeys(one.withheld) {
			st.Withheld = append(st.Withheld, one.withheld[name])
		}
		st.Usable -= len(st.Withheld)
		for _, p := range one.prompts {
			info := PromptInfo{Name: harmless.Text(p.Name), Description: harmless.Line(p.Description, 100)}
			for _, a := range p.Arguments {
				info.Args = append(info.Args, PromptArg{harmless.Text(a.Name), harmless.Line(a.Description, 100), a.Required})
			}
			st.Prompts = append(st.Prompts, info)
		}
		for _, r := range one.resources {
			st.Resources = append(st.Resources, ResourceInfo{harmless.Text(r.URI), harmless.Line(r.Name, 60), harmless.Line(r.Description, 100)})
		}
		one.mu.Unlock()
		all = append(all, st)
	}
	return all
}

// Line is the status in a line.
func (st Status) Line() string {
	var parts []string
	switch {
	case st.Connected:
		parts = append(parts, "connected")
	case st.Err != nil:
		parts = append(parts, "not connected: "+st.Err.Error())
	case !st.Tried:
		parts = append(parts, "connecting")
	default:
		parts = append(parts, "not connected")
	}
	parts = append(parts, Count(st.Usable, "tool"))
	if st.Pending > 0 {
		parts = append(parts, fmt.Sprintf("%s withheld until accepted", st.pending))
	}
	if st.Left > 0 {
		parts = append(parts, fmt.Sprintf("%s beyond the first %d left out", Count(st.Left, "tool"), MaxTools))
	}
	if st.Odd > 0 {
		parts = append(parts, fmt.Sprintf("%s left out, whose address is too long or no plain text", Count(st.Odd, "resource")))
	}
	if n := len(st.Prompts); n > 0 {
		parts = append(parts, Count(n, "prompt"))
	}
	if st.Readable > 0 {
		parts = append(parts, Count(st.Readable, "resource"))
	}
	line := st.Name
	if st.About != "" {
		line += " (" + st.About + ")"
	}
	line += ": " + strings.Join(parts, ", ")
	for _, why := range st.Withheld {
		line += "; withheld: " + why
	}
	return line
}
