package briefing

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/tools"
)

// smallContext is below how many tokens of context a model gets few tools with short
// texts.
const smallContext = 16 * 1024

// few are nod's own tools of a model with a small context.
var few = []string{"run_shell", "send-keys", "read_file", "edit_file", "question"}

// addedShare is what part of a small context the operator's own tools may take: an MCP
// server's, a plugin's. What does not fit is left out.
const addedShare = 16

// inLine writes the sections of a description in a line each, with shorter headings, and
// the examples without blanks: a heading of its own costs as many tokens as what stands
// below it, and a blank behind a key costs one.
var inLine = strings.NewReplacer("\n\n## ", "\n", "\n- ", ": ", `": `, `":`, "When NOT to use\n- ", "Not for: ", "Disambiguation\n- ", "Note: ")

// Offer says which of the registered tools a model is offered.
type Offer struct {
	Only  []string // those of these names; nil: all
	Extra []string // also these, which are offered to nobody else
	// Context is the model's context in tokens; 0 if it is not known.
	Context int
}

// small reports whether the model has a small context.
func (o Offer) small() bool { return o.Context > 0 && o.Context < smallContext }

// has reports whether a tool is in the offer; one of the operator's own only as far as
// there is room for it.
func (o Offer) has(t tools.Tool) bool {
	name, extra := t.Name(), slices.Contains(o.Extra, t.Name())
	if o.Only != nil && !slices.Contains(o.Only, name) {
		return false
	}
	if optional, ok := t.(tools.Optional); ok && !optional.Offered() && !extra {
		return false
	}
	return !o.small() || extra || isAdded(t) || slices.Contains(few, name)
}

// describe describes a tool to the model.
func (o Offer) describe(t tools.Tool) model.ToolSpec {
	text := t.Description()
	if !isAdded(t) { // those are another's words
		if o.small() {
			text, _, _ = strings.Cut(text, "\n\n## ")
		}
		text = inLine.Replace(text)
	}
	return model.ToolSpec{Name: t.Name(), Description: text, Parameters: t.InputSchema()}
}

// isAdded reports whether a tool is one of the operator's own.
func isAdded(t tools.Tool) bool {
	own, ok := t.(tools.Added)
	return ok && own.Added()
}

// Tools describes the tools of an offer to the model.
func Tools(registry *tools.Registry, o Offer) []model.ToolSpec {
	room := o.Context / addedShare * 4 // bytes: four make a token
	var list []model.ToolSpec
	for _, t := range registry.All() {
		if !o.has(t) {
			continue
		}
		spec := o.describe(t)
		if o.small() && isAdded(t) {
			size := sizeOf(spec)
			if size > room {
				continue
			}
			room -= size
		}
		list = append(list, spec)
	}
	return list
}

// sizeOf is how many bytes a tool takes in a request.
func sizeOf(spec model.ToolSpec) int {
	schema, err := json.Marshal(spec.Parameters)
	if err != nil {
		return math.MaxInt
	}
	return len(spec.Name) + len(spec.Description) + len(schema)
}
