package risk

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Programs whose verb stands in a place that no table can name.

// chainedProgram judges a client that takes several of its commands on one line, with "--"
// between them: each like a line of its own.
func chainedProgram(a *assessor, name word, args []word) {
	for {
		at := slices.IndexFunc(args, func(w word) bool { return w.text == "--" })
		if at < 0 {
			break
		}
		if at > 0 {
			a.hand(name, args[:at])
		}
		args = args[at+1:]
	}
	a.hand(name, args)
}

var (
	esxWord  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9]+$`) })
	esxShape = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^--formatter=(csv|xml|keyvalue|json)$`) })
)

// esxcliProgram judges a client that names what it looks at in words, with the verb behind
// the last of them: "storage core device list -d NAME". What a source of software on
// another host offers is not asked for.
func esxcliProgram(a *assessor, name word, args []word) {
	words := args
	if len(words) > 0 && words[0].known() && esxShape().MatchString(words[0].text) {
		words = words[1:]
	}
	verb := 0
	for verb < len(words) && words[verb].known() && esxWord().MatchString(words[verb].text) {
		verb++
	}
	looks := verb > 1 && (words[verb-1].text == "list" || words[verb-1].text == "get") && words[1].text != "sources" &&
		!slices.ContainsFunc(words[verb:], func(w word) bool { return !w.known() || strings.Contains(w.text, "://") })
	if !looks {
		a.hand(name, args)
	}
}

var (
	pacmanLook  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-S(s|i{1,2}|l|g{1,2})q?$`) })
	pacmanNamed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[^-@:][^@:]*$`) })
)

// pacmanProgram judges -Ss, -Si, -Sl and -Sg: with each, what installs packages only shows
// what the lists that are here already hold of them.
func pacmanProgram(a *assessor, name word, args []word) {
	looks := len(args) > 0 && args[0].known() && pacmanLook().MatchString(args[0].text) &&
		!slices.ContainsFunc(args[1:], func(w word) bool { return !w.known() || !pacmanNamed().MatchString(w.text) })
	if !looks {
		a.hand(name, args)
	}
}

var (
	balancerSocket = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?i:unix-connect:|unix:)?/(var/)?(run|lib)/(haproxy/[a-z0-9._-]+|haproxy[a-z0-9._-]*)$`)
	})
	balancerShow = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^show (info|stat|servers (state|conn)|backend|pools|table|threads|activity|resolvers|version|peers|cache|fd|sess)( [a-z0-9_./# -]+)?$`)
	})
)

// socatProgram judges a question to a balancer's own socket: socat between its standard
// input, of which each line begins with show, and the socket.
func socatProgram(a *assessor, name word, args []word) {
	standard := func(w word) bool { return w.text == "-" || strings.EqualFold(w.text, "stdio") }
	socket := func(w word) bool { return w.known() && balancerSocket().MatchString(w.text) }
	asks := len(args) == 2 && (standard(args[0]) && socket(args[1]) || socket(args[0]) && standard(args[1]))
	if asks && a.feeding != nil && a.feeding.says(showsOnly) {
		a.needs |= NeedUnix
		return
	}
	a.hand(name, args)
}

// showsOnly reports whether a text holds nothing but questions to a balancer.
func showsOnly(text string) bool {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == ';' })
	return len(lines) > 0 && !slices.ContainsFunc(lines, func(line string) bool { return !balancerShow().MatchString(strings.TrimSpace(line)) })
}
