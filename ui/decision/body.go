package decision

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/ui/screen"
)

// row is one line of the part that scrolls.
type row struct {
	gutter string
	cells  []show.Cell // exact text; drawn after the gutter
	note   string      // words of nod's, instead of cells or in the margin beside them
	style  tcell.Style
	parts  []part // behind a note
	mark   bool   // a finding or a change begins here
	number int    // among the rows that are to be read, from 1; 0: it is none of them

	from, to int // offsets of what is underlined of the cells
}

// compose is all that scrolls at the moment, for a width in cells.
func (d *Approval) compose(width int) []row {
	switch {
	case d.keep.shown:
		return number(d.keepRows(width))
	case d.explains:
		return d.explanation(width)
	}
	body := d.body(width)
	rows := number(append(body, d.beneath(width)...))
	d.must = len(rows)
	folded, hidden := d.foldRows(rows[:len(body)])
	if d.folds = hidden; d.folded {
		rows = append(folded, rows[len(body):]...)
	}
	rows = d.findings(rows, d.look, previewWords, width)
	return d.findings(rows, d.trial, heldWords, width)
}

// body is what would run, for a width in cells.
func (d *Approval) body(width int) []row {
	var rows []row
	for i, s := range d.request.Sections() {
		if s.Title != "" {
			rows = d.notes(rows, s.Title, width, d.styles.Accent)
		} else if i > 0 {
			rows = append(rows, row{})
		}
		rows = d.section(rows, s, width)
	}
	return rows
}

// beneath is what is to be read as well and has no room elsewhere: where it would run,
// and what is said of it.
func (d *Approval) beneath(width int) []row {
	var rows []row
	if d.titleCut {
		rows = d.notes(rows, strings.TrimPrefix(policy.Title(d.request), "APPROVE "), width, d.styles.Accent)
	}
	for _, l := range d.rest {
		rows = append(rows, row{note: l.text, style: l.style, parts: l.parts})
	}
	return rows
}

// section is one section with line numbers, and its findings in the margin or, where
// there is no room for that, below the lines.
func (d *Approval) section(rows []row, s policy.Section, width int) []row {
	var changes diff
	last := strings.Count(s.Text, "\n") + 1
	if s.Diff {
		changes = readDiff(s.Text)
		last = changes.last
	}
	digits := max(2, len(strconv.Itoa(last)))
	indent := digits + 1
	for _, r := range show.Rows(s.Text, width-indent) {
		next := row{gutter: strings.Repeat(" ", digits-1) + "+ ", cells: r.Cells, style: d.lineStyle(s, r)}
		if r.First {
			next.gutter = fmt.Sprintf("%*d ", digits, r.Line)
		}
		if s.Diff {
			l := changes.lines[r.Line-1]
			next.from, next.to, next.mark = l.from, l.to, l.first && r.First
			switch {
			case r.First && l.number > 0:
				next.gutter = fmt.Sprintf("%*d ", digits, l.number)
			case r.First:
				next.gutter = strings.Repeat(" ", indent)
			}
		}
		shown, more := thinned(startingIn(s.Findings, r, r.End == len(s.Text)))
		next.mark = next.mark || len(shown) > 0
		if len(shown) == 1 && more == 0 && next.beside(shown[0], r, width-indent) {
			shown = nil
		}
		rows = append(rows, next)
		for i, f := range shown {
			again := i > 0 && f.Start == shown[i-1].Start && f.End == shown[i-1].End
			rows = d.finding(rows, f, r, indent, width, again)
		}
		if more > 0 {
			text := fmt.Sprintf("and %d more of the same kind here; x shows them", more)
			rows = append(rows, row{note: strings.Repeat(" ", indent) + text, style: d.styles.Warn})
		}
	}
	return rows
}

// marginGap is what stands between a line and what is said of it in the margin.
const marginGap = 2

// beside puts a finding into the margin of its line if there is room, and if it is
// about the beginning of the line, so that it is plain which words it means. What
// the margin begins with, no command can have: it would be shown by its number.
func (r *row) beside(f risk.Finding, text show.Row, width int) bool {
	note := "◂ " + f.Why
	if f.Start != text.Start || f.End > text.End || len(r.cells)+marginGap+screen.Width(note) > width {
		return false
	}
	r.note, r.from, r.to = note, f.Start, f.End
	return true
}

// mostAlike is how many findings of one rule are pointed out below one row: more
// would hide the text between them.
const mostAlike = 3

// thinned are the findings to point out below a row, and how many of the rules
// that are among them are left out.
func thinned(all []risk.Finding) (shown []risk.Finding, more int) {
	alike := map[string]int{}
	for _, f := range all {
		if alike[f.Rule]++; alike[f.Rule] > mostAlike {
			more++
			continue
		}
		shown = append(shown, f)
	}
	return shown, more
}

// startingIn returns the findings whose span starts in r.
func startingIn(all []risk.Finding, r show.Row, last bool) []risk.Finding {
	var in []risk.Finding
	for _, f := range all {
		if f.Start >= r.Start && (f.Start < r.End || f.Start == r.End && (last || r.End == r.Start)) {
			in = append(in, f)
		}
	}
	return in
}

// finding puts carets under the span of f in r, with the reason behind them or,
// where there is no room, below. A span that was pointed at just before is not again.
func (d *Approval) finding(rows []row, f risk.Finding, r show.Row, indent, width int, again bool) []row {
	from, to := len(r.Cells), 0
	for i, c := range r.Cells {
		if c.Offset >= f.Start && (c.Offset < f.End || f.End == f.Start && c.Offset == f.Start) {
			from, to = min(from, i), max(to, i+1)
		}
	}
	from = min(from, max(0, width-indent-1))
	carets := strings.Repeat(" ", indent+from) + strings.Repeat("^", max(1, to-from))
	if again {
		carets = strings.Repeat(" ", len(carets))
	}
	style := d.styles.Warn
	if screen.Width(carets)+1+screen.Width(f.Why) <= width {
		return append(rows, row{note: carets + " " + f.Why, style: style})
	}
	if !again {
		rows = append(rows, row{note: carets, style: style})
	}
	for _, line := range screen.Fold(f.Why, width-indent) {
		rows = append(rows, row{note: strings.Repeat(" ", indent) + line, style: style})
	}
	return rows
}

// lineStyle colours a diff; its signs say the same.
func (d *Approval) lineStyle(s policy.Section, r show.Row) tcell.Style {
	if !s.Diff {
		return d.styles.Text
	}
	start := strings.LastIndexByte(s.Text[:r.Start], '\n') + 1
	switch line := s.Text[start:]; {
	case strings.HasPrefix(line, "+"):
		return d.styles.Ok
	case strings.HasPrefix(line, "-"):
		return d.styles.Danger
	case strings.HasPrefix(line, "@@"):
		return d.styles.Accent
	}
	return d.styles.Text
}

// explanation is everything that nod knows of the request, in words.
func (d *Approval) explanation(width int) []row {
	r := d.request
	var rows []row
	say := func(style tcell.Style, format string, args ...any) {
		rows = d.notes(rows, fmt.Sprintf(format, args...), width, style)
	}
	say(d.styles.Text, "%s", policy.Title(r))
	if d.void != "" {
		say(d.styles.Danger, "void: %s", show.Text(d.void))
	}
	if d.link != "" {
		say(d.styles.Warn, "! %s", show.Text(d.link))
	}
	say(d.styles.Text, "why it asks: %s", show.Text(r.Why))
	say(d.level(r.Verdict.Level), "nod says: %s", verdictText(r.Verdict))
	for _, f := range r.Verdict.Findings {
		say(d.styles.Text, "- %s (%s)", f.Why, f.Rule)
	}
	if !r.Operator {
		say(d.styles.Text, "the model says: %s", policy.ClaimText(r))
	}
	if r.Disagreement != "" {
		say(d.styles.Danger, "! %s", r.Disagreement)
	}
	if r.Hasty != "" {
		say(d.styles.Danger, "! %s", r.Hasty)
	}
	switch {
	case r.Final:
		say(d.styles.Danger, "! it cannot be undone")
	case r.Undo != "":
		say(d.styles.Text, "afterwards: %s", r.Undo)
	}
	for _, n := range r.Notes {
		say(d.styles.Warn, "%s", show.Text(n))
	}
	if r.NoRevert != "" {
		say(d.styles.Warn, "no revert: %s", r.NoRevert)
	}
	for _, s := range r.Scopes {
		if s == policy.Conversation {
			say(d.styles.Text, "c approves exactly this, at this place, whenever it is asked for again in this conversation")
		}
		if s == policy.Always {
			say(d.styles.Text, "a shows the rule that would let exactly this run, at this place, from now on")
		}
	}
	say(d.styles.Muted, "digest %s", r.Action.Digest())
	return d.revertExplained(rows, width)
}

// notes appends words of nod's, wrapped.
func (d *Approval) notes(rows []row, text string, width int, style tcell.Style) []row {
	for _, line := range screen.Fold(text, width) {
		rows = append(rows, row{note: line, style: style})
	}
	return rows
}

// verdictText is a verdict in words: "HIGH  destroy  privesc,lockout".
func verdictText(v risk.Verdict) string {
	text := strings.ToUpper(v.Level.String()) + "  " + v.Effect.String()
	if flags := v.Flags.String(); flags != "" {
		text += "  " + flags
	}
	return text
}

func (d *Approval) level(l risk.Level) tcell.Style {
	switch l {
	case risk.Low:
		return d.styles.Ok
	case risk.Medium:
		return d.styles.Warn
	}
	return d.styles.Danger
}
