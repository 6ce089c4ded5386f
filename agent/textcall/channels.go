package textcall

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

var (
	callOpen = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<\|open\|>call((?:\s+[a-z]+="[^"]*")*)\s*<\|sep\|>`)
	})
	argumentOpen = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<\|open\|>argument((?:\s+[a-z]+="[^"]*")*)\s*<\|sep\|>`)
	})
	attribute = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([a-z]+)="([^"]*)"`) })
)

const (
	callClose     = "<|close|>call<|sep|>"
	argumentClose = "<|close|>argument<|sep|>"
)

// channels reads the calls in Kimi K3's channel for tools. Its marks are tokens of their
// own, so none of them stands in an argument.
func (p *Parser) channels(m mark) bool {
	from := len(m.open)
	i, end := first(p.buf, from, m.ends)
	if i < 0 {
		if !p.final {
			return false
		}
		return p.spoil(len(p.buf), errOpen)
	}
	after := i + len(end)
	var calls []Call
	for s := strings.TrimSpace(p.buf[from:i]); s != ""; {
		c, n, err := p.book.channelCall(s)
		if err != nil {
			return p.spoil(after, err)
		}
		calls, s = append(calls, c), strings.TrimSpace(s[n:])
	}
	if len(calls) == 0 {
		return p.spoil(after, errors.New("it names no tool"))
	}
	p.add(after, calls...)
	return true
}

// channelCall reads one call from the beginning of s.
func (b book) channelCall(s string) (c Call, n int, err error) {
	m := callOpen().FindStringSubmatch(s)
	if m == nil {
		return c, 0, fmt.Errorf("%q is no call", head(s))
	}
	name, args, n := attributes(m[1])["tool"], value{kind: '{'}, len(m[0])
	for {
		rest := strings.TrimLeft(s[n:], " \t\r\n")
		n = len(s) - len(rest)
		if strings.HasPrefix(rest, callClose) {
			n += len(callClose)
			return b.make(name, args, true, s[:n]), n, nil
		}
		m := argumentOpen().FindStringSubmatch(rest)
		if m == nil {
			return c, 0, fmt.Errorf("%q is no argument", head(rest))
		}
		text, _, ended := strings.Cut(rest[len(m[0]):], argumentClose)
		switch {
		case !ended:
			return c, 0, errOpen
		case strings.Contains(text, "<|open|>"):
			return c, 0, errNoEnd
		}
		of := attributes(m[1])
		if of["key"] == "" {
			return c, 0, errors.New("an argument has no name")
		}
		v := value{kind: 's', text: text}
		if of["type"] != "" && of["type"] != "string" {
			var length int
			if v, length, err = readValue(text + " "); err != nil || strings.TrimSpace(text[min(length, len(text)):]) != "" {
				return c, 0, fmt.Errorf("the argument %q is no JSON", of["key"])
			}
		}
		if err := args.set(of["key"], v); err != nil {
			return c, 0, err
		}
		n += len(m[0]) + len(text) + len(argumentClose)
	}
}

// attributes are those of a tag.
func attributes(s string) map[string]string {
	all := map[string]string{}
	for _, m := range attribute().FindAllStringSubmatch(s, -1) {
		all[m[1]] = strings.ReplaceAll(strings.ReplaceAll(m[2], "&quot;", `"`), "&amp;", "&")
	}
	return all
}
