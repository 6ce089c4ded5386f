package risk

import (
	"cmp"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed data/paths.list
var pathList string

// class is what a path is, whatever is done to it.
type class uint8

const (
	classSecret  class = 1 << iota // its content is secret material
	classLockout                   // the operator's way in hangs on it
	classRights                    // grants rights, or is run with more than the writer's
	classRuns                      // is executed later by a shell or a service
	classDevice                    // raw storage or memory
	classLog                       // a record that must not be emptied
	classPlain                     // no secret, though it lies among secrets
)

var classWords = map[string]class{
	"secret": classSecret, "lockout": classLockout, "rights": classRights,
	"runs": classRuns, "device": classDevice, "log": classLog, "plain": classPlain,
}

// pathRule is one line of the list.
type pathRule struct {
	class class
	parts []string
	// letters are those that a path must hold to match: all that the pattern
	// spells out, what its last name does, and what its first does below the root
	// or the home.
	letters, last, first letters
	plainFirst           bool // what it spells out first is no pattern
}

// loose reports whether a name may stand for others.
func loose(name string) bool { return strings.ContainsAny(name, "*?[\x00\x01") }

// letters is a set of bytes, coarsely.
type letters uint64

func lettersOf(names ...string) letters {
	var set letters
	for _, name := range names {
		if name == "~" {
			continue
		}
		for i := range len(name) {
			if c := name[i]; c != '*' && c != '?' {
				set |= 1 << (c & 63)
			}
		}
	}
	return set
}

var pathRules = sync.OnceValue(func() []pathRule {
	rules, err := loadPaths(pathList)
	if err != nil {
		panic(err) // a fault of the build, found by the tests
	}
	return rules
})

func loadPaths(text string) ([]pathRule, error) {
	var rules []pathRule
	for i, line := range strings.Split(text, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
			continue
		}
		var c class
		for _, w := range strings.Split(fields[0], ",") {
			one, ok := classWords[w]
			if !ok {
				return nil, fmt.Errorf("risk: paths.list:%d: unknown class %q", i+1, w)
			}
			c |= one
		}
		for _, pattern := range fields[1:] {
			parts := components(pattern)
			r := pathRule{class: c, parts: parts, letters: lettersOf(parts...), last: lettersOf(parts[len(parts)-1])}
			if len(parts) > 1 {
				r.first, r.plainFirst = lettersOf(parts[1]), !loose(parts[1])
			}
			rules = append(rules, r)
		}
	}
	// What is plain is known only when everything else is.
	slices.SortStableFunc(rules, func(a, b pathRule) int { return cmp.Compare(a.class&classPlain, b.class&classPlain) })
	return rules, nil
}

// components cuts a cleaned path; an absolute one starts with "".
func components(p string) []string { return strings.Split(strings.ToLower(p), "/") }

// place is a path made ready to be compared.
type place struct {
	parts    []string
	relative bool
}

// placeOf cleans a path and writes every home folder as ~.
func placeOf(text, cwd string) place {
	p := text
	if cwd != "" && p != "" && p[0] != '/' && p[0] != '~' {
		p = cwd + "/" + p
	}
	if p == "" {
		return place{relative: true}
	}
	parts := components(path.Clean(p))
	switch {
	case strings.HasPrefix(parts[0], "~"):
		parts[0] = "~"
	case parts[0] != "":
		for len(parts) > 1 && parts[0] == ".." {
			parts = parts[1:]
		}
		return place{parts: parts, relative: true}
	default:
		parts = homed(parts)
	}
	return place{parts: parts}
}

// homed writes the home folder that an absolute path lies in as ~.
func homed(parts []string) []string {
	switch {
	case len(parts) > 1 && parts[1] == "root":
		return append([]string{"~"}, parts[2:]...)
	case len(parts) > 2 && (parts[1] == "home" || parts[1] == "users"):
		return append([]string{"~"}, parts[3:]...)
	}
	return parts
}

// classify returns every class that the path, or with below anything under it,
// may belong to.
func (p place) classify(below bool) class {
	if len(p.parts) == 0 {
		return 0
	}
	var c class
	s := p.sieve(below)
	rules := pathRules()
	for i := range rules {
		r := &rules[i]
		if r.class == classPlain {
			if s.literal && c&classSecret != 0 && r.letters&^s.held == 0 && p.matches(r.parts) {
				c &^= classSecret
			}
			continue
		}
		if c&r.class == r.class || s.drops(r) {
			continue
		}
		if p.matches(r.parts) || below && p.above(r.parts) || r.class == classSecret && p.inside(r.parts) {
			c |= r.class
		}
	}
	return c
}

// sieve drops, at little cost, most of the rules that a place cannot match.
type sieve struct {
	place
	literal         bool // no name in it stands for others
	long            bool // absolute, with two names or more
	plainTail       bool // its last name is no pattern
	plainFirst      bool // nor its first, of a long one
	held, tailHolds letters
}

// sieve makes the sieve of a place, or with below of all that lies in it.
func (p place) sieve(below bool) sieve {
	tail := p.parts[len(p.parts)-1]
	s := sieve{
		place:     p,
		literal:   (!below || p.relative) && !slices.ContainsFunc(p.parts, loose),
		long:      !p.relative && len(p.parts) > 2,
		plainTail: !loose(tail),
		held:      lettersOf(p.parts...),
		tailHolds: lettersOf(tail),
	}
	s.plainFirst = s.long && !loose(p.parts[1])
	return s
}

// drops reports whether a rule does not match for sure.
func (s *sieve) drops(r *pathRule) bool {
	switch {
	case s.literal && s.relative:
		if r.last&^s.held != 0 && r.first&^s.held != 0 {
			return true
		}
	case s.literal:
		if r.letters&^s.held != 0 {
			return true
		}
	case s.long && s.farFrom(r):
		return true
	}
	// A bare name says too little.
	return s.relative && r.class&^(classSecret|classLockout|classRights|classRuns) != 0 && r.parts[0] != "**"
}

// farFrom reports whether a long place with patterns in it begins, or ends, unlike a rule.
func (s *sieve) farFrom(r *pathRule) bool {
	if r.parts[0] == "**" {
		return s.plainTail && r.last&^s.tailHolds != 0 && r.parts[len(r.parts)-1] != "**"
	}
	return r.parts[0] != s.parts[0] || s.plainFirst && r.plainFirst && r.parts[1] != s.parts[1]
}

// unlikely reports whether a wildcard in the last name fits a sensitive name only
// because both are loose, as access.log* and *.pem do. That is no sign of a
// secret. Nor is everything in one of the system's folders.
func (p place) unlikely(name string) bool {
	last := p.parts[len(p.parts)-1]
	if !strings.ContainsAny(last, "*?[") {
		return false
	}
	if strings.Trim(last, "*?") == "" {
		return p.inSystem()
	}
	front, back := strings.HasPrefix(name, "*"), strings.HasSuffix(name, "*")
	if !(front && strings.HasSuffix(last, "*") || back && strings.HasPrefix(last, "*") || front && back) {
		return false
	}
	core := strings.Trim(name, "*")
	for _, run := range strings.FieldsFunc(last, func(r rune) bool { return strings.ContainsRune("*?[]", r) }) {
		if strings.Contains(run, core) || len(run) > 2 && strings.Contains(core, run) {
			return false
		}
	}
	return true
}

// inSystem reports whether a place lies in a folder of the system's that holds many things.
func (p place) inSystem() bool {
	if len(p.parts) < 4 || p.parts[0] != "" {
		return false
	}
	switch p.parts[1] {
	case "etc", "proc", "sys":
		return true
	}
	return p.parts[1] == "var" && p.parts[2] == "log"
}

func (p place) matches(pattern []string) bool {
	return p.fits(pattern) && !(pattern[0] == "**" && (p.unlikely(pattern[len(pattern)-1]) || p.astray(pattern)))
}

// astray reports whether a place of the kernel's or among the logs fits a pattern only
// because it leaves a folder open: /proc/*/comm may be anybody's, but no folder there is
// called .docker.
func (p place) astray(pattern []string) bool {
	if len(p.parts) < 4 || p.parts[1] == "etc" || !p.inSystem() {
		return false
	}
	parts := slices.Clone(p.parts)
	for i, part := range parts[:len(parts)-1] {
		if loose(part) && !strings.ContainsAny(part, "abcdefghijklmnopqrstuvwxyz") {
			parts[i] = "\x02" // fits no name
		}
	}
	return !meet(pattern, parts)
}

func (p place) fits(pattern []string) bool {
	if !p.relative {
		return meet(pattern, p.parts)
	}
	last := pattern[len(pattern)-1]
	if last == "**" || last == "*" && len(p.parts) < 2 {
		return false
	}
	n := len(p.parts)
	if n == 1 && pattern[0] != "**" && strings.Contains(last, "*") {
		return false // a loose name in a folder that is not named
	}
	if n > len(pattern) {
		if pattern[0] != "**" {
			return false
		}
		return meet(pattern, p.parts)
	}
	tail := pattern[len(pattern)-n:]
	if tail[0] == "**" && pattern[0] != "**" {
		return false // nothing is left of the folder that the pattern is about
	}
	return meet(tail, p.parts)
}

// inside reports whether a relative place lies in the folder of the pattern if
// it is seen from where that begins, the home folder or the root: terminals
// start there. A hidden name says enough to be looked for anywhere in it.
func (p place) inside(pattern []string) bool {
	if !p.relative || pattern[0] == "**" || pattern[len(pattern)-1] != "**" {
		return false
	}
	for i := range p.parts {
		if (i == 0 || strings.HasPrefix(pattern[1], ".")) && meet(pattern[1:], p.parts[i:]) {
			return true
		}
	}
	return false
}

// above reports whether a place that the pattern names may lie under p. Patterns
// that start anywhere are left out: every folder may hold one.
func (p place) above(pattern []string) bool {
	if p.relative || len(p.parts) > len(pattern) && pattern[len(pattern)-1] != "**" {
		return false
	}
	if len(p.parts) == 2 && p.parts[1] == "" { // the root
		return pattern[0] != "**"
	}
	if pattern[0] == "~" && len(p.parts) == 2 && (p.parts[1] == "home" || p.parts[1] == "users") {
		return true
	}
	for i, part := range p.parts {
		if i >= len(pattern) || pattern[i] == "**" {
			return i > 0
		}
		if !overlap(pattern[i], part) {
			return false
		}
	}
	return pattern[0] != "**"
}

// meet reports whether some path fits both lists of components; "**" stands for
// any number of them.
func meet(pattern, parts []string) bool {
	for {
		switch {
		case len(pattern) == 0:
			return len(parts) == 0
		case pattern[0] == "**":
			if rest := pattern[1:]; !slices.Contains(rest, "**") { // only one place is left for the rest
				if len(parts) < len(rest) {
					return false
				}
				pattern, parts = rest, parts[len(parts)-len(rest):]
				continue
			}
			for i := 0; i <= len(parts); i++ {
				if meet(pattern[1:], parts[i:]) {
					return true
				}
			}
			return false
		case len(parts) == 0:
			return false
		case !overlap(pattern[0], parts[0]):
			return false
		}
		pattern, parts = pattern[1:], parts[1:]
	}
}

// overlap reports whether some name fits both patterns. A hole fits anything.
func overlap(a, b string) bool {
	if b == string(hole) {
		return a == "*"
	}
	if (b[:min(1, len(b))] == "*" || b[:min(1, len(b))] == "?") && strings.HasPrefix(a, ".") {
		return false // a leading wildcard does not find hidden names
	}
	return fit(a, b)
}

// maxFits bounds the work on two patterns. Beyond it they count as overlapping: a
// word with that many unknown parts may be anything.
const maxFits = 500

// fit reports whether some name fits both patterns.
func fit(a, b string) bool {
	left := maxFits
	return fitWithin(a, b, &left)
}

func fitWithin(a, b string, left *int) bool {
	if *left--; *left < 0 {
		return true
	}
	for a != "" && b != "" {
		switch {
		case a[0] == b[0] && a[0] >= 'a' && a[0] <= 'z':
			a, b = a[1:], b[1:]
		case a[0] == '*' || a[0] == hole:
			return fitStar(a[1:], b, left)
		case b[0] == '*' || b[0] == hole || b[0] == '\x01':
			return fitStar(b[1:], a, left)
		case b[0] == '[' && strings.IndexByte(b[1:], ']') > 0:
			b = "?" + b[strings.IndexByte(b[1:], ']')+2:]
		case a[0] == '?' || b[0] == '?' || a[0] == b[0]:
			a, b = a[1:], b[1:]
		default:
			return false
		}
	}
	return strings.Trim(a+b, "*\x00\x01") == ""
}

func fitStar(rest, other string, left *int) bool {
	for i := 0; i <= len(other); i++ {
		if fitWithin(rest, other[i:], left) {
			return true
		}
	}
	return false
}

// quietDevices may be read and written by anybody without consequence.
func quietDevice(p string) bool {
	switch p {
	case "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom":
		return true
	}
	n, ok := strings.CutPrefix(p, "/dev/fd/")
	return ok && n != "" && strings.Trim(n, "0123456789") == ""
}

func isNetwork(p string) bool {
	return strings.HasPrefix(p, "/dev/tcp/") || strings.HasPrefix(p, "/dev/udp/")
}
