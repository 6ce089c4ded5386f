package model

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	openai "github.com/sashabaranov/go-openai"
)

// maxCalls bounds the calls of one reply; the protocol itself allows 128.
const maxCalls = 128

// assembly builds a reply from its chunks and passes each step on.
type assembly struct {
	host string
	sink func(Delta)

	split     splitter
	said      strings.Builder
	thought   strings.Builder
	calls     []*draft
	byIndex   map[int]*draft
	current   *draft // the call of the last piece
	choice    int    // the index of the answer that is read: the first with content; -1 before
	size      int
	finish    string
	late      bool // something came after the finish_reason
	usage     Usage
	delivered bool // the sink was given some of the reply
	text      textReply
}

// draft is a call that is being written.
type draft struct {
	at   int
	id   string
	name string
	args strings.Builder

	extra json.RawMessage
}

func newAssembly(host string, sink func(Delta)) *assembly {
	return &assembly{host: host, sink: sink, choice: -1, byIndex: map[int]*draft{}}
}

// add takes one chunk, and what its calls carry beyond the library's types.
func (a *assembly) add(chunk openai.ChatCompletionStreamResponse, extras []json.RawMessage) error {
	if u := chunk.Usage; u != nil {
		a.usage = usageOf(u)
		a.sink(Delta{Usage: &a.usage})
	}
	for i, choice := range chunk.Choices {
		if a.choice < 0 && saysSomething(choice.Delta) {
			a.choice = choice.Index
		}
		if a.choice >= 0 && choice.Index == a.choice {
			if i > 0 {
				extras = nil
			}
			if err := a.delta(choice.Delta, extras); err != nil {
				return err
			}
		}
		// Some number the answer differently from its beginning and its end, which are 0.
		if ours := choice.Index == 0 || choice.Index == a.choice; ours && choice.FinishReason != "" && choice.FinishReason != openai.FinishReasonNull {
			a.finish, a.late = string(choice.FinishReason), false
		}
	}
	return nil
}

// saysSomething reports whether a delta has a part of the answer.
func saysSomething(d openai.ChatCompletionStreamChoiceDelta) bool {
	return d.Content != "" || d.ReasoningContent != "" || d.Refusal != "" || len(d.ToolCalls) > 0
}

func (a *assembly) delta(d openai.ChatCompletionStreamChoiceDelta, extras []json.RawMessage) error {
	a.size += len(d.Content) + len(d.Refusal) + len(d.ReasoningContent)
	for _, call := range d.ToolCalls {
		a.size += len(call.ID) + len(call.Function.Name) + len(call.Function.Arguments)
	}
	for _, extra := range extras {
		a.size += len(extra)
	}
	if a.size > maxReply {
		return &Error{Kind: TooLarge, Message: fmt.Sprintf("%s sent a reply of more than %d MiB", a.host, maxReply>>20)}
	}
	if d.ReasoningContent != "" {
		a.speak("", d.ReasoningContent)
	}
	if s := d.Content + d.Refusal; s != "" {
		a.speak(a.split.add(s))
	}
	for i, call := range d.ToolCalls {
		if err := a.call(call); err != nil {
			return err
		}
		if i < len(extras) && extras[i] != nil {
			a.current.extra = extras[i]
		}
	}
	return nil
}

func (a *assembly) speak(said, thought string) {
	if said == "" && thought == "" {
		return
	}
	a.late = a.finish != ""
	if said = a.text.push(said); said == "" && thought == "" {
		return
	}
	a.said.WriteString(said)
	a.thought.WriteString(thought)
	a.deliver(Delta{Text: said, Reasoning: thought})
}

func (a *assembly) call(piece openai.ToolCall) error {
	d := a.draftFor(piece)
	if d == nil {
		if len(a.calls) == maxCalls {
			return &Error{Kind: TooLarge, Message: fmt.Sprintf("%s sent more than %d calls in one reply", a.host, maxCalls)}
		}
		d = &draft{at: len(a.calls), id: piece.ID, name: piece.Function.Name}
		a.calls = append(a.calls, d)
	} else {
		d.more(piece)
	}
	if piece.Index != nil {
		a.byIndex[*piece.Index] = d
	}
	a.current = d
	if again := piece.Function.Arguments; again == d.args.String() && d.complete() {
		piece.Function.Arguments = "" // all of them once more, as some servers end a call
	}
	d.args.WriteString(piece.Function.Arguments)
	a.late = a.finish != ""
	a.deliver(Delta{Call: &CallDelta{Index: d.at, ID: d.id, Name: d.name, Arguments: piece.Function.Arguments}})
	return nil
}

// draftFor finds the call that a piece continues, nil for a new one. The index decides
// where there is one. But there are servers that leave it out, servers that give every
// call the index 0, servers that repeat id and name with every piece, and servers that
// invent a new id for every piece. So beyond the index: a piece with a new id and a name
// begins a call, and so does one that opens an object where the last one is closed.
func (a *assembly) draftFor(piece openai.ToolCall) *draft {
	var d *draft
	switch {
	case piece.Index != nil:
		d = a.byIndex[*piece.Index]
	case piece.ID != "":
		d = a.byID(piece.ID)
		if d == nil && piece.Function.Name == "" {
			d = a.lastDraft()
		}
	default:
		d = a.lastDraft()
	}
	if d == nil || piece.Function.Name == "" {
		return d
	}
	if piece.ID != "" && d.id != "" && piece.ID != d.id {
		return nil
	}
	if d.complete() && (opensObject(piece.Function.Arguments) || piece.Index == nil && piece.ID == "") {
		return nil
	}
	return d
}

func (a *assembly) byID(id string) *draft {
	for i := len(a.calls) - 1; i >= 0; i-- {
		if a.calls[i].id == id {
			return a.calls[i]
		}
	}
	return nil
}

func (a *assembly) lastDraft() *draft {
	if len(a.calls) == 0 {
		return nil
	}
	return a.calls[len(a.calls)-1]
}

// more takes id and name from a later piece: either late, repeated, or the name in parts.
func (d *draft) more(piece openai.ToolCall) {
	if d.id == "" {
		d.id = piece.ID
	}
	if name := piece.Function.Name; name != d.name && d.args.Len() == 0 {
		d.name += name
	}
}

func (d *draft) complete() bool {
	return d.args.Len() > 0 && isObject([]byte(d.args.String()))
}

func opensObject(s string) bool {
	return strings.HasPrefix(strings.TrimLeft(s, " \t\r\n"), "{")
}

func (a *assembly) deliver(d Delta) {
	a.delivered = true
	a.sink(d)
}

// finished says whether the server said that the reply is whole. Pieces after the
// finish_reason need the stream's own end mark as well.
func (a *assembly) finished(done bool) bool {
	return a.finish != "" && (!a.late || done)
}

// partial is the reply of a stream that did not finish: its text, and none of its calls.
func (a *assembly) partial() Reply {
	a.flush()
	said, more := a.text.orphan(a.said.String())
	thought := a.thought.String() + more
	return Reply{
		Message: Message{Role: Assistant, Content: strings.TrimRight(said, " \t\r\n"), Reasoning: thought},
		Usage:   a.usage,
	}
}

// reply is the whole reply of a stream that finished. known are the call ids that the
// conversation holds already.
func (a *assembly) reply(known map[string]bool) Reply {
	r := a.partial()
	r.Finish = a.finish
	byID := map[string][]Call{} // by the id that the server gave
	for _, d := range a.calls {
		call := d.call(a.finish, known)
		if d.id != "" && hasCall(byID[d.id], call) {
			continue // the server has sent it twice
		}
		byID[d.id] = append(byID[d.id], call)
		r.Message.Calls = append(r.Message.Calls, call)
	}
	a.text.addTo(&r, known)
	return r
}

func (a *assembly) flush() {
	said, thought, literal := a.split.end()
	said, more := a.text.end(said, literal)
	if thought += more; said == "" && thought == "" {
		return
	}
	a.said.WriteString(said)
	a.thought.WriteString(thought)
	a.sink(Delta{Text: said, Reasoning: thought})
}

func (d *draft) call(finish string, known map[string]bool) Call {
	raw := d.args.String()
	c := Call{ID: d.id, Name: calledName(d.name), Raw: raw, Extra: d.extra}
	if !usableID(c.ID) || known[c.ID] {
		c.ID = newID(known)
	}
	known[c.ID] = true
	args, why := parseArguments(raw)
	switch cut := cutOff(finish); {
	case cut != "":
		why = cut
	case c.Name == "":
		why = "the call names no tool"
	}
	if c.Invalid = why; why == "" {
		c.Arguments = args
	}
	return c
}

// calledName is a name as the model meant it: without the blanks around it, and without
// the tokens of its own format that some servers leave behind it.
func calledName(name string) string {
	name, _, _ = strings.Cut(name, "<|")
	return strings.TrimSpace(name)
}

// usableID reports whether an id can be sent back and shown: short and plain.
func usableID(id string) bool {
	for i := 0; i < len(id); i++ {
		if id[i] <= ' ' || id[i] >= 0x7f {
			return false
		}
	}
	return id != "" && len(id) <= 256
}

// newID makes an id of nine letters and digits, the form that every server accepts.
func newID(known map[string]bool) string {
	for {
		if id := rand.Text()[:9]; !known[id] {
			return id
		}
	}
}

func usageOf(u *openai.Usage) Usage {
	usage := Usage{Prompt: u.PromptTokens, Completion: u.CompletionTokens, Total: u.TotalTokens}
	if d := u.CompletionTokensDetails; d != nil {
		usage.Reasoning = d.ReasoningTokens
	}
	if d := u.PromptTokensDetails; d != nil {
		usage.Cached = d.CachedTokens
	}
	return usage
}
