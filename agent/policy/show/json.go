package show

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
)

// Lines is foreign text whose lines stay and in which nothing looks like what it
// is not.
func Lines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = Text(l)
	}
	return strings.Join(lines, "\n")
}

// WriteJSON writes a value in a line of ASCII: a program reads in it what is there,
// and nobody who looks at it is shown anything else.
func WriteJSON(w io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, r := range string(text) {
		switch {
		case r < 0x7f:
			b.WriteRune(r)
		case r <= 0xffff:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		}
	}
	b.WriteByte('\n')
	_, err = io.WriteString(w, b.String())
	return err
}
