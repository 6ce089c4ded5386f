package chat

import (
	"fmt"
	"strings"

	"github.com/nod-console/nod/ui/screen"
)

// changes counts the lines that a unified diff adds and takes away: "+3 −1". It is
// empty if there are none.
func changes(diff string) string {
	added, removed := 0, 0
	for _, l := range diffLines(diff) {
		switch l[:1] {
		case "+":
			added++
		case "-":
			removed++
		}
	}
	if added+removed == 0 {
		return ""
	}
	return fmt.Sprintf("+%d −%d", added, removed)
}

// diffLines are the lines of a unified diff without its head, whose file the card
// names. None is empty.
func diffLines(diff string) []string {
	var lines []string
	in := false // a hunk
	for _, l := range strings.Split(diff, "\n") {
		in = in || strings.HasPrefix(l, "@@")
		if in && l != "" {
			lines = append(lines, l)
		}
	}
	return lines
}

// diffBody sets a diff in lines of at most width cells. Its signs say what the
// colours do; a line that goes on in the next one has no sign there.
func diffBody(diff string, width int) []line {
	var lines []line
	for _, l := range diffLines(diff) {
		t := plain
		switch l[:1] {
		case "+":
			t = good
		case "-":
			t = danger
		case "@", "\\":
			t = muted
		}
		sign := span{text: screen.Clean(l[:1]), tone: t}
		lines = append(lines, prefixed(verbatim(l[1:], t, width-1), sign, span{text: " "})...)
	}
	return lines
}
