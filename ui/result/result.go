// Package result puts what a tool's call was about and what came of it into the
// words that the operator reads, on the screen and in plain lines.
//
// Nothing here is cleaned: what a model or a target wrote is still to be drawn
// or printed as data.
package result

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/tools"
)

// Part is a named piece of a result.
type Part struct{ Name, Text string }

// Subject is what a call is about, from its arguments: the first of the usual
// ones that is there, else all of them.
func Subject(arguments json.RawMessage) string {
	var args map[string]any
	if json.Unmarshal(arguments, &args) != nil {
		return string(arguments)
	}
	if several, ok := args["targets"].([]any); ok && len(several) > 0 {
		return subjectOnTargets(args, several)
	}
	if pattern, ok := args["pattern"].(string); ok {
		if folder, ok := args["path"].(string); ok {
			return pattern + " in " + folder
		}
	}
	if text := teamSubject(arguments); text != "" {
		return text
	}
	if items, ok := args["items"].([]any); ok {
		return things(len(items))
	}
	if text, ok := usualSubject(args); ok {
		return text
	}
	if len(args) == 0 {
		return ""
	}
	return string(arguments)
}

// subjectOnTargets is what a call for several targets is about, and these.
func subjectOnTargets(args map[string]any, several []any) string {
	delete(args, "targets")
	for name := range args { // what is left of connect_target says nothing of its subject
		if slices.Contains([]string{"risk", "mutation", "privesc", "why"}, name) {
			delete(args, name)
		}
	}
	rest, _ := json.Marshal(args) // it was JSON
	on := strings.TrimSuffix(strings.TrimPrefix(fmt.Sprint(several), "["), "]")
	if subject := Subject(rest); subject != "" {
		on = subject + " on " + on
	}
	return on
}

// usualSubject is the first of the arguments that say what a call is about. It is not ok
// if none is there.
func usualSubject(args map[string]any) (subject string, ok bool) {
	for _, name := range []string{"command", "path", "literal_text", "literal", "keys", "url", "query", "pattern", "question", "text", "task"} {
		switch v := args[name].(type) {
		case string:
			if v != "" {
				return v, true
			}
		case []any:
			if len(v) > 0 {
				return strings.Trim(fmt.Sprint(v), "[]"), true
			}
		}
	}
	return "", false
}

// SubjectOf is the same from what would exactly be done.
func SubjectOf(a tools.Action) string {
	if len(a.Parts) > 0 {
		one := a.Parts[0]
		if one.Kind == tools.Connect {
			return a.Target
		}
		return SubjectOf(one) + " on " + a.Target
	}
	if a.Kind == tools.Connect {
		return a.Target
	}
	if text := argumentSubject(a); text != "" {
		return text
	}
	switch {
	case a.Path != "": // of a file; how much of it stands in the command
		return a.Path
	case a.Command != "":
		return a.Command
	}
	return keysSubject(a)
}

// argumentSubject is what an action is about whose tool keeps its arguments in the
// command; empty for others.
func argumentSubject(a tools.Action) string {
	switch a.Tool {
	case "team":
		return teamSubject(json.RawMessage(a.Command))
	case "grep", "glob", "question", "todo", "task":
	default:
		return ""
	}
	var items []any
	if json.Unmarshal([]byte(a.Command), &items) == nil {
		return things(len(items))
	}
	var said struct {
		Pattern, Names, Question, Agent, Task string
	}
	if json.Unmarshal([]byte(a.Command), &said) != nil {
		return ""
	}
	text := cmp.Or(said.Question, said.Pattern, said.Names)
	switch {
	case said.Task != "":
		return said.Agent + ": " + said.Task
	case text != "" && a.Path != "":
		return text + " in " + a.Path
	}
	return text
}

// keysSubject are the keys that an action presses.
func keysSubject(a tools.Action) string {
	words := slices.Clone(a.Keys)
	if a.Literal != "" {
		words = append([]string{a.Literal}, words...)
	}
	if a.Enter {
		words = append(words, "Enter")
	}
	return strings.Join(words, " ")
}

// teamSubject names a team: "web, db: 3 tasks". It is empty if that is none. A model
// may have put the tasks into a text; they are not counted then.
func teamSubject(arguments json.RawMessage) string {
	var team struct {
		Members []struct{ Name string }
		Tasks   json.RawMessage
	}
	if json.Unmarshal(arguments, &team) != nil || len(team.Members) == 0 || len(team.Tasks) == 0 {
		return ""
	}
	var tasks []json.RawMessage
	counted := ""
	if json.Unmarshal(team.Tasks, &tasks) == nil {
		counted = fmt.Sprintf(": %d tasks", len(tasks))
	}
	names := make([]string, len(team.Members))
	for i, m := range team.Members {
		names[i] = m.Name
	}
	return strings.Join(names, ", ") + counted
}

// things counts the items of a list.
func things(n int) string {
	if n == 1 {
		return "1 item"
	}
	return fmt.Sprintf("%d items", n)
}

// Parts takes a result's envelope apart: the texts that it holds, by name.
func Parts(content string) []Part {
	var envelope struct {
		Result json.RawMessage `json:"result"`
	}
	if json.Unmarshal([]byte(content), &envelope) != nil || envelope.Result == nil {
		return []Part{{"", content}}
	}
	var text string
	if json.Unmarshal(envelope.Result, &text) == nil {
		return []Part{{"", text}}
	}
	var fields map[string]any
	if json.Unmarshal(envelope.Result, &fields) != nil {
		return []Part{{"", string(envelope.Result)}}
	}
	var parts []Part
	for name, value := range fields {
		switch v := value.(type) {
		case string:
			if v != "" {
				parts = append(parts, Part{name, v})
			}
		case nil:
		case []any:
			if len(v) > 0 {
				parts = append(parts, Part{name, list(v)})
			}
		default:
			if encoded, err := json.Marshal(v); err == nil {
				parts = append(parts, Part{name, string(encoded)})
			}
		}
	}
	slices.SortFunc(parts, func(a, b Part) int {
		if d := rank(a) - rank(b); d != 0 {
			return d
		}
		return strings.Compare(a.Name, b.Name)
	})
	return parts
}

// list is a list in lines: of texts, or of things with the names that the tools
// give them.
func list(all []any) string {
	lines := make([]string, len(all))
	for i, one := range all {
		text := func(name string) string {
			fields, _ := one.(map[string]any)
			s, _ := fields[name].(string)
			return s
		}
		plain, isText := one.(string)
		switch fields, _ := one.(map[string]any); {
		case isText:
			lines[i] = plain
		case text("file") != "":
			lines[i] = fmt.Sprintf("%s:%v: %s", text("file"), fields["line"], text("text"))
		case text("url") != "":
			lines[i] = text("title") + "\n  " + text("url")
			if text("snippet") != "" {
				lines[i] += "\n  " + text("snippet")
			}
		case text("targets") != "":
			lines[i] = ofTargets(text("targets"), fields)
		case text("content") != "" && text("status") != "":
			lines[i] = strings.ReplaceAll(text("status"), "_", " ") + ": " + text("content")
		default:
			encoded, err := json.Marshal(one)
			if err != nil {
				encoded = []byte(err.Error())
			}
			lines[i] = string(encoded)
		}
	}
	return strings.Join(lines, "\n")
}

// ofTargets is what targets have in common: who they are and how it ended, and below that
// what was written there.
func ofTargets(targets string, fields map[string]any) string {
	head := "== " + targets
	switch code := fields["exit_code"].(type) {
	case float64:
		head += fmt.Sprintf(": exit %.0f", code)
	case nil:
		if signal, ok := fields["signal"].(string); ok {
			head += ": ended by " + signal
		}
	}
	lines := []string{head}
	for _, name := range []string{"error", "message", "stdout", "stderr", "screen", "content", "matches", "notices"} {
		switch v := fields[name].(type) {
		case string:
			if v != "" {
				lines = append(lines, strings.TrimSuffix(v, "\n"))
			}
		case []any:
			if len(v) > 0 {
				lines = append(lines, list(v))
			}
		}
	}
	return strings.Join(lines, "\n")
}

// rank puts what an operator looks for first.
func rank(p Part) int {
	for i, name := range []string{"error", "stdout", "outcomes", "failed", "output", "screen", "content", "stderr", "matches", "found", "results", "items", "answer"} {
		if p.Name == name {
			return i
		}
	}
	return 100
}

// Output reports whether a part is what a program wrote.
func (p Part) Output() bool { return rank(p) > 0 && rank(p) < 100 }

// Summary are the facts of a finished call that was not denied, in a few words
// each: its outcome, how long it took, how much it wrote.
func Summary(e agent.CallFinished, parts []Part) []string {
	var words []string
	if at := slices.IndexFunc(parts, func(p Part) bool { return p.Name == "count" }); at >= 0 {
		words = append(words, parts[at].Text)
	} else if e.Outcome != "" {
		words = append(words, strings.Replace(e.Outcome, "exited ", "exit ", 1))
	} else if len(parts) > 0 && parts[0].Name == "error" {
		words = append(words, strings.Join(strings.Fields(parts[0].Text), " "))
	}
	if e.Duration > 0 {
		words = append(words, Duration(e.Duration))
	}
	lines := 0
	for _, p := range parts {
		if p.Output() {
			lines += strings.Count(p.Text, "\n")
			if !strings.HasSuffix(p.Text, "\n") {
				lines++
			}
		}
	}
	switch {
	case lines == 1:
		words = append(words, "1 line")
	case lines > 1:
		words = append(words, fmt.Sprintf("%d lines", lines))
	}
	if len(words) == 0 {
		words = []string{"done"}
	}
	return words
}

// Duration is d in the two digits that matter.
func Duration(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		if d%time.Second == 0 {
			return fmt.Sprintf("%d s", d/time.Second)
		}
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// Bytes is n in the two digits that matter, by powers of 1,024.
func Bytes(n int64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	size, unit := float64(n), 0
	for size >= 999.5 && unit < len(units)-1 {
		size /= 1024
		unit++
	}
	if unit > 0 && size < 9.95 {
		return fmt.Sprintf("%.1f %s", size, units[unit])
	}
	return fmt.Sprintf("%.0f %s", size, units[unit])
}
