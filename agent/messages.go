package agent

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/model"
)

// noAnswer stands where a turn ended without a word of the model or of nod.
const noAnswer = "the turn ended without an answer"

// conversation is the history as the model gets it.
//
// A note about a call goes behind the results or to the prompt, fenced as nod's; a note
// about the turn's end becomes the model's own last word in brackets. So the
// operator's prompts always follow an answer: many servers' templates insist
// on roles that alternate.
//
// Where a summary was made, it stands for what was before; it opens the prompt
// that follows it, or is a message of its own in the middle of a turn. brain is
// the name of the one that is asked; mark is what notices bear, and no result.
func conversation(said []history.Message, brain, mark string) []model.Message {
	var out []model.Message
	summary, left := standing(said)
	said = said[left:]
	if summary != "" {
		out = append(out, model.Message{Role: model.User, Content: fencedSummary(summary)})
	}
	var notices []string // about calls, until it is clear where they go
	place := func() {
		if len(notices) > 0 {
			out = attach(out, strings.Join(notices, "\n"), model.FromNod)
			notices = nil
		}
	}
	for _, m := range said {
		switch m.Role {
		case history.User, history.Task:
			if left == 0 || len(out) > 1 {
				out = closeTurn(out, noAnswer)
			}
			prompt := m.Content
			if len(notices) > 0 {
				prompt += "\n\n" + strings.Join(notices, "\n")
				notices = nil
			}
			out = attach(out, prompt, model.NoAside)
		case history.Steer:
			place()
			out = attach(out, m.Content, model.FromOperator)
		case history.Assistant:
			place()
			out = append(out, model.Message{
				Role: model.Assistant, Content: m.Content, Reasoning: m.Reasoning, Calls: callsOf(m.Calls, brain),
			})
		case history.Tool:
			out = append(out, model.Message{Role: model.ToolRole, Content: strings.ReplaceAll(m.Content, mark, ""), CallID: m.Call, Name: m.Tool})
		case history.Note:
			if m.Call != "" {
				notices = append(notices, notice(mark, m.Content))
				continue
			}
			out = closeTurn(out, m.Content)
		}
	}
	place()
	return out
}

// attach adds what a user says, or nod in their place. Two messages of the same voice in
// a row are one, and so is what joins a prompt: many servers' templates insist on roles
// that alternate.
func attach(out []model.Message, text string, from model.Aside) []model.Message {
	n := len(out)
	if n > 0 && out[n-1].Role == model.User && (out[n-1].Aside == from || out[n-1].Aside == model.NoAside) {
		out[n-1].Content += "\n\n" + text
		return out
	}
	if n == 0 || out[n-1].Role != model.ToolRole && out[n-1].Role != model.User {
		from = model.NoAside
	}
	return append(out, model.Message{Role: model.User, Content: text, Aside: from})
}

// notice fences what nod says. What it quotes, such as a command, can neither
// end the fence nor begin another. The mark tells it from what a program prints.
func notice(mark, text string) string {
	return `<notice from="nod" mark="` + mark + `">` + noticeTag.ReplaceAllString(text, "&lt;$1") + "</notice>"
}

var noticeTag = regexp.MustCompile(`(?i)<(\s*/?\s*notice)`)

// closeTurn makes the model have the last word.
func closeTurn(out []model.Message, why string) []model.Message {
	if len(out) == 0 {
		return out
	}
	last := &out[len(out)-1]
	if last.Role == model.Assistant && len(last.Calls) == 0 {
		if why != noAnswer {
			last.Content = strings.TrimSpace(last.Content + "\n\n[" + why + "]")
		}
		return out
	}
	return append(out, model.Message{Role: model.Assistant, Content: "[" + why + "]"})
}

// callsOf are calls as they are sent to a brain. What a server has attached goes
// back to the same one only: others reject what they do not know.
func callsOf(stored []history.Call, brain string) []model.Call {
	var calls []model.Call
	for _, c := range stored {
		call := model.Call{ID: c.ID, Name: c.Name, Raw: c.Arguments, Invalid: c.Invalid}
		if c.From == "" || c.From == brain {
			call.Extra = c.Extra
		}
		if c.Invalid == "" {
			call.Arguments = json.RawMessage(c.Arguments)
		}
		calls = append(calls, call)
	}
	return calls
}

// reply is a message of a brain's as it is kept.
func reply(m model.Message, brain string) history.Message {
	kept := history.Message{Role: history.Assistant, Content: m.Content, Reasoning: m.Reasoning}
	for _, c := range m.Calls {
		args := c.Raw
		if c.Invalid == "" {
			args = string(c.Arguments)
		}
		call := history.Call{ID: c.ID, Name: c.Name, Arguments: args, Invalid: c.Invalid, Extra: c.Extra}
		if len(c.Extra) > 0 {
			call.From = brain
		}
		kept.Calls = append(kept.Calls, call)
	}
	return kept
}
