package console

import (
	"context"
	"fmt"
	"strings"

	"github.com/nod-console/nod/ui/keys"
)

// Servers are the servers whose tools the model may use (MCP). The functions that have a
// context may take as long as a server does.
type Servers struct {
	// Names are those of the servers. It must be quick.
	Names func() []string
	// List returns the lines of /mcp.
	List func(ctx context.Context) ([]string, error)
	// Look returns in lines what is new or changed at a server.
	Look func(ctx context.Context, server string) ([]string, error)
	// Accept lets the model use what Look has shown last, and says what that was. Where
	// it offers something else, it returns the lines of a Look instead.
	Accept func(ctx context.Context, server string) ([]string, error)
	// Prompts returns the lines of /prompt.
	Prompts func(ctx context.Context, server string) ([]string, error)
	// Prompt is the text of a server's prompt.
	Prompt func(ctx context.Context, server, name string, args []string) (string, error)
}

// inserted is a text for the input, where it is still empty.
type inserted struct{ by, text string }

func (l inserted) arrive(c *Console) { c.insert(l.by, l.text) }

// servers carries out /mcp.
func (c *Console) servers(args string) {
	s := c.opt.Servers
	switch words := strings.Fields(args); {
	case len(words) == 0:
		c.background(c.tell("/mcp", s.List))
	case len(words) == 1 && words[0] != "accept":
		c.background(c.tell("/mcp", func(ctx context.Context) ([]string, error) { return s.Look(ctx, words[0]) }))
	case len(words) == 2 && words[0] == "accept":
		c.background(c.tell("/mcp accept", func(ctx context.Context) ([]string, error) { return s.Accept(ctx, words[1]) }))
	case words[0] == "accept":
		c.chat.Fault("/mcp accept: want the name of one server", "/mcp shows which there are")
	default:
		c.chat.Fault(fmt.Sprintf("/mcp %q: want nothing, the name of a server, or accept and the name", args), "")
	}
}

// serversPrompt carries out /prompt.
func (c *Console) serversPrompt(args string) {
	s, words := c.opt.Servers, strings.Fields(args)
	if len(words) < 2 {
		c.background(c.tell("/prompt", func(ctx context.Context) ([]string, error) { return s.Prompts(ctx, strings.Join(words, "")) }))
		return
	}
	c.background(func(ctx context.Context) {
		text, err := s.Prompt(ctx, words[0], words[1], words[2:])
		if err != nil {
			c.mail.put(explain("/prompt", err))
			return
		}
		c.mail.put(inserted{"/prompt", text})
	})
}

// insert writes a text into the input.
func (c *Console) insert(by, text string) {
	if !c.input.Empty() {
		c.chat.Fault(by+": there is something in the line that you write in", "send it, or empty it with Ctrl-C, and give the command again")
		return
	}
	c.input.Set(text)
	c.focus = focus{place: keys.Input, pane: c.focus.pane, zoom: c.focus.zoom}
}
