package shells

import (
	"strings"
	"testing"
)

// No piece of a text looks like what stops its reader, wherever it is cut: a hook
// holds the words of a reader itself.
func TestNoPieceStopsItsReader(t *testing.T) {
	const name = "nod-12345678"
	for shift := range pieceSize {
		h := NewHandover(name, strings.Repeat("x", shift)+strings.Repeat("case $l in *"+name+".)", 40))
		for _, line := range h.lines {
			if strings.HasSuffix(line, name+".") {
				t.Fatalf("shifted by %d: %q", shift, line)
			}
		}
	}
}
