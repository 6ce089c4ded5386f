package textcall

import (
	"strings"
)

// fenceOrCode decides about back quotes or tildes at the beginning of a line.
func (p *Parser) fenceOrCode() bool {
	c := p.buf[:1]
	n := len(p.buf) - len(strings.TrimLeft(p.buf, c))
	if n == len(p.buf) && !p.final {
		return false
	}
	if n < 3 {
		if c == "`" {
			return p.code()
		}
		p.text(n)
		return true
	}
	end := strings.IndexByte(p.buf, '\n')
	if end < 0 {
		if !p.final {
			return false
		}
		p.text(len(p.buf))
		return true
	}
	info := strings.ToLower(strings.TrimSpace(p.buf[n:end]))
	switch info {
	case "tool_call", "tool_calls", "tool_use", "function_call":
		return p.fencedCall(end, c, false)
	case "tool_code":
		return p.fencedCall(end, c, true)
	case "json", "":
		if !p.wordy && len(p.calls) == 0 {
			return p.onlyFence(end, strings.Repeat(c, n))
		}
	}
	p.fence = strings.Repeat(c, n)
	p.text(end + 1)
	return true
}

// inFence passes on what stands in a code fence, up to its end.
func (p *Parser) inFence() bool {
	if p.line == "" {
		trimmed := strings.TrimLeft(p.buf, " ")
		end := strings.IndexByte(p.buf, '\n')
		if end < 0 && !p.final && (trimmed == "" || strings.Trim(trimmed, p.fence[:1]+" \t\r") == "") {
			return false
		}
		line := p.buf
		if end >= 0 {
			line = p.buf[:end]
		}
		mark := strings.TrimSpace(line)
		if len(mark) >= len(p.fence) && strings.Trim(mark, p.fence[:1]) == "" {
			p.text(len(line))
			p.fence = ""
			return true
		}
	}
	end := strings.IndexByte(p.buf, '\n') + 1
	if end == 0 {
		end = len(p.buf)
	}
	p.text(end)
	return true
}

// code passes on code within a line.
func (p *Parser) code() bool {
	n := len(p.buf) - len(strings.TrimLeft(p.buf, "`"))
	rest := p.buf[n:min(len(p.buf), n+maxCode)]
	line := strings.IndexByte(rest, '\n')
	if line >= 0 {
		rest = rest[:line]
	} else if len(rest) == maxCode {
		line = maxCode
	}
	for from := 0; ; {
		at := strings.Index(rest[from:], p.buf[:n])
		if at < 0 {
			break
		}
		at += from
		end := at + n
		for end < len(rest) && rest[end] == '`' {
			end++
		}
		if end == len(rest) && line < 0 && !p.final {
			return false // more of them may follow
		}
		if end-at == n {
			p.text(n + end)
			return true
		}
		from = end
	}
	if line < 0 && !p.final {
		return false
	}
	p.text(n) // no code after all
	return true
}

// fencedCall reads a fence that says that it is a call.
func (p *Parser) fencedCall(from int, c string, inPython bool) bool {
	end, after := fenceEnd(p.buf, from, strings.Repeat(c, 3), p.final)
	if end < 0 {
		if !p.final {
			return false
		}
		return p.spoil(len(p.buf), errOpen)
	}
	body := p.buf[from:end]
	var calls []Call
	var err error
	if inPython {
		calls, err = p.book.pythonLines(body)
	} else {
		calls, err = p.book.payload(body, p.buf[:after])
	}
	if err != nil {
		return p.spoil(after, err)
	}
	p.add(after, calls...)
	return true
}

// fenceEnd is where the line with the end of a fence begins and ends; -1 if it is
// not there.
func fenceEnd(s string, from int, fence string, final bool) (end, after int) {
	for at := from; ; {
		i := strings.Index(s[at:], "\n"+fence)
		if i < 0 {
			return -1, 0
		}
		at += i + 1
		stop := strings.IndexByte(s[at:], '\n')
		if stop < 0 {
			if !final {
				return -1, 0
			}
			stop = len(s) - at
		}
		if strings.Trim(s[at:at+stop], fence[:1]+" \t\r") == "" {
			return at, at + stop
		}
	}
}

// onlyFence reads a fence with JSON that is all of the reply: some models write
// their calls so. With anything beside it, it is an example.
func (p *Parser) onlyFence(from int, fence string) bool {
	if !p.final {
		return false
	}
	end, after := fenceEnd(p.buf, from, fence, true)
	if end >= 0 && strings.TrimSpace(p.buf[after:]) == "" {
		body := strings.TrimSpace(p.buf[from:end])
		if calls, n, err := p.book.list(body); err == nil && n == len(body) && p.book.known(calls) {
			p.add(len(p.buf), calls...)
			return true
		}
	}
	p.fence = fence
	p.text(from + 1)
	return true
}
