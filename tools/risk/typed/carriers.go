package typed

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// carrier is a program that runs another one, with the terminal.
type carrier struct {
	options string // as in options
	verb    string // the sub-command that does
	skip    int    // operands in front of the command: a container, a host
	joined  bool   // the command's words are read by a shell on the other side
}

// carriers are by name.
var carriers = map[string][]carrier{
	"sudo":    {{options: "n E H P k u: g: h: user= group= non-interactive"}},
	"doas":    {{options: "n u:"}},
	"docker":  containers,
	"podman":  containers,
	"nerdctl": containers,
	"docker-compose": {
		{options: "T u: e: w: user= env= workdir= index=", verb: "exec", skip: 1},
	},
	"kubectl": pods,
	"oc":      pods,
	"lxc":     {{options: "t T n", verb: "exec", skip: 1}},
	"incus":   {{options: "t T n", verb: "exec", skip: 1}},
	"ssh":     {{options: "4 6 A a C q t T v X x Y b: c: E: F: i: J: l: m: p:", skip: 1, joined: true}},
	"env":     {{}},
	"rlwrap":  {{options: "a A c i"}},
	"nice":    {{options: "n:"}},
}

var (
	containers = []carrier{
		{options: "i t u: e: w: interactive tty user= env= workdir= privileged", verb: "exec", skip: 1},
		{options: "T u: e: w: user= env= workdir= index=", verb: "compose exec", skip: 1},
	}
	pods = []carrier{{options: "i t n: c: stdin tty namespace= container= context=", verb: "exec", skip: 1}}
)

// carries is the command that argv runs, if argv does nothing but run it.
func carries(argv []string) (inner []string, ok bool) {
	if len(argv) == 0 {
		return nil, false
	}
	for _, c := range carriers[path.Base(argv[0])] {
		if rest, named := c.behindVerb(argv[1:]); named {
			return c.carried(rest)
		}
	}
	return nil, false
}

// behindVerb is what follows the carrier's sub-command; named is false if that is another.
func (c carrier) behindVerb(args []string) (rest []string, named bool) {
	if c.verb == "" {
		return args, true
	}
	verb := strings.Fields(c.verb)
	at, fits := skipOptions("context= H: n: namespace=", args)
	if !fits || len(at) < len(verb) || !slices.Equal(at[:len(verb)], verb) {
		return nil, false
	}
	return at[len(verb):], true
}

// carried is the command behind the carrier's own options and operands.
func (c carrier) carried(args []string) (inner []string, ok bool) {
	rest, fits := skipOptions(c.options, args)
	if !fits || len(rest) < c.skip {
		return nil, false
	}
	rest = rest[c.skip:]
	if c.verb != "" {
		if rest, fits = skipOptions(c.options, rest); !fits { // kubectl exec POD -it -- CMD
			return nil, false
		}
	}
	if len(rest) > 0 && rest[0] == "--" {
		rest = rest[1:]
	}
	for c.skip == 0 && len(rest) > 0 && assignment().MatchString(rest[0]) {
		rest = rest[1:]
	}
	if c.joined {
		rest = strings.Fields(strings.Join(rest, " "))
		if slices.ContainsFunc(rest, func(w string) bool { return !plainWord().MatchString(w) }) {
			return nil, false
		}
	}
	return rest, len(rest) > 0
}

// skipOptions is what follows the options at the front; fits is false if one is not known.
func skipOptions(known string, argv []string) (rest []string, fits bool) {
	for n := 0; n < len(argv); n++ {
		switch arg := argv[n]; {
		case len(arg) < 2 || arg[0] != '-' || arg == "--":
			return argv[n:], true
		case takesNext(known, arg):
			n++
		case !options(known, argv[n:n+1], 0):
			return nil, false
		}
	}
	return nil, true
}

// takesNext reports whether an option's value is the next argument.
func takesNext(known, arg string) bool {
	table := set(known)
	if name, ok := strings.CutPrefix(arg, "--"); ok {
		return table[name+"="]
	}
	ok, value := letters(table, arg[1:])
	return ok && value
}

var (
	assignment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*=[^$` + "`" + `]*$`) })
	// plainWord is a word that a shell hands on as it is.
	plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:=@,+%-]+$`) })
)
