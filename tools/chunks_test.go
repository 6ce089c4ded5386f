package tools_test

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
)

// Chunks come in whole lines, a long line in pieces that cut no character, and nothing is
// lost.
func TestChunks(t *testing.T) {
	var got []string
	c := tools.NewChunks(func(text string) { got = append(got, text) })
	long := strings.Repeat("ü", 5000)
	for _, text := range []string{"one\ntw", "o\n", long[:4099], long[4099:], "\nend"} {
		if n, err := c.Write([]byte(text)); n != len(text) || err != nil {
			t.Fatal(n, err)
		}
	}
	c.Close()
	c.Close()
	if all := strings.Join(got, ""); all != "one\ntwo\n"+long+"\nend" || got[0] != "one\n" || got[1] != "two\n" || got[len(got)-1] != "end" {
		t.Errorf("%d chunks: %.60q", len(got), got)
	}
	for _, text := range got {
		if strings.ToValidUTF8(text, "?") != text {
			t.Errorf("a character is cut: %.20q", text)
		}
	}
	var none tools.Env
	chunks := none.ChunksOf(tools.Stdout)
	if _, err := chunks.Write([]byte("x")); chunks != nil || err != nil {
		t.Error("somebody listens")
	}
	chunks.Close()
}
