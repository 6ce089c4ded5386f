package risk

import (
	"path"
	"regexp"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// binFolders are where programs known by their base name live.
var binFolders = map[string]bool{
	"/bin": true, "/sbin": true, "/usr/bin": true, "/usr/sbin": true, "/usr/local/bin": true, "/usr/local/sbin": true,
}

// special assesses programs whose arguments need more than a table.
type special func(a *assessor, name word, args []word)

// run assesses a program with its arguments.
func (a *assessor) run(words []word) {
	before, effect, flags := a.unreads, a.effect, a.flags
	a.effect, a.flags = Observe, 0
	a.judge(words)
	unread := a.unreads > before
	if a.effect == Mutate {
		a.losesAsTold(words, unread)
	}
	a.effect, a.flags = max(a.effect, effect), a.flags|flags
	if unread && a.depth <= maxDepth {
		a.mentions(words[1:])
		if a.feeding != nil && a.feeding.known {
			a.mentions([]word{a.feeding.text})
		}
	}
}

// messages are programs that only tell somebody what stands in their arguments.
var messages = set(`logger wall write mail mailx notify-send`)

// losesAsTold looks for loss in what a program that acts is told, in its arguments and by what it is
// fed. unread is set for one that was not understood.
func (a *assessor) losesAsTold(words []word, unread bool) {
	s := specOf(path.Base(words[0].text))
	loose := unread || a.flags&(Opaque|Exfil) != 0 || s != nil && s.takesAny()
	if loose && !messages[path.Base(words[0].text)] {
		a.code(words[1:])
	}
	if a.effect != Destroy {
		a.escapes(words[1:], loose)
	}
	if loose && len(words) > 1 && fileName(words[1].text) {
		a.losingScript(words[1])
	}
	if loose && a.effect != Destroy && !messages[path.Base(words[0].text)] {
		a.fedLoss(words[0])
	}
	if name := words[0].text; name == "clear" || name == "write" || name == "reset" {
		a.appliance(words, words[0])
	}
}

func (a *assessor) judge(words []word) {
	if !a.spend(costRun+len(words)/8, words[0]) {
		return
	}
	if a.depth > maxDepth {
		a.unread(Mutate, Opaque, "text.depth", "commands are nested too deeply to be read", words[0])
		return
	}
	a.places(words)
	name := words[0]
	whole := word{start: name.start, end: words[len(words)-1].end}
	if !name.known() {
		a.dynamicProgram(words, whole)
		return
	}
	a.mixedNames(words[1:])
	base, inBin := baseName(name.text)
	switch {
	case !inBin:
		a.unread(Mutate, Opaque, "program.path", "runs a program from a place that is not a system folder", name)
		a.clues(words, whole)
		a.namesLoss(words, whole)
	case strings.ContainsFunc(base, func(r rune) bool { return r >= 0x80 || r <= ' ' }):
		a.note(Mutate, Opaque, "program.lookalike", "the program's name holds characters that only look familiar", name)
	default:
		a.program(base, words, whole)
	}
}

// baseName is the name that a program is known by; ok is false if it is called from a place
// that is not one of the system's folders.
func baseName(name string) (base string, ok bool) {
	if !strings.ContainsRune(name, '/') {
		return name, true
	}
	folder, file := path.Split(name)
	return file, binFolders[path.Clean(folder)] && file != "" && !strings.Contains(folder, "..")
}

// program judges the program that is known by a name, with its arguments.
func (a *assessor) program(base string, words []word, whole word) {
	a.depth++
	defer func() { a.depth-- }()
	a.needs |= programNeeds()[base]
	if base == "timeout" {
		limited := a.limited
		a.limited = true
		defer func() { a.limited = limited }()
	}
	if ofShell[base] {
		a.ofShell()
	}
	if held := carriedClient(base, words); held != nil {
		a.program(held[0].text, held, whole)
		return
	}
	name := words[0]
	if f, ok := specials[base]; ok {
		f(a, word{text: base, start: name.start, end: name.end}, words[1:])
		return
	}
	s := specOf(base)
	if s == nil {
		s = a.family(base, name)
	}
	if s == nil {
		a.unread(Mutate, 0, "program.unknown", "nothing is known about this program", name)
		a.clues(words, whole)
		a.namesLoss(words, whole)
		return
	}
	a.match(s, name, words[1:])
}

// family is what the data files say of the kind that a program is of, if that may lose
// data: mkfs for mkfs.ext4, fsck for fsck.xfs.
func (a *assessor) family(base string, name word) *spec {
	family, _, cut := strings.Cut(base, ".")
	if !cut {
		return nil
	}
	s := specOf(family)
	if s == nil || !s.effect.AtLeast(Destroy) {
		return nil
	}
	a.unclear("program.family", "taken for a kind of "+family, name)
	return s
}

// dynamicProgram is a program whose name is only known when it runs.
func (a *assessor) dynamicProgram(words []word, whole word) {
	a.unread(Mutate, Opaque, "program.dynamic", "which program runs is decided only when it runs", words[0])
	a.clues(words, whole)
	a.lossWords(words[1:min(len(words), lossPlaces)], "")
	a.candidates(words, whole)
}

// candidates tries every value that the text itself gives a variable as the
// program that is not known, so that loss behind a name that changes on the way
// is seen. It never makes the verdict milder.
func (a *assessor) candidates(words []word, whole word) {
	if a.file == nil || a.depth > 2 || !a.spend(100, whole) {
		return
	}
	seen := 0
	try := func(text string) {
		if seen++; seen > maxRound || text == "" {
			return
		}
		quiet := a.quiet()
		var line []word
		for _, f := range strings.Fields(text) {
			line = append(line, word{text: f, start: whole.start, end: whole.end})
		}
		quiet.run(append(line, words[1:]...))
		if quiet.effect == Destroy {
			a.note(Destroy, quiet.flags, "program.candidate", "may run "+shown(text), whole)
		}
	}
	literal := func(w *syntax.Word) string {
		quiet := a.quiet()
		quiet.shallow = true
		return quiet.one(w).text
	}
	syntax.Walk(a.file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Value != nil {
				try(literal(n.Value))
			}
			if n.Array != nil {
				var all []string
				for _, e := range n.Array.Elems {
					if e.Value != nil {
						all = append(all, literal(e.Value))
					}
				}
				try(strings.Join(all, " "))
			}
		case *syntax.WordIter:
			for _, w := range n.Items {
				try(literal(w))
			}
		}
		return true
	})
}

var forcedDelete = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^-[a-zA-Z]*[rRf]|^--(force|recursive|delete)|^of=/dev/`)
})

// clues looks for signs of loss in the arguments of something that is not
// known: a forced recursive option together with a path, or a program that is
// handed on.
func (a *assessor) clues(words []word, whole word) {
	forced := 0
	for i, w := range words[1:] {
		m := forcedDelete().FindString(w.text)
		if m != "" && (strings.Contains(w.text, "r") || strings.Contains(w.text, "R")) && strings.Contains(w.text, "f") || strings.HasPrefix(m, "of=") || w.text == "--delete" || strings.HasPrefix(w.text, "--delete=") {
			forced++
		}
		if s := specOf(w.text); s != nil && s.effect == Destroy && i+1 < len(words)-1 {
			a.note(Destroy, 0, "program.handed", "hands "+w.text+" to another program", w)
		}
	}
	if forced > 0 {
		a.note(Destroy, 0, "argument.forced", "looks like a forced or recursive delete", whole)
	}
}

var (
	lossHint = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\brm\s+(-\S+\s+)*-\w*[rf]|rmtree|\bunlink\b|os\.remove|removedirs|file\.delete|fileutils\.rm|rimraf|fs\.rm|unlink\(|state=absent|^\s*\.restore\b|\b(rm|rmdir|unlink|truncate)sync\b|\bmkfs|\bdd\s.*of=/dev|\bdrop\s+(table|database|schema|index|user)|\btruncate\s+table|\bshutdown\b|\bwipefs\b|remove-item|deletefiles?\(`)
	})
)

// hints looks for loss in arguments that are code or commands of their own.
func (a *assessor) hints(args []word) {
	before := ""
	for _, w := range args[:min(len(args), 4)] {
		if w.known() && says(w.text, before) {
			a.lossArgument(w)
		}
		before = w.text
	}
}

// code looks for loss in arguments that are texts in a language.
func (a *assessor) code(args []word) {
	for _, w := range args {
		if textLoses(w.text) {
			a.lossArgument(w)
			return
		}
	}
}
