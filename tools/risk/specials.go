package risk

import (
	"slices"
	"strings"
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
		"ovs-vsctl": chainedProgram, "ovn-nbctl": chainedProgram, "ovn-sbctl": chainedProgram, "esxcli": esxcliProgram, "pacman": pacmanProgram, "socat": socatProgram,
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

// onlyHelp reports whether a program is asked for its help or its version alone.
func onlyHelp(args []word) bool {
	return len(args) == 1 && (args[0].text == "--help" || args[0].text == "--version")
}

// shellProgram reads sh -c TEXT, sh FILE, and sh with its text on standard input.
func shellProgram(a *assessor, name word, args []word) {
	saved := a.dialect
	defer func() { a.dialect = saved }()
	d, err := ParseDialect(name.text)
	if err == nil {
		a.dialect = d
	}
	if name.text != "fish" && checksGrammar(args) {
		a.readPath(args[1], kindReads) // shows lines of it
		return
	}
	if err != nil && !(len(args) == 1 && args[0].text == "--version") {
		a.unread(Mutate, Opaque, "shell.dialect", name.text+" reads texts in ways that are not known", name)
	}
	if rest, command, runs := a.shellOptions(args); runs {
		a.shellText(name, rest, command)
	}
}

// checksGrammar reports whether the arguments are -n and a script, of which the grammar is
// checked and nothing runs.
func checksGrammar(args []word) bool {
	return len(args) == 2 && args[0].known() && args[0].text == "-n" && args[1].known() && !strings.HasPrefix(args[1].text, "-")
}

// shellOptions reads the options of a shell. command is set if its text stands first behind
// them; runs is not if it only shows its version or its help.
func (a *assessor) shellOptions(args []word) (rest []word, command, runs bool) {
	for len(args) > 0 && len(args[0].text) > 1 && (args[0].text[0] == '-' || args[0].text[0] == '+') {
		w := args[0]
		args = args[1:]
		switch {
		case !w.known():
			a.unread(Mutate, Opaque, "argument.dynamic", "an option of the shell is not known", w)
		case w.text == "--version" || w.text == "--help":
			return nil, false, false
		case w.text == "--":
			return args, command, true
		case slices.Contains(shellQuiet, w.text):
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
	return args, command, true
}

// shellQuiet are options that say what a shell reads before its text.
var shellQuiet = []string{"--login", "--norc", "--noprofile", "--posix"}

// shellText judges what a shell runs: the text behind its options (command), a script, or
// what it reads.
func (a *assessor) shellText(name word, args []word, command bool) {
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
		a.enterNamed(to)
	}
	if len(rest) == 0 {
		if onlyHelp(args) {
			return
		}
		a.note(Observe, Secret, "env.print", "prints the environment, which may hold secrets", name)
		return
	}
	a.run(rest)
}

// ddProgram reads KEY=VALUE operands.
func ddProgram(a *assessor, name word, args []word) {
	if onlyHelp(args) {
		return
	}
	reads, counted := word{}, a.limited
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
		case ok && key == "of":
			a.ddWrites(v, word{start: name.start, end: w.end})
		case ok && key == "if":
			a.readPath(v, kindReads)
			if endless(value) {
				reads = v
			}
		case ok && key == "count":
			counted = true
		case !ok || !slices.Contains(ddQuiet, key):
			a.note(Mutate, 0, "option.unknown", "the operand "+shown(w.text)+" of dd is not known", w)
		}
	}
}

// ddQuiet are the keys of dd that say how it copies.
var ddQuiet = []string{"bs", "ibs", "obs", "skip", "seek", "status", "cbs", "iflag", "conv", "oflag"}

// ddWrites judges what dd writes to.
func (a *assessor) ddWrites(to, at word) {
	a.writePath(to, at)
	if strings.HasPrefix(to.text, "/dev/") && !quietDevice(to.text) || strings.IndexByte(to.text, hole) >= 0 {
		a.note(Destroy, 0, "dd.device", "overwrites "+shown(to.text), at)
	}
}

// killProgram tells a signal from a question: -0 and -l change nothing.
func killProgram(a *assessor, name word, args []word) {
	if killAsks(args) {
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

// killAsks reports whether kill only lists signals, or says whether processes are there.
func killAsks(args []word) bool {
	if len(args) == 0 || !args[0].known() {
		return false
	}
	if first := args[0].text; first != "-l" && first != "-L" && (first != "-0" || len(args) == 1) {
		return false
	}
	return !slices.ContainsFunc(args[1:], func(w word) bool { return w.mayBeOption() && !w.tame || strings.HasPrefix(w.text, "-") })
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
