package textcall

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	// MaxCalls bounds the calls of one reply.
	MaxCalls = 128
	// maxEnds bounds how many ends of a call are tried, each of which may stand
	// in one of its strings.
	maxEnds = 64
	// maxCode bounds code within a line, in bytes.
	maxCode = 4 << 10
	// maxLine is how much of a line is kept, and maxLook what shows whether a
	// reply begins like a call.
	maxLine, maxLook = 256, 64
)

// Parser reads one reply as it streams. Not safe for concurrent use.
type Parser struct {
	book  book
	buf   string // what has not been decided yet
	more  []byte // what follows it
	again int    // how long buf has to be before it is worth another look
	said  strings.Builder
	think strings.Builder
	given int // how much of said was returned by Push
	space string
	calls []Call

	line   string // the beginning of the present line, as the model wrote it
	last   string // the end of it
	about  bool   // it speaks of marks: those that follow are not meant either
	fence  string // what the code fence that is open began with; empty outside
	final  bool   // nothing follows any more
	wordy  bool   // something visible was said
	quoted bool   // the model's channel is its reasoning
}

// NewParser returns a parser for a reply of a model that has these tools.
func NewParser(tools []Tool) *Parser {
	p := &Parser{book: book{tools: make(map[string]Tool, len(tools))}}
	for _, t := range tools {
		p.book.tools[t.Name] = t
	}
	return p
}

// Parse reads a whole reply.
func Parse(tools []Tool, reply string) Reply {
	p := NewParser(tools)
	p.Push(reply)
	return p.End()
}

// Reply is what a reply comes to.
type Reply struct {
	// Text is what is left without the calls.
	Text string
	// Reasoning is what the model wrote into a channel of its own for that.
	Reasoning string
	// Calls are all calls, of whatever family, in the order in which they stand.
	Calls []Call
}

// Push takes the next piece and returns the visible text that is certain now.
// Together with what later calls return it is Reply.Text, whatever the pieces.
func (p *Parser) Push(piece string) string {
	p.more = append(p.more, piece...)
	if len(p.buf)+len(p.more) >= p.again {
		p.run()
	}
	return p.fresh()
}

// Literal adds text in which nothing is a call. It ends what is left undecided, so it
// comes last before End.
func (p *Parser) Literal(text string) {
	p.final = true
	p.run()
	p.buf, p.fence = text, ""
	p.text(len(text))
}

// End ends the reply. What was not returned by Push is the end of Reply.Text.
func (p *Parser) End() Reply {
	p.final = true
	p.run()
	return Reply{Text: p.said.String(), Reasoning: p.think.String(), Calls: p.calls}
}

func (p *Parser) fresh() string {
	all := p.said.String()
	text := all[p.given:]
	p.given = len(all)
	return text
}

// run decides as much as can be decided. Each step looks at what is there and at
// nothing else, so how it came in pieces makes no difference.
func (p *Parser) run() {
	p.buf, p.more = p.buf+string(p.more), p.more[:0]
	for p.buf != "" {
		if !p.step() {
			if p.final {
				p.text(len(p.buf)) // cannot be: each step decides at the end
			}
			// Looking again costs as much as there is, so it must have grown.
			p.again = len(p.buf) + len(p.buf)/8 + 1
			return
		}
		p.again = 0
	}
}

// interesting are the bytes that something may begin with.
const interesting = "<[]{`~\nAf>"

// step decides about the beginning of what is there; false means that it is too
// short for that.
func (p *Parser) step() bool {
	switch {
	case len(p.calls) == MaxCalls:
		p.text(len(p.buf)) // what follows is not looked at any more
		return true
	case p.fence != "":
		return p.inFence()
	case p.line == "" && p.buf[0] == ' ' && p.empty():
		p.drop(1) // what a reply begins with is looked at without the blanks before it
		return true
	}
	if done, more := p.special(); done || more {
		return done
	}
	p.text(p.ordinary())
	return true
}

// special reads what is no text, or code, where that begins here. more means that it takes
// more text to tell.
func (p *Parser) special() (done, more bool) {
	switch c := p.buf[0]; {
	case p.mayFence(c):
		return orMore(p.fenceOrCode())
	case c == '`':
		return orMore(p.code())
	case c == '<' || c == '[' || c == ']':
		if done, more := p.markHere(); done || more {
			return done, more
		}
	}
	switch c := p.buf[0]; {
	case (c == '{' || c == '[') && p.empty() && p.indented():
		return orMore(p.bare())
	case p.line == "":
		return p.lineBegins()
	case c == '>':
		return p.recipientWithin()
	}
	return false, false
}

// orMore is what a reader has decided; if it has not, it takes more text.
func orMore(decided bool) (done, more bool) { return decided, !decided }

// empty reports whether the reply has neither words nor calls so far.
func (p *Parser) empty() bool { return !p.wordy && len(p.calls) == 0 }

// indented reports whether there is nothing but white space before this in its line.
func (p *Parser) indented() bool { return strings.TrimSpace(p.line) == "" }

// mayFence reports whether a code fence may begin here, with the byte c.
func (p *Parser) mayFence(c byte) bool {
	return (c == '`' || c == '~') && len(p.line) <= 3 && p.indented()
}

// markHere reads what a mark begins that stands here and is meant. more means that it takes
// more text to tell.
func (p *Parser) markHere() (done, more bool) {
	m, found, maybe := markOf(p.buf)
	if found && !p.shown() {
		return orMore(p.marked(m))
	}
	return false, maybe && !p.final
}

// lineBegins reads the calls that count at the beginning of a line alone, or of the reply.
// more means that it takes more text to tell.
func (p *Parser) lineBegins() (done, more bool) {
	if done, more := p.lineForm(); done || more || !p.empty() {
		return done, more
	}
	return p.opening()
}

// recipientWithin is recipient behind something else in a line. more means that it takes more
// text to tell.
func (p *Parser) recipientWithin() (done, more bool) {
	const open = ">>>"
	switch {
	case !strings.HasPrefix(p.buf, open):
		return false, !p.final && strings.HasPrefix(open, p.buf)
	case p.shown():
		return false, false
	}
	return p.recipient()
}

// ordinary is how much of what is there is text, up to where something may begin.
func (p *Parser) ordinary() int {
	if p.buf[0] == '\n' {
		return 1 // what a line begins with is looked at
	}
	if n := strings.IndexAny(p.buf[1:], interesting); n >= 0 {
		return n + 1
	}
	return len(p.buf)
}

// text passes n bytes on as visible.
func (p *Parser) text(n int) {
	for _, part := range strings.SplitAfter(p.buf[:n], "\n") {
		if strings.HasSuffix(part, "\n") {
			p.line, p.last, p.about = "", "", false
		} else if part != "" {
			p.line += part[:min(len(part), maxLine-len(p.line))]
			p.last = part[max(0, len(part)-utf8.UTFMax):]
		}
	}
	s := p.space + p.buf[:n]
	if !p.wordy {
		s = strings.TrimLeft(s, " \t\r\n")
	}
	p.buf = p.buf[n:]
	kept := strings.TrimRight(s, " \t\r\n")
	p.space = s[len(kept):]
	if kept == "" {
		return
	}
	p.wordy = true
	if p.quoted {
		p.think.WriteString(kept)
		return
	}
	p.said.WriteString(kept)
}

// drop takes n bytes away, which are no text.
func (p *Parser) drop(n int) { p.buf = p.buf[n:] }

// add takes n bytes away, which were calls.
func (p *Parser) add(n int, calls ...Call) {
	p.drop(n)
	for _, c := range calls {
		if len(p.calls) == MaxCalls-1 {
			p.calls = append(p.calls, broken(c.Name, c.Raw, "the reply has too many calls"))
			return
		}
		p.calls = append(p.calls, c)
	}
}

// spoil takes n bytes away, which were meant to be a call.
func (p *Parser) spoil(n int, err error) bool {
	raw := p.buf[:n]
	name := ""
	if m := someName().FindStringSubmatch(raw); m != nil {
		name = m[1] + m[2] + m[3]
	}
	why := err.Error()
	if errors.Is(err, errOpen) {
		why = "it has no end"
	}
	p.add(n, broken(name, raw, why))
	return true
}

// spoilLine takes away what was meant to be a call, to the end of the line in
// which it cannot be read: at its byte n.
func (p *Parser) spoilLine(n int, err error) bool {
	end := strings.IndexByte(p.buf[n:], '\n')
	switch {
	case errors.Is(err, errOpen) || end < 0 && p.final:
		return p.spoil(len(p.buf), err)
	case end < 0:
		return false
	}
	return p.spoil(n+end, err)
}

// someName finds the tool that a broken call was meant for.
var someName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`["']?(?:tool_)?name["']?\s*[:=]\s*["']([A-Za-z0-9_.-]+)|<function=([A-Za-z0-9_.-]+)|\bcall:([A-Za-z0-9_.-]+)`)
})

// shown reports whether what stands here is spoken about and not meant: in a
// quotation, or in a line of a log.
func (p *Parser) shown() bool {
	if p.line == "" {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(p.last)
	p.about = p.about || strings.ContainsRune("\"'“‘„«", before) || shownLine().MatchString(p.line)
	return p.about
}

var shownLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s{0,3}>|^\[?\d{4}-\d\d-\d\d|^\[?\d\d:\d\d|^[A-Z][a-z]{2} [ \d]\d \d\d:|^(?:DEBUG|INFO|WARN|WARNING|ERROR|TRACE)\b|^[+\-]{1,3} |^\$ |^#|^\d+[:|]`)
})

// meant finds the name in what begins like a call.
var meant = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[\[{\s]*["']?(?:name|tool|tool_name|function|action|function_name)["']?\s*:\s*["']([A-Za-z0-9_.-]+)["']`)
})

// likeCall is how a reply begins that may be nothing but calls.
var likeCall = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\[?\s*\{\s*["']?[a-z_]+["']?\s*:|^\[\s*[A-Za-z_][A-Za-z0-9_.-]*\(`)
})

// endTokens are what some servers leave at the end of a reply.
var endTokens = []string{"<|eom_id|>", "<|eot_id|>", "<|im_end|>", "<end_of_turn>"}

// bare reads a reply that is nothing but calls, without any mark.
func (p *Parser) bare() bool {
	if len(p.buf) < maxLook && !p.final {
		return false
	}
	if !likeCall().MatchString(p.buf[:min(len(p.buf), maxLook)]) {
		p.text(1)
		return true
	}
	if !p.final {
		return false
	}
	whole := strings.TrimSpace(p.buf)
	for _, token := range endTokens {
		whole = strings.TrimSpace(strings.TrimSuffix(whole, token))
	}
	calls, err := p.book.alone(whole)
	switch {
	case len(calls) > 0:
		p.add(len(p.buf), calls...)
	case err != nil && p.book.isMeant(whole):
		return p.spoil(len(p.buf), err)
	default:
		p.text(1)
	}
	return true
}

// alone reads a text that is nothing but calls of tools that there are. There are none if it
// is something else.
func (b book) alone(whole string) ([]Call, error) {
	if whole[0] == '[' {
		if calls, n, err := b.pythonList(whole); err == nil && n == len(whole) && b.known(calls) {
			return calls, nil
		}
	}
	calls, n, err := b.list(whole)
	if err != nil || strings.Trim(whole[n:], "; \r\n\t") != "" || !b.known(calls) {
		return nil, err
	}
	return calls, nil
}

// isMeant reports whether a text begins like a call of a tool that there is.
func (b book) isMeant(text string) bool {
	m := meant().FindStringSubmatch(text)
	if m == nil {
		return false
	}
	_, known := b.tools[m[1]]
	return known
}
