package vt

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxTitle bounds the title, in bytes.
const maxTitle = 1024

// osc acts on an operating system command: titles and hyperlinks. All others,
// the clipboard's (52) above all, have no effect here.
func (t *Terminal) osc(data []byte) {
	n, i := 0, 0
	for i < len(data) && data[i] >= '0' && data[i] <= '9' && n < 1<<20 {
		n = n*10 + int(data[i]-'0')
		i++
	}
	if i == 0 {
		return
	}
	data = bytes.TrimPrefix(data[i:], []byte{';'})
	switch n {
	case 0, 2:
		t.setTitle(data)
	case 8:
		t.setLink(data)
	case 10:
		t.tellColor(n, t.opt.Foreground, data)
	case 11:
		t.tellColor(n, t.opt.Background, data)
	}
	if t.opt.OSC != nil && !t.parser.capture {
		t.opt.OSC(n, data)
	}
}

// setTitle takes a title of valid UTF-8.
func (t *Terminal) setTitle(p []byte) {
	if len(p) > maxTitle || !utf8.Valid(p) {
		return
	}
	t.title = shownTitle(string(p))
}

// shownTitle is what can be shown of a title, within its bound.
func shownTitle(title string) string {
	if len(title) > maxTitle {
		title = title[:maxTitle]
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(title, ""))
}

// setLink begins or ends a hyperlink: "parameters;address". An address that is
// too long or not printable ASCII, as RFC 3986 wants it, ends the link.
func (t *Terminal) setLink(p []byte) {
	_, uri, ok := bytes.Cut(p, []byte{';'})
	if !ok {
		return
	}
	t.penChanged()
	t.pen.link = 0
	if len(uri) == 0 || len(uri) > maxLinkBytes {
		return
	}
	for _, b := range uri {
		if b <= 0x20 || b >= 0x7f {
			return
		}
	}
	t.pen.link = t.tab.link(string(uri))
}

// tellColor answers the question for a colour of the terminal, ended as it was.
// One that is not known is not told, as in tmux.
func (t *Terminal) tellColor(n int, c Color, question []byte) {
	if string(question) != "?" || c.Kind() != KindRGB {
		return
	}
	end := "\x1b\\"
	if t.parser.bell {
		end = "\a"
	}
	r, g, b := c.RGB()
	t.reply(fmt.Sprintf("\x1b]%d;rgb:%02[2]x%02[2]x/%02[3]x%02[3]x/%02[4]x%02[4]x%[5]s", n, r, g, b, end))
}
