package decision

import (
	"fmt"
	"strings"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
)

// mostNotes is how many notes of hooks stand in the question; the explanation has all.
const mostNotes = 3

// wayBack says before it runs what hooks say of it and what a way back there is, in a few
// lines.
func (d *Approval) wayBack(width int) []line {
	r := d.request
	var lines []line
	for _, n := range r.Notes[:min(len(r.Notes), mostNotes)] {
		lines = append(lines, folded("note        ", show.Text(n), width, d.styles.Warn)...)
	}
	switch {
	case r.Final:
		lines = append(lines, folded("! ", "it cannot be undone", width, d.styles.Danger.Bold(true))...)
	case r.Undo != "":
		lines = append(lines, folded("afterwards  ", r.Undo, width, d.styles.Text)...)
	}
	return append(lines, d.revertOffered(width)...)
}

func (d *Approval) revertOffered(width int) []line {
	r := d.request
	switch {
	case r.Revert != nil:
		text := fmt.Sprintf("the host itself brings back %s after %s, unless a new login works", showAll(r.Revert.Covers), r.Revert.Delay())
		lines := folded("r revert    ", text, width, d.styles.Ok)
		if len(r.Revert.Lacks) > 0 {
			lines = append(lines, folded("! ", "the revert does not bring back "+showAll(r.Revert.Lacks), width, d.styles.Warn)...)
		}
		return lines
	case r.NoRevert != "":
		return folded("no revert   ", r.NoRevert, width, d.styles.Warn)
	}
	return nil
}

func showAll(texts []string) string {
	shown := make([]string, len(texts))
	for i, t := range texts {
		shown[i] = show.Text(t)
	}
	return strings.Join(shown, ", ")
}

// revertExplained appends what arming the revert would run, exactly.
func (d *Approval) revertExplained(rows []row, width int) []row {
	plan := d.request.Revert
	if plan == nil {
		return rows
	}
	for _, text := range []string{
		"",
		"r arms a revert first, which brings back " + showAll(plan.Covers) + "; if that fails, nothing runs. Without root's rights, by login or by sudo without a password, it fails.",
		fmt.Sprintf("It comes %s later by itself, also without nod, and is taken back as soon as a new login works after the command's end.", plan.Delay()),
		"Armed by:",
	} {
		rows = d.notes(rows, text, width, d.styles.Text)
	}
	for i, text := range []string{plan.Arm.Command, string(plan.Arm.Stdin)} {
		if i == 1 {
			rows = d.notes(rows, "with this for its standard input:", width, d.styles.Text)
		}
		rows = d.section(rows, policy.Section{Text: text}, width)
	}
	return rows
}
