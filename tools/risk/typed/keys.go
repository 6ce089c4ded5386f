package typed

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nod-console/nod/tools/risk"
)

// Keys assesses what is typed into a pane: at a shell's prompt as package risk does, else
// by the program that reads it ([Recognize]). Offsets of findings count in the pending
// text followed by the literal one.
func Keys(k risk.Keystrokes, program string) risk.Verdict {
	if k.AtPrompt || program == "" || k.Moves() || len(k.Pending)+len(k.Literal) > maxText || len(k.Keys) > maxText {
		return risk.Keys(k)
	}
	if name, own := strings.CutSuffix(program, ofUser); own {
		return Keys(k, name).Doubted("keys.own", "the program's file belongs to its user, who can replace it: it may do anything under the name of "+name)
	}
	name, within := strings.CutSuffix(program, inTransaction)
	for i := range languages {
		if l := &languages[i]; l.name == name {
			return l.judge(k, within)
		}
	}
	for i := range screens {
		if s := &screens[i]; s.name == name {
			return s.judge(k)
		}
	}
	return risk.Keys(k)
}

// judge follows a program's line editor and judges each line that is sent off, and what
// is left on the line.
func (l *language) judge(k risk.Keystrokes, within bool) risk.Verdict {
	e := editor{known: true, text: k.Pending, tracked: k.Tracked}
	e.literal(k.Literal)
	for _, key := range k.Keys {
		e.key(key)
	}
	if k.Enter {
		e.submit()
	}
	s := session{language: l, within: within, whole: len(k.Pending) + len(k.Literal), total: risk.Harmless()}
	if e.odd != "" {
		s.total = risk.Keys(k)
		s.note(risk.Mutate, risk.Opaque, "keys.edit", e.odd)
		return s.total
	}
	if len(e.sent) == 0 && !e.typed {
		e.text = ""
	}
	s.read(append(e.sent, e.text))
	if e.ends {
		s.leaves()
	}
	return s.total
}

// Bounds of what is read; beyond them it is opaque.
const (
	maxText  = 8 << 10
	maxLines = 50
)

// session gathers the verdict about lines for one program.
type session struct {
	*language
	within bool // a transaction is open
	whole  int  // the length of what is assessed
	total  risk.Verdict
}

func (s *session) note(e risk.Effect, f risk.Flags, rule, why string) {
	if f.Has(risk.Opaque) { // the worst that it may do, which is not evident
		s.add(risk.Guess(e, f, rule, why))
		return
	}
	s.add(risk.Of(e, f, risk.Finding{Rule: rule, Why: why}))
}

// add counts a verdict about a part, whose findings are then about the whole.
func (s *session) add(v risk.Verdict) {
	found := v.Findings
	v.Findings = nil
	for _, f := range found {
		f.Start, f.End = 0, s.whole
		if !slices.Contains(s.total.Findings, f) && !slices.Contains(v.Findings, f) {
			v.Findings = append(v.Findings, f)
		}
	}
	s.total = s.total.With(v)
}

// unread is the verdict about a line of a language that is not read.
func (s *session) unread(line string) {
	s.add(risk.Keys(risk.Keystrokes{Literal: line, Enter: true, Dialect: risk.Bash}))
	s.note(risk.Mutate, risk.Opaque, "typed.unread", s.name+" runs it, and what it does is not known by reading")
	if losing().MatchString(line) {
		s.note(risk.Destroy, 0, "typed.loss", "reads as if it removes something")
	}
}

// leaves counts the end of the program. What is lost with it is no data, unless it holds
// some itself.
func (s *session) leaves() {
	if s.holds || s.within {
		s.note(risk.Mutate, 0, "typed.leave", "ends "+s.name+": what is not saved or committed there is lost")
	}
}

// read judges lines, of which the last may not have been sent off.
func (s *session) read(lines []string) {
	lines = strings.Split(strings.Join(lines, "\n"), "\n") // what was pending may be several
	if len(lines) > maxLines {
		s.unread(strings.Join(lines, "\n"))
		return
	}
	if s.repeats && len(lines) > 1 && strings.TrimSpace(lines[0]) == "" {
		s.note(risk.Mutate, risk.Opaque, "typed.repeat", "an empty line runs the last command again")
	}
	text, ran, gone := "", false, false
	for _, line := range lines {
		bare := strings.TrimSpace(line)
		switch {
		case bare == "":
			continue
		case gone:
			s.unread(line)
			continue
		case ran && s.pages:
			s.note(risk.Mutate, risk.Opaque, "typed.pager", "what follows may be read by a pager that "+s.name+" has opened")
		}
		switch {
		case text == "" && s.exits[strings.TrimSuffix(bare, ";")]:
			s.leaves()
			gone = true
		case s.line != nil:
			s.line(s, line)
			ran = true
		case text == "" && s.own != nil && s.own(s, bare):
			ran = true
		case strings.HasSuffix(bare, ";"):
			s.statement(s, text+line+"\n")
			text, ran = "", true
		default:
			text += line + "\n"
		}
	}
	if text != "" {
		s.statement(s, text)
	}
}

// editor follows the line editor of a program that reads lines.
type editor struct {
	sent    []string // lines that were sent off
	text    string   // what stands on the line
	known   bool     // text is exactly that
	inside  bool     // the cursor may be somewhere else than at its end
	typed   bool     // something was added to it
	tracked bool
	ends    bool   // the program is told to end
	over    bool   // what follows is for whoever reads then
	odd     string // why what stands on the line is not known
}

func (e *editor) literal(text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			e.submit()
		}
		e.add(line)
	}
}

func (e *editor) add(text string) {
	switch {
	case text == "":
		return
	case e.over:
		e.fail("what follows may be read by another program")
	case strings.ContainsFunc(text, unprintable):
		e.fail("a tab or a control character asks the program to change the line")
	case e.inside || !e.known:
		e.fail("what stands on the line is not known")
	}
	e.text += text
	e.typed = true
}

// unprintable reports characters that line editors do not put on the line as they are.
func unprintable(r rune) bool { return !unicode.IsPrint(r) && r != ' ' }

func (e *editor) submit() {
	if e.over {
		e.fail("what follows may be read by another program")
	}
	if !e.known {
		e.fail("runs a line that is not known: an earlier one, or one that keys have edited")
	}
	e.sent, e.text, e.inside = append(e.sent, e.text), "", false
}

func (e *editor) fail(why string) {
	if e.odd == "" {
		e.odd = why
	}
}

func (e *editor) key(name string) {
	switch key := risk.KeyName(name); key {
	case "enter":
		e.submit()
	case "space":
		e.add(" ")
	case "c-l":
	case "left", "right", "home", "end", "c-a", "c-e", "c-b", "c-f":
		e.inside = true
	case "up", "down", "c-p", "c-n":
		e.known, e.inside = false, true
	case "c-u":
		e.text = e.text[:strings.LastIndexByte(e.text, '\n')+1]
		e.known, e.inside = e.known && !e.inside, false
	case "c-c":
		if !e.tracked {
			e.fail("interrupts what was not started through nod")
		}
		e.text, e.known, e.over = "", true, true
	case "c-d":
		if e.text != "" || !e.known || e.over {
			e.fail("the key C-d changes the line")
		}
		e.ends, e.over = true, true
	default:
		if utf8.RuneCountInString(name) == 1 {
			e.add(name)
			return
		}
		e.fail("the key " + name + " changes the line in a way that is not known")
	}
}
