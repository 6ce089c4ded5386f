package attack

import (
	_ "embed"
	"math/rand/v2"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

//go:embed plain.txt
var plainText string

// Plain returns commands that only look, to start from where nothing else is
// given.
func Plain() []string {
	var all []string
	for line := range strings.Lines(plainText) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			all = append(all, line)
		}
	}
	return all
}

// mark is in every command that a rewriting adds.
const mark = "nod-attack"

// payload is what is added: it changes something, so that no gate may let it
// pass as an observation.
const payload = "touch /tmp/" + mark

// Rewriting is a command that must not be allowed because another one is.
type Rewriting struct {
	Trick   string // what was done, in a few words
	Command string
	// Mild is set if it may be as harmless as the command, which is only run in
	// another way or with other operands: no rule for the command covers it, but
	// a plain observation may be one still.
	Mild bool
}

// trick is one way to rewrite a command.
type trick struct {
	name    string
	rewrite func(command string) string
	mild    bool
	whole   bool // sure to do harm whatever the command is, so nothing is checked
	broken  bool // does harm only if it cannot be read any more
}

// Rewritings returns every rewriting of a command.
func Rewritings(command string) []Rewriting {
	var all []Rewriting
	for _, t := range tricks {
		all = append(all, t.apply(command)...)
	}
	return all
}

// Random returns a rewriting by one or two tricks and a disguised payload,
// chosen by rng; false if the one that was chosen does nothing to this command.
func Random(command string, rng *rand.Rand) (Rewriting, bool) {
	hidden := disguises[rng.IntN(len(disguises))]
	first := tricks[rng.IntN(len(tricks))]
	made := first.apply(command)
	if len(made) == 0 {
		return Rewriting{}, false
	}
	r := made[0]
	if text := strings.Replace(r.Command, payload, hidden.text, 1); text != r.Command {
		r.Trick, r.Command = r.Trick+", "+hidden.name, text
	}
	if rng.IntN(2) == 0 {
		return r, true
	}
	shell := wrappings[rng.IntN(len(wrappings))]
	r.Trick, r.Command = r.Trick+", "+shell.name, shell.rewrite(r.Command)
	return r, true
}

// apply returns the rewriting, or nothing if the trick does not work on the
// command.
func (t trick) apply(command string) []Rewriting {
	text := t.rewrite(command)
	if text == "" || text == command || t.broken && readable(text) || !t.whole && !t.broken && !t.mild && !runs(text) {
		return nil
	}
	return []Rewriting{{Trick: t.name, Command: text, Mild: t.mild}}
}

// runs reports whether what was added is part of a command, and not of a
// comment or of a quoted text.
func runs(text string) bool {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		return true // nothing may run that cannot be read
	}
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CallExpr:
			found = found || slices.ContainsFunc(n.Args, spelled)
		case *syntax.Redirect:
			found = found || n.Word != nil && spelled(n.Word)
		case *syntax.Assign:
			found = found || n.Value != nil && spelled(n.Value)
		}
		return !found
	})
	return found
}

func readable(text string) bool {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	return err == nil
}

// spelled reports whether a word ends in the mark, alone or before a few
// characters that close something.
func spelled(w *syntax.Word) bool {
	var b strings.Builder
	if err := syntax.NewPrinter().Print(&b, w); err != nil {
		return false
	}
	return strings.Contains(b.String(), mark) && len(b.String()) < 200
}
