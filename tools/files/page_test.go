package files

import (
	"bytes"
	"context"
	"testing"
	"unicode/utf8"
)

// Whatever a file holds: a page keeps its bounds, is valid UTF-8, and names the
// whole content if it has seen it.
func FuzzReadPage(f *testing.F) {
	for _, seed := range []string{"", "a", "a\nb\n", "\n\n\n", "\x00", "\xff\xfe\n", "ü\r\n", "no end\nof line"} {
		f.Add([]byte(seed), 1, 2)
	}
	f.Add(bytes.Repeat([]byte("€"), 9000), 1, 1)
	f.Add(bytes.Repeat([]byte("line\n"), 3000), 2500, MaxLines)
	f.Fuzz(func(t *testing.T, content []byte, offset, limit int) {
		if offset < 1 || limit < 1 || limit > MaxLines {
			t.Skip()
		}
		p, err := readPage(context.Background(), bytes.NewReader(content), span{offset, limit})
		if err != nil {
			t.Fatal(err)
		}
		if p.binary != (bytes.IndexByte(content, 0) >= 0) {
			t.Fatalf("binary: %v", p.binary)
		}
		if p.binary {
			return
		}
		characters := 0
		for _, l := range p.lines {
			characters += utf8.RuneCountInString(l)
			if !utf8.ValidString(l) {
				t.Fatalf("%q", l)
			}
		}
		if characters > MaxCharacters || len(p.lines) > limit || !p.whole || p.bytes != int64(len(content)) {
			t.Fatalf("%d characters, %d lines, %d bytes, whole %v", characters, len(p.lines), p.bytes, p.whole)
		}
		p.result("/x", span{offset, limit})
	})
}
