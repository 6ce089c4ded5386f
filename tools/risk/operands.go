package risk

import (
	"regexp"
	"strings"
	"sync"
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
		p := m.paramAt(params, i)
		if m.ends(p.kind, ops, i) {
			return
		}
		if m.judgeOperand(p, ops, i) && w.several() && (!m.s.repeat || i < len(params)-1) {
			m.several(params, i, w)
		}
	}
}

// paramAt is what the operand at a place is to the program.
func (m *matching) paramAt(params []param, i int) param {
	p := param{kind: kindNone}
	switch {
	case i < len(params):
		p = params[i]
	case m.s.repeat && len(params) > 0:
		p = params[len(params)-1]
	}
	if m.turns && (p.kind == kindReads || p.kind == kindMeta || p.kind == kindTree || p.kind == kindChanges) {
		p.kind = m.turned
	}
	return p
}

// ends judges the operand at a place together with all behind it, if its kind has them
// belong to it.
func (m *matching) ends(k kind, ops []word, i int) bool {
	switch k {
	case kindCommand:
		m.apart(func() { m.command(ops[i:]) })
	case kindShell:
		if ops[i].text == "--" && i+1 < len(ops) {
			i++
		}
		m.apart(func() { m.a.nested(join(ops[i:])) })
	case kindPsArgs:
		psProgram(m.a, word{text: "ps", start: m.name.start, end: m.name.end}, ops[i:])
	case kindNone:
		m.unexpected(ops[i], ops[i+1:min(len(ops), max(i+1, lossPlaces))]...)
	default:
		return false
	}
	return true
}

// judgeOperand judges the operand at a place alone, and reports whether it is what the
// program wants there.
func (m *matching) judgeOperand(p param, ops []word, i int) bool {
	w := ops[i]
	host := p.kind == kindHost || p.kind == kindQuery || p.kind == kindServer
	if (host || p.kind == kindBucket || p.kind == kindStore) && !w.known() {
		m.a.note(Observe, Exfil, "host.dynamic", "the host's name is put together on the way and can carry data", w)
		return false
	}
	if !p.fits(w) {
		if host {
			m.a.lookalike(w, hostOf(w.text))
		}
		m.unexpected(w)
		return false
	}
	m.a.value(p, w, m.name)
	m.freeOperand(p, ops, i)
	if p.kind == kindAny && m.s.effect.AtLeast(Mutate) {
		m.a.mentions(ops[i : i+1])
		if i < lossPlaces && !strings.Contains(w.text, " ") && m.names(w, i) {
			m.a.lossWords(ops[i:i+1], m.before(ops, i))
		}
	}
	return true
}

// before is what stands in front of an operand: the one before it, or the command's name.
func (m *matching) before(ops []word, i int) string {
	if i > 0 {
		return ops[i-1].text
	}
	return m.s.name[strings.LastIndexByte(m.s.name, '.')+1:]
}

// takesAny reports whether a program that acts is told what to do in words that its table
// does not read.
func (s *spec) takesAny() bool {
	return s.effect.AtLeast(Mutate) && len(s.operands) > 0 && s.operands[0].kind == kindAny
}

// names reports whether an operand may name what the program is to do, and not what it does
// it to.
func (m *matching) names(w word, i int) bool {
	if m.s.parent != nil {
		return i == 0 && lossVerbs[w.text] && !asking[m.before(nil, 0)]
	}
	return !m.makes()
}

// makes reports whether the program's name says that what it is given is new.
func (m *matching) makes() bool {
	return strings.HasSuffix(m.s.name, "create") || strings.HasSuffix(m.s.name, "add")
}

// missing handles programs that ask for more when they are given too little.
func (m *matching) missing(operands int) {
	m.input(operands)
	if operands < m.s.least && !m.looks && !m.fills {
		m.a.note(Mutate, 0, m.s.name+".session", "opens a session of its own", m.name)
	}
	if !m.s.reader || m.fills || operands > 1 && len(m.s.operands) > 1 && m.s.operands[1].kind == kindSQL {
		return
	}
	if f := m.a.feeding; f != nil && f.known {
		switch m.language() {
		case kindSQL:
			m.a.sql(f.text)
		case kindMongo:
			m.a.mongo(f.text)
		default:
			m.lines(f.text)
		}
		return
	}
	m.a.note(Mutate, Opaque, m.s.name+".input", "reads statements from its input", m.name)
}

// lines judges a text of which each line stands for the program's arguments.
func (m *matching) lines(w word) {
	if !w.known() {
		m.a.note(Mutate, Opaque, m.s.name+".input", "reads statements that are not known", m.name)
	}
	for line := range strings.Lines(w.text) {
		line = strings.TrimSuffix(strings.TrimSpace(line), `\r`)
		words := []word{{text: m.s.name, start: m.name.start, end: m.name.end}}
		for _, f := range strings.Fields(line) {
			words = append(words, word{text: f, start: w.start, end: w.end})
		}
		if len(words) > 1 && m.a.spend(costRun, w) {
			m.a.run(words)
		}
	}
}

// input judges what a program does with its input beside reading it.
func (m *matching) input(operands int) {
	s, f := m.s, m.a.feeding
	if s.hands {
		m.handed()
	}
	session := s.least > operands && s.endsInShell()
	switch {
	case (s.feeds && !m.looks || session) && f != nil && f.known:
		m.a.nested(f.text)
	case session && f != nil:
		m.a.note(Mutate, Opaque, s.name+".input", "a shell runs what it reads from its input", m.name)
	case s.carries && f != nil && !f.says(func(text string) bool { return len(text) <= maxLabel }) && !m.deaf():
		m.a.note(Observe, Exfil, s.name+".input", "sends what it reads to another host", m.name)
	case s.sends:
		m.sent(f)
	}
}

// endsInShell reports whether the operands behind the first are a shell's text.
func (s *spec) endsInShell() bool { return len(s.operands) > 1 && s.operands[1].kind == kindShell }

// sent judges what a program that carries its input to another host is fed.
func (m *matching) sent(f *stdin) {
	switch {
	case f == nil:
		m.a.note(Mutate, 0, m.s.name+".session", "opens a session of its own", m.name)
	case !f.says(func(text string) bool { return strings.Trim(text, "Qq \n") == "" }):
		m.a.note(Mutate, Exfil, m.s.name+".input", "sends what it reads to another host", m.name)
	}
}

// says reports whether an input is known to the last byte, and what it says is so.
func (f *stdin) says(so func(text string) bool) bool {
	return f.known && f.text.known() && so(f.text.text)
}

// deaf reports whether ssh was told, first of all, to read nothing.
func (m *matching) deaf() bool {
	return len(m.args) > 0 && m.args[0].text == "-n"
}

// handed looks for loss in operands that may be commands for somebody else.
func (m *matching) handed() {
	for i, w := range m.operands {
		if !strings.ContainsAny(w.text, " ;|&") && specOf(w.text) == nil {
			continue
		}
		quiet := m.a.quiet()
		if quiet.depth > maxDepth {
			return
		}
		if strings.ContainsAny(w.text, " ;|&") {
			quiet.nested(w)
		} else {
			quiet.run(m.operands[i:])
		}
		if quiet.effect == Destroy {
			m.a.note(Destroy, quiet.flags, "program.handed", "hands on a command that can lose something: "+shown(w.text), w)
		}
	}
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

// apart runs f for the program's command, which may run somewhere else.
func (m *matching) apart(f func()) {
	for at := m.s; at != nil; at = at.parent {
		if at.remote {
			m.a.elsewhere(f)
			return
		}
	}
	f()
}

// several handles a word that can become many: every later place may be filled.
func (m *matching) several(params []param, i int, w word) {
	for _, p := range params[min(i+1, len(params)):] {
		if p.kind == kindCommand || p.kind == kindShell {
			m.a.unread(Mutate, Opaque, "argument.dynamic", "an argument that is not known could become a command", w)
			continue
		}
		m.a.value(p, w, m.name)
	}
	if !m.s.repeat {
		m.unexpected(w)
	}
}

// unexpected judges an operand that the table does not know; more are those behind it, which
// are not judged any more.
func (m *matching) unexpected(w word, more ...word) {
	m.odd = true
	record, other := m.a.unread, trait{effect: Mutate, why: m.s.name + " with " + shown(w.text) + " is not known to be harmless"}
	if m.s.other != nil {
		record, other = m.a.by(*m.s.other), *m.s.other
	}
	if m.s.inert {
		other.effect = Observe
	}
	record(other.effect, other.flags, m.s.name+".operand", whyOf(other.why, m.s.name, other.effect), word{start: m.name.start, end: w.end})
	m.a.murky = true
	if other.effect.AtLeast(Mutate) && !other.flags.Has(Lockout) && (m.s.parent == nil && !m.makes() || !asking[m.before(nil, 0)] && !strings.ContainsAny(w.text, "/-.")) && !strings.Contains(w.text, " ") { // what changes the way in is said to do so
		m.a.lossWords(append([]word{w}, more...), m.before(nil, 0))
	}
}

var assignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=`) })

// assignments takes the NAME=value words off the front of a command.
func (m *matching) assignments(ops []word) []word {
	for len(ops) > 0 && assignment().MatchString(ops[0].text) {
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
