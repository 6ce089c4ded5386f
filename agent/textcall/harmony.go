package textcall

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"sync"
)

var (
	harmonyEnds = []string{"<|call|>", "<|end|>", "<|return|>", "<|start|>"}
	// thoughtEnds end what is thought also where the server has taken the end mark away.
	thoughtEnds = append(slices.Clone(harmonyEnds), "<|channel|>")
	harmonyTo   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bto=([A-Za-z0-9_.-]+)`) })
	analysis    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<\|channel\|>\s*analysis\b`) })
)

// people are recipients that are no tools.
var people = []string{"assistant", "user", "all", "self"}

// recipientOf is the tool that a message is for; empty for an answer or reasoning.
func recipientOf(header string) string {
	for _, m := range harmonyTo().FindAllStringSubmatch(header, -1) {
		if !slices.Contains(people, m[1]) {
			return m[1]
		}
	}
	return ""
}

// maxHeader bounds what stands before a message, in bytes.
const maxHeader = 1 << 10

// harmony reads one message of gpt-oss: a header and a text. The channel says
// what it is: an answer, reasoning, or, with a recipient, a call.
func (p *Parser) harmony(m mark) bool {
	const message = "<|message|>"
	begin := p.buf[:min(len(p.buf), maxHeader)]
	at := strings.Index(begin, message)
	if at < 0 {
		switch {
		case !p.final && len(p.buf) < maxHeader:
			return false
		case recipientOf(begin) != "":
			return p.spoil(len(begin), errOpen)
		}
		p.drop(len(m.open))
		return true
	}
	header, from := p.buf[:at], at+len(message)
	to := recipientOf(header)
	switch {
	case to == "" && analysis().MatchString(header):
		return p.thought(from)
	case to == "":
		p.drop(from) // the answer, or words before a call
		return true
	}
	return p.harmonyCall(to, from)
}

// harmonyCall reads the arguments of a call, from a place on to the end of its message.
func (p *Parser) harmonyCall(to string, from int) bool {
	for at, tries := from, 1; ; tries++ {
		i, end := first(p.buf, at, harmonyEnds)
		if i < 0 {
			if !p.final {
				return false
			}
			// The server may have taken the last token away.
			i, end = len(p.buf), ""
		}
		v, n, err := readValue(strings.TrimSpace(p.buf[from:i]))
		if err == nil && n != len(strings.TrimSpace(p.buf[from:i])) {
			err = errors.New("something follows its arguments")
		}
		switch {
		case errors.Is(err, errOpen) && end != "" && tries < maxEnds:
			at = i + len(end)
			continue
		case err != nil:
			return p.spoil(i+len(end), err)
		}
		if end == "<|start|>" {
			end = ""
		}
		raw := p.buf[:i+len(end)]
		p.add(len(raw), p.book.make(to, v, true, raw))
		return true
	}
}

// thought takes away what is thought, from a place on to its end.
func (p *Parser) thought(from int) bool {
	end, mark := first(p.buf, from, thoughtEnds)
	if end < 0 {
		if !p.final {
			return false
		}
		end = len(p.buf)
	}
	p.think.WriteString(p.buf[from:end])
	if mark == "<|start|>" || mark == "<|channel|>" {
		mark = "" // it begins the next message
	}
	p.drop(end + len(mark))
	return true
}
