package rulecheck

import (
	"fmt"
	"strings"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/tools/risk"
)

// Explanation is what would be decided about a command, by which rule and why, as "nod policy
// explain --json" prints it.
type Explanation struct {
	Command string       `json:"command"`
	Target  string       `json:"target"`
	Ruling  string       `json:"ruling"`
	Rule    string       `json:"rule,omitempty"`
	Line    int          `json:"line,omitempty"`
	Start   int          `json:"start"`
	End     int          `json:"end"`
	Why     string       `json:"why"`
	Confirm bool         `json:"confirm"`
	Trust   string       `json:"trust,omitempty"`
	Posture string       `json:"posture"`
	Risk    risk.Verdict `json:"risk"`

	words string
}

// String is the explanation in words, with the part of the command that decides marked.
func (x Explanation) String() string { return x.words }

// Explain says what would be decided about a command.
func (b *Bench) Explain(c Command) (Explanation, error) {
	p, err := b.proposal(c)
	if err != nil {
		return Explanation{}, err
	}
	x := b.engine.Explain(p)
	said := explained(p, x)
	said.words = inWords(b.file, p, x)
	return said, nil
}

func explained(p policy.Proposal, x policy.Explanation) Explanation {
	return Explanation{
		Command: p.Action.Command, Target: p.Action.Target, Ruling: x.Ruling.String(), Rule: x.Rule, Line: x.Line,
		Start: x.Part.Start, End: x.Part.End, Why: x.Why, Confirm: x.Confirm,
		Trust: string(x.Trust), Posture: x.Posture.String(), Risk: x.Verdict,
	}
}

// inWords is a ruling in words, with the part that decides marked.
func inWords(file string, p policy.Proposal, x policy.Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s", strings.ToUpper(x.Ruling.String()), show.Text(p.Action.Target))
	if x.Trust != "" {
		fmt.Fprintf(&b, " (%s)", x.Trust)
	}
	if x.Confirm {
		b.WriteString(", and the target's name is typed to approve")
	}
	fmt.Fprintf(&b, "\nbecause %s", show.Text(x.Why))
	if x.Line > 0 {
		fmt.Fprintf(&b, " (%s:%d)", show.Text(file), x.Line)
	}
	b.WriteString("\n\n")
	marked(&b, p.Action.Command, x.Part.Start, x.Part.End, "decides")
	fmt.Fprintf(&b, "\nrisk: %s %s", strings.ToUpper(x.Verdict.Level.String()), x.Verdict.Effect)
	if flags := x.Verdict.Flags.String(); flags != "" {
		fmt.Fprintf(&b, " (%s)", flags)
	}
	fmt.Fprintf(&b, "; posture: %s\n", x.Posture)
	for _, f := range x.Verdict.Findings {
		marked(&b, p.Action.Command, f.Start, f.End, f.Why)
	}
	return b.String()
}

// marked writes the line of a text that a part begins on, the part underlined
// and said something about, by nod or with what is quoted rendered. Without a part it
// writes the text.
func marked(b *strings.Builder, text string, start, end int, what string) {
	if start < 0 || end > len(text) || start >= end {
		for _, row := range show.Rows(text, 1<<20) {
			fmt.Fprintf(b, "  %s\n", row.Text())
		}
		return
	}
	from := strings.LastIndexByte(text[:start], '\n') + 1
	to := len(text)
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
		to = from + i
	}
	width := func(piece string) int { return len([]rune(show.Text(piece))) }
	before, under := width(text[from:start]), max(1, width(text[start:min(end, to)]))
	fmt.Fprintf(b, "  %s\n  %s%s %s\n", show.Text(text[from:to]), strings.Repeat(" ", before), strings.Repeat("^", under), what)
}
