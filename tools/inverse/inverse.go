package inverse

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Inverse is the opposite of a command.
type Inverse struct {
	Command string
	Unless  string // when it is not the opposite; empty if it always is
	// Exact is set if carrying it out leaves nothing of the command, whenever the
	// command has changed anything.
	Exact bool
	// New are files that the command makes. If there are any, the inverse is exact
	// only where none of them was there before, and Exact is not set.
	New []string
}

// Of returns the opposite of a command line, if it has one.
func Of(command string) (Inverse, bool) {
	words, ok := simple(command)
	if !ok {
		return Inverse{}, false
	}
	before, words := wrapped(words)
	if len(words) < 2 {
		return Inverse{}, false
	}
	if !named(words) {
		return Inverse{}, false
	}
	if path.Base(words[0]) == "touch" {
		return untouched(before, words)
	}
	program, args, unless := turned(words)
	if args == nil {
		return Inverse{}, false
	}
	back := slices.Concat(before, []string{program}, args)
	line, ok := quoted(back)
	if ok && path.Base(words[0]) == "mv" && !slices.Contains(words, "-T") {
		// A folder there now was there before, or is the one that was moved.
		var test string
		test, ok = quoted(slices.Concat(before, []string{"test", "!", "-d", args[len(args)-2]}))
		line = test + " && " + line
	}
	return Inverse{Command: line, Unless: unless, Exact: ok && exact(words)}, ok
}

// exact reports whether the opposite of a command leaves nothing of it.
func exact(words []string) bool {
	name := path.Base(words[0])
	switch name {
	case "mkdir":
		return true
	case "systemctl", "docker", "podman", "kubectl":
		for _, w := range words[1:] {
			switch w {
			case "start", "stop", "mask", "unmask", "enable", "pause", "unpause", "cordon", "uncordon":
				return true
			case "disable":
				return false // links that were made in another way do not come back
			}
		}
	}
	return false
}

// Restarts reports whether a command only has named services or containers start
// anew: once it is done, there is nothing to take back.
func Restarts(command string) bool {
	words, ok := simple(command)
	if !ok || len(words) < 3 || !named(words[1:]) {
		return false
	}
	args := words[1:]
	switch path.Base(words[0]) {
	case "systemctl":
		return restarting[args[0]] && units(args[1:])
	case "docker", "podman":
		return args[0] == "restart" && bare(args[1:])
	case "service", "rc-service":
		return len(args) == 2 && bare(args) && restarting[args[1]]
	case "supervisorctl":
		return args[0] == "restart" && bare(args[1:]) && !slices.Contains(args, "all")
	}
	return false
}

var restarting = map[string]bool{"restart": true, "try-restart": true, "reload": true, "reload-or-restart": true, "try-reload-or-restart": true}

// named reports whether no word holds a pattern, which the program would expand.
func named(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, "*?[") })
}

// bare reports whether there are words, and no options among them.
func bare(words []string) bool {
	return len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return w == "" || strings.HasPrefix(w, "-") })
}

// units reports whether words name units that have a state of their own. A
// target stands for many, and for the power state of the host.
func units(words []string) bool {
	return bare(words) && !slices.ContainsFunc(words, func(w string) bool {
		name, kind, ok := strings.Cut(w, ".")
		return ok && (kind == "target" || strings.HasSuffix(kind, ".target")) || strings.HasPrefix(name, "systemd-") || special[strings.TrimSuffix(w, ".service")]
	})
}

// special are units that act when they are started and have no state to go back
// to.
var special = map[string]bool{
	"reboot": true, "poweroff": true, "halt": true, "kexec": true, "suspend": true, "hibernate": true, "shutdown": true, "ctrl-alt-del": true,
	"rescue": true, "emergency": true, "default": true, "exit": true, "sleep": true, "hybrid-sleep": true,
}

// turned is a command turned around; args is nil if that is not known.
func turned(words []string) (program string, args []string, unless string) {
	folder, name := path.Split(words[0])
	switch name {
	case "mkdir", "rmdir":
		return folder + both("mkdir", "rmdir")[name], folders(name, words[1:]), ""
	case "swapon", "swapoff":
		if len(words) != 2 || !strings.HasPrefix(words[1], "/") {
			return "", nil, ""
		}
		return folder + both("swapon", "swapoff")[name], words[1:], "it was like that before"
	}
	find, ok := programs[name]
	if !ok {
		return "", nil, ""
	}
	args, unless = find(words[1:])
	return words[0], args, unless
}

// untouched is the opposite of a touch that has made its files: they go if all of
// them are as it left them, empty and no links.
func untouched(before, words []string) (Inverse, bool) {
	var names []string
	for i, w := range words[1:] {
		switch {
		case w == "--" && i == 0:
		case w == "" || strings.HasPrefix(w, "-") || strings.HasSuffix(w, "/"):
			return Inverse{}, false
		case !slices.Contains(names, w):
			names = append(names, w)
		}
	}
	if len(names) == 0 {
		return Inverse{}, false
	}
	var lines []string
	for _, n := range names {
		for _, test := range [][]string{{"test", "-f", n}, {"test", "!", "-L", n}, {"test", "!", "-s", n}} {
			line, ok := quoted(slices.Concat(before, test))
			if !ok {
				return Inverse{}, false
			}
			lines = append(lines, line)
		}
	}
	line, ok := quoted(slices.Concat(before, []string{"rm", "--"}, names))
	return Inverse{Command: strings.Join(append(lines, line), " && "), Unless: "it was there before", New: names}, ok
}

// folders are those that were made or removed, the last one first. What else was
// made on the way to one (-p) is not known.
func folders(name string, args []string) []string {
	var names []string
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case a == "-v" || a == "--":
		case a == "-m" && name == "mkdir":
			i++
		case strings.HasPrefix(a, "-"):
			return nil
		default:
			names = append(names, a)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.Reverse(names)
	return append([]string{"--"}, names...)
}

// simple are the words of a line that is one command of fixed words.
func simple(line string) ([]string, bool) {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangPOSIX)).Parse(strings.NewReader(line), "")
	if err != nil || len(file.Stmts) != 1 {
		return nil, false
	}
	s := file.Stmts[0]
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || s.Negated || s.Background || s.Coprocess || len(s.Redirs) > 0 || len(call.Assigns) > 0 {
		return nil, false
	}
	var words []string
	for _, w := range call.Args {
		text, ok := fixed(w)
		if !ok {
			return nil, false
		}
		words = append(words, text)
	}
	return words, len(words) > 0
}

// fixed is a word that the shell does not change.
func fixed(w *syntax.Word) (string, bool) {
	var b strings.Builder
	for _, part := range w.Parts {
		switch p := part.(type) {
		case *syntax.Lit:
			if strings.ContainsAny(p.Value, "\\*?[]{}~") {
				return "", false
			}
			b.WriteString(p.Value)
		case *syntax.SglQuoted:
			b.WriteString(p.Value)
		case *syntax.DblQuoted:
			for _, inner := range p.Parts {
				lit, ok := inner.(*syntax.Lit)
				if !ok || strings.ContainsAny(lit.Value, "\\") {
					return "", false
				}
				b.WriteString(lit.Value)
			}
		default:
			return "", false
		}
	}
	return b.String(), true
}

// wrapped parts a plain sudo from the command that it runs.
func wrapped(words []string) (before, rest []string) {
	if words[0] != "sudo" && words[0] != "doas" {
		return nil, words
	}
	n := 1
	if len(words) > 1 && words[1] == "-n" {
		n = 2
	}
	return words[:n], words[n:]
}

func quoted(words []string) (string, bool) {
	all := make([]string, len(words))
	for i, w := range words {
		q, err := syntax.Quote(w, syntax.LangPOSIX)
		if err != nil {
			return "", false
		}
		all[i] = q
	}
	return strings.Join(all, " "), true
}

// opposite returns the arguments of the same program that undo what args did;
// nil if that is not known.
type opposite func(args []string) (back []string, unless string)

var programs = map[string]opposite{
	"systemctl": systemctl, "ip": ip, "mv": mv,
	"docker": container, "podman": container, "kubectl": kubectl,
	"iptables": iptables, "ip6tables": iptables, "ufw": ufw,
}

// swap exchanges the first word that is no option, if that has an opposite.
// Options other than the allowed ones make it unknown.
func swap(args []string, pairs map[string]string, options ...string) []string {
	back := slices.Clone(args)
	for i, a := range back {
		switch {
		case slices.Contains(options, a):
		case strings.HasPrefix(a, "-"):
			return nil
		default:
			to, ok := pairs[a]
			if !ok || !operands(args[i+1:], options) {
				return nil
			}
			back[i] = to
			return back
		}
	}
	return nil
}

// operands reports whether there are some, and no unknown option among them.
func operands(args, options []string) bool {
	n := 0
	for _, a := range args {
		switch {
		case slices.Contains(options, a):
		case strings.HasPrefix(a, "-"):
			return false
		default:
			n++
		}
	}
	return n > 0
}

func both(pairs ...string) map[string]string {
	m := map[string]string{}
	for i := 0; i < len(pairs); i += 2 {
		m[pairs[i]], m[pairs[i+1]] = pairs[i+1], pairs[i]
	}
	return m
}

var states = both("start", "stop", "enable", "disable", "mask", "unmask")

// quiet are options of systemctl that its opposite takes, too.
var quiet = []string{"--now", "--user", "--system", "-q", "--quiet"}

func systemctl(args []string) ([]string, string) {
	for i, a := range args {
		if states[a] != "" && !units(slices.DeleteFunc(slices.Clone(args[i+1:]), func(w string) bool { return slices.Contains(quiet, w) })) {
			return nil, ""
		}
	}
	return swap(args, states, quiet...), "it was like that before"
}

var containers = both("start", "stop", "pause", "unpause")

func container(args []string) ([]string, string) {
	return swap(args, containers), "it was like that before"
}

func kubectl(args []string) ([]string, string) {
	if len(args) != 2 {
		return nil, ""
	}
	return swap(args, both("cordon", "uncordon")), "it was like that before"
}

// ip knows links, addresses and routes. Without a device or a gateway, what was
// deleted is not named well enough to be made again.
func ip(args []string) ([]string, string) {
	back := slices.Clone(args)
	i := 0
	for i < len(back) && slices.Contains([]string{"-4", "-6"}, back[i]) {
		i++
	}
	if len(back) < i+3 {
		return nil, ""
	}
	verb, rest := &back[i+1], back[i+2:]
	named := false
	switch back[i] {
	case "link":
		if *verb != "set" || !switched(rest) {
			return nil, ""
		}
		return back, "it was like that before; routes that went with the link do not come back"
	case "addr", "address", "a":
		named = slices.Contains(rest, "dev") && strings.Contains(rest[0], "/")
	case "route", "r", "ro":
		named = slices.Contains(rest, "dev") || slices.Contains(rest, "via")
	}
	swapped := map[string]string{"add": "del", "del": "add", "delete": "add"}[*verb]
	if !named || swapped == "" {
		return nil, ""
	}
	*verb = swapped
	return back, ""
}

// switched turns "[dev] LINK up" into "[dev] LINK down" and back, in place; false for
// anything else.
func switched(words []string) bool {
	last := &words[len(words)-1]
	to := both("up", "down")[*last]
	if to == "" || len(words) > 3 || len(words) == 3 && words[0] != "dev" || len(words) < 2 {
		return false
	}
	*last = to
	return true
}

// mv renames one thing. What stood at its new place is gone.
func mv(args []string) ([]string, string) {
	var names []string
	for _, a := range args {
		switch {
		case slices.Contains([]string{"-T", "-n", "-v", "-i", "-f", "--"}, a):
		case strings.HasPrefix(a, "-"):
			return nil, ""
		default:
			names = append(names, a)
		}
	}
	if len(names) != 2 || strings.HasSuffix(names[1], "/") || path.Base(names[1]) == "." || path.Base(names[1]) == ".." {
		return nil, ""
	}
	return []string{"-nT", "--", names[1], names[0]}, "something stood at the new place: that does not come back"
}

// iptables appends or inserts one rule.
func iptables(args []string) ([]string, string) {
	at := -1
	for i, a := range args {
		switch a {
		case "-A", "--append", "-I", "--insert":
			if at >= 0 {
				return nil, ""
			}
			at = i
		case "-D", "--delete", "-R", "--replace", "-F", "--flush", "-X", "-P", "--policy", "-Z", "-N", "-E", "-L", "-S":
			return nil, ""
		}
	}
	if at < 0 || at+2 >= len(args) {
		return nil, ""
	}
	back := slices.Clone(args)
	back[at] = "-D"
	if place := args[at+2]; strings.Trim(place, "0123456789") == "" { // where it was inserted
		back = slices.Delete(back, at+2, at+3)
	}
	if len(back) < at+3 {
		return nil, ""
	}
	return back, "the same rule was there before"
}

func ufw(args []string) ([]string, string) {
	if len(args) < 2 || !slices.Contains([]string{"allow", "deny", "reject", "limit"}, args[0]) {
		return nil, ""
	}
	return append([]string{"delete"}, args...), "the same rule was there before"
}
