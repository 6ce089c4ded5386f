package model

import (
	"strings"

	"github.com/nod-console/nod/agent/textcall"
)

// The values of Config.ToolProtocol.
const (
	// ProtocolAuto sends tools in the request. After a server has rejected them,
	// it is ProtocolText. Calls in the text of a reply count, too: some servers do
	// not know how their model writes them.
	ProtocolAuto = "auto"
	// ProtocolNative sends tools in the request, and text is text.
	ProtocolNative = "native"
	// ProtocolText describes the tools in the system prompt, reads calls from the
	// text of a reply, and sends results as a user's message.
	ProtocolText = "text"
)

// readText prepares an assembly for how this request has its calls.
func (c *Client) readText(as manner, a *assembly, x *exchange) {
	a.text.tools = textTools(x.req.Tools)
	switch {
	case as.inText:
		a.text.parser = textcall.NewParser(a.text.tools)
		x.req.Messages = nil // what servers attach to calls has no place in text
	case c.cfg.ToolProtocol != ProtocolNative && len(x.req.Tools) > 0:
		a.text.parser = textcall.NewParser(a.text.tools)
	}
}

func textTools(specs []ToolSpec) []textcall.Tool {
	var all []textcall.Tool
	for _, s := range specs {
		all = append(all, textcall.Tool{Name: s.Name, Description: s.Description, Parameters: s.Parameters})
	}
	return all
}

// textMessages is a conversation without any field for tools: they are described
// in the system prompt, calls stand in the model's replies, and the results that
// belong together are one message of the user's.
func textMessages(r Request) []Message {
	var out []Message
	teach := textcall.Instructions(textTools(r.Tools))
	if teach != "" && (len(r.Messages) == 0 || r.Messages[0].Role != System) {
		out = append(out, Message{Role: System, Content: teach})
		teach = ""
	}
	for _, m := range r.Messages {
		switch {
		case m.Role == System && teach != "":
			m.Content, teach = m.Content+"\n\n"+teach, ""
		case m.Role == Assistant && len(m.Calls) > 0:
			m.Content = strings.TrimSpace(m.Content + "\n\n" + textcall.Format(textCalls(m.Calls)...))
			m.Calls = nil
		case m.Role == ToolRole:
			m = Message{Role: User, Content: textcall.Result(m.Name, m.Content)}
		}
		if n := len(out); m.Role == User && n > 0 && out[n-1].Role == User {
			out[n-1].Content += "\n\n" + m.Content
			continue
		}
		out = append(out, m)
	}
	return out
}

func textCalls(calls []Call) []textcall.Call {
	var all []textcall.Call
	for _, c := range calls {
		all = append(all, textcall.Call{Name: c.Name, Arguments: c.Arguments, Raw: c.Raw, Invalid: c.Invalid})
	}
	return all
}

// textReply finds the calls in the text of one reply.
type textReply struct {
	tools  []textcall.Tool
	parser *textcall.Parser // nil if calls do not travel as text
	raw    strings.Builder  // the text with its calls
	shown  int              // how much text was given out
	calls  []textcall.Call

	literal string // the end of the text, where nothing is a call
}

// push takes a piece of the reply and returns what of it is text.
func (t *textReply) push(said string) string {
	if t.parser == nil {
		return said
	}
	t.raw.WriteString(said)
	text := t.parser.Push(said)
	t.shown += len(text)
	return text
}

// end takes the last piece, and the text behind it in which nothing is a call. It
// returns the rest of the text.
func (t *textReply) end(said, literal string) (text, thought string) {
	if t.parser == nil {
		return said + literal, ""
	}
	text = t.push(said)
	shown := t.shown
	if t.literal = literal; literal != "" {
		t.parser.Literal(literal)
	}
	reply := t.parser.End()
	t.calls = reply.Calls
	return text + reply.Text[shown:], reply.Reasoning
}

// orphan is splitOrphan. What was thought may speak of calls: they are none.
func (t *textReply) orphan(said string) (rest, thought string) {
	if t.parser == nil {
		return splitOrphan(said)
	}
	if rest, thought = splitOrphan(t.raw.String()); thought == "" {
		return said, ""
	}
	p := textcall.NewParser(t.tools)
	p.Push(rest)
	p.Literal(t.literal)
	reply := p.End()
	t.calls = reply.Calls
	return reply.Text, thought
}

// addTo makes the calls a part of a reply that has finished. Some servers leave in the
// text what they have read as calls, whole or in part: such a call counts once.
func (t *textReply) addTo(r *Reply, known map[string]bool) {
	native := r.Message.Calls
	r.Message.Calls = nil
	for _, c := range t.calls {
		call := Call{ID: newID(known), Name: c.Name, Raw: c.Raw, Arguments: c.Arguments, Invalid: c.Invalid}
		if cut := cutOff(r.Finish); cut != "" {
			call.Invalid, call.Arguments = cut, nil
		}
		if len(native) > 0 && (call.Invalid != "" || hasCall(native, call)) {
			continue
		}
		known[call.ID] = true
		r.Message.Calls = append(r.Message.Calls, call)
	}
	r.Message.Calls = append(r.Message.Calls, native...) // a server sends the text first
}
