package vt

import (
	"bytes"
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
	}
	if t.opt.OSC != nil && !t.parser.capture {
		t.opt.OSC(n, data)
	}
}

// setTitle takes a title of valid UTF-8 and drops what cannot be shown.
func (t *Terminal) setTitle(p []byte) {
	if len(p) > maxTitle || !utf8.Valid(p) {
		return
	}
	t.title = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, string(p))
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
