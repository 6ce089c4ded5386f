package lockout

import (
	_ "embed" // the scripts
	"fmt"
	"strings"
)

//go:embed find.sh
var find string

//go:embed arm.sh
var armScript string

//go:embed revert.sh
var revertScript string

//go:embed disarm.sh
var disarmScript string

//go:embed collect.sh
var collectScript string

// endOfRevert ends the revert's text within the arming script.
const endOfRevert = "END_OF_NOD_REVERT"

// command hands standard input to a shell with the rights that are needed.
func (t *touched) command() string {
	if t.own() {
		return `exec sh -s -- "$HOME"`
	}
	return `[ "$(id -u)" = 0 ] && exec sh -s -- "$HOME"; exec sudo -n -- sh -s -- "$HOME"`
}

// armScript is the whole of it: what to save, the revert, and how to arm it.
func (t *touched) armScript() string {
	var b strings.Builder
	var what []string
	for _, a := range []struct {
		is   bool
		word string
	}{{t.network, "network"}, {t.firewall, "firewall"}, {t.service, "service"}} {
		if a.is {
			what = append(what, a.word)
		}
	}
	fmt.Fprintf(&b, "aspects='%s'\n", strings.Join(what, " "))
	b.WriteString("home=$1\nfiles() {\n\t:\n")
	for _, p := range t.paths {
		fmt.Fprintf(&b, "\tkeep %s\n", quotePath(p))
	}
	b.WriteString("}\nrevert_script() { cat <<'" + endOfRevert + "'\n" + revertScript + endOfRevert + "\n}\n")
	b.WriteString(armScript)
	return b.String()
}

// quotePath is a path as a word of shell; a home is the login's.
func quotePath(p string) string {
	quote := func(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
	if rest, ok := strings.CutPrefix(p, "~/"); ok {
		return `"$home"/` + quote(rest)
	}
	if p[0] == '~' { // pathOf lets only plain names through
		user, rest, _ := strings.Cut(p, "/")
		return user + "/" + quote(rest)
	}
	return quote(p)
}
