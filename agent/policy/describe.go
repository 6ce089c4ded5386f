package policy

import (
	"fmt"
	"strings"

	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/backends/confine"
)

// Describe is a request in lines of plain text. Everything that came from a
// model or a target is rendered by package show.
func Describe(r Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s\n", Title(r))
	for _, s := range r.Sections() {
		if s.Title != "" {
			fmt.Fprintf(&b, "  %s:\n", s.Title)
		}
		for _, row := range show.Rows(s.Text, 1<<20) {
			fmt.Fprintf(&b, "  %4d | %s\n", row.Line, row.Text())
		}
		for _, f := range s.Findings {
			fmt.Fprintf(&b, "         %s: %s\n", show.Text(s.Text[f.Start:f.End]), f.Why)
		}
	}
	fmt.Fprintf(&b, "  nod says: %s %s", strings.ToUpper(r.Verdict.Level.String()), r.Verdict.Effect)
	if flags := r.Verdict.Flags.String(); flags != "" {
		fmt.Fprintf(&b, " (%s)", flags)
	}
	if !r.Operator {
		fmt.Fprintf(&b, "\n  the model says: %s", ClaimText(r))
	}
	if r.Disagreement != "" {
		fmt.Fprintf(&b, "\n  ! %s", show.Text(r.Disagreement))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(&b, "\n  note: %s", show.Text(n))
	}
	if r.Hasty != "" {
		fmt.Fprintf(&b, "\n  ! %s", show.Text(r.Hasty))
	}
	switch {
	case r.Final:
		b.WriteString("\n  ! it cannot be undone")
	case r.Undo != "":
		fmt.Fprintf(&b, "\n  afterwards: %s", show.Text(r.Undo))
	}
	switch {
	case r.Revert != nil:
		fmt.Fprintf(&b, "\n  revert: the host itself brings back %s after %s, unless a new login works", list(r.Revert.Covers), r.Revert.Delay())
		if len(r.Revert.Lacks) > 0 {
			fmt.Fprintf(&b, "\n  ! the revert does not bring back %s", list(r.Revert.Lacks))
		}
	case r.NoRevert != "":
		fmt.Fprintf(&b, "\n  no revert: %s", show.Text(r.NoRevert))
	}
	fmt.Fprintf(&b, "\n  %s\n", show.Text(r.Why))
	return b.String()
}

// describeKeep is the rule that "always" writes.
func describeKeep(r Request) string {
	var b strings.Builder
	b.WriteString("\n  \"always\" writes this rule into the rules file, and holds from now on:\n")
	numbered(&b, strings.TrimSuffix(r.Keep, "\n"))
	return b.String()
}

// numbered writes a foreign text, line by line.
func numbered(b *strings.Builder, text string) {
	for _, row := range show.Rows(text, 1<<20) {
		fmt.Fprintf(b, "  %4d | %s\n", row.Line, row.Text())
	}
}

// list is texts in a line.
func list(texts []string) string {
	shown := make([]string, len(texts))
	for i, t := range texts {
		shown[i] = show.Text(t)
	}
	return strings.Join(shown, ", ")
}

// describeArming is exactly what arming a request's revert runs.
func describeArming(r Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n  \"r\" arms a revert first; if that fails, nothing runs. It comes %s later by itself,\n", r.Revert.Delay())
	b.WriteString("  also without nod, and is taken back as soon as a new login works. Armed by:\n")
	numbered(&b, r.Revert.Arm.Command)
	b.WriteString("  with this for its standard input:\n")
	numbered(&b, string(r.Revert.Arm.Stdin))
	return b.String()
}

// describeLooks is what a look has found, of which word says what it is.
func describeLooks(word string, found []Look) string {
	var b strings.Builder
	for _, l := range found {
		fmt.Fprintf(&b, "\n  %s: %s\n", word, show.Text(l.Title))
		if l.Ran != "" {
			numbered(&b, l.Ran)
		}
		if l.Output != "" {
			b.WriteString("  says:\n")
			numbered(&b, l.Output)
		}
		if l.Note != "" {
			fmt.Fprintf(&b, "  %s\n", show.Text(l.Note))
		}
	}
	return b.String()
}

// Title says where something would run: "APPROVE on ssh:web-1 (prod) as deploy,
// in /srv/app".
func Title(r Request) string {
	a := r.Action
	text := "APPROVE on " + show.Text(a.Target)
	switch {
	case len(a.Parts) > 0:
		text = "APPROVE on " + r.places()
	case r.Trust != "":
		text += " (" + string(r.Trust) + ")"
	}
	switch { // not last: a frame may cut the title
	case r.Agent == "":
	case strings.Contains(r.Agent, " "): // "agent explorer", "plugin tickets"
		text += " for the " + show.Text(r.Agent)
	default:
		text += " for the sub-agent " + show.Text(r.Agent)
	}
	switch {
	case a.User == "":
	case len(a.Parts) > 0:
		text += ", as " + show.Text(a.User)
	default:
		text += " as " + show.Text(a.User)
	}
	if a.Pane != "" {
		text += ", pane " + show.Text(a.Pane)
	}
	if a.Dir != "" {
		text += ", in " + show.Text(a.Dir)
	}
	for _, opened := range a.Inside {
		text += ", inside " + show.Text(opened)
	}
	if a.Wall != confine.None {
		text += ", held by " + a.Wall.String()
	}
	if asRoot(a) {
		text += " within sudo"
	}
	return text
}

// ClaimText is what the model says of its call.
func ClaimText(r Request) string {
	c := r.Action.Claim
	word := func(is bool, what string) string {
		if is {
			return what
		}
		return "no " + what
	}
	text := show.Text(c.Risk) + " · " + word(c.Mutation, "mutation") + " · " + word(c.Privesc, "privesc")
	if c.Why != "" {
		text += ` · "` + show.Text(c.Why) + `"`
	}
	return text
}
