package tmux

import (
	"bytes"
	"fmt"
)

// maxLine bounds one line of the protocol. tmux writes at most a few hundred
// kilobytes of pane output in one line; the rest is a broken peer.
const maxLine = 16 << 20

// maxReply bounds the body of one reply.
const maxReply = 64 << 20

// events receives what a parser reads, in the order of the stream and on the
// goroutine that writes to the parser.
type events interface {
	// output is what the program in a pane wrote. data is valid during the call.
	output(pane string, data []byte)

	// begin announces a reply and says how many lines its body surely has, so
	// that a body line which looks like the end of the reply is not taken for
	// it.
	begin(ours bool) (lines int)

	// reply is a finished reply. lines belongs to the callee.
	reply(ours, ok bool, lines [][]byte)

	// notify is any other notification: its name without "%" and the rest of
	// the line.
	notify(name, args string)
}

// parser reads tmux's control mode protocol from a stream that is cut anywhere.
// It is an io.Writer; an error means that the peer does not speak the protocol.
type parser struct {
	to   events
	held []byte // an unfinished line
	data []byte // scratch for unescaping
	err  error

	inReply bool
	head    []byte // what stands behind "%begin" and again behind "%end"
	ours    bool
	sure    int // body lines that cannot be the end
	body    [][]byte
	size    int
}

func (p *parser) Write(b []byte) (int, error) {
	if p.err != nil {
		return 0, p.err
	}
	for rest := b; len(rest) > 0; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			p.held = append(p.held, rest...)
			if len(p.held) > maxLine {
				p.err = fmt.Errorf("tmux: a line of more than %d bytes", maxLine)
				return 0, p.err
			}
			break
		}
		line := rest[:i]
		rest = rest[i+1:]
		if len(p.held) > 0 {
			p.held = append(p.held, line...)
			line = p.held
		}
		p.line(line)
		p.held = p.held[:0]
		if p.err != nil {
			return 0, p.err
		}
	}
	return len(b), nil
}

func (p *parser) line(l []byte) {
	if p.inReply {
		p.bodyLine(l)
		return
	}
	if len(l) == 0 || l[0] != '%' {
		return // a stray line, such as a shell's greeting on a remote target
	}
	name, args, _ := bytes.Cut(l[1:], []byte{' '})
	switch string(name) {
	case "output":
		if pane, data, ok := bytes.Cut(args, []byte{' '}); ok {
			p.to.output(string(pane), p.unescape(data))
		}
	case "extended-output":
		pane, rest, _ := bytes.Cut(args, []byte{' '})
		if _, data, ok := bytes.Cut(rest, []byte(" : ")); ok {
			p.to.output(string(pane), p.unescape(data))
		} else if data, ok := bytes.CutPrefix(rest, []byte(": ")); ok {
			p.to.output(string(pane), p.unescape(data))
		}
	case "begin":
		p.inReply = true
		p.head = append(p.head[:0], args...)
		p.ours = flagged(args)
		p.sure = p.to.begin(p.ours)
		p.body, p.size = nil, 0
	default:
		p.to.notify(string(name), string(args))
	}
}

func (p *parser) bodyLine(l []byte) {
	if p.sure <= 0 {
		end, isEnd := bytes.CutPrefix(l, []byte("%end "))
		bad, isBad := bytes.CutPrefix(l, []byte("%error "))
		if isEnd && bytes.Equal(end, p.head) || isBad && bytes.Equal(bad, p.head) {
			p.inReply = false
			body := p.body
			p.body = nil
			p.to.reply(p.ours, isEnd, body)
			return
		}
	}
	p.sure--
	if p.size += len(l) + 1; p.size > maxReply {
		p.err = fmt.Errorf("tmux: a reply of more than %d bytes", maxReply)
		return
	}
	p.body = append(p.body, bytes.Clone(l))
}

// flagged reports whether a "%begin" belongs to a command of this client: the
// third field is 1. Commands of hooks, and the one that started the client,
// carry 0.
func flagged(args []byte) bool {
	i := bytes.LastIndexByte(args, ' ')
	return i >= 0 && string(args[i+1:]) == "1"
}

// unescape resolves \ooo, as which tmux writes bytes below space and the
// backslash. The result is valid until the next call.
func (p *parser) unescape(s []byte) []byte {
	if bytes.IndexByte(s, '\\') < 0 {
		return s
	}
	p.data = appendUnescaped(p.data[:0], s)
	return p.data
}

func appendUnescaped(dst, s []byte) []byte {
	for {
		i := bytes.IndexByte(s, '\\')
		if i < 0 {
			return append(dst, s...)
		}
		dst = append(dst, s[:i]...)
		s = s[i:]
		if len(s) >= 4 && isOctal(s[1]) && isOctal(s[2]) && isOctal(s[3]) {
			dst = append(dst, (s[1]-'0')<<6|(s[2]-'0')<<3|(s[3]-'0'))
			s = s[4:]
			continue
		}
		dst = append(dst, '\\')
		s = s[1:]
	}
}

func isOctal(b byte) bool { return '0' <= b && b <= '7' }
