package briefing

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/model"
)

// noAnswer stands where a turn ended without a word of the model or of nod.
const noAnswer = "the turn ended without an answer"

// Messages are the history as the model gets it.
//
// A note about a call goes behind the results or to the prompt, fenced as nod's; a note
// about the turn's end becomes the model's own last word in brackets. So the
// operator's prompts always follow an answer: many servers' templates insist
// on roles that alternate.
//
// Where a summary was made, it stands for what was before; it opens the prompt
// that follows it, or is a message of its own in the middle of a turn. llm is
// the name of the one that is asked; mark is what notices bear, and no result.
func Messages(stored []history.Message, llm, mark string) []model.Message {
	var out []model.Message
	summary, left := Standing(stored)
	stored = stored[left:]
	if summary != "" {
		out = append(out, model.Message{Role: model.User, Content: FencedSummary(summary)})
	}
	var notices []string // about calls, until it is clear where they go
	place := func() {
		if len(notices) > 0 {
			out = Attach(out, strings.Join(notices, "\n"), model.FromNod)
			notices = nil
		}
	}
	for _, m := range stored {
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
			out = Attach(out, prompt, model.NoAside)
		case history.Steer:
			place()
			out = Attach(out, m.Content, model.FromOperator)
		case history.Assistant:
			place()
			out = append(out, model.Message{
				Role: model.Assistant, Content: m.Content, Reasoning: m.Reasoning, Calls: callsOf(m.Calls, llm),
			})
		case history.Tool:
			out = append(out, model.Message{Role: model.ToolRole, Content: strings.ReplaceAll(m.Content, mark, ""), CallID: m.Call, Name: m.Tool})
		case history.Note:
			if m.Call != "" {
				notices = append(notices, Notice(mark, m.Content))
				continue
			}
			out = closeTurn(out, m.Content)
		}
	}
	place()
	return out
}

// Attach adds what a user says, or nod in their place. Two messages of the same voice in
// a row are one, and so is what joins a prompt: many servers' templates insist on roles
// that alternate.
func Attach(out []model.Message, text string, from model.Aside) []model.Message {
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

// Notice fences what nod says. What it quotes, such as a command, can neither
// end the fence nor begin another. The mark tells it from what a program prints.
func Notice(mark, text string) string {
	return `<notice from="nod" mark="` + mark + `">` + noticeTag().ReplaceAllString(text, "&lt;$1") + "</notice>"
}

var noticeTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)<(\s*/?\s*notice)`) })

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

// callsOf are calls as they are sent to a model. What a server has attached goes
// back to the same one only: others reject what they do not know.
func callsOf(stored []history.Call, llm string) []model.Call {
	var calls []model.Call
	for _, c := range stored {
		call := model.Call{ID: c.ID, Name: c.Name, Raw: c.Arguments, Invalid: c.Invalid}
		if c.From == "" || c.From == llm {
			call.Extra = c.Extra
		}
		if c.Invalid == "" {
			call.Arguments = json.RawMessage(c.Arguments)
		}
		calls = append(calls, call)
	}
	return calls
}

// Standing is the summary that stands for the beginning of a conversation, and of
// how many messages.
func Standing(stored []history.Message) (summary string, left int) {
	for _, m := range slices.Backward(stored) {
		if m.Role == history.Summary {
			return m.Content, min(m.Through, len(stored))
		}
	}
	return "", 0
}

// FencedSummary is a summary as the model gets it.
func FencedSummary(text string) string {
	return `<summary from="nod">` + "\n" + summaryTag().ReplaceAllString(text, "&lt;$1") + "\n</summary>"
}

var summaryTag = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)<(\s*/?\s*(summary|notice))`) })

// WithRecalled puts what is known of earlier turns before the newest prompt.
func WithRecalled(out []model.Message, known string, stored []history.Message) []model.Message {
	if known == "" {
		return out
	}
	prompt := ""
	for i := len(stored) - 1; i >= 0 && prompt == ""; i-- {
		if stored[i].Role == history.User {
			prompt = stored[i].Content
		}
	}
	at := -1
	for i, m := range out {
		if m.Role == model.User && (strings.Contains(m.Content, prompt) || at < 0) {
			at = i
		}
	}
	if at >= 0 {
		out[at].Content = known + "\n\n" + out[at].Content
	}
	return out
}

// Guidance is text for agents found in a folder or a runbook, with its fence.
type Guidance struct {
	Own    string // the operator has written it for nod
	Folder string // it stands in the operator's working folder, with their consent
}
