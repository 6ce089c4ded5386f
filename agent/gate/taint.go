package gate

import (
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
)

// named tells which hosts the operator has named: all of them in what he typed
// himself.
func (s Step) named() func(host string) bool {
	switch {
	case s.Operator:
		return func(string) bool { return true }
	case s.Seen == nil:
		return nil
	}
	return s.Seen.Named
}

// tainted are the parts of a step's command that the model has from a target
// and not from the operator.
func (s Step) tainted() []policy.Span {
	if s.Seen == nil || s.Operator {
		return nil
	}
	a := s.Action
	text, from := a.Command, 0
	switch a.Kind {
	case tools.Exec, tools.Run, tools.Fetch, tools.Invoke:
	case tools.Type: // what stands on the line already is nobody's proposal
		text, from = a.Pending+a.Literal, len(a.Pending)
	default:
		return nil
	}
	var spans []policy.Span
	for _, p := range s.Seen.Of(text) {
		if p.End > from {
			spans = append(spans, policy.Span{Start: max(p.Start, from), End: p.End})
		}
	}
	return spans
}
