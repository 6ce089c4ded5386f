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
		case !w.known():
			operands++
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
