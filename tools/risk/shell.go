package risk

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// assessor gathers a verdict while it walks a text.
type assessor struct {
	dialect    Dialect
	scope      scope
	effect     Effect
	flags      Flags
	worst      Effect // of all that was recorded, when effect and flags are of one command
	worstFlags Flags
	sure       Effect // of effect and flags, what is known and no guess
	sureFlags  Flags
	murky      bool // something was not understood
	against    bool // something is known that must be asked about
	inShell    bool // a part belongs to the shell that reads the text
	needs      Needs
	opened     uint16 // the descriptors above 2 that the text itself opens here
	costs      bool   // it may take what others need
	limited    bool   // something else ends what goes on
	unreads    int    // how often something was not understood
	findings   []Finding
	telling    []Finding // those that made the verdict worse than that something changes
	reaches    []Reach
	apart      bool // the program that is read runs nothing that its folder names
	depth      int
	nest       int
	work       *budget
	spent      bool // the budget has run out, which is said
	sqlKind    sqlDialect
	functions  map[string]bool // defined by the text, and judged
	shallow    bool            // substitutions are judged elsewhere
	shape      string          // the form of output that the program is asked for
	fixed      *word           // inside a nested text: the span of the word that holds it
	feeding    *stdin
	printed    []string // what substitutions put into words, where that can be read off
	silent     bool     // the command whose redirections are read has no output
	looked     map[looked]class
	file       *syntax.File // the text being read, for candidates
	plainText  bool         // no shell reads the text: no history expansion
}

// stdin is what a command's standard input is connected to.
type stdin struct {
	piped  bool
	known  bool
	tame   bool // nothing but names that others have checked: see tame.go
	text   word // the text, when known
	device word // the device without an end that it is
	coded  bool // it was written in a code that nobody reads
}

// Command assesses a shell command line or a script in the target's dialect.
func Command(text string, d Dialect) Verdict {
	a := &assessor{dialect: d, effect: Observe}
	a.script(text)
	return a.verdict()
}

// Argv assesses a program that is run without a shell. Offsets of findings
// count in the arguments joined by single spaces.
func Argv(argv []string) Verdict {
	a := &assessor{effect: Observe, plainText: true}
	words := make([]word, 0, len(argv))
	at := 0
	for _, arg := range argv {
		words = append(words, word{text: arg, start: at, end: at + len(arg), quoted: true})
		at += len(arg) + 1
		if strings.IndexByte(arg, hole) >= 0 || !utf8.ValidString(arg) {
			a.note(Mutate, Opaque, "text.control", "an argument holds bytes that a program cannot get", words[len(words)-1])
		}
	}
	if at > maxText || len(words) == 0 {
		a.note(Mutate, Opaque, "text.size", "there is no command, or it is too long to be read", word{end: at})
	} else {
		a.run(words)
	}
	return a.verdict()
}

func (a *assessor) verdict() Verdict {
	v := Verdict{
		Effect:   a.effect,
		Flags:    a.flags,
		Mutation: a.effect.AtLeast(Mutate),
		Privesc:  a.flags.Has(Privesc),
		Level:    levelOf(a.effect, a.flags),
		Findings: a.findings,
	}
	harmless := a.effect == Observe && a.flags == 0 && !a.murky
	v.Plain, v.Reaches, v.Costly = harmless && !a.costs, a.reaches, harmless && a.costs
	v.Auto = v.Plain && len(v.Reaches) == 0
	v.Needs, v.InShell, v.Unread = a.needs, a.inShell, (a.murky || a.costs) && !harmless && !a.against
	v.evident = rated{max(a.sure, Observe), a.sureFlags}
	if v.Findings == nil {
		v.Findings = []Finding{}
	}
	return v
}

// note records one reason.
func (a *assessor) note(e Effect, f Flags, rule, why string, at word) {
	a.against = a.against || e.AtLeast(Mutate) || f != 0
	a.sure, a.sureFlags = max(a.sure, e), a.sureFlags|f
	a.record(e, f, rule, why, at)
}

func (a *assessor) record(e Effect, f Flags, rule, why string, at word) {
	tells := e > max(a.worst, Mutate) || f&^(a.worstFlags|Opaque) != 0
	a.worst, a.worstFlags = max(a.worst, e), a.worstFlags|f
	a.effect = max(a.effect, e)
	a.flags |= f
	a.murky = a.murky || e.AtLeast(Mutate) || f != 0
	start, end := at.start, at.end
	if a.fixed != nil {
		start, end = a.fixed.start, a.fixed.end
	}
	if len(a.findings) == maxFindings {
		return // before it is looked for among them, for each word of a long text
	}
	found := Finding{Rule: rule, Start: min(start, end), End: max(start, end), Why: why}
	if !slices.Contains(a.findings, found) {
		a.findings = append(a.findings, found)
	}
	if tells {
		a.telling = append(a.telling, found)
	}
}

// unclear records something harmless as far as it is understood.
func (a *assessor) unclear(rule, why string, at word) {
	a.note(Observe, 0, rule, why, at)
	a.murky = true
}

func (a *assessor) span(n syntax.Node) (int, int) {
	return int(n.Pos().Offset()), int(n.End().Offset())
}

// at is an empty word with the span of a node.
func (a *assessor) at(n syntax.Node) word {
	start, end := a.span(n)
	return word{start: start, end: end}
}

var parsers = [...]sync.Pool{
	{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)) }},
	{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangZsh), syntax.KeepComments(true)) }},
	{New: func() any { return syntax.NewParser(syntax.Variant(syntax.LangPOSIX), syntax.KeepComments(true)) }},
}

func parse(text string, variant syntax.LangVariant) (*syntax.File, error) {
	at := 0
	switch variant {
	case syntax.LangZsh:
		at = 1
	case syntax.LangPOSIX:
		at = 2
	}
	p := parsers[at].Get().(*syntax.Parser)
	defer parsers[at].Put(p)
	file, err := p.Parse(strings.NewReader(text), "")
	for err == nil && strings.Contains(text, "\\\n") {
		ended := endComments(file, text)
		if ended == text {
			break
		}
		text = ended
		file, err = p.Parse(strings.NewReader(text), "")
	}
	return file, err
}

// Parse reads a text as the dialect's shell does. Use it and no parser of your
// own: the parser goes on with a comment behind a backslash at the end of its
// line, and no shell does, so that whatever stands on the next line would run
// unseen. A text that is not [Readable] is not read: the parser calls itself for what is
// nested, and a stack without end ends the program. Offsets count in text.
func Parse(text string, d Dialect) (*syntax.File, error) {
	if !Readable(text) {
		return nil, errUnreadable
	}
	return parse(text, d.variant())
}

var errUnreadable = errors.New("the text is too long or too deeply nested to be read")

// endComments overwrites the backslash at the end of each comment's line, which
// means nothing to a shell, so that all offsets stay what they are.
func endComments(file *syntax.File, text string) string {
	var out []byte
	syntax.Walk(file, func(n syntax.Node) bool {
		c, ok := n.(*syntax.Comment)
		if !ok {
			return true
		}
		from := int(c.Pos().Offset())
		if end := strings.IndexByte(text[min(from, len(text)):], '\n'); end > 0 && text[from+end-1] == '\\' {
			if out == nil {
				out = []byte(text)
			}
			out[from+end-1] = '_'
		}
		return true
	})
	if out == nil {
		return text
	}
	return string(out)
}

// Readable reports whether a text is within the bounds of what is read. Beyond
// them its verdict is opaque, and nobody else should parse it either.
func Readable(text string) bool { return len(text) <= maxText && nesting(text) <= maxNest }

// script reads a text and walks it.
func (a *assessor) script(text string) {
	whole := word{end: len(text)}
	if len(text) > maxText || nesting(text) > maxNest {
		a.unread(Mutate, Opaque, "text.size", "the text is too long or too deeply nested to be read", whole)
		a.skim(text, whole)
		return
	}
	if !a.spend(len(text)/costByte, whole) {
		return
	}
	a.control(text)
	if tail := len(text) - len(strings.TrimRight(text, `\`)); tail%2 == 1 {
		a.note(Mutate, Opaque, "text.continued", "the text goes on with whatever is typed next", whole)
	}
	file, err := parse(text, a.dialect.variant())
	if err != nil {
		a.unread(Mutate, Opaque, "text.unparsable", "the text cannot be read as a command", whole)
		a.mentions([]word{{text: text, end: len(text)}})
		a.salvage(text)
		return
	}
	switch a.dialect {
	case POSIX:
		a.posix(text)
	case Fish:
		a.fish(text, whole)
	case Zsh:
		a.comments(file)
	}
	saved := a.file
	a.file = file
	a.stmts(file.Stmts)
	a.file = saved
}

// losses are what a text that is too long to be read is searched for.
var losses = []string{"rm -r", "rm -f", "mkfs", "of=/dev/", "wipefs", "shutdown", "--delete", "drop table", "DROP TABLE", "truncate "}

// skim looks for signs of loss in a text that is too long to be read.
func (a *assessor) skim(text string, whole word) {
	for _, sign := range losses {
		if strings.Contains(text[:min(len(text), 1<<20)], sign) {
			a.note(Destroy, 0, "text.loss", "reads as if it removes something: "+shown(sign), whole)
			return
		}
	}
}

// posix reads the text a second time as a plain sh would: sh is bash on some
// hosts and dash on others, and the worse reading counts.
func (a *assessor) posix(text string) {
	file, err := parse(text, syntax.LangPOSIX)
	if err != nil {
		a.unread(Mutate, Opaque, "text.dialect", "not every sh reads this text the same way", word{end: len(text)})
		return
	}
	a.inSubshell(func() { a.stmts(file.Stmts) })
}

// fish accepts only what fish and bash read alike.
func (a *assessor) fish(text string, whole word) {
	if i := strings.IndexAny(text, "\\(){}$^!`%"); i >= 0 || strings.Contains(text, "<<") || strings.Contains(text, "[[") {
		a.unread(Mutate, Opaque, "text.fish", "fish reads this text differently from other shells", whole)
	}
}

// comments assesses what follows a # in zsh, which runs it unless the option
// interactive_comments is set.
func (a *assessor) comments(file *syntax.File) {
	syntax.Walk(file, func(n syntax.Node) bool {
		if c, ok := n.(*syntax.Comment); ok {
			a.unclear("text.comment", "zsh may run a comment as a command", a.at(c))
			a.nested(word{text: c.Text, start: int(c.Pos().Offset()), end: int(c.End().Offset())})
		}
		return true
	})
}

// salvage looks for what can still be recognised in a text that does not parse,
// line by line and cut at separators, so that loss is not missed.
func (a *assessor) salvage(text string) {
	if len(text) > 4<<10 || a.depth >= maxDepth {
		return
	}
	a.depth++
	defer func() { a.depth-- }()
	at := 0
	plain := strings.NewReplacer("'", " ", `"`, " ", "`", ";", "\\", " ").Replace(text)
	if plain != text {
		a.nested(word{text: plain, end: len(text)})
		return
	}
	for _, piece := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n;&|()`", r) }) {
		at = strings.Index(text[at:], piece) + at
		if trimmed := strings.Trim(piece, " \t\"'{}$"); trimmed != "" && trimmed != text {
			a.nested(word{text: trimmed, start: at, end: at + len(piece)})
		}
	}
}

// nesting counts how deep brackets of any sort are opened, quotes ignored: an
// upper bound for how deep the parser would go.
func nesting(text string) int {
	depth, deepest, keywords := 0, 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '(', '{', '`', '[':
			depth++
			deepest = max(deepest, depth)
		case ')', '}', ']':
			depth = max(depth-1, 0)
		}
	}
	for _, field := range strings.Fields(text) {
		switch field {
		case "if", "while", "until", "for", "case", "do", "then", "!", "time":
			keywords++
		}
	}
	return max(deepest, keywords/4)
}

// control refuses bytes that a terminal or a reader would take for something
// else than they are.
func (a *assessor) control(text string) {
	for i, r := range text {
		switch {
		case r == '\n' || r == '\t':
			continue
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\uFFFD"):
		case r >= 0x80 && unicode.IsPrint(r):
			continue
		case r >= ' ' && r < 0x7f:
			continue
		}
		a.note(Mutate, Opaque, "text.control", "the text holds invisible or control characters", word{start: i, end: i + width(text[i:])})
		return
	}
}

func width(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// nested assesses a text that a word holds, as a shell would read it.
func (a *assessor) nested(w word) {
	if a.depth >= maxDepth {
		a.unread(Mutate, Opaque, "text.depth", "commands are nested too deeply to be read", w)
		return
	}
	text := w.text
	if !w.known() {
		a.unread(Mutate, Opaque, "text.dynamic", "a shell runs a text that is put together on the way", w)
		a.guess(w)
		text = strings.ReplaceAll(strings.ReplaceAll(text, ifsMark, " "), string(hole), "$_")
	}
	savedFixed, savedScope, savedPlain, savedDialect, savedFunctions, savedShell := a.fixed, a.scope, a.plainText, a.dialect, a.functions, a.inShell
	a.functions = nil // another shell does not know them
	if a.fixed == nil {
		a.fixed = &word{start: w.start, end: w.end}
	}
	a.depth++
	a.scope, a.plainText = scope{cwds: savedScope.cwds}, true
	if a.dialect == Fish {
		a.dialect = Bash
	}
	a.script(text)
	a.depth--
	a.fixed, a.scope, a.plainText, a.dialect, a.functions, a.inShell = savedFixed, savedScope, savedPlain, savedDialect, savedFunctions, savedShell
}

// maxPrinted bounds how many substituted texts are remembered.
const maxPrinted = 4

// remember keeps what "$(echo TEXT)" puts into a word.
func (a *assessor) remember(c *syntax.CmdSubst) {
	if len(c.Stmts) != 1 || c.Stmts[0].Cmd == nil || len(a.printed) >= maxPrinted {
		return
	}
	if out := a.output(c.Stmts[0]); out.known && out.text.known() && out.text.text != "" {
		a.printed = append(a.printed, out.text.text)
	}
}

// guess looks for loss in a text that is put together on the way: what the
// substitutions in it print may be all of it.
func (a *assessor) guess(w word) {
	for _, text := range a.printed {
		quiet := a.quiet()
		if quiet.depth <= maxDepth {
			quiet.script(text)
		}
		if quiet.effect == Destroy {
			a.note(Destroy, quiet.flags, "text.printed", "may run "+shown(text), w)
		}
	}
}
