package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nod-console/nod/tools/plugin/harmless"
)

// list reads what the server offers.
func (s *server) list(ctx context.Context, l *link) error {
	s.mu.Lock()
	s.stale = false
	s.mu.Unlock()
	ctx, stop := s.patience(ctx)
	defer stop()
	hello := l.session.InitializeResult()
	caps := &sdk.ServerCapabilities{}
	if hello.Capabilities != nil {
		caps = hello.Capabilities
	}
	o := offer{offered: map[string]Definition{}}
	if caps.Tools != nil {
		if err := o.listTools(ctx, s, l); err != nil {
			return err
		}
	}
	if caps.Prompts != nil {
		o.listPrompts(ctx, l)
	}
	if caps.Resources != nil {
		o.listResources(ctx, l)
	}
	s.mu.Lock()
	s.offered, s.left, s.odd, s.prompts, s.resources = o.offered, o.left, o.odd, o.prompts, o.resources
	if i := hello.ServerInfo; i != nil {
		s.about = harmless.Line(i.Name+" "+i.Version, 60)
	}
	s.mu.Unlock()
	return nil
}

// offer is what a server has listed.
type offer struct {
	offered   map[string]Definition
	left      int // tools beyond those that are offered
	odd       int // resources that cannot be read
	prompts   []*sdk.Prompt
	resources []*sdk.Resource
}

func (o *offer) listTools(ctx context.Context, s *server, l *link) error {
	for t, err := range l.session.Tools(ctx, nil) {
		if err != nil {
			return s.reason(ctx, l, err, "list its tools")
		}
		if strings.HasPrefix(t.Name, resourceKey) {
			return &FaultError{fmt.Sprintf("its tool %q has a name that only a resource can have", harmless.Line(t.Name, 40))}
		}
		if len(o.offered) == MaxTools {
			if o.left++; o.left > 100*MaxTools {
				return &FaultError{fmt.Sprintf("its list of tools goes on after %d", 100*MaxTools)}
			}
			continue
		}
		d, err := definition(t)
		if err != nil {
			return &FaultError{fmt.Sprintf("the definition of its tool %q cannot be read: %v", harmless.Line(t.Name, 40), err)}
		}
		o.offered[d.key()] = d
	}
	return nil
}

func (o *offer) listPrompts(ctx context.Context, l *link) {
	for p, err := range l.session.Prompts(ctx, nil) {
		if err != nil || len(o.prompts) == maxListed {
			return // a server without its prompts is of use
		}
		o.prompts = append(o.prompts, p)
	}
}

func (o *offer) listResources(ctx context.Context, l *link) {
	for r, err := range l.session.Resources(ctx, nil) {
		if err != nil || len(o.resources)+o.odd == maxListed {
			return
		}
		d, err := resourceDefinition(r)
		if err != nil {
			o.odd++
			continue
		}
		o.resources = append(o.resources, r)
		o.offered[d.key()] = d
	}
}

// definition is what reaches the model of a tool.
func definition(t *sdk.Tool) (Definition, error) {
	input, err := json.Marshal(t.InputSchema)
	if err != nil {
		return Definition{}, err
	}
	var object map[string]any
	if err := json.Unmarshal(input, &object); err != nil || object == nil {
		return Definition{}, fmt.Errorf("its arguments are not described by an object")
	}
	d := Definition{Name: t.Name, Title: t.Title, Description: t.Description, Input: input}
	if t.OutputSchema != nil {
		d.Output, err = json.Marshal(t.OutputSchema)
	}
	return d, err
}

// accepts reports whether a tool is offered and accepted as the digest says.
func (s *server) accepts(tool, digest string) bool {
	s.mu.Lock()
	d, offered := s.offered[tool]
	s.mu.Unlock()
	if !offered || d.Digest() != digest {
		return false
	}
	accepted, err := s.set.opt.Pins.Of(s.cfg.Name)
	was, ok := accepted[tool]
	return err == nil && ok && was.Digest() == digest
}

// changesNow compares what the server offers with what was accepted.
func (s *server) changesNow() ([]Change, error) {
	accepted, err := s.set.opt.Pins.Of(s.cfg.Name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link == nil {
		return nil, err
	}
	return changes(accepted, s.offered), err
}

// usable are the definitions of a kind that are accepted as they are offered, by name.
func (s *server) usable(kind string) []Definition {
	accepted, err := s.set.opt.Pins.Of(s.cfg.Name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		return nil
	}
	var all []Definition
	for _, name := range sortedKeys(s.offered) {
		d := s.offered[name]
		if was, ok := accepted[name]; ok && d.Kind == kind && was.Digest() == d.Digest() {
			all = append(all, d)
		}
	}
	return all
}

// prompt is one of the server's prompts.
func (s *server) prompt(name string) *sdk.Prompt {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.prompts, func(p *sdk.Prompt) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return s.prompts[i]
}
