package risk

import (
	"path"
	"regexp"
	"strings"
)

// binFolders are where programs known by their base name live.
var binFolders = map[string]bool{
	"/bin": true, "/sbin": true, "/usr/bin": true, "/usr/sbin": true, "/usr/local/bin": true, "/usr/local/sbin": true,
}

// special assesses programs whose arguments need more than a table.
type special func(a *assessor, name word, args []word)

// run assesses a program with its arguments.
func (a *assessor) run(words []word) {
	if a.steps++; a.steps > maxSteps || a.depth > maxDepth {
		a.note(Mutate, Opaque, "text.depth", "commands are nested too deeply to be read", words[0])
		return
	}
	name := words[0]
	whole := word{start: name.start, end: words[len(words)-1].end}
	if !name.known() {
		a.dynamicProgram(words, whole)
		return
	}
	base := name.text
	if strings.ContainsRune(base, '/') {
		folder, file := path.Split(base)
		if !binFolders[path.Clean(folder)] || file == "" || strings.Contains(folder, "..") {
			a.note(Mutate, Opaque, "program.path", "runs a program from a place that is not a system folder", name)
			a.clues(words, whole)
			return
		}
		base = file
	}
	for i := 0; i < len(base); i++ {
		if base[i] >= 0x80 || base[i] <= ' ' {
			a.note(Mutate, Opaque, "program.lookalike", "the program's name holds characters that only look familiar", name)
			return
		}
	}
	a.depth++
	defer func() { a.depth-- }()
	if f, ok := specials[base]; ok {
		f(a, word{text: base, start: name.start, end: name.end}, words[1:])
		return
	}
	s, ok := specs()[base]
	if !ok {
		if family, _, cut := strings.Cut(base, "."); cut && specs()[family] != nil && specs()[family].effect.AtLeast(Destroy) {
			s, ok = specs()[family], true // mkfs.ext4, fsck.xfs
		}
	}
	if !ok {
		a.note(Mutate, 0, "program.unknown", "nothing is known about this program", name)
		a.clues(words, whole)
		return
	}
	a.match(s, name, words[1:])
}

// dynamicProgram is a program whose name is only known when it runs.
func (a *assessor) dynamicProgram(words []word, whole word) {
	a.note(Mutate, Opaque, "program.dynamic", "which program runs is decided only when it runs", words[0])
	a.clues(words, whole)
}

var forcedDelete = regexp.MustCompile(`^-[a-zA-Z]*[rRf]|^--(force|recursive|delete)|^of=/dev/`)

// clues looks for signs of loss in the arguments of something that is not
// known: a forced recursive option together with a path, or a program that is
// handed on.
func (a *assessor) clues(words []word, whole word) {
	forced := 0
	for i, w := range words[1:] {
		m := forcedDelete.FindString(w.text)
		if m != "" && (strings.Contains(w.text, "r") || strings.Contains(w.text, "R")) && strings.Contains(w.text, "f") || strings.HasPrefix(m, "of=") || m == "--delete" {
			forced++
		}
		if s := specs()[w.text]; s != nil && s.effect == Destroy && i+1 < len(words)-1 {
			a.note(Destroy, 0, "program.handed", "hands "+w.text+" to another program", w)
		}
	}
	if forced > 0 {
		a.note(Destroy, 0, "argument.forced", "looks like a forced or recursive delete", whole)
	}
	a.hints(words[1:])
}

var (
	lossHint = regexp.MustCompile(`(?i)\brm\s+(-\S+\s+)*-\w*[rf]|rmtree|\bunlink\b|os\.remove|removedirs|file\.delete|fileutils\.rm|rimraf|fs\.rm|\bmkfs|\bdd\s.*of=/dev|\bdrop\s+(table|database|schema|index|user)|\btruncate\s+table|\bshutdown\b|\bwipefs\b|remove-item|deletefiles?\(`)
	lossVerb = regexp.MustCompile(`^(delete|remove|rm|rb|destroy|terminate|purge|drop|wipe|erase|uninstall|deregister|truncate|flush|prune|detach|undeploy)(-[a-z-]+)?$`)
)

// hints looks for loss in arguments that are code or commands of their own.
func (a *assessor) hints(args []word) {
	for i, w := range args {
		if lossHint.MatchString(w.text) || i < 4 && lossVerb.MatchString(w.text) {
			a.note(Destroy, 0, "argument.loss", "reads as if it removes something: "+shown(w.text), w)
		}
	}
}

// matching is one pass over a program's arguments.
type matching struct {
	a        *assessor
	s        *spec
	name     word
	args     []word
	operands []word
	fills    bool
	looks    bool // an option made the run harmless
	turned   kind
	turns    bool
}

// match assesses a program that the data files describe.
func (a *assessor) match(s *spec, name word, args []word) {
	if s.flags&(Opaque|Exfil) != 0 {
		a.hints(args)
	}
	if len(args) == 1 && args[0].known() {
		if o := s.option(args[0].text); o != nil && o.ends {
			return
		}
	}
	m := &matching{a: a, s: s, name: name, args: args}
	if s.subs != nil {
		m.base()
		m.subCommand()
		return
	}
	rest := m.options(0, s.posix)
	m.operands = append(m.operands, rest...)
	m.base()
	m.judgeOperands()
}

// base counts what the program means by itself, unless an option turned it into
// one that only looks.
func (m *matching) base() {
	if s := m.s; !m.looks && (s.effect != Observe || s.flags != 0) {
		m.a.note(s.effect, s.flags, s.name, whyOf(s.why, s.name, s.effect), m.name)
	}
}

func whyOf(why, name string, e Effect) string {
	switch {
	case why != "":
		return why
	case e == Destroy:
		return name + " can lose data"
	case e == Mutate:
		return name + " changes something"
	default:
		return name + " is sensitive"
	}
}

// options reads options from args[i:]. With stop, it ends at the first operand
// and returns the rest; otherwise operands are gathered on the way.
func (m *matching) options(i int, stop bool) []word {
	if m.s.bsd && i < len(m.args) && m.args[i].known() && !strings.HasPrefix(m.args[i].text, "-") {
		m.cluster(m.args[i], "-"+m.args[i].text, &i)
		i++
	}
	for ; i < len(m.args); i++ {
		w := m.args[i]
		switch {
		case w.mayBeOption() && w.text[0] != '-' && w.text[0] != '+':
			if !m.s.inert {
				m.a.note(Mutate, 0, "argument.dynamic", "an argument that is not known could be an option", w)
			}
		case w.text == "--":
			if stop {
				return m.args[i+1:]
			}
			m.operands = append(m.operands, m.args[i+1:]...)
			return nil
		case strings.HasPrefix(w.text, "+") && m.plusOption(w):
			continue
		case strings.HasPrefix(w.text, "-") && len(w.text) > 1:
			m.option(w, &i)
			continue
		}
		if stop {
			return m.args[i:]
		}
		m.operands = append(m.operands, w)
	}
	return nil
}

func (m *matching) plusOption(w word) bool {
	if len(w.text) < 2 {
		return false
	}
	o := m.s.option(w.text)
	if o == nil {
		o = m.s.option(w.text[:2])
	}
	if o == nil && strings.Trim(w.text[1:], "0123456789") == "" {
		o = m.s.option("+#")
	}
	if o == nil {
		return false
	}
	m.use(o, w)
	return true
}

// option reads the option at args[*i] and its value.
func (m *matching) option(w word, i *int) {
	if !strings.HasPrefix(w.text, "--") && !m.s.oneDash {
		m.cluster(w, w.text, i)
		return
	}
	name, value, attached := strings.Cut(w.text, "=")
	o := m.s.option(name)
	if o == nil && m.s.oneDash && !strings.HasPrefix(name, "--") && strings.Trim(name[1:], "0123456789") == "" {
		o = m.s.option("-#")
	}
	if o == nil {
		m.abbreviated(name, w)
		return
	}
	if attached && !o.takes && !o.optional {
		m.unknown(w)
		return
	}
	m.use(o, w)
	val := w
	val.text = value
	switch {
	case attached:
		m.a.value(o.value, val, m.name)
	case o.takes:
		m.next(o, w, i)
	}
}

// next takes the following argument as an option's value.
func (m *matching) next(o *option, w word, i *int) {
	if *i+1 >= len(m.args) {
		m.a.unclear("option.value", "the option lacks its value", w)
		return
	}
	*i++
	m.a.value(o.value, m.args[*i], m.name)
	if v := m.args[*i]; (v.glob || strings.IndexByte(v.text, hole) >= 0 && !v.quoted) && !m.s.inert {
		m.a.note(Mutate, 0, "argument.dynamic", "a value that is not known could become several arguments", v)
	}
}

// cluster reads short options in one word.
func (m *matching) cluster(w word, text string, i *int) {
	if o := m.s.option("-#"); o != nil && strings.Trim(text[1:], "0123456789") == "" {
		m.use(o, w)
		return
	}
	for at := 1; at < len(text); at++ {
		o := m.s.option("-" + text[at:at+1])
		if o == nil {
			m.unknown(w)
			return
		}
		m.use(o, w)
		rest := w
		rest.text = text[at+1:]
		switch {
		case o.takes && rest.text == "":
			m.next(o, w, i)
			return
		case o.takes:
			m.a.value(o.value, rest, m.name)
			return
		case o.optional && rest.text != "":
			m.a.value(o.value, rest, m.name)
			return
		}
	}
}

// abbreviated handles --recurs for --recursive: what it may stand for counts,
// but it is not taken for understood.
func (m *matching) abbreviated(name string, w word) {
	if strings.HasPrefix(name, "--") {
		for at := m.s; at != nil; at = at.parent {
			for full, o := range at.options {
				if strings.HasPrefix(full, name) {
					m.use(o, w)
				}
			}
		}
	}
	m.unknown(w)
}

func (m *matching) unknown(w word) {
	e := Mutate
	if m.s.inert {
		e = Observe
	}
	m.a.note(e, 0, "option.unknown", "the option "+shown(w.text)+" of "+m.s.name+" is not known", w)
	m.a.murky = true
}

// use counts what a permitted option means.
func (m *matching) use(o *option, w word) {
	m.looks = m.looks || o.effect == Observe
	if o.effect > Observe || o.flags != 0 {
		at := word{start: m.name.start, end: w.end}
		m.a.note(o.effect, o.flags, o.rule, whyOf(o.why, o.rule, o.effect), at)
	}
	m.fills = m.fills || o.fills
	if o.turns {
		m.turned, m.turns = o.operands, true
	}
}

// subCommand finds the sub-command and goes on with its own table.
func (m *matching) subCommand() {
	rest := m.options(0, true)
	if len(rest) == 0 {
		if m.s.reader {
			m.missing(0)
			return
		}
		if m.s.fallback != "" {
			m.a.match(m.s.subs[m.s.fallback], m.name, nil)
		} else if len(m.args) == 0 {
			m.a.unclear("command.missing", m.s.name+" lacks its command", m.name)
		}
		return
	}
	sub := rest[0]
	if !sub.known() {
		m.a.note(Mutate, Opaque, "command.dynamic", "which command "+m.s.name+" runs is not known", sub)
		m.a.clues(rest, sub)
		return
	}
	at := word{start: m.name.start, end: sub.end}
	if s, ok := m.s.subs[sub.text]; ok {
		m.a.match(s, at, rest[1:])
		return
	}
	found := false
	if m.s.abbrev && sub.text != "" {
		for full, s := range m.s.subs {
			if strings.HasPrefix(full, sub.text) {
				m.a.match(s, at, rest[1:])
				found = true
			}
		}
	}
	if found {
		return
	}
	other := trait{effect: Mutate, why: "the command " + shown(sub.text) + " of " + m.s.name + " is not known"}
	if m.s.other != nil {
		other = *m.s.other
	}
	m.a.note(other.effect, other.flags, m.s.name+".unknown", whyOf(other.why, m.s.name, other.effect), at)
	m.a.murky = true
	m.a.clues(rest, at)
}

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
		s = strings.ToValidUTF8(s[:40], "") + "…"
	}
	return s
}
