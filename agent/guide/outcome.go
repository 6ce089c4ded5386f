package guide

import (
	"encoding/json"
	"strings"
)

// outcome is a tool's result as the guide understands it.
type outcome struct {
	text    string // standard output, a file's content, or plain text
	stderr  string
	exit    int
	failure string // why there is no output; empty for a command that ran
	denied  bool
	notices []string
	gap     string // why there is nothing to read although the command ran
}

// readOutcome reads a result in any of the shapes that come: the envelope around a
// command's result, around an error, around other values, or plain text.
func readOutcome(content string) outcome {
	o := readResult(content)
	o.gap = o.findGap()
	return o
}

func readResult(content string) outcome {
	var envelope struct {
		Result json.RawMessage `json:"result"`
	}
	raw := json.RawMessage(strings.TrimSpace(content))
	if json.Unmarshal(raw, &envelope) == nil && len(envelope.Result) > 0 {
		raw = envelope.Result
	}
	var plain string
	if json.Unmarshal(raw, &plain) == nil {
		return readPlain(plain)
	}
	var r struct {
		ExitCode *int            `json:"exit_code"`
		Stdout   string          `json:"stdout"`
		Stderr   string          `json:"stderr"`
		Content  string          `json:"content"`
		Text     string          `json:"text"`
		Notices  []string        `json:"notices"`
		Error    json.RawMessage `json:"error"`
		Code     string          `json:"code"`
		Outcome  string          `json:"outcome"`
	}
	if json.Unmarshal(raw, &r) != nil {
		return readPlain(content)
	}
	o := outcome{text: clean(r.Stdout + r.Content + r.Text), stderr: clean(r.Stderr), notices: r.Notices}
	if r.ExitCode != nil {
		o.exit = *r.ExitCode
	}
	if len(r.Error) > 0 && string(r.Error) != "null" {
		o.failure = errorText(r.Error)
		o.denied = r.Code == "denied" || r.Code == "permission_denied" || saysDenied().MatchString(o.failure)
	} else if r.ExitCode == nil && (r.Outcome == "unknown" || r.Outcome == "timeout") {
		o.failure = "its outcome is " + r.Outcome
	}
	return o
}

// readPlain takes text without structure for output, unless it is a single line that says
// that there is none.
func readPlain(s string) outcome {
	line := oneLine(s)
	if strings.Contains(strings.TrimSpace(s), "\n") {
		return outcome{text: clean(s)}
	}
	if denied := saysDenied().MatchString(line); denied || strings.HasPrefix(strings.ToLower(line), "error: ") {
		return outcome{failure: line, denied: denied}
	}
	return outcome{text: clean(s)}
}

var saysDenied = lazy(`(?i)\b(denied|denies|deny)\b.*\b(operator|policy|rule|posture|approval)|` +
	`\b(operator|policy|rule|posture|approval)\b.*\b(denied|denies|deny|refused|said no)|^denied|^not approved`)

func errorText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return oneLine(s)
	}
	var e struct {
		Message string `json:"message"`
	}
	if json.Unmarshal(raw, &e) == nil && e.Message != "" {
		return oneLine(e.Message)
	}
	return oneLine(string(raw))
}

// absent matches what a shell or a program says when it cannot do its work here at all.
// In a pane this stands in the output, and a pipe hides the exit status.
var absent = lazy(`(?im)^.*(: not found|command not found|unknown command|applet not found|` +
	`not been booted with systemd|failed to connect to bus|no journal files were found|cannot connect to the docker daemon|` +
	`invalid option|unrecognized option|bad -o argument|^usage: ).*$`)

// partial matches what a program says of one thing among others, or of all that it had.
var partial = lazy(`(?im)^.*(no such file or directory|permission denied|operation not permitted).*$`)

// missing says why a command gave nothing to read, or "".
func (o outcome) missing() string {
	if o.failure != "" {
		return o.failure
	}
	return o.gap
}

func (o outcome) findGap() string {
	if o.exit == 127 {
		return "it is not installed"
	}
	lines := len(o.lines())
	for _, s := range []string{o.stderr, o.text} {
		// A long output of a command that succeeded may well quote such words.
		if line := absent().FindString(s); line != "" && (o.exit != 0 || lines <= 3) {
			return oneLine(line)
		}
		if line := partial().FindString(s); line != "" && lines <= 1 {
			return oneLine(line)
		}
	}
	if o.exit != 0 && strings.TrimSpace(o.text) == "" && o.stderr != "" {
		return oneLine(o.stderr)
	}
	return ""
}

// lines are the output's lines without blank ones.
func (o outcome) lines() []string {
	var list []string
	for line := range strings.SplitSeq(o.text, "\n") {
		if line = strings.TrimRight(line, " \t"); line != "" {
			list = append(list, line)
		}
	}
	return list
}

var escapes = lazy("\x1b(\\[[0-9;:?]*[ -/]*[@-~]|\\][^\x07\x1b]*(\x07|\x1b\\\\)|[()][A-Z0-9]|[=>])")

// clean takes escape sequences and other control characters out of a terminal's text.
func clean(s string) string {
	s = escapes().ReplaceAllString(s, "")
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

func oneLine(s string) string {
	s = strings.Join(strings.Fields(clean(s)), " ")
	if r := []rune(s); len(r) > 200 {
		s = string(r[:200]) + "…"
	}
	return strings.TrimSuffix(s, ".")
}
