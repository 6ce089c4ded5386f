package turn

import (
	"context"
	"crypto/rand"
	_ "embed" // the prompt
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/briefing"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/tools"
)

//go:embed summary.md
var summaryPrompt string

// bounds are those of a summary, in characters unless they say otherwise.
type bounds struct {
	lines   int // of what happened, a number
	line    int
	happens int // for all lines together
	words   int // of the operator's, for each prompt that stays word for word
	failure int // for a call's arguments and for its result
}

// boundsFor are the bounds for a context of so many tokens; 0 if it is not known. Where it
// is small, a summary takes a third of it at most: a prompt at the beginning, three of the
// newest and three failures can stand in it beside the lines.
func boundsFor(limit int) bounds {
	b := bounds{lines: 40, line: 300, happens: 40 * 300, words: 2000, failure: 1500}
	if limit > 0 {
		all := limit // four characters a token
		b.line, b.happens = min(b.line, max(all/32, 60)), min(b.happens, all/2)
		b.words, b.failure = min(b.words, all/8), min(b.failure, all/24)
	}
	return b
}

// many is how many of the lines fit, in this order.
func (b bounds) many(lines iter.Seq2[int, string]) int {
	n, size := 0, 0
	for _, l := range lines {
		if size += len(l); n == b.lines || size > b.happens {
			break
		}
		n++
	}
	return n
}

const (
	failures = 3 // the newest that stay word for word
	// maxToSum bounds what the model is given to sum up if its context is not
	// known. Of a longer conversation, the middle is left out.
	maxToSum = 120_000
)

// summarise writes what is to stand for the first messages. own is set if the
// model had no part in it. The error is the context's.
func (t *turn) summarise(ctx context.Context, llm Model, through int) (text string, own bool, err error) {
	var lines []string
	b := boundsFor(llm.ContextLimit)
	if !llm.Plain {
		if lines = t.askSummary(ctx, llm, through); ctx.Err() != nil {
			return "", false, ctx.Err()
		}
	}
	if own = len(lines) == 0; own {
		lines = b.outlineOf(t.messages, through)
	}
	var s strings.Builder
	part := func(title, body string) {
		if body = strings.TrimSpace(body); body != "" {
			fmt.Fprintf(&s, "%s\n%s\n\n", title, body)
		}
	}
	first := prompts(t.messages[:through])[0]
	part("What the operator wanted at first, in his words:", b.quoted(first))
	part("Target and posture then:", strings.TrimPrefix(t.situation.Target+", "+t.situation.Posture, ", "))
	if t.cfg.Pinned != nil {
		part("Open todos:", t.cfg.Pinned(t.messages))
	}
	part("What happened:", strings.Join(lines, "\n"))
	part("The newest words of the operator among it:", b.quoted(slices.DeleteFunc(newestWords(t.messages, through), func(words string) bool { return words == first })...))
	part("The newest failures among it, word for word:", strings.Join(b.newestFailures(t.messages[:through]), "\n"))
	return t.secrets().Text(strings.TrimSpace(s.String())), own, nil
}

// prompts are what the operator has said; one at least, be it empty.
func prompts(messages []history.Message) []string {
	var all []string
	for _, m := range messages {
		if m.Role == history.User || m.Role == history.Steer || m.Role == history.Task {
			all = append(all, m.Content)
		}
	}
	if len(all) == 0 {
		return []string{""}
	}
	return all
}

// newestWords are the prompts of the newest turns that a summary stands for
// although they would have stayed, had there been room.
func newestWords(messages []history.Message, through int) []string {
	turns := 0
	from := len(messages)
	for from > 0 && turns < keepTurns {
		from--
		if messages[from].Role == history.User || messages[from].Role == history.Task {
			turns++
		}
	}
	if from >= through {
		return nil
	}
	if words := prompts(messages[from:through]); words[0] != "" {
		return words
	}
	return nil
}

func (b bounds) quoted(texts ...string) string {
	var all []string
	for _, text := range texts {
		if strings.TrimSpace(text) == "" {
			continue
		}
		head, cut := tools.Head(text, b.words)
		if cut > 0 {
			head += fmt.Sprintf(" [%d characters more]", cut)
		}
		all = append(all, "> "+strings.ReplaceAll(head, "\n", "\n> "))
	}
	return strings.Join(all, "\n")
}

// newestFailures are the last calls that failed, with their results.
func (b bounds) newestFailures(messages []history.Message) []string {
	calls := map[string]history.Call{}
	var all []string
	for _, m := range messages {
		for _, c := range m.Calls {
			calls[c.ID] = c
		}
		if m.Role == history.Tool && m.IsError {
			head, cut := tools.Head(m.Content, b.failure)
			if cut > 0 {
				head += fmt.Sprintf(" [%d characters more]", cut)
			}
			args, _ := tools.Head(calls[m.Call].Arguments, b.failure)
			all = append(all, fmt.Sprintf("- %s %s\n  → %s", m.Tool, args, head))
		}
	}
	return all[max(len(all)-failures, 0):]
}

// outlineOf is what happened without anybody's judgement: a line for each call
// and for each prompt, the newest ones.
func (b bounds) outlineOf(messages []history.Message, through int) []string {
	var lines []string
	if summary, _ := briefing.Standing(messages[:through]); summary != "" {
		lines = b.happened(summary)
	}
	_, left := briefing.Standing(messages)
	ends := map[string]history.Message{}
	for _, m := range messages[:through] {
		if m.Role == history.Tool {
			ends[m.Call] = m
		}
	}
	for _, m := range messages[min(left, through):through] {
		switch m.Role {
		case history.User, history.Steer, history.Task:
			lines = append(lines, b.entry("asked: "+m.Content))
		case history.Assistant:
			for _, c := range m.Calls {
				lines = append(lines, b.entry(c.Name+" "+c.Arguments+": "+endWord(ends[c.ID])))
			}
			if len(m.Calls) == 0 && m.Content != "" {
				lines = append(lines, b.entry("answered: "+m.Content))
			}
		case history.Note:
			lines = append(lines, b.entry("noted: "+m.Content))
		}
	}
	if over := len(lines) - b.many(slices.Backward(lines)); over > 0 {
		lines = append([]string{fmt.Sprintf("- %d lines before these are left out", over)}, lines[over:]...)
	}
	return lines
}

// happened are the lines of what happened of an earlier summary.
func (b bounds) happened(summary string) []string {
	_, rest, _ := strings.Cut(summary, "What happened:\n")
	body, _, _ := strings.Cut(rest, "\n\n")
	return b.linesOf(body)
}

// entry is a text as one line of a summary.
func (b bounds) entry(text string) string {
	head, cut := tools.Head(strings.Join(strings.Fields(text), " "), b.line)
	if cut > 0 {
		head += "…"
	}
	return "- " + head
}

func endWord(m history.Message) string {
	switch {
	case m.Denied:
		return "denied"
	case m.IsError:
		return "failed"
	}
	return "done"
}

// linesOf are the lines of a model's summary: those that are items of a list.
func (b bounds) linesOf(text string) []string {
	var lines []string
	for l := range strings.Lines(text) {
		l = strings.TrimSpace(l)
		rest, ok := strings.CutPrefix(l, "- ")
		if !ok {
			rest, ok = strings.CutPrefix(l, "* ")
		}
		if ok && strings.TrimSpace(rest) != "" {
			lines = append(lines, b.entry(rest))
		}
	}
	return lines[:b.many(slices.All(lines))]
}

// askSummary has the model sum up; nil if nothing useful comes. What was said is
// data to it, between marks that nobody could foresee.
func (t *turn) askSummary(ctx context.Context, llm Model, through int) []string {
	room := maxToSum
	if llm.ContextLimit > 0 {
		room = min(room, llm.ContextLimit*compactTo/100*3) // three bytes a token: rather too little
	}
	mark := strings.ToLower(rand.Text()[:12])
	recalled := strings.ReplaceAll(toSum(t.messages, through, room), mark, "")
	r := model.Request{
		Messages: []model.Message{
			{Role: model.System, Content: strings.TrimSpace(summaryPrompt)},
			{Role: model.User, Content: fmt.Sprintf("<%s>\n%s\n</%[1]s>\n\nSum up what stands between the two marks.", mark, recalled)},
		},
		MaxTokens: summaryTokens * 2,
	}
	t.trace("request", r)
	got, err := llm.Client.Stream(ctx, r, nil)
	t.traceReply(got, err)
	t.used(r, llm, got)
	if err != nil && ctx.Err() == nil {
		t.notify(agent.Notice{Text: "the model gave no summary (" + err.Error() + "): nod lists what was done"})
	}
	if err != nil {
		return nil
	}
	return boundsFor(llm.ContextLimit).linesOf(got.Message.Content)
}

// toSum is what a summary is to be made of: the one before, and what came after
// it, in at most room bytes. Of what is too long, the middle is left out.
func toSum(messages []history.Message, through, room int) string {
	var parts []string
	if summary, _ := briefing.Standing(messages); summary != "" {
		parts = append(parts, "earlier summary:\n"+summary)
	}
	_, left := briefing.Standing(messages)
	for _, m := range messages[min(left, through):through] {
		switch m.Role {
		case history.User, history.Steer, history.Task:
			parts = append(parts, "operator: "+shortened(m.Content, 2000))
		case history.Assistant:
			if m.Content != "" {
				parts = append(parts, "assistant: "+shortened(m.Content, 2000))
			}
			for _, c := range m.Calls {
				parts = append(parts, "call: "+c.Name+" "+shortened(c.Arguments, 600))
			}
		case history.Tool:
			parts = append(parts, "result of "+m.Tool+": "+shortened(m.Content, 800))
		case history.Note:
			parts = append(parts, "note: "+shortened(m.Content, 400))
		}
	}
	size := 0
	for _, p := range parts {
		size += len(p) + 1
	}
	head := min(len(parts), 2)
	dropped := 0
	for size > room && head+dropped < len(parts)-1 {
		size -= len(parts[head+dropped]) + 1
		dropped++
	}
	if dropped > 0 {
		parts = slices.Concat(parts[:head], []string{fmt.Sprintf("[%d entries are left out here]", dropped)}, parts[head+dropped:])
	}
	return strings.Join(parts, "\n")
}

// shortened is a text without its middle.
func shortened(text string, limit int) string {
	head, cut := tools.Head(text, limit*2/3)
	if cut == 0 {
		return text
	}
	tail, _ := tools.Tail(text[len(head):], limit/3)
	if len(head)+len(tail) >= len(text) {
		return text
	}
	return head + " […] " + tail
}
