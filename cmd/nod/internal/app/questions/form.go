package questions

import (
	"context"
	"fmt"
	"strings"

	"github.com/nod-console/nod/tools/plugin/mcp"
	"github.com/nod-console/nod/ui/decision"
)

// maxTries bounds how often a value of a form is asked for.
const maxTries = 5

// unchosen is the choice of who has chosen nothing.
const unchosen = -1

// formParts are the questions that a form is made of.
type formParts struct {
	confirm func(ctx context.Context, title, text string) (bool, error)
	choose  func(ctx context.Context, title, text string, options []string) (int, bool, error)
	line    func(ctx context.Context, title, text string) (string, bool, error)
}

// FormDialogs lets the operator fill in what a server asks for, in the console's dialogs.
func FormDialogs(ask func(context.Context, decision.Question) (decision.Answer, error)) mcp.Asker {
	return formParts{
		confirm: AllowDialog(ask),
		choose: func(ctx context.Context, title, text string, options []string) (int, bool, error) {
			said, err := ask(ctx, decision.Question{Kind: decision.Choice, Title: title, Text: text, Options: options})
			return said.Option, said.Given, err
		},
		line: func(ctx context.Context, title, text string) (string, bool, error) {
			said, err := ask(ctx, decision.Question{Kind: decision.Line, Title: title, Text: text})
			return said.Text, said.Given, err
		},
	}.fill
}

// FormLines lets the operator fill in what a server asks for, a line at a time. alone
// runs a function while nobody else reads from the terminal.
func (t *Terminal) FormLines(alone func(context.Context, func() error) error) mcp.Asker {
	line := func(ctx context.Context, title, text string) (said string, given bool, err error) {
		err = alone(ctx, func() (err error) {
			said, err = t.Ask(ctx, fmt.Sprintf("\n%s: %s\n> ", title, text), true)
			return err
		})
		return strings.TrimSpace(said), err == nil, err
	}
	return formParts{
		confirm: func(ctx context.Context, title, text string) (yes bool, err error) {
			err = alone(ctx, func() (err error) {
				yes, err = t.Allow(ctx, title, text)
				return err
			})
			return yes, err
		},
		choose: func(ctx context.Context, title, text string, options []string) (int, bool, error) {
			for i, o := range options {
				text += fmt.Sprintf("\n  %d  %s", i+1, o)
			}
			said, given, err := line(ctx, title, text)
			switch {
			case err != nil || !given:
				return 0, false, err
			case said == "":
				return unchosen, true, nil
			case len(said) != 1 || said[0] < '1' || int(said[0]-'1') >= len(options):
				return 0, false, nil
			}
			return int(said[0] - '1'), true, nil
		},
		line: line,
	}.fill
}

// fill asks whether to answer at all, and then for each field. A field that is not
// answered is left out if it can be, and declines the form if not.
func (p formParts) fill(ctx context.Context, f mcp.Form) (map[string]string, bool, error) {
	title := "the MCP server " + f.Server + " asks"
	text := f.Message + "\n\nWhat you answer goes to that server. Give it no password.\nDo you want to answer?"
	yes, err := p.confirm(ctx, title, text)
	if err != nil || !yes {
		return nil, false, err
	}
	values := map[string]string{}
	for _, field := range f.Fields {
		value, given, err := p.field(ctx, title, field)
		switch {
		case err != nil:
			return nil, false, err
		case given:
			values[field.Name] = value
		case needed(field):
			return nil, false, nil
		}
	}
	return values, true, nil
}

// needed reports whether a field cannot be left out. The protocol puts the default in the
// place of a value that is missing, so a field that has one cannot.
func needed(f mcp.Field) bool { return f.Required || f.Default != "" }

// field asks for one value. Nothing takes the default, which is shown.
func (p formParts) field(ctx context.Context, title string, f mcp.Field) (string, bool, error) {
	text := about(f)
	if n := len(f.Options); n > 0 && n <= decision.MaxOptions && f.Kind != "array" {
		chosen, given, err := p.choose(ctx, title, text, f.Options)
		switch {
		case err != nil || !given:
			return "", false, err
		case chosen == unchosen:
			return f.Default, f.Default != "", nil
		}
		return f.Options[chosen], true, nil
	}
	text += possible(f)
	ask := text
	for range maxTries {
		said, given, err := p.line(ctx, title, ask)
		switch {
		case err != nil || !given:
			return "", false, err
		case said == "":
			return f.Default, f.Default != "", nil
		}
		if _, err = f.Value(said); err == nil {
			return said, true, nil
		}
		ask = err.Error() + "\n" + text
	}
	return "", false, nil
}

// about says what a field is, and what is proposed for it.
func about(f mcp.Field) string {
	text := f.Name
	if f.About != "" {
		text += ": " + f.About
	}
	if !needed(f) {
		text += " (can be left out)"
	}
	if f.Default != "" {
		text += "\nproposed: " + f.Default
	}
	return text
}

// possible says what can be written for a field, and what nothing stands for.
func possible(f mcp.Field) string {
	var text string
	switch {
	case f.Kind == "array":
		text = "\nany of these, as numbers such as 1,2"
		for i, o := range f.Options {
			text += fmt.Sprintf("\n  %d  %s", i+1, o)
		}
	case len(f.Options) > 0:
		text = "\none of " + strings.Join(f.Options, ", ")
	}
	if f.Default != "" {
		return text + "\n(nothing: what is proposed)"
	}
	return text + "\n(nothing: no answer)"
}
