package risk

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// Keystrokes is what is typed into a pane, in this order: the literal text, the
// keys by their tmux names, then Enter when it is set.
type Keystrokes struct {
	Literal  string
	Keys     []string // "C-c", "Enter", "Up", …
	Enter    bool
	Pending  string // what already stands on the line
	AtPrompt bool   // a shell waits for a command; otherwise a program reads the keys
	Tracked  bool   // the program is a tracked command's, which may be interrupted
	Dialect  Dialect
}

// Keys assesses what is typed into a pane. At a prompt it is the command that
// would stand on the line, together with what stands there already, whether or
// not it is sent off now. What is added to a line that has begun is opaque, too:
// the cursor may stand anywhere on it. Offsets of findings count in Pending
// followed by Literal.
func Keys(k Keystrokes) Verdict {
	if !k.AtPrompt {
		return intoProgram(k)
	}
	line := &promptLine{dialect: k.Dialect, text: k.Pending, known: true, inside: k.Pending != "", total: Harmless()}
	if k.Literal != "" {
		line.literal(k.Literal)
	}
	for _, key := range k.Keys {
		line.key(key)
	}
	if k.Enter {
		line.submit()
	} else if line.typed {
		line.judge()
	}
	return line.total
}

// promptLine follows a shell's input line.
type promptLine struct {
	dialect Dialect
	text    string
	known   bool // text is exactly what stands on the line
	typed   bool // something was added to it
	inside  bool // the cursor may be somewhere else than at the end
	total   Verdict
}

func (p *promptLine) literal(text string) {
	p.add(text)
	if strings.ContainsRune(text, '\t') {
		p.opaque("keys.completion", "a tab asks the shell to complete the line")
	}
	if !strings.HasSuffix(text, "\n") {
		return
	}
	p.submit()
}

func (p *promptLine) key(name string) {
	switch KeyName(name) {
	case "enter":
		p.submit()
	case "c-c":
		p.text, p.known, p.typed, p.inside = "", true, false, false
	case "left", "right", "home", "end", "c-a", "c-e", "c-b", "c-f":
		p.inside = true
	case "c-l":
	case "up", "down", "c-p", "c-n", "ppage", "npage":
		p.known, p.inside = false, true // an earlier command, or a scrolled view
	case "space":
		p.add(" ")
	default:
		if utf8.RuneCountInString(name) == 1 {
			p.add(name)
			return
		}
		p.known = false
		p.typed = true
		p.opaque("keys.edit", "the key "+shown(name)+" changes the line or the shell in a way that is not known")
	}
}

func (p *promptLine) add(text string) {
	p.typed = true
	if p.inside {
		p.known = false
	}
	p.text += text
}

// submit sends the line off.
func (p *promptLine) submit() {
	if !p.known {
		p.opaque("keys.recalled", "runs a line that is not known: an earlier command, or one that keys have edited")
	}
	p.judge()
	p.text, p.known, p.typed, p.inside = "", true, false, false
}

func (p *promptLine) judge() {
	if strings.TrimSpace(p.text) == "" && p.known {
		return
	}
	if !p.known && p.typed {
		p.opaque("keys.edit", "what stands on the line is not known")
	}
	p.total = p.total.With(Command(p.text, p.dialect))
}

func (p *promptLine) opaque(rule, why string) {
	p.total = p.total.With(guess(Mutate, Opaque, Finding{Rule: rule, End: len(p.text), Why: why}))
}

// Harmless is the verdict of what only looks.
func Harmless() Verdict {
	return Verdict{Effect: Observe, Level: Low, Auto: true, Plain: true, Findings: []Finding{}}
}

// Of is a verdict of one finding.
func Of(e Effect, f Flags, found Finding) Verdict {
	return Verdict{
		Effect: e, Flags: f, Level: levelOf(e, f), Mutation: e.AtLeast(Mutate), Privesc: f.Has(Privesc),
		Findings: []Finding{found},
	}
}

// With is the worse of two verdicts, with the findings of both.
func (v Verdict) With(o Verdict) Verdict {
	out := Verdict{
		Effect:   max(v.Effect.rank(), o.Effect.rank()),
		Flags:    v.Flags | o.Flags,
		Auto:     v.Auto && o.Auto,
		Findings: append(append([]Finding{}, v.Findings...), o.Findings...),
		Plain:    (v.Auto || v.Plain) && (o.Auto || o.Plain),
		Reaches:  slices.Concat(v.Reaches, o.Reaches),
	}
	out.Mutation = out.Effect.AtLeast(Mutate)
	out.Privesc = out.Flags.Has(Privesc)
	out.Level = levelOf(out.Effect, out.Flags)
	e, f, _ := v.Evident()
	oe, of, _ := o.Evident()
	out.evident = rated{max(e, oe), f | of}
	return out
}

// KeyName writes tmux's spellings of one key alike, in small letters.
func KeyName(name string) string {
	switch lower := strings.ToLower(name); lower {
	case "enter", "c-m", "c-j", "kpenter", "^m", "^j":
		return "enter"
	case "c-c", "^c":
		return "c-c"
	case "pageup", "pgup", "ppage":
		return "ppage"
	case "pagedown", "pgdn", "npage":
		return "npage"
	default:
		return lower
	}
}

// navigation are keys that only move in a program's view.
var navigation = map[string]bool{
	"up": true, "down": true, "left": true, "right": true, "home": true, "end": true,
	"ppage": true, "npage": true, "c-l": true,
}

var controlByte = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[\x00-\x08\x0b-\x1f\x7f]`) })

// Moves reports whether the keys only move the view of a program, or interrupt what was
// started through nod (not what somebody runs by hand).
func (k Keystrokes) Moves() bool {
	calm := k.Literal == "" && !k.Enter
	for _, key := range k.Keys {
		name := KeyName(key)
		calm = calm && (navigation[name] || name == "c-c" && k.Tracked)
	}
	return calm
}

// answer is what programs ask for: a letter, a number, a word to go on. Anything longer may
// be a text for an interpreter.
var answer = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?i:[a-z?]|yes|no|all|none|quit|exit|skip|ok|\d{1,4})?\s*$`)
})

// intoProgram assesses keys for a program that is not known (what is known of programs is in
// package typed). They change something unless they only move the view, and more than an
// answer is opaque. Because the program may be another shell, an interpreter or a database's
// client, loss and secrets that can be recognised in the text count. Each thing is said once.
func intoProgram(k Keystrokes) Verdict {
	if k.Moves() {
		return Harmless()
	}
	typed := k.Pending + k.Literal
	for _, key := range k.Keys {
		if utf8.RuneCountInString(key) == 1 {
			typed += key
		}
	}
	end := len(k.Pending + k.Literal)
	of := func(e Effect, f Flags, rule, why string) Verdict {
		return guess(e, f, Finding{Rule: rule, End: end, Why: why})
	}
	v := of(Mutate, 0, "keys.program", "types into a running program, which may act on it")
	switch {
	case len(typed) > maxText: // signs of loss in the front of it are enough
		v = of(Mutate, Opaque, "text.size", "types a text into a running program that is too long to be read")
		typed = typed[:maxText]
	case controlByte().MatchString(typed):
		v = of(Mutate, Opaque, "text.control", "types control characters into a running program that is not known")
	case !answer().MatchString(typed):
		v = of(Mutate, Opaque, "keys.unread", "types into a running program that is not known: what it does with the text cannot be known by reading")
	}
	return losing(typed, end, k.Dialect).With(v)
}

// losing is what is bad about a text whoever reads it: what it would lose or show as a
// command, as a statement or as code. It is harmless where nothing is.
func losing(typed string, end int, d Dialect) Verdict {
	a := &assessor{dialect: d, effect: Observe}
	a.script(typed)
	v := a.verdict()
	v.Findings = a.telling
	acts := v.Effect == Destroy || v.Flags.Has(Secret)
	var reads Finding
	switch {
	case sqlDestroys().MatchString(typed):
		reads = Finding{Rule: "sql.destroys", End: end, Why: "reads like a statement that removes data"}
	case lossHint().MatchString(typed):
		reads = Finding{Rule: "argument.loss", End: end, Why: "reads as if it removes something"}
	case acts:
		return v
	default:
		return Harmless()
	}
	switch {
	case !acts:
		return Of(Destroy, 0, reads)
	case v.Effect != Destroy:
		return v.With(Of(Destroy, 0, reads))
	}
	for i, f := range v.Findings { // a command's own words say more than that; the name of one that is not known, less
		if f.Rule == "program.loss" {
			v.Findings[i] = reads
		}
	}
	return v
}
