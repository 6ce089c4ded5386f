package decision

import (
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/ui/screen"
)

// line is one line of the part that does not scroll.
type line struct {
	text  string
	style tcell.Style
	more  bool   // it goes on with what the line before says
	parts []part // behind the text
}

// part is a piece of a line.
type part struct {
	text  string
	style tcell.Style
	key   rune // that it names, if it does
}

func (l line) draw(s tcell.Screen, x, y, width int) {
	used := screen.Draw(s, x, y, width, l.text, l.style)
	for _, p := range l.parts {
		used += screen.Draw(s, x+used, y, width-used, p.text, p.style)
	}
}

// footLimit is how many lines the foot takes at most of a height: what would run
// comes first.
func (d *Approval) footLimit(height int) int {
	if d.wanted.rows > 0 && height >= d.wanted.rows { // there is room for everything
		return height - 3 - 1
	}
	return min(height-3-minBody, height/2)
}

// foot is what does not scroll, at most that many lines: the most important of what
// nod and the model say, then the state, whose index is returned, and the keys.
func (d *Approval) foot(width, limit int) (lines []line, state int) {
	states, keys := []line{d.state()}, d.keys(width)
	if d.void != "" && d.mode != editing && !d.explains {
		states = d.voided(width, max(1, limit-len(keys)))
	}
	room := limit - len(states) - len(keys)
	if d.link != "" && d.void == "" && d.mode == asking && !d.explains && room < 2 { // behind what nod says
		states = []line{{text: screen.Cut("! "+show.Text(d.link), width), style: d.styles.Warn.Bold(true)}}
	}
	said := d.opinions(width)
	fit := min(len(said), max(0, room))
	for fit > 0 && fit < len(said) && said[fit].more { // what is said stays in one piece
		fit--
	}
	if d.mode == asking && !d.explains {
		d.leave(said[fit:])
	}
	return slices.Concat(said[:fit], states, keys), fit
}

func (l line) equal(other line) bool {
	return l.text == other.text && l.style == other.style && slices.Equal(l.parts, other.parts)
}

// leave puts what there is no room for below what would run: it is read before
// anything is approved.
func (d *Approval) leave(rest []line) {
	if slices.EqualFunc(rest, d.rest, line.equal) {
		return
	}
	d.rest, d.rows, d.seen, d.unread = rest, nil, false, rowSet{}
}

// voided says why there is nothing to approve any more.
func (d *Approval) voided(width, limit int) []line {
	style := d.styles.Danger.Bold(true)
	if all := folded("void: ", show.Text(d.void), width, style); len(all) <= limit {
		return all
	}
	return []line{{text: screen.Cut("void: "+show.Text(d.void), width), style: style}}
}

// opinions are what nod and the model say: verdict and claim, beside each other
// where there is room, what disagrees, and the way back. What is cut, x shows.
func (d *Approval) opinions(width int) []line {
	r := d.request
	verdict := "nod says    " + verdictText(r.Verdict)
	style := d.level(r.Verdict.Level).Bold(true)
	model, disagreement := d.styles.Text, d.styles.Warn
	if r.Understated {
		model, disagreement = d.styles.Warn, d.styles.Danger
	}
	var claim, all []line
	if !r.Operator {
		claim = folded("model says  ", policy.ClaimText(r), width, model)
	}
	switch both := screen.Width(verdict) + len(between); {
	case len(claim) == 1 && both+screen.Width(claim[0].text) <= width:
		all = []line{{text: verdict, style: style, parts: []part{{text: between, style: d.styles.Border}, {text: claim[0].text, style: model}}}}
		claim = nil
	case screen.Width(verdict) > width:
		all = folded("nod says    ", verdictText(r.Verdict), width, style)
	default:
		all = []line{{text: verdict, style: style}}
	}
	if d.link != "" {
		all = append(all, folded("! ", show.Text(d.link)+"; while it is so, nothing can run there", width, d.styles.Warn.Bold(true))...)
	}
	if r.Hasty != "" {
		all = append(all, folded("! ", r.Hasty, width, d.styles.Danger.Bold(true))...)
	}
	if !r.Operator && r.Disagreement != "" {
		all = append(all, folded("! ", r.Disagreement, width, disagreement.Bold(true))...)
	}
	all = append(all, d.wayBack(width)...)
	return append(all, claim...)
}

// between stands between verdict and claim.
const between = "  |  "

// mostOpinion is how many lines one opinion takes of those for what would run.
const mostOpinion = 4

// folded is a text in as many lines as it needs and may take, with a label
// before the first.
func folded(label, text string, width int, style tcell.Style) []line {
	indent, words := screen.Width(label), label != "! " // a warning's first line is better than none
	rows := screen.Fold(text, width-indent)
	if len(rows) > mostOpinion {
		rows[mostOpinion-1] = screen.Cut(rows[mostOpinion-1]+" "+rows[mostOpinion], width-indent)
		rows = rows[:mostOpinion]
	}
	lines := make([]line, len(rows))
	for i, row := range rows {
		lines[i] = line{text: label + row, style: style, more: i > 0 && words}
		label = strings.Repeat(" ", indent)
	}
	return lines
}

// state says what a key is about to do, or what is missing for an approval, and that
// keys were thrown away, in the longest words that there is room for.
func (d *Approval) state() line {
	if text := d.deciding(d.width - 4); text != "" && d.mode == asking {
		return line{text: text, style: d.styles.Accent.Bold(true)}
	}
	words, style := d.missing()
	if d.guard.Burst() && d.mode == asking {
		style = d.styles.Warn.Bold(true)
		brief := "no answer · " + words[len(words)-1]
		for i, text := range words {
			words[i] = NoAnswer + " · " + text
		}
		words = append(words, brief)
	}
	return line{text: fitting(d.width-4, words), style: style}
}

// fitting is the first of texts that fits a width, or the last.
func fitting(width int, texts []string) string {
	for _, text := range texts {
		if screen.Width(text) <= width {
			return text
		}
	}
	return texts[len(texts)-1]
}

// missing says what is missing for an approval, at length and in brief.
func (d *Approval) missing() ([]string, tcell.Style) {
	s := &d.styles
	switch {
	case d.pointed != 0:
		return []string{"a click approves nothing: press " + string(d.pointed), "press " + string(d.pointed)}, s.Warn
	case d.mode == editing:
		return []string{"Enter proposes it anew · Alt-Enter new line · Esc back", "Enter ok · ^J new line · Esc back", "Enter ok · Esc back"}, s.Accent
	case d.keep.shown:
		return d.keepState()
	case d.explains:
		return []string{"x or Esc: back to what would run", "x or Esc: back"}, s.Accent
	case d.guard.Approves(d.now()) > 0:
		return []string{"read first: keys count in a moment", "read first: a moment"}, s.Muted
	case !d.seen:
		key, left := d.whither()
		return []string{"to approve, see all of it (" + key + ", " + left + ")", "to approve: " + key + ", " + left, key + ", " + left}, s.Warn
	case d.request.Confirm != "" && !d.named:
		name := show.Text(d.request.Confirm)
		return []string{"to approve, press y and type " + name, "y, then type " + name, "y, then type the name"}, s.Warn
	case d.request.Confirm != "":
		return []string{"the name is typed: y approves", "named: y approves"}, s.Warn
	case !d.request.Verdict.Level.AtLeast(risk.Medium):
		return []string{"y approves"}, s.Muted
	}
	return []string{"y approves"}, s.Text
}

// keys are the keys that do something now, each set apart from its word, in as
// many lines as they need. Deny has the focus.
func (d *Approval) keys(width int) []line {
	if d.mode != asking { // letters are text
		text := "Enter takes it · Esc back"
		if d.mode == editing {
			text = "what you type goes into the text"
		}
		return []line{{text: screen.Cut(text, width), style: d.styles.Accent}}
	}
	var all []keyWord
	add := func(when bool, key, word string) {
		if when {
			all = append(all, keyWord{key, word})
		}
	}
	_, editable := d.editable()
	approvable := d.void == "" && !d.explains
	add(approvable, "y", "approve")
	add(approvable && d.offers(policy.Conversation), "c", "again")
	add(approvable && d.offers(policy.Always), "a", "always")
	add(approvable && d.request.Revert != nil, "r", "revert")
	add(true, "n", "deny")
	add(true, "d", "reason")
	add(editable, "e", "edit")
	add(d.explains, "x", "back")
	add(!d.explains, "x", "explain")
	add(!d.explains && d.folds > 0, "f", map[bool]string{false: "fold", true: "unfold"}[d.folded])
	add(d.looker != nil && d.look == nil, "p", "preview")
	add(d.trier != nil && d.trial == nil, "h", "held")
	lines := d.keyLines(all, width)
	if add(d.tabs && !d.explains, "Tab", "next finding"); d.tabs && !d.explains {
		if more := d.keyLines(all, width); len(more) == len(lines) { // it takes no row from the text
			return more
		}
	}
	return lines
}

// keyWord is a key and what it does.
type keyWord struct{ key, word string }

// keyLines set keys apart from their words: bold and in another colour, with wider
// gaps between them where that takes no more lines.
func (d *Approval) keyLines(all []keyWord, width int) []line {
	wide := d.keyRows(all, width, "  ")
	if narrow := d.keyRows(all, width, " "); len(narrow) < len(wide) {
		return narrow
	}
	return wide
}

func (d *Approval) keyRows(all []keyWord, width int, gap string) []line {
	var lines []line
	used := 0
	for _, k := range all {
		word := " " + k.word
		open, end := "", ""
		if k.key == "n" { // it has the focus
			open, end = "[", "]"
		}
		n := len(open) + len(k.key) + len(word) + len(end)
		if len(lines) == 0 || used+len(gap)+n > width {
			lines, used = append(lines, line{}), 0
		}
		l := &lines[len(lines)-1]
		if used > 0 {
			l.parts, used = append(l.parts, part{text: gap, style: d.styles.Text}), used+len(gap)
		}
		key := rune(k.key[0])
		l.parts = append(l.parts, part{open, d.styles.Text, key}, part{k.key, d.styles.Accent.Bold(true), key}, part{word + end, d.styles.Text, key})
		used += n
	}
	return lines
}
