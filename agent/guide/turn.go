package guide

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
)

// turn is what happened since the operator's last message.
type turn struct {
	req      *request
	question string
	first    bool               // the guide has not answered before in this conversation
	done     map[string]outcome // results by the step's key
	denied   bool
}

// step is one call that the guide wants made.
type step struct {
	tool string
	args map[string]any
	why  string
}

// key identifies a step in the history: its tool and what it works on.
func (s step) key() string { return stepKey(s.tool, s.args) }

func stepKey(tool string, args map[string]any) string {
	for _, name := range []string{"command", "path"} {
		if v, ok := args[name].(string); ok {
			return tool + "\x00" + v
		}
	}
	return tool
}

// answer decides what to reply: calls while something is still to be looked at, and a
// report once everything is in. The same conversation always gives the same answer, but
// for the calls' ids.
func (g *Guide) answer(req *request) answer {
	t := readTurn(req)
	p := understand(t.question)
	if need := t.missing(p.steps(t)); len(need) > 0 && !t.denied {
		if why := t.cannot(need); why != "" {
			return answer{text: t.sign(why)}
		}
		return t.call(p, need)
	}
	return answer{text: t.sign(p.report(t))}
}

// readTurn finds the operator's last message and what followed it. Messages that carry data,
// such as a picture of the screen, are not the operator's. Of several since the last answer
// the newest counts that the guide understands, so that a notice does not end the work.
func readTurn(req *request) turn {
	t := turn{req: req, first: true, done: map[string]outcome{}}
	begin := t.findQuestion()
	asked := map[string]string{}
	for i, m := range req.Messages {
		switch {
		case m.Role == "assistant" && i < begin:
			if len(m.ToolCalls) == 0 {
				t.first = false
			}
		case m.Role == "assistant":
			t.noteCalls(m.ToolCalls, asked)
		case m.Role == "tool" && i > begin:
			if key, ok := asked[m.ToolCallID]; ok {
				o := readOutcome(m.Content)
				t.done[key] = o
				t.denied = t.denied || o.denied
			}
		}
	}
	return t
}

// findQuestion takes the question, and returns where it stands among the messages.
func (t *turn) findQuestion() (begin int) {
	for i, m := range t.req.Messages {
		switch {
		case m.Role == "assistant" && len(m.ToolCalls) == 0:
			begin, t.question = i, ""
		case m.Role == "user" && !isData(m.Content) && (t.question == "" || understands(m.Content)):
			begin, t.question = i, m.Content
		}
	}
	return begin
}

// noteCalls takes note of calls, which have no results yet, and in asked of their steps'
// keys by their ids.
func (t *turn) noteCalls(calls []toolCall, asked map[string]string) {
	for _, call := range calls {
		var args map[string]any
		// Calls in the history are the guide's own; others match no step.
		_ = json.Unmarshal([]byte(call.Function.Arguments), &args)
		key := stepKey(call.Function.Name, args)
		asked[call.ID] = key
		t.done[key] = outcome{failure: "there is no result"}
	}
}

func isData(content string) bool {
	s := strings.TrimSpace(content)
	return s == "" || strings.HasPrefix(s, "<") || strings.HasPrefix(s, "[screen") || strings.HasPrefix(s, "```")
}

// missing are the steps that have not been made yet, each once.
func (t *turn) missing(steps []step) []step {
	var need []step
	seen := map[string]bool{}
	for _, s := range steps {
		if _, ok := t.done[s.key()]; !ok && !seen[s.key()] {
			seen[s.key()] = true
			need = append(need, s)
		}
	}
	return need
}

// cannot says why the steps cannot be made in this conversation, or "".
func (t *turn) cannot(need []step) string {
	for _, s := range need {
		if !t.req.offers(s.tool) {
			return fmt.Sprintf("For that I need the tool `%s`, which is switched off or cannot be used here. I would have used it to %s.",
				s.tool, lowerFirst(s.why))
		}
	}
	return ""
}

func (t *turn) call(p plan, need []step) answer {
	a := answer{}
	if len(t.done) == 0 {
		a.text = p.intro()
	}
	for _, s := range need {
		var c toolCall
		c.ID = "guide_" + rand.Text()[:12]
		c.Type = "function"
		c.Function.Name = s.tool
		c.Function.Arguments = string(encode(s.args))
		a.calls = append(a.calls, c)
	}
	return a
}

const signature = "\n\n*I am nod's guide: rules, no language model. `nod help` says how to add a model.*"

// sign adds to the first answer of a conversation what it comes from.
func (t *turn) sign(text string) string {
	if t.first {
		return text + signature
	}
	return text
}

// plan is what the guide makes of a question.
type plan interface {
	intro() string
	// steps are all steps that the question calls for, given what is known so far.
	steps(t turn) []step
	report(t turn) string
}

// observe is the step of a topic's command. It only reads, and says so.
func observe(run, why string) step {
	return step{tool: "run_shell", why: why, args: map[string]any{
		"command": run, "risk": "low", "mutation": false, "privesc": false, "why": capitalise(why)}}
}

// search is an observation that goes through all of a file system, which takes its time.
func search(run, why string) step {
	s := observe(run, why)
	s.args["wait"] = "5m"
	return s
}

func lowerFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

func capitalise(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
