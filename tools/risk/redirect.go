package risk

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// redirect assesses one redirection and remembers what feeds the command.
func (a *assessor) redirect(r *syntax.Redirect) {
	at := a.at(r)
	if r.N != nil && strings.HasPrefix(r.N.Value, "{") {
		a.unclear("redirect.variable", "the redirection sets a variable", at)
	}
	if isDocument(r) {
		a.feeding = &stdin{piped: true, known: true, text: a.document(r, at)}
		return
	}
	w := a.one(r.Word)
	if r.Op == syntax.WordHdoc {
		a.feeding = &stdin{piped: true, known: true, text: w}
		return
	}
	if r.N != nil && len(r.N.Value) == 1 {
		defer func() { a.opened |= 1 << (r.N.Value[0] - '0') }()
	}
	switch r.Op {
	case syntax.RdrIn:
		a.fedFrom(w, at)
		if from := a.substituted(r.Word); from != nil {
			a.feeding = from
		}
	case syntax.DplIn, syntax.DplOut:
		if w.known() && strings.Trim(w.text, "0123456789-") == "" {
			a.descriptor(w.text, r.Op == syntax.DplOut, at)
			return
		}
		a.writePath(w, at)
	default: // >, >>, >|, <>, &>, &>> and whatever a later parser adds
		a.writePath(w, at)
		if r.Op == syntax.RdrOut || r.Op == syntax.RdrClob || r.Op == syntax.RdrAll {
			a.emptied(w, at)
		}
	}
}

// fedFrom judges a file that is a command's input.
func (a *assessor) fedFrom(w, at word) {
	a.feeding = &stdin{piped: true, known: w.known() && w.text == "/dev/null", text: word{start: at.start, end: at.end}}
	if w.known() && endless(w.text) {
		a.feeding.device = w
	}
	a.readPath(w, kindReads)
}

// document is the text that follows a redirection. Behind a quoted delimiter nothing of it
// is expanded.
func (a *assessor) document(r *syntax.Redirect, at word) word {
	text := word{start: at.start, end: at.end}
	if r.Hdoc == nil {
		return text
	}
	if raw := r.Hdoc.Lit(); raw != "" && !plainLiteral(r.Word.Lit()) {
		text.text = raw
	} else {
		text = a.parts([]word{{}}, r.Hdoc.Parts, true)[0]
	}
	text.start, text.end = a.span(r.Hdoc)
	return text
}

// descriptor judges writing to a descriptor by its number: what stands behind one
// that the text has not opened itself nobody knows.
func (a *assessor) descriptor(number string, writes bool, at word) {
	if !writes || len(number) == 1 && (number <= "2" || number == "-" || a.opened&(1<<(number[0]-'0')) != 0) {
		return
	}
	if number = strings.TrimSuffix(number, "-"); number <= "2" && len(number) <= 1 {
		return
	}
	a.note(Mutate, 0, "redirect.descriptor", "writes to whatever the descriptor "+shown(number)+" is connected to", at)
}

// emptied judges a file that a redirection cuts off: a log loses what was in it
// whatever follows, any other file if nothing follows.
func (a *assessor) emptied(w word, at word) {
	switch {
	case a.isLog(w.text):
		a.note(Destroy, 0, "redirect.log", "empties a log", at)
	case a.silent && !quietDevice(w.text) && !isNetwork(w.text):
		a.note(Destroy, 0, "redirect.empties", "empties "+shown(w.text), at)
	}
}
