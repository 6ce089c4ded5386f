package risk

import (
	"slices"
	"strings"
)

// matching is one pass over a program's arguments.
type matching struct {
	a        *assessor
	s        *spec
	name     word
	args     []word
	operands []word
	fills    bool
	looks    bool // an option made the run harmless
	odd      bool // something was not understood
	turned   kind
	turns    bool
	looking  []string // options that made the run harmless, by name
	given    []given  // options in their order, with their values
	ended    bool     // an option was given beside which nothing else counts
	settled  bool     // an option names what would be taken from the folder
}

// given is an option on the line.
type given struct {
	name  string
	value word
	has   bool // there is a value
}

// values are what the options of these names were given; "" where they have no
// value of their own.
func (m *matching) values(names ...string) []word {
	var all []word
	for _, g := range m.given {
		if slices.Contains(names, g.name) {
			all = append(all, g.value)
		}
	}
	return all
}

// judge counts an option's value.
func (m *matching) judge(o *option, v word) {
	if n := len(m.given); n > 0 {
		m.given[n-1].value, m.given[n-1].has = v, true
	}
	if o.effect == Observe && !o.value.fits(v) {
		m.odd = true // --dry-run=none
	}
	m.a.value(o.value, v, m.name)
	if m.s.effect == Observe && o.effect <= Observe {
		m.freeValue(o, v)
	}
	if o.value.kind == kindAny && (m.s.effect.AtLeast(Mutate) || o.effect > Observe) {
		m.a.mentions([]word{v})
	}
}

// match assesses a program that the data files describe.
func (a *assessor) match(s *spec, name word, args []word) {
	if s.parent == nil {
		a.shape = ""
	}
	if s.flags&(Opaque|Exfil) != 0 {
		a.hints(args)
	}
	if len(args) == 1 && args[0].known() {
		if o := s.option(args[0].text); o != nil && o.ends && (s.parent == nil || !s.inFolder()) {
			return
		}
	}
	a.needs |= s.needs
	if s.costly {
		a.cost(s.name, whyOf(s.why, s.name, s.effect), name)
	}
	if s.builtin {
		a.ofShell()
	}
	if s.parent == nil && s.asksForHelp(args) {
		return
	}
	m := &matching{a: a, s: s, name: name, args: args}
	m.all()
}

// asksForHelp reports whether the arguments are sub-commands and, behind them, --help
// or --version alone: then a program prints its own text and nothing else. What may
// lose data and what runs code is not believed to.
func (s *spec) asksForHelp(args []word) bool {
	if len(args) == 0 || !args[len(args)-1].known() {
		return false
	}
	switch args[len(args)-1].text {
	case "--help":
	case "--version":
		if len(args) > 1 {
			return false
		}
	default:
		return false
	}
	at := s
	for _, w := range args[:len(args)-1] {
		if at = at.subs[w.text]; at == nil || !w.known() {
			return false
		}
	}
	return !s.inFolder() && !at.inFolder() && !s.effect.AtLeast(Destroy) && (!s.flags.Has(Opaque) || len(args) > 1) && !s.runsCommand()
}

// runsCommand reports whether operands are a command of their own.
func (s *spec) runsCommand() bool {
	return slices.ContainsFunc(s.operands, func(p param) bool { return p.kind == kindCommand || p.kind == kindShell || p.kind == kindScript })
}

// all judges the arguments of a program or of a sub-command.
func (m *matching) all() {
	s := m.s
	program, _, _ := strings.Cut(s.name, ".")
	m.a.sqlKind = sqlDialects[program]
	if s.subs != nil {
		m.base()
		m.subCommand()
		return
	}
	rest := m.options(0, s.posix)
	m.operands = append(m.operands, rest...)
	m.judgeOperands()
	m.endlessInput(program)
	switch program {
	case "chmod", "chown", "chgrp", "setfacl", "chattr":
		m.treeRights()
	case "cp", "install":
		m.emptiedBy()
	case "sed", "gsed":
		m.emptiedInPlace()
	case "rpm":
		m.verifiedFile()
	case "mysql", "mariadb":
		m.accounts()
	}
	m.base()
	if s.inFolder() && !m.a.apart && !m.settled {
		m.a.unclear(RuleFolder, "runs what the configuration in its folder names: whoever can write there chooses the programs", m.name)
	}
}

// base counts what the program means by itself, unless an option turned it into
// one that only looks.
func (m *matching) base() {
	if s := m.s; (!m.looks || m.odd) && (s.effect != Observe || s.flags != 0) {
		m.a.by(s.trait)(s.effect, s.flags, s.name, whyOf(s.why, s.name, s.effect), m.name)
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
	if m.s.bsd && i < len(m.args) && m.args[i].undashed() {
		m.cluster(m.args[i], "-"+m.args[i].text, &i)
		i++
	}
	for ; i < len(m.args); i++ {
		w := m.args[i]
		plus := strings.HasPrefix(w.text, "+")
		switch {
		case w.mayBeOption() && w.text[0] != '-' && !plus:
			m.maybeOption(w)
		case w.text == "--":
			if stop {
				return m.args[i+1:]
			}
			m.operands = append(m.operands, m.args[i+1:]...)
			return nil
		case plus && m.plusOption(w):
			continue
		case plus && m.s.plus:
			m.unknown(w)
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

// undashed reports whether a word begins with something else than a dash.
func (w word) undashed() bool { return w.known() && !strings.HasPrefix(w.text, "-") }

// maybeOption judges an operand that is not known and might turn out to be an option.
func (m *matching) maybeOption(w word) {
	switch {
	case w.tame:
	case !m.s.inert:
		m.a.unread(Mutate, 0, "argument.dynamic", "an argument that is not known could be an option", w)
	case m.s.readsByOption() && strings.IndexByte(w.text, hole) >= 0:
		m.a.unclear("argument.dynamic", "an argument that is not known could be an option that names a file", w)
	}
}

func (m *matching) plusOption(w word) bool {
	if len(w.text) < 2 {
		return false
	}
	o := m.s.option(w.text)
	if o == nil {
		if o = m.s.option(w.text[:2]); o != nil && !o.takes && !o.optional {
			o = nil
		}
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
		m.judge(o, val)
	case o.takes:
		m.next(o, w, i)
	}
}

// next takes the following argument as an option's value.
func (m *matching) next(o *option, w word, i *int) {
	if *i+1 >= len(m.args) {
		if o.optional {
			return
		}
		m.a.unclear("option.value", "the option lacks its value", w)
		return
	}
	if o.unless && m.args[*i+1].text != "" && strings.IndexByte("-+", m.args[*i+1].text[0]) >= 0 {
		return
	}
	*i++
	if o.value.kind == kindCommand {
		m.command(m.args[*i:])
		*i = len(m.args)
		return
	}
	m.judge(o, m.args[*i])
	if v := m.args[*i]; (v.glob && !v.single || strings.IndexByte(v.text, hole) >= 0 && !v.quoted) && !m.s.inert && !(v.tame && m.s.repeat) {
		m.a.unread(Mutate, 0, "argument.dynamic", "a value that is not known could become several arguments", v)
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
		case o.takes, o.optional && rest.text != "":
			m.judge(o, rest)
			return
		}
	}
}

// abbreviated handles --recurs for --recursive: what it may stand for counts,
// but it is not taken for understood.
func (m *matching) abbreviated(name string, w word) {
	if strings.HasPrefix(name, "--") {
		for at := m.s; at != nil; at = at.parent {
			for _, full := range begunWith(at.options, name) {
				m.use(at.options[full], w)
			}
		}
	}
	m.unknown(w)
}

// losesBy reports whether an option that is not known says that something is lost. What
// changes the way in is said to do so.
func (m *matching) losesBy(option string) bool {
	other := m.s.other
	if other != nil && other.flags.Has(Lockout) && !m.s.effect.AtLeast(Mutate) {
		return false
	}
	return saysOption(option, m.s.effect.AtLeast(Mutate) || other != nil && other.effect.AtLeast(Mutate))
}

func (m *matching) unknown(w word) {
	m.odd = true
	e := Mutate
	if m.s.inert {
		e = Observe
	}
	if e == Mutate && m.losesBy(w.text) {
		m.a.lossArgument(w)
	}
	m.a.unread(e, 0, "option.unknown", "the option "+shown(w.text)+" of "+m.s.name+" is not known", w)
	m.a.murky = true
}

// use counts what a permitted option means.
func (m *matching) use(o *option, w word) {
	m.given = append(m.given, given{name: o.name})
	m.ended = m.ended || o.ends
	m.settled = m.settled || o.apart
	m.a.needs |= o.needs
	if o.costly {
		m.a.cost(o.rule, whyOf(o.why, o.rule, Observe), w)
	}
	if o.effect == Observe {
		m.looks = true
		m.looking = append(m.looking, o.name)
	}
	if o.effect > Observe || o.flags != 0 {
		at := word{start: m.name.start, end: w.end}
		m.a.by(o.trait)(o.effect, o.flags, o.rule, whyOf(o.why, o.rule, o.effect), at)
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
		m.noCommand()
		return
	}
	sub := rest[0]
	if !sub.known() {
		m.a.unread(Mutate, Opaque, "command.dynamic", "which command "+m.s.name+" runs is not known", sub)
		m.a.clues(rest, sub)
		if s := m.s.subs["*"]; s != nil && len(rest) > 1 {
			m.enter(s, word{start: m.name.start, end: sub.end}, rest[1:])
		}
		return
	}
	at := word{start: m.name.start, end: sub.end}
	if s := m.s.named(sub.text); s != nil {
		m.enter(s, at, rest[1:])
		return
	}
	if !m.shortened(sub, at, rest[1:]) {
		m.unknownCommand(rest, at)
	}
}

// noCommand judges a program that is given none of its commands.
func (m *matching) noCommand() {
	switch {
	case m.s.reader:
		m.missing(0)
	case m.s.fallback != "":
		m.a.match(m.s.subs[m.s.fallback], m.name, nil)
	case !m.ended && !m.fills:
		m.a.unclear("command.missing", m.s.name+" lacks its command, and may read commands from its input", m.name)
	}
}

// shortened judges every command that a word may be short for; false if there is none.
func (m *matching) shortened(sub, at word, args []word) bool {
	if !m.s.abbrev || sub.text == "" {
		return false
	}
	all := begunWith(m.s.subs, sub.text)
	for _, full := range all {
		m.a.match(m.s.subs[full], at, args)
	}
	return len(all) > 0
}

// begunWith are the names that a prefix may stand for, in the order of the alphabet, so that
// findings always come in the same order.
func begunWith[V any](table map[string]V, prefix string) []string {
	var all []string
	for name := range table {
		if strings.HasPrefix(name, prefix) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// unknownCommand judges a command that the table does not know, with what follows it.
func (m *matching) unknownCommand(rest []word, at word) {
	record, other := m.a.unread, trait{effect: Mutate, why: "the command " + shown(rest[0].text) + " of " + m.s.name + " is not known"}
	if m.s.other != nil {
		record, other = m.a.by(*m.s.other), *m.s.other
	}
	record(other.effect, other.flags, m.s.name+".unknown", whyOf(other.why, m.s.name, other.effect), at)
	m.a.murky = true
	m.a.clues(rest, at)
	if other.flags.Has(Lockout) {
		return // what changes the way in is said to do so
	}
	m.a.lossWords(rest[:min(len(rest), lossPlaces)], m.before(nil, 0))
}

// enter goes on with a sub-command. An option that stands before it and makes
// the run harmless counts where the sub-command knows it, too.
func (m *matching) enter(s *spec, at word, args []word) {
	saved := m.a.apart
	m.a.apart = saved || m.settled
	defer func() { m.a.apart = saved }()
	for _, name := range m.looking {
		if o, ok := s.options[name]; ok && o.effect == Observe && !m.odd {
			m.a.needs |= s.needs
			inner := &matching{a: m.a, s: s, name: at, args: args, looks: true, looking: m.looking}
			inner.all()
			return
		}
	}
	m.a.match(s, at, args)
}

// named finds a sub-command, also by a pattern such as "describe-*"; "*" stands for
// whatever is acted on, before the verb.
func (s *spec) named(name string) *spec {
	if found, ok := s.subs[name]; ok {
		return found
	}
	if i := strings.IndexByte(name, '-'); i > 0 && plainLiteral(name) && s.subs[name[:i+1]+"*"] != nil && !speaksOfSecrets(name) {
		return s.subs[name[:i+1]+"*"]
	}
	return s.subs["*"]
}
