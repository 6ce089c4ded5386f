package mcp

import (
	"context"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nod-console/nod/tools/plugin/harmless"
)

// maxPrompt bounds a prompt's text, in characters.
const maxPrompt = 20_000

// Prompt is the text of a server's prompt. args are NAME=VALUE, or values in the order
// of the prompt's arguments. The error says which prompts or arguments there are.
func (s *Set) Prompt(ctx context.Context, server, name string, args []string) (string, error) {
	one, err := s.find(server)
	if err != nil {
		return "", err
	}
	p, err := one.findPrompt(ctx, name)
	if err != nil {
		return "", err
	}
	given, err := promptArgs(p, args)
	if err != nil {
		return "", err
	}
	var answer *sdk.GetPromptResult
	err = one.ask(ctx, func() error { return nil }, func(ctx context.Context, l *link) (err error) {
		answer, err = l.session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: given})
		return err
	})
	if err != nil {
		return "", fmt.Errorf("the MCP server %s: %w", server, err)
	}
	var parts []string
	for _, m := range answer.Messages {
		parts = append(parts, contentText(m.Content))
	}
	text := strings.TrimSpace(strings.Join(parts, "\n\n"))
	if text == "" {
		return "", fmt.Errorf("the prompt %q of the MCP server %s is empty", name, server)
	}
	if n := len([]rune(text)); n > maxPrompt {
		return "", fmt.Errorf("the prompt %q of the MCP server %s has %d characters, and at most %d are taken", name, server, n, maxPrompt)
	}
	return text, nil
}

// findPrompt is a prompt of the server, which is connected to if needed.
func (s *server) findPrompt(ctx context.Context, name string) (*sdk.Prompt, error) {
	if _, err := s.ensure(ctx); err != nil {
		return nil, fmt.Errorf("the MCP server %s: %w", s.cfg.Name, err)
	}
	p := s.prompt(name)
	if p == nil {
		return nil, fmt.Errorf("the MCP server %s has no prompt %q; %s", s.cfg.Name, name, s.promptNames())
	}
	return p, nil
}

// promptArgs gives a prompt's arguments their values.
func promptArgs(p *sdk.Prompt, args []string) (map[string]string, error) {
	var usage []string
	known := map[string]bool{}
	for _, a := range p.Arguments {
		known[a.Name] = true
		word := harmless.Text(a.Name) + "="
		if !a.Required {
			word = "[" + word + "]"
		}
		usage = append(usage, word)
	}
	want := "it takes no arguments"
	if len(usage) > 0 {
		want = "it takes " + strings.Join(usage, " ")
	}
	given := map[string]string{}
	for i, arg := range args {
		name, value, named := strings.Cut(arg, "=")
		switch {
		case named && known[name]:
		case i < len(p.Arguments):
			name, value = p.Arguments[i].Name, arg
		default:
			return nil, fmt.Errorf("prompt %s: %q is no argument; %s", harmless.Text(p.Name), arg, want)
		}
		if _, twice := given[name]; twice {
			return nil, fmt.Errorf("prompt %s: %q is given twice; %s", harmless.Text(p.Name), name, want)
		}
		given[name] = value
	}
	for _, a := range p.Arguments {
		if _, ok := given[a.Name]; a.Required && !ok {
			return nil, fmt.Errorf("prompt %s: %q is missing; %s", harmless.Text(p.Name), harmless.Text(a.Name), want)
		}
	}
	return given, nil
}

// promptNames says which prompts a server has.
func (s *server) promptNames() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, p := range s.prompts {
		names = append(names, harmless.Text(p.Name))
	}
	if len(names) == 0 {
		return "it has none"
	}
	return "it has " + strings.Join(names, ", ")
}
