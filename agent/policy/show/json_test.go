package show

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestJSONIsASCII: what a program reads is the value, and what somebody sees deceives nobody.
func TestJSONIsASCII(t *testing.T) {
	const text = "rm \u202ex\u2069 ünï 🦀 \x7f"
	var b strings.Builder
	if err := WriteJSON(&b, text); err != nil {
		t.Fatal(err)
	}
	for _, r := range b.String() {
		if r >= 0x7f {
			t.Errorf("%q is in %q", r, b.String())
		}
	}
	var back string
	if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back != text {
		t.Errorf("%q, %v", back, err)
	}
}

func TestLinesStay(t *testing.T) {
	if got := Lines("a\x1b\nb"); strings.Count(got, "\n") != 1 || strings.ContainsRune(got, '\x1b') {
		t.Errorf("%q", got)
	}
}
