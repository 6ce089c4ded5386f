package preview

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/tools/risk"
)

// Most is how many probes there are at most for a command.
const Most = 4

// Probe is a command that only looks.
type Probe struct {
	Title   string // what it tells: "what would be removed"
	Command string
}

// Of returns the probes for a command line that a shell of the dialect reads.
func Of(command string, dialect risk.Dialect) []Probe {
	if dialect == risk.Fish {
		return nil // its words are not those of the shell that a probe runs in
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(command), "")
	if err != nil {
		return nil
	}
	var all []Probe
	for _, c := range calls(file.Stmts) {
		words := rawWords(command, c)
		if words == nil {
			continue
		}
		words = unwrapped(words)
		if len(words) == 0 || words[0] == "cd" || words[0] == "pushd" || words[0] == "popd" {
			break
		}
		find, ok := programs[path.Base(words[0])]
		if !ok {
			continue
		}
		for _, p := range find(words[0], words[1:]) {
			if risk.Command(p.Command, risk.POSIX).Auto && risk.Command(p.Command, dialect).Auto && !slices.Contains(all, p) {
				all = append(all, p)
			}
		}
	}
	return all[:min(len(all), Most)]
}

// calls are the simple commands of a list, also those joined by && and ||.
func calls(stmts []*syntax.Stmt) []*syntax.CallExpr {
	var all []*syntax.CallExpr
	for _, s := range stmts {
		switch c := s.Cmd.(type) {
		case *syntax.CallExpr:
			all = append(all, c)
		case *syntax.BinaryCmd:
			if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
				all = append(all, calls([]*syntax.Stmt{c.X, c.Y})...)
			}
		}
	}
	return all
}

// plainChars are what a word outside quotes may be made of: every shell reads it
// alike.
const plainChars = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./@%+=:,-*?"

// rawWords are a call's words as they were written; nil if one is not plain.
func rawWords(text string, c *syntax.CallExpr) []string {
	if len(c.Assigns) > 0 {
		return nil
	}
	var words []string
	for i, w := range c.Args {
		for n, part := range w.Parts {
			if !plainPart(part, n == 0) {
				return nil
			}
		}
		word := text[w.Pos().Offset():w.End().Offset()]
		if i == 0 && strings.ContainsAny(word, `'"*?`) {
			return nil
		}
		words = append(words, word)
	}
	return words
}

// plainPart reports whether every shell reads a part of a word alike; first, it may begin
// with the home folder.
func plainPart(part syntax.WordPart, first bool) bool {
	switch p := part.(type) {
	case *syntax.Lit:
		if strings.HasPrefix(p.Value, "~") && !(first && strings.HasPrefix(p.Value, "~/")) {
			return false
		}
		return strings.Trim(strings.TrimPrefix(p.Value, "~"), plainChars) == "" || p.Value == "{}" || p.Value == `\;`
	case *syntax.SglQuoted:
		return !p.Dollar
	case *syntax.DblQuoted:
		return !slices.ContainsFunc(p.Parts, func(inner syntax.WordPart) bool {
			lit, ok := inner.(*syntax.Lit)
			return !ok || p.Dollar || strings.ContainsAny(lit.Value, "\\!")
		})
	}
	return false
}

// unwrapped is the command without a plain sudo before it.
func unwrapped(words []string) []string {
	if words[0] != "sudo" && words[0] != "doas" {
		return words
	}
	words = words[1:]
	if len(words) > 0 && words[0] == "-n" {
		words = words[1:]
	}
	if len(words) > 0 && strings.HasPrefix(words[0], "-") {
		return nil
	}
	return words
}

// derive returns what to look at before a program runs with arguments.
type derive func(program string, args []string) []Probe

// parted parts options from operands. Behind "--" all are operands.
func parted(args []string) (options, operands []string) {
	for i, a := range args {
		switch {
		case a == "--":
			return options, append(operands, args[i+1:]...)
		case strings.HasPrefix(a, "-") && a != "-":
			options = append(options, a)
		default:
			operands = append(operands, a)
		}
	}
	return options, operands
}

// has reports whether a flag is among options, also in a group such as -rf.
func has(options []string, letter string, long ...string) bool {
	return slices.ContainsFunc(options, func(o string) bool {
		if strings.HasPrefix(o, "--") {
			return slices.Contains(long, o)
		}
		return strings.Contains(o, letter)
	})
}

func join(words ...string) string { return strings.Join(words, " ") }

// line is a command of a program and words.
func line(program string, words ...[]string) string {
	return join(append([]string{program}, slices.Concat(words...)...)...)
}
