package risk

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Cost: a look may take a whole machine though it changes nothing.

// cost notes that an action may go on without end, or take what others need. It stands
// in the way of Auto by itself and is no flag: under a cage's limits it can run.
func (a *assessor) cost(rule, why string, at word) {
	murky := a.murky
	a.record(Observe, 0, rule, why, at)
	a.murky, a.costs = murky, true
}

// endless are devices that never come to an end.
func endless(path string) bool {
	switch path {
	case "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom":
		return true
	}
	return false
}

// stopping are options that bound how much a program reads.
var stopping = map[string][]string{
	"od": {"-N", "--read-bytes"}, "xxd": {"-l"}, "hexdump": {"-n"}, "hd": {"-n"}, "grep": {"-m", "--max-count"}, "pv": {"-S"},
}

// endlessInput marks a program that reads a device to an end which there is none of.
// Behind head only what keeps everything in memory goes on.
func (m *matching) endlessInput(program string) {
	if program == "yes" && !m.a.limited && !m.ended {
		m.a.cost("cost.endless", "prints without an end", m.name)
	}
	if m.a.limited && program != "sort" && program != "tac" || len(m.values(stopping[program]...)) > 0 {
		return
	}
	switch program {
	case "ls", "stat", "file", "test", "du", "df", "readlink", "realpath", "lsof", "fuser", "head", "dirname", "basename", "namei", "getfacl", "cmp":
		return
	}
	for _, w := range slices.Concat(m.operands, m.a.endlessFeed()) {
		if w.known() && endless(w.text) {
			m.a.cost("cost.endless", "reads "+shown(w.text)+", which has no end", w)
			return
		}
	}
}

// endlessFeed is the device that the command reads as its input, if it is one.
func (a *assessor) endlessFeed() []word {
	if f := a.feeding; f != nil && f.device.text != "" {
		return []word{f.device}
	}
	return nil
}

// bounded reports whether a program ends by itself what is piped into it.
func bounded(s *syntax.Stmt) bool {
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		if len(c.Args) == 0 {
			return false
		}
		switch c.Args[0].Lit() {
		case "head", "read":
			return true
		case "sed", "awk":
			return len(c.Args) > 1 && strings.Contains(c.Args[len(c.Args)-1].Lit(), "q")
		}
	case *syntax.BinaryCmd:
		return c.Op == syntax.Pipe && (bounded(c.X) || bounded(c.Y))
	}
	return false
}

// busyLoop marks a loop without end that does not wait for anything.
func (a *assessor) busyLoop(c *syntax.WhileClause) {
	if len(c.Cond) != 1 || a.limited {
		return
	}
	call, ok := c.Cond[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) != 1 {
		return
	}
	switch name := call.Args[0].Lit(); {
	case !c.Until && (name == ":" || name == "true"), c.Until && name == "false":
	default:
		return
	}
	waits := false
	for _, stmt := range c.Do {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				switch call.Args[0].Lit() {
				case "sleep", "read", "break", "exit", "return", "wait", "inotifywait", "timeout":
					waits = true
				}
			}
			return !waits
		})
	}
	if !waits {
		a.cost("cost.loop", "a loop without an end that never waits", a.at(c))
	}
}
