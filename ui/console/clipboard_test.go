package console_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/ui/console"
)

// TestCopyingReachesTheTerminal proves on a real terminal, with the bytes that
// terminals send for keys and for the mouse, that what is selected comes out as
// OSC 52, and that links are links there, too.
func TestCopyingReachesTheTerminal(t *testing.T) {
	p := openTerminal(t, 120, 40)
	p.run(t.Context(), t, console.Options{}, func(c *console.Console) {
		c.AddPane(newTerminal("one 日本 two\r\nthree\r\n\x1b]8;;https://a.example/x\arunbook\x1b]8;;\a\r\n$ ").pane("%1", "local"))
	})
	p.see(t, "three")
	p.until(t, "the link", func(s *vt.Snapshot) bool {
		for _, c := range s.Row(4) {
			if s.Link(c) == "https://a.example/x" {
				return true
			}
		}
		return false
	})
	sent := func(text string) {
		t.Helper()
		want := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x1b\\"
		var all strings.Builder
		p.until(t, "OSC 52 with "+text, func(*vt.Snapshot) bool {
			all.WriteString(p.sent())
			return strings.Contains(all.String(), want)
		})
	}
	p.press(t, "\t\t")
	p.see(t, "reading local")
	p.press(t, "kkkVj")
	p.see(t, "selecting 2 lines")
	p.press(t, "y")
	sent("one 日本 two\nthree")
	p.press(t, "\x1b[<0;60;3M\x1b[<32;62;3M")
	p.see(t, "selecting 2 characters")
	p.press(t, "\x1b[<0;62;3m")
	p.see(t, "copied 2 characters")
	sent("日本")
	p.press(t, "\x1b[<16;57;5M\x1b[<16;57;5m") // with Ctrl
	p.see(t, "copied https://a.example/x")
	sent("https://a.example/x")
}
