package risk

import (
	"regexp"
	"slices"
	"strings"
	"sync"

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
	if left == 0 || s.Background || s.Coprocess || s.Negated || slices.ContainsFunc(s.Redirs, speaks) {
		return wild
	}
	switch c := s.Cmd.(type) {
	case *syntax.BinaryCmd:
		last, ok := c.Y.Cmd.(*syntax.CallExpr)
		if c.Op != syntax.Pipe || !ok || len(c.Y.Redirs) > 0 {
			return wild
		}
		return tamedCall(last, tamedBy(c.X, left-1))
	case *syntax.CallExpr:
		return tamedCall(c, wild)
	}
	return wild
}

// speaks reports whether a redirection does more than silence the errors.
func speaks(r *syntax.Redirect) bool {
	return r.N == nil || r.N.Value != "2" || r.Op != syntax.RdrOut || r.Word.Lit() != "/dev/null"
}

// tamedCall is what is known of a program's output, given its input.
func tamedCall(c *syntax.CallExpr, input tameness) tameness {
	words := fixedWords(c.Args)
	if len(c.Assigns) > 0 || len(words) == 0 {
		return wild
	}
	if tames, ok := tamers[words[0]]; ok {
		return tames(words[1:], input)
	}
	return wild
}

// fixedWords are words that the shell hands on as they are; nil if one is not of that sort.
func fixedWords(list []*syntax.Word) []string {
	words := make([]string, 0, len(list))
	for _, w := range list {
		if len(w.Parts) == 1 {
			if q, ok := w.Parts[0].(*syntax.SglQuoted); ok && !q.Dollar {
				words = append(words, q.Value)
				continue
			}
		}
		lit := w.Lit()
		if lit == "" || strings.ContainsAny(lit, `\*?[{~`) {
			return nil
		}
		words = append(words, lit)
	}
	return words
}

// tamers say what is known of the output of programs with arguments, given their input.
var tamers = map[string]func(args []string, input tameness) tameness{
	"pgrep": pgrepTames, "pidof": pidofTames,
	"docker": containersTame, "podman": containersTame, "crictl": containersTame,
	"kubectl": clusterTames, "oc": clusterTames,
	"qm": machinesTame, "pct": machinesTame, "lsof": lsofTames, "ps": psTames,
	"awk": awkTames, "gawk": awkTames, "mawk": awkTames,
	"head": filterTames, "sort": filterTames, "tail": filterTames, "grep": filterTames, "uniq": uniqTames,
}

func pgrepTames(args []string, _ tameness) tameness {
	if slices.ContainsFunc(args, func(w string) bool {
		long := strings.HasPrefix(w, "--")
		return w == "-" || long && (strings.HasPrefix(w, "--list") || strings.HasPrefix(w, "--delim")) ||
			!long && strings.HasPrefix(w, "-") && strings.Trim(w, "-onxfuUPgGsti") != ""
	}) {
		return wild
	}
	return names
}

func pidofTames(args []string, _ tameness) tameness {
	if len(args) == 1 || len(args) == 2 && args[0] == "-s" {
		return names
	}
	return wild
}

func containersTame(args []string, _ tameness) tameness {
	lists := len(args) > 1 && (args[0] == "ps" || args[0] == "images")
	formed := slices.ContainsFunc(args, func(w string) bool { return strings.HasPrefix(w, "--format") })
	quiet := slices.ContainsFunc(args, func(w string) bool { return w == "-q" || w == "-aq" || w == "-qa" || w == "--quiet" })
	if lists && quiet && !formed {
		return names
	}
	return wild
}

func clusterTames(args []string, _ tameness) tameness {
	form := shapeOf(args)
	switch {
	case !slices.Contains(args, "get"):
		return wild
	case form == "name":
		return names
	case (form == "" || form == "wide") && slices.Contains(args, "--no-headers"):
		return columns
	}
	return wild
}

// machinesTame: a line of the list begins with the machine's number, the first with a title.
func machinesTame(args []string, _ tameness) tameness {
	if len(args) == 1 && args[0] == "list" {
		return columns
	}
	return wild
}

// lsofTames: with -t alone in its word nothing but numbers of processes is printed.
func lsofTames(args []string, _ tameness) tameness {
	if len(args) > 0 && args[0] == "-t" && !slices.ContainsFunc(args, func(w string) bool { return strings.HasPrefix(w, "-F") || strings.HasPrefix(w, "+") }) {
		return names
	}
	return wild
}

// psTames: the numbers of processes, alone or in front of each line, under a title or none.
func psTames(args []string, _ tameness) tameness {
	form, forms := "", 0
	for i, w := range args {
		if strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "o") && i+1 < len(args) {
			form, forms = args[i+1], forms+1
		}
	}
	switch {
	case forms != 1:
		return wild
	case form == "pid=" || form == "pid" || form == "ppid=":
		return names
	case strings.HasPrefix(form, "pid,"):
		return columns
	}
	return wild
}

// firstColumn is a program for awk that prints the first column of all lines, or of some.
var firstColumn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(NR *(>|>=|!=|==) *[0-9]+|/[A-Za-z0-9 _.:^$-]*/)? *\{ *print \$1;? *\}$`)
})

func awkTames(args []string, input tameness) tameness {
	if len(args) == 1 && input != wild && firstColumn().MatchString(args[0]) {
		return names
	}
	return wild
}

// filterTames: what a filter leaves out or reorders does not change what a line begins with,
// unless one of its options does.
func filterTames(args []string, input tameness) tameness {
	if input == columns && slices.ContainsFunc(args, func(w string) bool {
		return strings.HasPrefix(w, "-") && strings.Trim(w[1:], "0123456789nivEFwx") != ""
	}) {
		return wild
	}
	return input
}

// uniqTames: a count may stand in front of each line, which spoils columns and is one more
// name among names.
func uniqTames(_ []string, input tameness) tameness {
	if input == names {
		return names
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
