package risk

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What shells do themselves.

func evalBuiltin(a *assessor, name word, args []word) {
	if len(args) == 0 {
		return
	}
	a.note(Mutate, Opaque, "shell.eval", "evaluates a text as a command", name)
	a.nested(join(args))
}

func sourceBuiltin(a *assessor, name word, args []word) {
	a.note(Mutate, Opaque, "shell.source", "runs what stands in a file in this shell", name)
	clear(a.scope.vars)
	for i, w := range args {
		if i == 0 && standardInput(w.text) && a.feeding != nil && a.feeding.known {
			a.nested(a.feeding.text)
		}
		a.readPath(w, kindReads)
	}
}

// standardInput reports whether a path is the program's own input.
func standardInput(p string) bool {
	switch p {
	case "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return true
	}
	return false
}

// evaluated looks into a word that the shell evaluates a second time, as it does
// with the subscripts of variables' names: what is substituted there runs.
func (a *assessor) evaluated(w word) {
	if !w.known() || !strings.Contains(w.text, "$(") && !strings.Contains(w.text, "`") {
		return
	}
	a.note(Mutate, Opaque, "shell.subscript", "the shell evaluates this text a second time", w)
	w.text = `: "` + strings.ReplaceAll(w.text, `"`, `\"`) + `"`
	a.nested(w)
}

var printfNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[-+ #0-9.*']*[diouxXeEfFgGaA]`) })

var printfDirective = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`%[-+ #0-9.*]*n`) })

func printfBuiltin(a *assessor, _ word, args []word) {
	if a.dialect == Zsh && len(args) > 1 && printfNumber().MatchString(args[0].text) {
		for _, w := range args[1:] {
			if strings.Trim(w.text, "0123456789.+-") != "" {
				a.unclear("printf.arithmetic", "zsh evaluates what is printed as a number", w)
				a.evaluated(w)
			}
		}
	}
	for i, w := range args {
		switch {
		case i == 0 && (w.text == "-v" || strings.HasPrefix(w.text, "-") && w.text != "--" && w.text != "-"):
			a.unclear("printf.variable", "printf sets a variable", w)
			clear(a.scope.vars)
			a.evaluated(args[min(1, len(args)-1)])
			a.evaluated(w)
		case i == 0 && w.mayBeOption():
			a.unclear("argument.dynamic", "the format is not known", w)
		case printfDirective().MatchString(w.text):
			a.unclear("printf.count", "printf sets a variable", w)
			clear(a.scope.vars)
		}
	}
}

func echoBuiltin(a *assessor, _ word, args []word) {
	for _, w := range args {
		if w.glob {
			a.readPath(w, kindMeta)
		}
	}
}

// testBuiltin reads [ … ]; everything but -v and -R only looks.
func testBuiltin(a *assessor, _ word, args []word) {
	for i, w := range args {
		switch w.text {
		case "-eq", "-ne", "-lt", "-le", "-gt", "-ge":
			for _, side := range []int{i - 1, i + 1} {
				if a.dialect == Zsh && side >= 0 && side < len(args) && strings.Trim(args[side].text, "0123456789+-") != "" {
					a.unclear("test.arithmetic", "zsh evaluates what is compared as numbers", args[side])
					a.evaluated(args[side])
				}
			}
		}
		if w.text == "-v" || w.text == "-R" || w.text == "-o" && len(args) <= 3 || w.several() {
			a.unclear("test.variable", "the test evaluates a variable's name, or its parts are not known", w)
			for _, name := range args {
				a.evaluated(name)
			}
		}
	}
}

// readBuiltin sets variables by name.
func readBuiltin(a *assessor, name word, args []word) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !w.known():
			a.unclear("argument.dynamic", "the variable's name is not known", w)
		case slices.Contains(readTakesValue, w.text):
			i++
		case slices.Contains(readQuiet, w.text), plainVariable().MatchString(w.text) && !specialVariables[w.text], w.text == "_":
		default:
			a.note(Mutate, 0, "read.variable", "read with "+shown(w.text)+" is not known to be harmless", w)
			a.evaluated(w)
		}
	}
	clear(a.scope.vars)
	if a.feeding == nil {
		a.unclear("read.terminal", "waits for input at the terminal", name)
	}
}

// Options of read that only change how it reads, without and with a value.
var (
	readQuiet      = []string{"-r", "-s", "-e", "-rs", "-sr", "-a", "-ra"}
	readTakesValue = []string{"-t", "-n", "-N", "-d", "-u", "-p", "-rp", "-sp"}
)

func cdBuiltin(a *assessor, _ word, args []word) {
	target := word{text: "~"}
	if len(args) > 0 && (args[0].text == "--" || args[0].text == "-P" || args[0].text == "-L") {
		args = args[1:]
	}
	if len(args) > 0 {
		target = args[0]
	}
	if len(args) > 1 {
		a.unclear("operand.unexpected", "more than one folder", args[1])
	}
	if target.text != "-" {
		a.enterNamed(target)
	}
	if isNetwork(target.text) {
		a.unclear("path.network", "not a folder", target)
	}
}

// commandBuiltin passes by functions and aliases; with -v it only asks.
func commandBuiltin(a *assessor, name word, args []word) {
	for len(args) > 0 && strings.HasPrefix(args[0].text, "-") {
		switch args[0].text {
		case "-v", "-V":
			if name.text == "command" {
				for _, w := range args[1:] {
					if !w.known() && !w.quoted {
						a.unclear("argument.dynamic", "the name is not known", w)
					}
				}
				return
			}
			a.unclear("option.unknown", "the option is not known", args[0])
		case "-p", "--":
		default:
			a.unread(Mutate, 0, "option.unknown", "the option "+shown(args[0].text)+" is not known", args[0])
		}
		args = args[1:]
	}
	if len(args) > 0 {
		a.run(args)
	}
}

func trapBuiltin(a *assessor, name word, args []word) {
	if len(args) == 0 || args[0].text == "-l" || args[0].text == "-p" {
		return
	}
	a.note(Mutate, Opaque, "shell.trap", "leaves a command behind that runs later", name)
	a.nested(args[0])
}

func aliasBuiltin(a *assessor, name word, args []word) {
	for _, w := range args {
		_, value, ok := strings.Cut(w.text, "=")
		if ok || !w.known() || strings.HasPrefix(w.text, "-") {
			a.note(Mutate, Opaque, "shell.alias", "gives a name another meaning", word{start: name.start, end: w.end})
			w.text = value
			a.nested(w)
		}
	}
}

func setBuiltin(a *assessor, name word, args []word) {
	if len(args) == 0 {
		a.note(Observe, Secret, "shell.variables", "prints variables, which may hold secrets", name)
		return
	}
	if quietSettings(args) {
		return
	}
	clear(a.scope.vars)
	a.note(Mutate, 0, "shell.set", "changes the shell's settings", name)
}

func execBuiltin(a *assessor, name word, args []word) {
	for len(args) > 0 && (args[0].text == "-c" || args[0].text == "-l" || args[0].text == "-a") {
		if args[0].text == "-a" && len(args) > 1 {
			args = args[1:]
		}
		args = args[1:]
	}
	a.note(Mutate, 0, "shell.exec", "replaces the shell, or redirects everything after it", name)
	if len(args) > 0 {
		a.run(args)
	}
}
