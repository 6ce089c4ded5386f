package console

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/ui/chooser"
	"github.com/nod-console/nod/ui/screen"
)

// Past are the conversations that were held before, and what is known from them.
type Past struct {
	// Find returns those that fit a text, the latest first; the latest ones if it is
	// empty.
	Find func(ctx context.Context, text string) ([]Held, error)
	// Resume makes one of them the present conversation; see Resume.Accept.
	Resume func(ctx context.Context, id string, prompt func(text string), sink agent.Sink) error
	// Prompts returns what the operator has said in the present conversation, in
	// order.
	Prompts func(ctx context.Context) ([]Said, error)
	// Fork makes a copy of the present conversation the present one, with what was
	// said before a message, and tells it like Resume.
	Fork func(ctx context.Context, before int, prompt func(text string), sink agent.Sink) error
	// Memory returns the lines of /memory and its words.
	Memory func(ctx context.Context, words string) ([]string, error)
}

// Held is a conversation.
type Held struct {
	ID      string
	Title   string
	Excerpt string // the place that fits; empty if none was looked for
	Target  string
	When    time.Time
	// InUse says that it cannot be taken up: it is the present one, or another
	// nod's.
	InUse bool
}

// Said is a prompt of the operator's.
type Said struct {
	Place int
	Text  string
	When  time.Time
}

// past shows earlier conversations to choose from.
func (c *Console) past(text string) {
	c.background(func(ctx context.Context) {
		found, err := c.opt.Past.Find(ctx, text)
		switch {
		case err != nil:
			c.mail.put(explain("/history", err))
			return
		case len(found) == 0 && text == "":
			c.mail.put(noted{"there is no earlier conversation"})
			return
		case len(found) == 0:
			c.mail.put(noted{fmt.Sprintf("no conversation has %q", screen.Clean(text))})
			return
		}
		c.mail.put(onPump(func(c *Console) { c.showPast(text, found) }))
	})
}

func (c *Console) showPast(text string, found []Held) {
	title := "conversations"
	if text != "" {
		title += " with " + screen.Clean(text)
	}
	byName := map[string]Held{}
	var rows []chooser.Row
	for i, h := range found {
		name := strconv.Itoa(i)
		byName[name] = h
		row := chooser.Row{Name: name, Text: screen.Clean(h.Title), Note: h.When.Local().Format("2006-01-02 15:04") + " " + h.Target}
		if h.Excerpt != "" {
			row.Text += ": " + screen.Clean(h.Excerpt)
		}
		if h.InUse {
			row.Reason = "it is open"
		}
		rows = append(rows, row)
	}
	c.show(chooser.New(title, "Enter goes on with it", rows), true, func(e chooser.Event) {
		if e.What == chooser.Chosen {
			c.takeUp(byName[e.Row.Name].ID)
		}
	})
}

// takeUp goes on with a conversation.
func (c *Console) takeUp(id string) {
	c.instead("/history", func(ctx context.Context) error {
		return c.opt.Past.Resume(ctx, id, func(text string) { c.mail.put(prompted{text}) }, c.sink)
	})
}

// instead puts another conversation in the place of the present one.
func (c *Console) instead(word string, do func(ctx context.Context) error) {
	if c.turns.busy {
		c.chat.Fault(word+": a turn is running", "Ctrl-C interrupts it")
		return
	}
	c.runTurn(func(ctx context.Context) error {
		c.mail.put(cleared{})
		if err := do(ctx); err != nil {
			return fmt.Errorf("%s: %w", word, err)
		}
		return nil
	})
	c.turns.told = true
}

// fork shows the prompts of this conversation: the one that is chosen is written
// anew, in a copy that has what was said before it.
func (c *Console) fork() {
	c.background(func(ctx context.Context) {
		said, err := c.opt.Past.Prompts(ctx)
		switch {
		case err != nil:
			c.mail.put(explain("/fork", err))
		case len(said) == 0:
			c.mail.put(noted{"nothing was said in this conversation yet"})
		default:
			c.mail.put(onPump(func(c *Console) { c.showPrompts(said) }))
		}
	})
}

func (c *Console) showPrompts(said []Said) {
	byName := map[string]Said{}
	var rows []chooser.Row
	for i := len(said) - 1; i >= 0; i-- {
		name := strconv.Itoa(said[i].Place)
		byName[name] = said[i]
		rows = append(rows, chooser.Row{
			Name: name, Text: screen.Clean(strings.Join(strings.Fields(said[i].Text), " ")), Note: said[i].When.Local().Format("15:04"),
		})
	}
	c.show(chooser.New("fork", "Enter goes back to before it, in a copy, and lets you write it anew", rows), true, func(e chooser.Event) {
		if e.What != chooser.Chosen {
			return
		}
		from := byName[e.Row.Name]
		c.instead("/fork", func(ctx context.Context) error {
			err := c.opt.Past.Fork(ctx, from.Place, func(text string) { c.mail.put(prompted{text}) }, c.sink)
			if err == nil {
				c.mail.put(onPump(func(c *Console) {
					c.chat.Notice("this is a copy of the conversation up to here; the other one stays as it is")
					if c.input.Empty() {
						c.input.Set(from.Text)
					}
				}))
			}
			return err
		})
	})
}

// memory shows what is remembered, or does what the words say.
func (c *Console) memory(words string) {
	c.background(func(ctx context.Context) {
		lines, err := c.opt.Past.Memory(ctx, words)
		if err != nil {
			c.mail.put(failed{"/memory: " + err.Error(), "/memory shows the IDs"})
			return
		}
		c.mail.put(noted{strings.Join(lines, "\n")})
	})
}
