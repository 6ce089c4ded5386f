package typed

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/tools/risk"
)

// Process is one of the processes in the foreground of a terminal.
type Process struct {
	PID, Parent int
	Name        string // the kernel's name of it
	File        string // the base name of its program's file; empty if it is not shown
	Own         bool   // the user of the terminal can replace that file
	Argv        []string
}

// Evidence is what is known of a terminal in which no shell waits for a command.
type Evidence struct {
	// Group are the processes in the foreground; empty where the target does not tell.
	Group []Process
	// Tracked is the command that runs as far as nod has started it; it counts only
	// without a Group.
	Tracked string
	Screen
}

// Reader is a program that reads keys, and how it stands. The zero value is a program that
// is not known.
type Reader struct {
	// Program is one of the programs of this package, by its usual name. It says whether a
	// transaction is open, and whether its file is one that its user can replace.
	Program string
	// Pending is what stands on its line already, with the lines before it that belong to
	// it; empty for a program that takes the screen.
	Pending string
}

// Recognize says which program reads the keys, or that it is not known.
func Recognize(e Evidence) Reader {
	argv, own, ok := reads(e.Group)
	if len(e.Group) == 0 {
		argv, ok = trackedArgv(e.Tracked)
		own = len(argv) > 0 && strings.Contains(argv[0], "/") && !systemFolders[path.Dir(argv[0])]
	}
	if !ok {
		return Reader{}
	}
	r := recognize(argv, e.Screen)
	if own && r.Program != "" {
		r.Program += ofUser
	}
	return r
}

// recognize says which program reads the keys where a command runs.
func recognize(argv []string, screen Screen) Reader {
	for range maxCarriers {
		inner, carried := carries(argv)
		if !carried {
			break
		}
		argv = inner
	}
	if len(argv) == 0 {
		return Reader{}
	}
	name := path.Base(argv[0])
	for i := range languages {
		if l := &languages[i]; slices.Contains(l.programs, name) && l.plain(argv[1:]) {
			if pending, within, ok := l.stands(screen); ok {
				if within {
					return Reader{l.name + inTransaction, pending}
				}
				return Reader{l.name, pending}
			}
			return Reader{}
		}
	}
	for i := range screens {
		if s := &screens[i]; slices.Contains(s.programs, name) && options(s.options, argv[1:], anyNumber) && s.stands(screen, argv[1:]) {
			return Reader{Program: s.name}
		}
	}
	return Reader{}
}

// inTransaction marks a client whose prompt says that a transaction is open.
const inTransaction = " in a transaction"

// ofUser marks a program whose file its user can replace: it may do anything under that name.
const ofUser = " of the user's own"

// systemFolders are where programs lie that only root can replace.
var systemFolders = set("/bin /sbin /usr/bin /usr/sbin /usr/local/bin /usr/local/sbin")

// maxCarriers bounds how many programs are looked through, each of which only runs
// another one.
const maxCarriers = 4

// reads is the one process of a group that can read the terminal, as a program's usual
// name and its arguments: the one that no other waits for. There is none if two could. own is
// set if its user can replace its file.
func reads(group []Process) (argv []string, own, ok bool) {
	for _, p := range group {
		if slices.ContainsFunc(group, func(c Process) bool { return c.Parent == p.PID && c.PID != p.PID }) {
			continue // it waits for another, or leaves the terminal to it
		}
		one := named(p)
		if feeds(one) {
			continue
		}
		if ok {
			return nil, false, false
		}
		argv, own, ok = one, p.Own, true
	}
	return argv, own, ok
}

// named is a process's arguments with the name of its program in front: that of its file,
// which nobody chooses who starts it.
func named(p Process) []string {
	name := p.File
	if name == "" {
		name = p.Name
	}
	name = strings.TrimSuffix(name, " (deleted)")
	argv := slices.Clone(p.Argv)
	if len(argv) == 0 {
		return []string{name}
	}
	first := strings.TrimPrefix(path.Base(argv[0]), "-")
	switch {
	case name == "busybox" && first == "busybox" && len(argv) > 1:
		return argv[1:]
	case name == "busybox":
		argv[0] = first
		return argv
	case interpreters[name] != "" && len(argv) > 1 && path.Base(argv[1]) == interpreters[name]:
		return argv[1:] // node /usr/bin/mongosh
	}
	argv[0] = usual(name)
	return argv
}

// interpreters are programs that a client of a database or a REPL is written for.
var interpreters = map[string]string{"node": "mongosh", "ruby": "irb"}

// usual is a program's name without its version or flavour.
func usual(name string) string {
	for _, prefix := range []string{"vim.", "python3.", "ruby", "irb", "node", "nodejs"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && (rest == "" || rest == "js" || strings.Trim(rest, "0123456789.") == "" || prefix == "vim.") {
			return strings.TrimSuffix(prefix, ".")
		}
	}
	return name
}

// feeds reports whether a program only writes into a pipe: what stands in front of a
// pager. It does not read the terminal whatever its arguments are.
func feeds(argv []string) bool { return len(argv) > 0 && feeders[path.Base(argv[0])] }

var feeders = set("seq yes dmesg journalctl zcat xzcat zstdcat gzip xz zstd bzip2 grep sort uniq nl tac fold column jq sed awk mawk gawk groff grotty troff tbl preconv col zsoelim nroff ps ls find du df")

// trackedArgv is the one command that a command line runs, if its words are all known.
func trackedArgv(line string) ([]string, bool) {
	if line == "" || !risk.Readable(line) {
		return nil, false
	}
	file, err := risk.Parse(line, risk.Bash)
	if err != nil || len(file.Stmts) != 1 {
		return nil, false
	}
	stmt := file.Stmts[0]
	call, ok := stmt.Cmd.(*syntax.CallExpr)
	if !ok || stmt.Negated || stmt.Background || len(stmt.Redirs) > 0 || len(call.Assigns) > 0 || len(call.Args) == 0 {
		return nil, false
	}
	var argv []string
	for _, w := range call.Args {
		text, ok := literal(w)
		if !ok {
			return nil, false
		}
		argv = append(argv, text)
	}
	return argv, true
}

// literal is a word that no shell changes.
func literal(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, `\*?[]{}~`) {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			if p.Dollar {
				return "", false
			}
			b.WriteString(p.Value)
		default:
			return "", false
		}
	}
	return b.String(), true
}

// set is a set of words.
func set(words string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(words) {
		all[w] = true
	}
	return all
}

// anyNumber is the number of operands of a program that takes as many as there are.
const anyNumber = 1 << 20

// options reports whether all arguments are among a program's known options, written as in
// "q v U: port= user=": a letter, a letter with a value, a word, a word with a value; and
// at most some operands. A single dash before a long word counts with "-word".
func options(known string, argv []string, operands int) bool {
	table := set(known)
	for i := 0; i < len(argv); i++ {
		arg := argv[i]
		var ok, value bool
		switch {
		case arg == "--":
			return len(argv)-i-1 <= operands
		case strings.HasPrefix(arg, "--"):
			ok, value = longOption(table, arg[2:])
		case len(arg) > 1 && arg[0] == '-':
			ok, value = shortOption(table, arg)
		case tellsPager(arg):
			return false
		default:
			operands--
			ok = operands >= 0
		}
		if !ok {
			return false
		}
		if value {
			i++
		}
	}
	return true
}

// longOption reads an option of a word; value is set if it takes the next argument.
func longOption(table map[string]bool, option string) (ok, value bool) {
	name, _, glued := strings.Cut(option, "=")
	if table[name+"="] {
		return true, !glued
	}
	return !glued && table[name] && len(name) > 1, false
}

// shortOption reads what a single dash stands before: a long word or a cluster of letters.
func shortOption(table map[string]bool, arg string) (ok, value bool) {
	switch {
	case table[arg]:
		return true, false
	case table[arg+"="]:
		return true, true
	}
	return letters(table, arg[1:])
}

// tellsPager reports whether an argument is a command for a pager or an editor, and not
// only the line to begin with.
func tellsPager(arg string) bool {
	return len(arg) > 1 && arg[0] == '+' && strings.Trim(arg[1:], "0123456789") != "" && arg != "+G" && arg != "+F"
}

// letters reads a cluster of options of one letter; value is set if the last takes the
// next argument.
func letters(table map[string]bool, cluster string) (ok, value bool) {
	for i := range len(cluster) {
		switch letter := cluster[i : i+1]; {
		case table[letter+":"]:
			return true, i == len(cluster)-1
		case table[letter+"?"]:
			return true, false // its value is glued, or it has none
		case !table[letter]:
			return false, false
		}
	}
	return true, false
}
