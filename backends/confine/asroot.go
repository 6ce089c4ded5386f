package confine

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/nod-console/nod/backends/posix"
)

// Root is the letter of a cage that stands within sudo: what it holds has root's rights.
const Root = "R"

//go:embed asroot.sh
var asRootScript string

// AsRoot is what stands between "sudo" and a program in a line for a POSIX shell, so that
// root runs the program held: "sudo " + AsRoot + "cat x". Grants are those of [Cage.For]
// without [Root]. Root takes a copy of the helper that its owner cannot change.
func (c *Cage) AsRoot(h Hold) string {
	grants := h.Grants
	if grants == "" {
		grants = "-"
	}
	words := slices.Concat([]string{"sh", "-c", posix.Brief(asRootScript), "sh", c.digest, c.run[0]}, []string{string(h.Wall), grants, h.Limits.word()})
	for i, word := range words {
		words[i] = posix.Quote(word)
	}
	return strings.Join(words, " ") + " "
}

// TrySudo is a line for a POSIX shell that ends the shell with [Failed] and says so unless
// sudo runs, without a question, whatever stands behind it. A sudo that is for some
// programs alone does not run the helper.
const TrySudo = `sudo -n sh -c : >/dev/null 2>&1 || { echo '` + Complaint + `sudo there does not run every program without a password' >&2; exit 125; }` + "\n"
