package mcp

import (
	"context"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nod-console/nod/tools/plugin/harmless"
)

// Form is what a server asks the operator for.
type Form struct {
	Server  string
	Message string
	Fields  []Field
}

// Field is one value of a form.
type Field struct {
	Name     string
	About    string   // title and description, in a line
	Options  []string // what the value must be one of, or some of; none: anything of the kind
	Kind     string   // "string", "number", "integer", "boolean" or "array"
	Default  string   // what the server proposes, as Value takes it; empty: nothing
	Required bool
	values   []string // what the options stand for
	low      *float64 // the bounds: of a number, of a text's characters, of an array's options
	high     *float64
}

// Asker lets the operator fill in a form. values are texts by the fields' names: an option
// for a field that has some, and for an array the numbers of the chosen ones from 1, with
// commas between them. What is missing is left out. ok is false if they
// decline.
type Asker func(ctx context.Context, f Form) (values map[string]string, ok bool, err error)

// maxFields bounds a form.
const maxFields = 20

// elicit answers a server's question.
func (s *Set) elicit(ctx context.Context, server string, p *sdk.ElicitParams) (*sdk.ElicitResult, error) {
	decline := &sdk.ElicitResult{Action: "decline"}
	if s.opt.Ask == nil {
		return decline, nil
	}
	if p.Mode == "url" {
		s.opt.Warn(fmt.Sprintf("the MCP server %s wants a page opened, which was declined: %s", server, harmless.Line(p.URL, 200)))
		return decline, nil
	}
	f := Form{Server: server, Message: harmless.Text(p.Message)}
	var err error
	if f.Fields, err = fields(p.RequestedSchema); err != nil {
		s.opt.Warn(fmt.Sprintf("the MCP server %s asks for something that nod cannot show, which was declined: %v", server, err))
		return decline, nil
	}
	if word := f.secret(); word != "" {
		s.opt.Warn(fmt.Sprintf("the MCP server %s asks for something secret (%q), which was declined: secrets belong into its environment or a header (nod help mcp)", server, word))
		return decline, nil
	}
	values, ok, err := s.opt.Ask(ctx, f)
	if err != nil {
		return nil, err
	}
	if !ok {
		return decline, nil
	}
	content := map[string]any{}
	for _, field := range f.Fields {
		text, given := values[field.Name]
		if !given {
			continue
		}
		if content[field.Name], err = field.Value(text); err != nil {
			return nil, err
		}
	}
	return &sdk.ElicitResult{Action: "accept", Content: content}, nil
}
