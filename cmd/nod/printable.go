package main

import (
	"strings"

	"github.com/nod-console/nod/ui/screen"
)

// printable is foreign text as it may go to the operator's terminal: its lines
// stay, and nothing in them acts.
func printable(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = screen.Clean(l)
	}
	return strings.Join(lines, "\n")
}
