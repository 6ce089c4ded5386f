package plain

import (
	"context"
	"fmt"
	"strings"

	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/keys"
)

// servers carries out /mcp.
func (c *Conversation) servers(ctx context.Context, args string) {
	s := c.opt.Servers
	if s == nil {
		c.Fail("/mcp: no MCP server is configured", "nod help mcp says how")
		return
	}
	switch words := strings.Fields(args); {
	case len(words) == 0:
		c.tell(ctx, "/mcp", s.List)
	case len(words) == 1 && words[0] != "accept":
		c.tell(ctx, "/mcp", func(ctx context.Context) ([]string, error) { return s.Look(ctx, words[0]) })
	case len(words) == 2 && words[0] == "accept":
		c.tell(ctx, "/mcp accept", func(ctx context.Context) ([]string, error) { return s.Accept(ctx, words[1]) })
	default:
		c.Fail(fmt.Sprintf("/mcp %q: want nothing, the name of a server, or accept and the name", args), "/mcp shows which there are")
	}
}

// serversPrompt carries out /prompt. There is no line that a text could be put into, so
// it is shown, and sent if the operator says yes.
func (c *Conversation) serversPrompt(ctx context.Context, args string) {
	s, words := c.opt.Servers, strings.Fields(args)
	if s == nil {
		c.Fail("/prompt: no MCP server is configured", "nod help mcp says how")
		return
	}
	if len(words) < 2 {
		c.tell(ctx, "/prompt", func(ctx context.Context) ([]string, error) { return s.Prompts(ctx, strings.Join(words, "")) })
		return
	}
	var text string
	c.turn(ctx, func(ctx context.Context) (err error) {
		if text, err = s.Prompt(ctx, words[0], words[1], words[2:]); err != nil {
			return fmt.Errorf("/prompt: %w", err)
		}
		return nil
	})
	if text != "" {
		c.mayAsk(ctx, text)
	}
}

// mayAsk shows a prompt that the operator has not written, and sends it if he says yes.
func (c *Conversation) mayAsk(ctx context.Context, text string) {
	c.out.say(note, text)
	c.out.say(note, "Write yes to send that.")
	if line, err := c.floor.read(ctx, c.prompt); err != nil || strings.TrimSpace(line) != "yes" {
		c.out.say(note, "it was not sent.")
		return
	}
	c.turn(ctx, func(ctx context.Context) error { return c.opt.Submit(ctx, text, c.watched) })
}

// own carries out one of the operator's own commands.
func (c *Conversation) own(ctx context.Context, word, args string) (quit bool) {
	var m console.Meaning
	c.turn(ctx, func(ctx context.Context) (err error) {
		m, err = c.opt.Own.Mean(ctx, word, args)
		return err
	})
	if m.Say != "" {
		c.out.say(note, m.Say)
	}
	if m.Insert != "" {
		c.mayAsk(ctx, m.Insert)
	}
	if m.Line == "" {
		return false
	}
	c.out.say(you, m.Line)
	return c.take(ctx, m.Line)
}

// SetCommands is the console's.
func (c *Conversation) SetCommands(own []keys.Custom) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.added = own
}

// table are the commands that can be given.
func (c *Conversation) table() *keys.Table {
	c.mu.Lock()
	defer c.mu.Unlock()
	if table, err := c.opt.Keys.With(c.added); err == nil { // they have no keys that could be taken
		return table
	}
	return c.opt.Keys
}

// plugins carries out /plugins.
func (c *Conversation) plugins(ctx context.Context, args string) {
	switch p := c.opt.Plugins; {
	case p == nil:
		c.Fail("/plugins: not available here", "")
	case args == "":
		c.tell(ctx, "/plugins", p.List)
	case args == "reload":
		c.tell(ctx, "/plugins reload", p.Reload)
	default:
		c.Fail(fmt.Sprintf("/plugins %q: want nothing, or reload", args), "")
	}
}
