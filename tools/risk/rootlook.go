package risk

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// RootLook is a command that only looks, in part with root's rights: without the words
// "sudo -n" in it, it would be Auto.
type RootLook struct {
	// Needs are the doors that a cage around what runs as root must leave open.
	Needs Needs
	text  string
	at    []int // where the programs that run as root stand
}

// Inside is the command with a text in front of each program that sudo runs, behind
// sudo's own words: with "cage " of "sudo -n cat x | sort" it is "sudo -n cage cat x | sort".
func (l RootLook) Inside(text string) string {
	var b strings.Builder
	from := 0
	for _, at := range l.at {
		b.WriteString(l.text[from:at] + text)
		from = at
	}
	b.WriteString(l.text[from:])
	return b.String()
}

// LookAsRoot reports whether a command only looks, in part with root's rights: each of its
// sudos becomes root, is asked for nothing but that (-n), and runs what would be Auto
// without it, and so does all that runs without one.
func LookAsRoot(command string, d Dialect) (RootLook, bool) {
	none := RootLook{}
	if d == Fish || len(command) > maxText {
		return none, false
	}
	if v := Command(command, d); v.Effect != Observe || v.Flags != Privesc {
		return none, false
	}
	file, err := Parse(command, d)
	if err != nil {
		return none, false
	}
	sudos, plain := plainSudos(file)
	if !plain || len(sudos) == 0 {
		return none, false
	}
	l := RootLook{text: command}
	var without strings.Builder
	from := 0
	for _, s := range sudos {
		without.WriteString(command[from:s.from])
		from = s.to
		l.at = append(l.at, s.to)
	}
	without.WriteString(command[from:])
	v := Command(without.String(), d)
	l.Needs = v.Needs
	return l, v.Auto && !v.Needs.Has(NeedFree)
}

// sudo is where a sudo stands, with its options, and where its program begins.
type sudo struct{ from, to int }

// plainSudos are the sudos of a text from its front to its end; plain is not set if one of
// them has other options than -n, a setting, or no program.
func plainSudos(file *syntax.File) (sudos []sudo, plain bool) {
	plain = true
	syntax.Walk(file, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 || call.Args[0].Lit() != "sudo" {
			return true
		}
		at := 1
		for at < len(call.Args) && (call.Args[at].Lit() == "-n" || call.Args[at].Lit() == "--non-interactive") {
			at++
		}
		if at == len(call.Args) || len(call.Assigns) > 0 || !isName(call.Args[at].Lit()) {
			plain = false
			return false
		}
		sudos = append(sudos, sudo{int(call.Pos().Offset()), int(call.Args[at].Pos().Offset())})
		return true
	})
	slices.SortFunc(sudos, func(a, b sudo) int { return a.from - b.from })
	return sudos, plain
}

// isName reports whether a word is a program's name, and neither an option nor a setting.
func isName(word string) bool {
	return word != "" && word[0] != '-' && !strings.Contains(word, "=")
}
