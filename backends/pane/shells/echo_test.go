package shells

import (
	"strings"
	"testing"
)

// The end of an echo is found wherever the stream is cut, in what each line editor makes
// of it.
func TestTheEndOfAnEcho(t *testing.T) {
	for name, c := range map[string]struct {
		family Family
		lines  []string
		shown  string // with "|" where the echo ends; "P" is a continuation prompt
	}{
		"terminal":              {Posix, []string{"echo hi"}, "echo hi\r\n|hi\r\n"},
		"nothing shown":         {Posix, []string{"echo hi"}, "hi\r\n"},
		"another line first":    {Posix, []string{"echo hi"}, "^C\r\necho hi\r\n|hi\r\n"},
		"a raw terminal":        {Posix, []string{"echo hi"}, "echo hi^J|hi\n"},
		"drawn anew":            {Ksh, []string{"echo hi"}, "1;2c\r#     \r# echo hi\r\n|hi\r\n"},
		"another letter":        {Posix, []string{"echo hi"}, "xecho hi\r\nhi\r\n"},
		"all lines at once":     {Posix, []string{"eval 'echo a", "echo b'"}, "eval 'echo a\r\necho b'\r\n> P|a\r\nb\r\n"},
		"line by line":          {Mksh, []string{"eval 'echo a", "echo b'"}, "eval 'echo a\r\r\n> Pecho b'\r\r\n|a\r\nb\r\n"},
		"broken at the edge":    {Ash, []string{"echo abcdef"}, "\x1b[6necho a\r\r\nbcdef\r\n|abcdef\r\n"},
		"ends at the edge":      {Ash, []string{"echo abc"}, "echo abc\r\r\n|abc\r\n"},
		"broken at a blank":     {Ksh, []string{"echo a; echo b"}, "echo a;\r\n\recho b\r\n|a\r\nb\r\n"},
		"a window that moves":   {Mksh, []string{"echo abcdef"}, "echo abc\recho    <\b\b\bdef\r\r\n|abcdef\r\n"},
		"letters of all kinds":  {Mksh, []string{"echo é"}, "echo ^!W\r\r\n|é\r\n"},
		"escapes and backspace": {Ksh, []string{"echo hi"}, "echp\b\x1b[1mo\x1b]0;t\a hi\r\n|hi\r\n"},
	} {
		for size := range len(c.shown) {
			e, rest, ended := NewEcho(c.family, c.lines), "", false
			before, want, _ := strings.Cut(c.shown, "|")
			text := before + want
			for from := 0; from < len(text); {
				to := min(len(text), from+size+1)
				piece := text[from:to]
				if i := strings.IndexByte(piece, 'P'); i >= 0 {
					piece = piece[:max(i, 1)]
				}
				from += len(piece)
				switch {
				case ended:
					rest += piece
				case piece == "P":
					ended = e.Asked()
				default:
					var over []byte
					over, ended = e.Feed([]byte(piece))
					rest += string(over)
				}
			}
			if strange := want == "" || name == "another line first"; (e.Strange() > 0) != strange {
				t.Errorf("%s, cut at each %d: something else was shown: %t", name, size+1, e.Strange() > 0)
			}
			if rest != want || ended != (want != "") {
				t.Errorf("%s, cut at each %d: ended %v, rest %q, want %q", name, size+1, ended, rest, want)
			}
		}
	}
}
