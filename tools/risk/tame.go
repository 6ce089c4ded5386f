package risk

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Some programs print names that somebody else has checked: process numbers,
// ids of containers, names of a cluster's objects. None of these begins with a
// dash or holds a space, so that a word made of them is no option.

// tameness says what is known of a program's output.
type tameness uint8

const (
	wild    tameness = iota
	columns          // each line begins with such a name
	names            // nothing but such names
)

// tamed is what is known of the output of a list of statements.
func tamed(stmts []*syntax.Stmt) tameness {
	if len(stmts) != 1 {
		return wild
	}
	return tamedBy(stmts[0], maxPipe)
}

// maxPipe bounds how many programs in a row are looked at.
const maxPipe = 6

// tamedBy is what is known of a statement's output. It looks at so many programs
// of a pipe and no more.
func tamedBy(s *syntax.Stmt, left int) tameness {
	if left == 0 || s.Background || s.Coprocess || s.Negated {
		return wild
	}
	for _, r := range s.Redirs {
		if r.N == nil || r.N.Value != "2" || r.Op != syntax.RdrOut || r.Word.Lit() != "/dev/null" {
			return wild
		}
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op != syntax.Pipe {
			return wild
		}
		last, ok := c.Y.Cmd.(*syntax.CallExpr)
		if !ok || len(c.Y.Redirs) > 0 || len(last.Assigns) > 0 {
			return wild
		}
		return tamedCall(last, tamedBy(c.X, left-1))
	case *syntax.CallExpr:
		if len(c.Assigns) > 0 {
			return wild
		}
		return tamedCall(c, wild)
	}
	return wild
}

func tamedCall(c *syntax.CallExpr, input tameness) tameness {
	words := make([]string, 0, len(c.Args))
	for _, w := range c.Args {
		if len(w.Parts) == 1 {
			if q, ok := w.Parts[0].(*syntax.SglQuoted); ok && !q.Dollar {
				words = append(words, q.Value)
				continue
			}
		}
		lit := w.Lit()
		if lit == "" || strings.ContainsAny(lit, `\*?[{~`) {
			return wild
		}
		words = append(words, lit)
	}
	if len(words) == 0 {
		return wild
	}
	switch args := words[1:]; words[0] {
	case "pgrep":
		if !slices.ContainsFunc(args, func(w string) bool {
			return strings.HasPrefix(w, "-") && (w[1:] == "" || strings.Trim(w, "-onxfuUPgGsti") != "" && !strings.HasPrefix(w, "--") || strings.HasPrefix(w, "--list") || strings.HasPrefix(w, "--delim"))
		}) {
			return names
		}
	case "pidof":
		if len(args) == 1 || len(args) == 2 && args[0] == "-s" {
			return names
		}
	case "docker", "podman", "crictl":
		if len(args) > 1 && (args[0] == "ps" || args[0] == "images") && !slices.ContainsFunc(args, func(w string) bool { return strings.HasPrefix(w, "--format") }) &&
			(slices.Contains(args, "-q") || slices.Contains(args, "-aq") || slices.Contains(args, "-qa") || slices.Contains(args, "--quiet")) {
			return names
		}
	case "kubectl", "oc":
		switch form := shapeOf(args); {
		case !slices.Contains(args, "get"):
		case form == "name":
			return names
		case (form == "" || form == "wide") && slices.Contains(args, "--no-headers"):
			return columns
		}
	case "awk", "gawk", "mawk":
		if len(args) == 1 && input != wild && (args[0] == "{print $1}" || args[0] == "{ print $1 }") {
			return names
		}
	case "head", "sort", "uniq", "tail", "grep":
		if input == names || input == columns && words[0] != "uniq" && !slices.ContainsFunc(args, func(w string) bool {
			return strings.HasPrefix(w, "-") && strings.Trim(w[1:], "0123456789nivEFwx") != ""
		}) {
			return input
		}
	}
	return wild
}

// shapeOf is the form of the answer that a cluster is asked for; "" for its own.
func shapeOf(args []string) string {
	for i, w := range args {
		switch value, attached := strings.CutPrefix(w, "--output="); {
		case attached:
			return value
		case (w == "-o" || w == "--output") && i+1 < len(args):
			return args[i+1]
		case strings.HasPrefix(w, "-o"):
			return strings.TrimPrefix(strings.TrimPrefix(w, "-o"), "=")
		case strings.HasPrefix(w, "--template"):
			return "template"
		}
	}
	return ""
}
