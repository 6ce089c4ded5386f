package risk

import (
	"regexp"
	"strings"
)

// judgeOperands gives each operand its kind.
func (m *matching) judgeOperands() {
	params := m.s.operands
	if m.fills && len(params) > 0 && !(m.s.repeat && len(params) == 1) {
		params = params[1:]
	}
	ops := m.operands
	m.missing(len(ops))
	if m.s.assigns {
		ops = m.assignments(ops)
	}
	for i, w := range ops {
		p := param{kind: kindNone}
		switch {
		case i < len(params):
			p = params[i]
		case m.s.repeat && len(params) > 0:
			p = params[len(params)-1]
		}
		if m.turns && (p.kind == kindReads || p.kind == kindMeta || p.kind == kindTree) {
			p.kind = m.turned
		}
		switch p.kind {
		case kindCommand:
			m.command(ops[i:])
			return
		case kindShell:
			m.a.nested(join(ops[i:]))
			return
		case kindNone:
			m.unexpected(w)
			return
		}
		if p.kind == kindHost && !w.known() {
			m.a.note(Observe, Exfil, "host.dynamic", "the host's name is put together on the way and can carry data", w)
			continue
		}
		if !p.fits(w) {
			m.unexpected(w)
			continue
		}
		m.a.value(p, w, m.name)
		if w.several() && (!m.s.repeat || i < len(params)-1) {
			m.several(params, i, w)
		}
	}
}

// missing handles programs that ask for more when they are given too little.
func (m *matching) missing(operands int) {
	if operands < m.s.least && !m.looks {
		m.a.note(Mutate, 0, m.s.name+".session", "opens a session of its own", m.name)
	}
	if !m.s.reader || m.fills || operands > 1 && len(m.s.operands) > 1 && m.s.operands[1].kind == kindSQL {
		return
	}
	if f := m.a.feeding; f != nil && f.known {
		m.a.sql(f.text)
		return
	}
	m.a.note(Mutate, Opaque, m.s.name+".input", "reads statements from its input", m.name)
}

// command runs what follows as a command: after "--", or as a text after -c.
func (m *matching) command(rest []word) {
	if rest[0].text == "--" {
		rest = rest[1:]
	}
	switch {
	case len(rest) == 0:
		m.a.unclear("command.missing", "the command is missing", m.name)
	case rest[0].text == "-c" && len(rest) > 1:
		m.a.nested(rest[1])
	default:
		m.a.run(rest)
	}
}

// several handles a word that can become many: every later place may be filled.
func (m *matching) several(params []param, i int, w word) {
	for _, p := range params[min(i+1, len(params)):] {
		if p.kind == kindCommand || p.kind == kindShell {
			m.a.note(Mutate, Opaque, "argument.dynamic", "an argument that is not known could become a command", w)
			continue
		}
		m.a.value(p, w, m.name)
	}
	if !m.s.repeat {
		m.unexpected(w)
	}
}

func (m *matching) unexpected(w word) {
	m.odd = true
	other := trait{effect: Mutate, why: m.s.name + " with " + shown(w.text) + " is not known to be harmless"}
	if m.s.other != nil {
		other = *m.s.other
	}
	if m.s.inert {
		other.effect = Observe
	}
	m.a.note(other.effect, other.flags, m.s.name+".operand", whyOf(other.why, m.s.name, other.effect), word{start: m.name.start, end: w.end})
	m.a.murky = true
}

var assignment = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`)

// assignments takes the NAME=value words off the front of a command.
func (m *matching) assignments(ops []word) []word {
	for len(ops) > 0 && assignment.MatchString(ops[0].text) {
		name, value, _ := strings.Cut(ops[0].text, "=")
		v := ops[0]
		v.text = value
		m.a.setVariable(name, v, ops[0], false)
		ops = ops[1:]
	}
	return ops
}

// several reports whether a word may become more than one.
func (w word) several() bool {
	return w.glob || !w.quoted && strings.IndexByte(w.text, hole) >= 0
}

func join(words []word) word {
	out := word{start: words[0].start, end: words[len(words)-1].end}
	texts := make([]string, len(words))
	for i, w := range words {
		texts[i] = w.text
		out.glob = out.glob || w.glob
		out.tree = out.tree || w.tree
	}
	out.text = strings.Join(texts, " ")
	return out
}

// shown prepares a piece of the text for a sentence.
func shown(s string) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, ifsMark, " "), string(hole), "…")
	if len(s) > 40 {
		s = s[:40] + "…"
	}
	return strings.ToValidUTF8(s, "")
}
