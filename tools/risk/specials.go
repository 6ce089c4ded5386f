package risk

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// specials are the programs whose arguments a table cannot describe. Filled in
// init, because the functions reach back to run.
var specials map[string]special

func init() {
	specials = map[string]special{
		"find": findProgram, "eval": evalBuiltin, "source": sourceBuiltin, ".": sourceBuiltin,
		"sh": shellProgram, "bash": shellProgram, "dash": shellProgram, "ash": shellProgram, "zsh": shellProgram,
		"ksh": shellProgram, "fish": shellProgram, "rbash": shellProgram, "mksh": shellProgram,
		"xargs": xargsProgram, "env": envProgram, "dd": ddProgram, "kill": killProgram, "tar": tarProgram,
		"printf": printfBuiltin, "test": testBuiltin, "[": testBuiltin, "read": readBuiltin, "cd": cdBuiltin,
		"pushd": cdBuiltin, "popd": cdBuiltin, "command": commandBuiltin, "builtin": commandBuiltin,
		"trap": trapBuiltin, "alias": aliasBuiltin, "set": setBuiltin, "exec": execBuiltin, "echo": echoBuiltin,
		"unset": unsetBuiltin, "let": letBuiltin, "taskset": affinityProgram, "chrt": affinityProgram, "parted": partedProgram,
		"rsync": rsyncProgram, "git": gitProgram, "su": suProgram, "ps": psProgram, "service": serviceProgram,
		"printenv": printenvProgram, "systemctl": systemctlProgram, "tee": teeProgram, "sponge": teeProgram, "ionice": ioniceProgram, "yq": yqProgram, "curl": fetchProgram, "wget": fetchProgram, "http": fetchProgram, "https": fetchProgram, "httpie": fetchProgram, "xh": fetchProgram,
		"busctl": busProgram, "dbus-send": busProgram, "gdbus": busProgram, "qdbus": busProgram,
		"csh": shellProgram, "tcsh": shellProgram, "ksh93": shellProgram, "lksh": shellProgram, "oksh": shellProgram, "loksh": shellProgram, "pdksh": shellProgram, "yash": shellProgram,
	}
}

// hand runs the table of a program after its special part is done.
func (a *assessor) hand(name word, args []word) {
	if s := specOf(name.text); s != nil {
		a.match(s, name, args)
		return
	}
	a.unread(Mutate, 0, "program.unknown", "nothing is known about this program", name)
}

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

// shellProgram reads sh -c TEXT, sh FILE, and sh with its text on standard input.
func shellProgram(a *assessor, name word, args []word) {
	saved := a.dialect
	d, err := ParseDialect(name.text)
	if err == nil {
		a.dialect = d
	}
	if len(args) == 2 && args[0].known() && args[0].text == "-n" && args[1].known() && !strings.HasPrefix(args[1].text, "-") && name.text != "fish" {
		a.readPath(args[1], kindReads) // checks the script's grammar, and shows lines of it
		return
	}
	if err != nil && !(len(args) == 1 && args[0].text == "--version") {
		a.unread(Mutate, Opaque, "shell.dialect", name.text+" reads texts in ways that are not known", name)
	}
	defer func() { a.dialect = saved }()
	command := false
	for len(args) > 0 && len(args[0].text) > 1 && (args[0].text[0] == '-' || args[0].text[0] == '+') {
		w := args[0]
		args = args[1:]
		switch {
		case !w.known():
			a.unread(Mutate, Opaque, "argument.dynamic", "an option of the shell is not known", w)
		case w.text == "--version" || w.text == "--help":
			return
		case w.text == "--":
			goto text
		case w.text == "--login" || w.text == "--norc" || w.text == "--noprofile" || w.text == "--posix":
		case strings.HasPrefix(w.text, "--"):
			a.unread(Mutate, Opaque, "option.unknown", "the option "+shown(w.text)+" of the shell is not known", w)
		default:
			if strings.Trim(w.text[1:], "celiuxvn") != "" {
				if strings.HasSuffix(w.text, "o") && len(args) > 0 {
					args = args[1:]
				}
				a.unread(Mutate, 0, "option.unknown", "the option "+shown(w.text)+" of the shell is not known", w)
			}
			command = command || strings.Contains(w.text, "c")
		}
	}
text:
	switch {
	case command && len(args) > 0:
		if len(args) > 1 {
			a.unclear("shell.arguments", "the text gets arguments of its own", args[1])
		}
		a.nested(args[0])
	case command:
		a.unclear("option.value", "the shell lacks its text", name)
	case len(args) > 0 && args[0].text != "-":
		a.unread(Mutate, Opaque, "script.file", "runs what stands in a file", args[0])
		a.readPath(args[0], kindReads)
		a.clues(args, args[0])
		a.lossWords(args[1:min(len(args), lossPlaces)], "")
		a.losingScript(args[0])
	case a.feeding != nil && a.feeding.known:
		a.unclear("shell.input", "the shell runs what it reads", name)
		if a.feeding.coded {
			a.unread(Mutate, Opaque, "shell.coded", "the text that runs is written in a code that nobody reads", name)
		}
		a.nested(a.feeding.text)
	default:
		a.unread(Mutate, Opaque, "shell.input", "a shell runs what it reads from its input", name)
	}
}

// xargsProgram runs a command with arguments from its input.
func xargsProgram(a *assessor, name word, args []word) {
	s := specOf("xargs")
	m := &matching{a: a, s: s, name: name, args: args}
	rest := m.options(0, true)
	if len(rest) == 0 {
		return // echo
	}
	tame := a.feeding != nil && a.feeding.tame
	input := word{text: string(hole), start: name.start, end: name.end, tame: tame}
	words := append([]word(nil), rest...)
	marks := m.values("-I", "-i", "--replace")
	for _, mark := range marks {
		if mark.text == "" {
			mark.text = "{}"
		}
		if !mark.known() {
			a.unread(Mutate, Opaque, "xargs.dynamic", "which words the input replaces is not known", mark)
		}
		for i, w := range words {
			if strings.Contains(w.text, mark.text) {
				words[i].tame = tame && strings.HasPrefix(w.text, mark.text)
				words[i].text = strings.ReplaceAll(w.text, mark.text, string(hole))
				words[i].quoted = true // each line is one word
			}
		}
	}
	if len(marks) == 0 {
		words = append(words, input)
	}
	a.feeding = nil
	a.run(words)
}

// envProgram runs a command with a changed environment, or prints it.
func envProgram(a *assessor, name word, args []word) {
	s := specOf("env")
	m := &matching{a: a, s: s, name: name, args: args}
	rest := m.assignments(m.options(0, true))
	for _, to := range m.values("-C", "--chdir") {
		if to.known() {
			a.enterFolder(to.text)
		}
	}
	if len(rest) == 0 {
		if len(args) == 1 && (args[0].text == "--version" || args[0].text == "--help") {
			return
		}
		a.note(Observe, Secret, "env.print", "prints the environment, which may hold secrets", name)
		return
	}
	a.run(rest)
}

func ddProgram(a *assessor, name word, args []word) {
	wrote, reads, counted := false, word{}, a.limited
	a.emptiedByDD(args)
	defer func() {
		if reads.text != "" && !counted {
			a.cost("cost.endless", "reads "+shown(reads.text)+", which has no end", reads)
		}
	}()
	for _, w := range args {
		key, value, ok := strings.Cut(w.text, "=")
		v := w
		v.text = value
		switch {
		case !ok && (w.text == "--version" || w.text == "--help") && len(args) == 1:
			return
		case !ok:
			a.note(Mutate, 0, "option.unknown", "the operand "+shown(w.text)+" of dd is not known", w)
		case key == "of":
			wrote = wrote || value != "/dev/null"
			a.writePath(v, word{start: name.start, end: w.end})
			if strings.HasPrefix(value, "/dev/") && !quietDevice(value) || strings.IndexByte(value, hole) >= 0 {
				a.note(Destroy, 0, "dd.device", "overwrites "+shown(value), word{start: name.start, end: w.end})
			}
		case key == "if":
			a.readPath(v, kindReads)
			if endless(value) {
				reads = v
			}
		case key == "count":
			counted = true
		case key == "bs", key == "ibs", key == "obs", key == "skip", key == "seek", key == "status", key == "cbs", key == "iflag", key == "conv", key == "oflag":
		default:
			a.note(Mutate, 0, "option.unknown", "the operand "+shown(w.text)+" of dd is not known", w)
		}
	}
}

// killProgram tells a signal from a question: -0 and -l change nothing.
func killProgram(a *assessor, name word, args []word) {
	if len(args) > 0 && args[0].known() && (args[0].text == "-l" || args[0].text == "-L" || args[0].text == "-0" && len(args) > 1) &&
		!slices.ContainsFunc(args[1:], func(w word) bool { return w.mayBeOption() && !w.tame || strings.HasPrefix(w.text, "-") }) {
		return
	}
	a.note(Mutate, 0, "kill", "sends a signal to a process", name)
	gentle := len(args) > 0 && gentleSignal(args)
	for i, w := range args {
		if i > 0 && args[i-1].text == "-s" || i == 0 && gentle {
			continue // the signal
		}
		if w.text == "-1" && w.start != args[0].start || w.text == "1" && !gentle {
			a.note(Destroy, Lockout, "kill.all", "signals every process, or the first one", w)
		}
	}
}

// gentleSignal reports whether a signal asks the first process to read its
// settings again, and no more.
func gentleSignal(args []word) bool {
	signal := args[0].text
	if signal == "-s" && len(args) > 1 {
		signal = "-" + args[1].text
	}
	switch strings.TrimPrefix(signal, "-") {
	case "HUP", "SIGHUP", "USR1", "SIGUSR1", "WINCH", "SIGWINCH":
		return true
	}
	return false
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

func readBuiltin(a *assessor, name word, args []word) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !w.known():
			a.unclear("argument.dynamic", "the variable's name is not known", w)
		case w.text == "-r" || w.text == "-s" || w.text == "-e" || w.text == "-rs" || w.text == "-sr" || w.text == "-a" || w.text == "-ra":
		case w.text == "-t" || w.text == "-n" || w.text == "-N" || w.text == "-d" || w.text == "-u":
			i++
		case w.text == "-p" || w.text == "-rp" || w.text == "-sp":
			i++
		case plainVariable().MatchString(w.text) && !specialVariables[w.text] || w.text == "_":
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
	if target.known() && target.text != "-" {
		a.enterFolder(target.text)
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

// suProgram runs a command as another user.
func suProgram(a *assessor, name word, args []word) {
	a.note(Observe, Privesc, "su", "acts as another user", name)
	command := false
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch value, attached := strings.CutPrefix(w.text, "--command="); {
		case attached:
			w.text, command = value, true
			a.nested(w)
		case w.text == "-c" || w.text == "--command" || strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && strings.HasSuffix(w.text, "c"):
			if i++; i < len(args) {
				command = true
				a.nested(args[i])
			}
		case w.text == "-s" || w.text == "--shell":
			i++
		}
	}
	if !command {
		a.note(Mutate, Opaque, "su.shell", "opens a shell as another user", name)
	}
}

// psProgram: everything but the environment of processes may be shown, which the
// letter e does in an operand of BSD letters.
func psProgram(a *assessor, name word, args []word) {
	for i := 0; i < len(args); i++ {
		w := args[i]
		if strings.Contains(strings.ToLower(w.text), "environ") {
			a.note(Observe, Secret, "ps.environment", "shows the environment of processes, which may hold secrets", w)
		}
		switch {
		case !w.known():
			a.note(Observe, Secret, "ps.environment", "an argument that is not known may ask for the environment of processes", w)
		case strings.HasPrefix(w.text, "--"):
		case strings.HasPrefix(w.text, "-"):
			if len(w.text) > 1 && i+1 < len(args) && strings.ContainsAny(w.text[len(w.text)-1:], "oOpCuUGgtskqn") && !strings.Contains(strings.ToLower(args[i+1].text), "environ") {
				i++
			}
		case strings.Contains(w.text, "e") && strings.Trim(w.text, "aAcefghjlmnorstuvwxXLSTUZ") == "":
			a.note(Observe, Secret, "ps.environment", "shows the environment of processes, which may hold secrets", w)
		}
	}
	a.hand(name, args)
}

// serviceProgram: asking for the status of a service changes nothing.
func serviceProgram(a *assessor, name word, args []word) {
	a.hand(name, args)
	if len(args) > 1 && args[1].text != "status" {
		a.unit(args[0], name)
	}
}
