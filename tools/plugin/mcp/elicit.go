package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strconv"

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
	Options  []string // what the value must be one of; none: anything of the kind
	Kind     string   // "string", "number", "integer" or "boolean"
	Required bool
	values   []string // what the options stand for
}

// Asker lets the operator fill in a form. values are texts by the fields' names, an
// option for a field that has some; what is missing is left out. ok is false if they
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

// Value is a text as the field's kind. The error quotes it.
func (f Field) Value(text string) (any, error) {
	for i, o := range f.Options {
		if o == text && f.Kind == "string" {
			return f.values[i], nil
		}
	}
	switch f.Kind {
	case "boolean":
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is neither true nor false", f.Name, text)
		}
		return b, nil
	case "integer":
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is no whole number", f.Name, text)
		}
		return n, nil
	case "number":
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, fmt.Errorf("%s: %q is no number", f.Name, text)
		}
		return n, nil
	}
	return text, nil
}

// fields reads the schema of a form: an object of plain values.
func fields(schema any) ([]Field, error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	type option struct {
		Const string `json:"const"`
		Title string `json:"title"`
	}
	var object struct {
		Properties map[string]struct {
			Type        string   `json:"type"`
			Title       string   `json:"title"`
			Description string   `json:"description"`
			Enum        []string `json:"enum"`
			EnumNames   []string `json:"enumNames"`
			OneOf       []option `json:"oneOf"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	if len(object.Properties) > maxFields {
		return nil, fmt.Errorf("%d fields, and at most %d are asked for", len(object.Properties), maxFields)
	}
	required := map[string]bool{}
	for _, name := range object.Required {
		required[name] = true
	}
	var all []Field
	for _, name := range sortedKeys(object.Properties) {
		p := object.Properties[name]
		f := Field{Name: name, Kind: p.Type, Required: required[name], About: harmless.Line(p.Title+" "+p.Description, 200)}
		switch p.Type {
		case "string":
			for i, value := range p.Enum {
				label := value
				if i < len(p.EnumNames) {
					label = p.EnumNames[i]
				}
				f.Options, f.values = append(f.Options, harmless.Line(label, 80)), append(f.values, value)
			}
			for _, o := range p.OneOf {
				f.Options, f.values = append(f.Options, harmless.Line(o.Title, 80)), append(f.values, o.Const)
			}
		case "boolean":
			f.Options = []string{"true", "false"}
		case "number", "integer":
		default:
			return nil, fmt.Errorf("the field %q is of the kind %q", harmless.Line(name, 40), harmless.Line(p.Type, 40))
		}
		all = append(all, f)
	}
	return all, nil
}
