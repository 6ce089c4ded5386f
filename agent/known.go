package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/memory"
	"github.com/nod-console/nod/agent/model"
)

// Memory is what is known from other turns; [memory.Memory] is one.
type Memory interface {
	Recall(ctx context.Context, q memory.Question) (memory.Recalled, error)
	Tainted(ctx context.Context, conversation, target string) ([]string, error)
	Learn(ctx context.Context, e history.Episode) ([]history.Pattern, error)
}

var _ Memory = (*memory.Memory)(nil)

// Guidance is what stands somewhere for agents to read, fenced.
type Guidance struct {
	Own    string // the operator has written it for nod
	Folder string // stands in his working folder, with his consent
}

var secretNumber = regexp.MustCompile(`⟦secret:\d+⟧`)

// learnTime bounds what is done for the memory at the end of a turn.
const learnTime = 5 * time.Second

// maxAction bounds the command of an episode's step, in bytes.
const maxAction = 300

// distrusted is what is remembered of targets' output and what the operator's
// folder says, which is taken for what it is: before what was said, so that a model
// does not get to own such words by repeating them.
func (t *turn) distrusted(ctx context.Context) []string {
	var texts []string
	if t.cfg.Memory != nil {
		var err error
		if texts, err = t.cfg.Memory.Tainted(ctx, t.id, t.situation.Target); err != nil {
			t.emit(Notice{Text: "what nod remembers could not be read: " + err.Error()})
			t.untold = true // what cannot be distrusted is not told either
		}
	}
	if t.cfg.Guidance != nil {
		t.guidance = t.cfg.Guidance(t.situation.Target)
		texts = append(texts, t.guidance.Folder) // others may have written it
	}
	return texts
}

// recollect finds what the model is told of earlier turns and of the folder that
// the operator works in.
func (t *turn) recollect(ctx context.Context, prompt string) {
	var parts []string
	if t.cfg.Memory != nil && !t.untold {
		known, err := t.cfg.Memory.Recall(ctx, memory.Question{Conversation: t.id, Target: t.situation.Target, Prompt: prompt})
		if err != nil {
			t.emit(Notice{Text: "what nod remembers could not be read: " + err.Error()})
		} else {
			parts = append(parts, known.Text(t.vault().Text))
			for _, i := range known.Items {
				switch {
				case i.Tainted:
					t.seen.Printed(i.Text)
				case i.Label == string(memory.Operator):
					t.seen.Said(i.Text)
				}
			}
		}
	}
	t.seen.Said(t.guidance.Own)
	for _, text := range []string{t.guidance.Own, t.guidance.Folder} {
		if text != "" {
			parts = append(parts, t.vault().Text(withoutNames(text)))
		}
	}
	t.known = strings.TrimSpace(strings.Join(parts, "\n\n"))
	if t.Brain().Plain {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lastTold = told{t.id, t.known}
}

// told is what a conversation's turn was told of earlier ones.
type told struct{ conversation, text string }

// Told is what the last turn was told of earlier turns and of the operator's
// folder, as the model got it; empty if the last turn was another conversation's.
func (a *Agent) Told(conversation string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.lastTold.conversation != conversation {
		return ""
	}
	return a.lastTold.text
}

// withKnown puts what is known before the prompt of this turn, unless rules
// answer, which make nothing of it.
func (t *turn) withKnown(b Brain, out []model.Message) []model.Message {
	if t.known == "" || b.Plain {
		return out
	}
	prompt := ""
	for i := len(t.said) - 1; i >= 0 && prompt == ""; i-- {
		if t.said[i].Role == history.User {
			prompt = t.said[i].Content
		}
	}
	at := -1
	for i, m := range out {
		if m.Role == model.User && (strings.Contains(m.Content, prompt) || at < 0) {
			at = i
		}
	}
	if at >= 0 {
		out[at].Content = t.known + "\n\n" + out[at].Content
	}
	return out
}

// narrowed are the tools that are left: a skill takes some away and never gives
// any.
func narrowed(have, only []string) []string {
	if only == nil {
		return have
	}
	left := []string{}
	for _, name := range only {
		if have == nil || slices.Contains(have, name) {
			left = append(left, name)
		}
	}
	return left
}

// learn stores what the turn came to.
func (t *turn) learn(ctx context.Context, ending Ending) {
	if t.cfg.Memory == nil {
		return
	}
	e, ok := t.episode(ending)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), learnTime)
	defer cancel()
	fresh, err := t.cfg.Memory.Learn(ctx, e)
	if err != nil {
		t.emit(Notice{Text: "what this turn came to could not be remembered: " + err.Error()})
		return
	}
	for _, p := range fresh {
		t.emit(Notice{Text: fmt.Sprintf("learned: %s on %s was done in %d turns (nod memory show %s; nod memory strike %s)",
			p.Step.Action, p.Step.Target, p.Turns, p.ID, p.ID)})
	}
}

// episode sums up what was done since the prompt; ok is false if nothing was.
func (t *turn) episode(ending Ending) (e history.Episode, ok bool) {
	from := len(t.said) - 1
	for from >= 0 && t.said[from].Role != history.User {
		from--
	}
	if from < 0 {
		return e, false
	}
	prompt := t.said[from]
	e = history.Episode{
		Conversation: t.id, Place: from + 1, Target: t.situation.Target, Goal: clipped(nameless(prompt.Content), maxAction),
		Ending: ending.String(), Time: t.cfg.Now(),
	}
	results := map[string]history.Message{}
	for _, m := range t.said[from:] {
		if m.Role == history.Tool {
			results[m.Call] = m
		}
	}
	for _, m := range t.said[from:] {
		for _, c := range m.Calls {
			if step, ok := t.stepOf(c, results[c.ID]); ok {
				e.Steps = append(e.Steps, step)
			}
		}
	}
	return e, len(e.Steps) > 0
}

// stepOf is what a call did, without what it printed. One that touched no target
// is none.
func (t *turn) stepOf(c history.Call, result history.Message) (history.EpisodeStep, bool) {
	var args struct {
		Command, Path, Pattern, URL, Query, Target string
		Literal                                    string   `json:"literal_text"`
		Keys                                       []string `json:"keys"`
	}
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return history.EpisodeStep{}, false
	}
	action := ""
	for _, text := range []string{args.Command, args.Pattern, args.Path, args.URL, args.Query, args.Literal, strings.Join(args.Keys, " ")} {
		if action == "" {
			action = text
		}
	}
	if action == "" {
		return history.EpisodeStep{}, false
	}
	if args.Pattern != "" && args.Path != "" {
		action += " in " + args.Path
	}
	if args.Target == "" {
		args.Target = t.situation.Target
	}
	return history.EpisodeStep{
		Tool: c.Name, Target: args.Target, Action: clipped(nameless(action), maxAction),
		Outcome: cameTo(args.Command, result), Tainted: len(t.seen.Of(action)) > 0,
	}, true
}

// cameTo is a result in a few words, none of them from the target.
func cameTo(command string, m history.Message) string {
	var envelope struct {
		Result struct {
			Exit   *int    `json:"exit_code"`
			Stdout *string `json:"stdout"`
			Code   string  `json:"code"`
			Error  string  `json:"error"`
		} `json:"result"`
	}
	bad := json.Unmarshal([]byte(m.Content), &envelope) != nil
	r := envelope.Result
	switch {
	case m.Denied:
		return "denied"
	case m.Call == "":
		return "no result"
	case !bad && r.Exit != nil:
		text := "exited " + strconv.Itoa(*r.Exit)
		if r.Stdout != nil && *r.Stdout != "" {
			text += ", " + countOf(command, *r.Stdout)
		}
		return text
	case !bad && r.Code != "" && m.IsError && plainWord(r.Code):
		return "failed: " + r.Code
	case m.IsError:
		return "failed"
	}
	return "done"
}

// countOf says how much was printed: files for git status, else lines.
func countOf(command, out string) string {
	out = strings.TrimRight(out, "\n")
	if words := strings.Fields(command); len(words) > 1 && words[0] == "git" && words[1] == "status" {
		n := 0
		for l := range strings.Lines(out) {
			l = strings.TrimRight(l, "\n")
			if strings.HasPrefix(strings.TrimSpace(l), "modified:") || strings.HasPrefix(l, " M ") || strings.HasPrefix(l, "M  ") || strings.HasPrefix(l, "MM ") {
				n++
			}
		}
		if n > 0 {
			return strconv.Itoa(n) + " modified"
		}
	}
	n := strings.Count(out, "\n") + 1
	if n == 1 {
		return "1 line"
	}
	return strconv.Itoa(n) + " lines"
}

// plainWord reports whether a code is one of nod's.
func plainWord(code string) bool {
	return len(code) < 30 && strings.Trim(code, "abcdefghijklmnopqrstuvwxyz_") == ""
}

// withoutNames takes out names of secrets, which mean something in one
// conversation only.
func withoutNames(text string) string { return secretNumber.ReplaceAllString(text, "⟦secret⟧") }

// nameless is withoutNames in one line.
func nameless(text string) string { return strings.Join(strings.Fields(withoutNames(text)), " ") }

func clipped(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
