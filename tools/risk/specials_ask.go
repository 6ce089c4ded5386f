package risk

import "strings"

// unsetBuiltin forgets variables; a name with a subscript is evaluated.
func unsetBuiltin(a *assessor, name word, args []word) {
	clear(a.scope.vars)
	for _, w := range args {
		a.evaluated(w)
	}
	a.hand(name, args)
}

// letBuiltin evaluates texts as arithmetic.
func letBuiltin(a *assessor, name word, args []word) {
	for _, w := range args {
		a.evaluated(w)
	}
	a.hand(name, args)
}

// affinityProgram: "taskset -p PID" and "chrt -p PID" ask; with a second operand
// they set.
func affinityProgram(a *assessor, name word, args []word) {
	asks, operands := false, 0
	for i, w := range args {
		switch {
		case !w.known() && w.quoted && !w.glob:
			operands++
		case !w.known(): // may be two: a mask and a process
			operands += 2
		case strings.HasPrefix(w.text, "-"):
			asks = asks || i == 0 && (w.text == "-p" || w.text == "-pc" || w.text == "-cp" || w.text == "--pid")
			operands += 2 * min(i, 1)
		case strings.Trim(w.text, "0123456789") != "":
			operands += 2
		default:
			operands++
		}
	}
	if asks && operands == 1 {
		return
	}
	a.hand(name, args)
}

// partedProgram: printing a table changes nothing.
func partedProgram(a *assessor, name word, args []word) {
	if len(args) == 1 && len(args[0].text) > 2 && strings.HasPrefix(args[0].text, "-l") && strings.Trim(args[0].text[2:], "ms") == "" {
		return // lists, and nothing else
	}
	rest := args
	for len(rest) > 0 && (rest[0].text == "-s" || rest[0].text == "-m" || rest[0].text == "--script" || rest[0].text == "--machine") {
		rest = rest[1:]
	}
	looks := len(rest) > 1 && rest[0].known() && strings.HasPrefix(rest[0].text, "/dev/")
	for i := 1; i < len(rest) && looks; i++ {
		switch rest[i].text {
		case "print", "p", "free", "all", "unit", "s", "B", "kB", "MB", "GB", "TB", "KiB", "MiB", "GiB", "TiB", "compact", "%", "cyl", "chs":
		default:
			looks = false
		}
	}
	if !looks {
		a.hand(name, args)
	}
}

// quietSettings reports whether "set" prints the shell's settings, or makes the
// shell more careful and nothing else.
func quietSettings(args []word) bool {
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case !w.known():
			return false
		case (w.text == "-o" || w.text == "+o") && len(args) == 1:
		case strings.HasPrefix(w.text, "-") && len(w.text) > 1 && strings.Trim(w.text[1:], "euC") == "":
		case strings.HasPrefix(w.text, "-") && strings.HasSuffix(w.text, "o") && strings.Trim(w.text[1:], "euCo") == "" && i+1 < len(args):
			i++
			switch args[i].text {
			case "pipefail", "errexit", "nounset", "noclobber":
			default:
				return false
			}
		default:
			return false
		}
	}
	return true
}

// printenvProgram shows the whole environment, or some variables of it.
func printenvProgram(a *assessor, name word, args []word) {
	all := true
	for _, w := range args {
		if !strings.HasPrefix(w.text, "-") {
			all = false
			if !w.known() || secretVariable().MatchString(w.text) {
				a.note(Observe, Secret, "variable.secret", "shows a variable that looks like a secret", w)
			}
		}
	}
	if all && !onlyHelp(args) {
		a.note(Observe, Secret, "env.print", "prints the environment, which may hold secrets", name)
	}
	a.hand(name, args)
}

// teeProgram: with nothing but quiet devices to write to, it only passes on.
func teeProgram(a *assessor, name word, args []word) {
	for _, w := range args {
		if !w.known() || !quietDevice(w.text) && w.text != "-a" && w.text != "-i" && w.text != "--" {
			a.hand(name, args)
			if f := a.feeding; w.text != "-a" && w.text != "--append" && f != nil && f.known && f.text.text == "" {
				a.note(Destroy, 0, "write.empties", "empties "+shown(w.text), w)
			}
			return
		}
	}
}

// ioniceProgram: "ionice -p PID" asks; with a class or a level it sets.
func ioniceProgram(a *assessor, name word, args []word) {
	if len(args) > 1 && (args[0].text == "-p" || args[0].text == "-P" || args[0].text == "-u" || args[0].text == "--pid") {
		for _, w := range args[1:] {
			if !w.known() && !w.tame || w.known() && strings.Trim(w.text, "0123456789") != "" {
				a.hand(name, args)
				return
			}
		}
		return
	}
	a.hand(name, args)
}

// yqProgram: the program may stand behind a command's name.
func yqProgram(a *assessor, name word, args []word) {
	for i, w := range args {
		if strings.HasPrefix(w.text, "-") {
			continue
		}
		switch w.text {
		case "e", "eval", "ea", "eval-all":
			args = append(append([]word{}, args[:i]...), args[i+1:]...)
		}
		break
	}
	a.hand(name, args)
}

// fetchProgram: an answer may send curl (with -L) and wget (always) on to a host
// that nobody has named. From this host itself that is its own doing.
func fetchProgram(a *assessor, name word, args []word) {
	before := len(a.reaches)
	quiet := a.effect
	a.effect = Observe
	a.hand(name, args)
	acts := a.effect.AtLeast(Mutate)
	a.effect = max(a.effect, quiet)
	a.requestLoss(args, acts)
	if followsRedirects(name.text, args) && len(a.reaches) > before {
		a.unclear(RuleRedirect, "goes on to whatever host the answer names", name)
	}
}

// followsRedirects reports whether a program that fetches goes where an answer sends it.
func followsRedirects(program string, args []word) bool {
	follows := program == "wget"
	for i, w := range args {
		switch {
		case w.text == "--max-redirs=0" || w.text == "--max-redirect=0":
			return false
		case (w.text == "--max-redirs" || w.text == "--max-redirect") && i+1 < len(args) && args[i+1].text == "0":
			return false
		case w.text == "--location":
			follows = true
		case program == "curl" && strings.HasPrefix(w.text, "-") && !strings.HasPrefix(w.text, "--") && strings.Contains(w.text, "L"):
			follows = true
		}
	}
	return follows
}

// systemctlProgram: what starts with an account's session runs later as that
// account, as its start-up files do.
func systemctlProgram(a *assessor, name word, args []word) {
	own, starts := false, word{}
	for _, w := range args {
		switch w.text {
		case "--user", "--global":
			own = true
		case "enable", "reenable", "link", "preset", "preset-all", "add-wants", "add-requires", "edit", "set-environment", "import-environment", "set-default", "revert":
			if starts.text == "" {
				starts = w
			}
		}
	}
	if own && starts.text != "" {
		a.note(Mutate, Opaque, "write.runs", "changes what is executed later, when the account logs in", word{start: name.start, end: starts.end})
	}
	a.hand(name, args)
}
