package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/history"
)

// learn stores what the turn came to.
func (t *turn) learn(ctx context.Context, ending agent.Ending) {
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
		t.notify(agent.Notice{Text: "what this turn came to could not be remembered: " + err.Error()})
		return
	}
	for _, p := range fresh {
		t.notify(agent.Notice{Text: fmt.Sprintf("learned: %s on %s was done in %d turns (nod memory show %s; nod memory strike %s)",
			p.Step.Action, p.Step.Target, p.Turns, p.ID, p.ID)})
	}
}

// episode sums up what was done since the prompt; ok is false if nothing was.
func (t *turn) episode(ending agent.Ending) (e history.Episode, ok bool) {
	from := len(t.messages) - 1
	for from >= 0 && t.messages[from].Role != history.User {
		from--
	}
	if from < 0 {
		return e, false
	}
	prompt := t.messages[from]
	e = history.Episode{
		Conversation: t.id, Place: from + 1, Target: t.situation.Target, Goal: clipped(nameless(prompt.Content), maxAction),
		Ending: ending.String(), Time: t.cfg.Now(),
	}
	results := map[string]history.Message{}
	for _, m := range t.messages[from:] {
		if m.Role == history.Tool {
			results[m.Call] = m
		}
	}
	for _, m := range t.messages[from:] {
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
func withoutNames(text string) string { return secretNumber().ReplaceAllString(text, "⟦secret⟧") }

// nameless is withoutNames in one line.
func nameless(text string) string { return strings.Join(strings.Fields(withoutNames(text)), " ") }

func clipped(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
