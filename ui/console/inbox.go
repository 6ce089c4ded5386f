package console

import (
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/ui/chooser"
)

// inbox knows since when each request waits, by its ID.
type inbox map[string]time.Time

// update takes note of requests that came and went.
func (in *inbox) update(waiting []policy.Request, now time.Time) {
	was := *in
	*in = make(inbox, len(waiting))
	for _, r := range waiting {
		since, known := was[r.ID]
		if !known {
			since = now
		}
		(*in)[r.ID] = since
	}
}

// openInbox shows everything that waits for the operator: what, where and for how
// long. What they choose is asked next; nothing is decided in the list.
func (c *Console) openInbox() {
	waiting := c.queue.Waiting()
	if len(waiting) == 0 {
		c.say("nothing waits for you")
		return
	}
	var rows []chooser.Row
	for i, r := range waiting {
		where := show.Text(r.Action.Target)
		if r.Trust != "" {
			where += " ●" + string(r.Trust)
		}
		if i == 0 {
			where += ", shown"
		}
		rows = append(rows, chooser.Row{
			Name: r.ID, Text: About(r), Also: r.Action.Tool,
			Note: where + "  " + waited(c.now().Sub(c.inbox[r.ID])),
		})
	}
	title := fmt.Sprintf("%d wait for your nod", len(waiting))
	if len(waiting) == 1 {
		title = "1 waits for your nod"
	}
	c.show(chooser.New(title, "Enter shows it", rows), true, func(e chooser.Event) {
		if e.What == chooser.Chosen {
			c.queue.Show(e.Row.Name) // false: it was answered or withdrawn meanwhile
		}
	})
}

// About says in a line what a request is about.
func About(r policy.Request) string {
	text := ""
	for _, s := range r.Sections() {
		if text = strings.TrimSpace(s.Title + " " + s.Text); text != "" {
			break
		}
	}
	line, rest, _ := strings.Cut(text, "\n")
	if line = show.Text(line); rest != "" {
		line += fmt.Sprintf(" (%d lines more)", strings.Count(rest, "\n")+1)
	}
	if r.Agent != "" {
		line = show.Text(r.Agent) + ": " + line
	}
	return line
}

// waited is how long something has waited, in the unit that counts.
func waited(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	}
	return fmt.Sprintf("%d h", int(d.Hours()))
}
