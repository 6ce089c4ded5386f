package textcall

import (
	"errors"
	"regexp"
	"strings"
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
const interesting = "<[{`~\nAf>"

// step decides about the beginning of what is there; false means that it is too
// short for that.
func (p *Parser) step() bool {
	switch {
	case len(p.calls) == MaxCalls:
		p.text(len(p.buf)) // what follows is not looked at any more
		return true
	case p.fence != "":
		return p.inFence()
	}
	blank := strings.TrimSpace(p.line) == ""
	switch c := p.buf[0]; {
	case blank && (c == '`' || c == '~') && len(p.line) <= 3:
		return p.fenceOrCode()
	case c == '`':
		return p.code()
	case c == '<' || c == '[':
		if m, found, maybe := markOf(p.buf); found && !p.shown() {
			return p.marked(m)
		} else if maybe && !p.final {
			return false
		}
	}
	if blank && !p.wordy && len(p.calls) == 0 && (p.buf[0] == '{' || p.buf[0] == '[') {
		return p.bare()
	}
	if p.line == "" {
		if done, more := p.lineForm(); more || done {
			return done
		}
	}
	n := strings.IndexAny(p.buf[1:], interesting) + 1
	if n == 0 {
		n = len(p.buf)
	}
	p.text(n)
	return true
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
	if m := someName.FindStringSubmatch(raw); m != nil {
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
var someName = regexp.MustCompile(`["']?(?:tool_)?name["']?\s*[:=]\s*["']([A-Za-z0-9_.-]+)|<function=([A-Za-z0-9_.-]+)|\bcall:([A-Za-z0-9_.-]+)`)

// shown reports whether what stands here is spoken about and not meant: in a
// quotation, or in a line of a log.
func (p *Parser) shown() bool {
	if p.line == "" {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(p.last)
	p.about = p.about || strings.ContainsRune("\"'“‘„«", before) || shownLine.MatchString(p.line)
	return p.about
}

var shownLine = regexp.MustCompile(`^\s{0,3}>|^\[?\d{4}-\d\d-\d\d|^\[?\d\d:\d\d|^[A-Z][a-z]{2} [ \d]\d \d\d:|^(?:DEBUG|INFO|WARN|WARNING|ERROR|TRACE)\b|^[+\-]{1,3} |^\$ |^#|^\d+[:|]`)

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

// meant finds the name in what begins like a call.
var meant = regexp.MustCompile(`^[\[{\s]*["']?(?:name|tool|tool_name|function|action|function_name)["']?\s*:\s*["']([A-Za-z0-9_.-]+)["']`)

// likeCall is how a reply begins that may be nothing but calls.
var likeCall = regexp.MustCompile(`^\[?\s*\{\s*["']?[a-z_]+["']?\s*:|^\[\s*[A-Za-z_][A-Za-z0-9_.-]*\(`)

// bare reads a reply that is nothing but calls, without any mark.
func (p *Parser) bare() bool {
	if len(p.buf) < maxLook && !p.final {
		return false
	}
	if !likeCall.MatchString(p.buf[:min(len(p.buf), maxLook)]) {
		p.text(1)
		return true
	}
	if !p.final {
		return false
	}
	whole := strings.TrimSpace(p.buf)
	for _, token := range []string{"<|eom_id|>", "<|eot_id|>", "<|im_end|>", "<end_of_turn>"} {
		whole = strings.TrimSpace(strings.TrimSuffix(whole, token))
	}
	if whole[0] == '[' {
		if calls, n, err := p.book.pythonList(whole); err == nil && n == len(whole) && p.book.known(calls) {
			p.add(len(p.buf), calls...)
			return true
		}
	}
	calls, n, err := p.book.list(whole)
	if err == nil && strings.Trim(whole[n:], "; \r\n\t") == "" && p.book.known(calls) {
		p.add(len(p.buf), calls...)
		return true
	}
	if m := meant.FindStringSubmatch(whole); m != nil && err != nil {
		if _, known := p.book.tools[m[1]]; known {
			return p.spoil(len(p.buf), err)
		}
	}
	p.text(1)
	return true
}

// lineForm decides about what is a call at the beginning of a line: "Action:" of
// ReAct and Command-R, "functools[" of Phi, ">>>" of Functionary. more means that
// it takes more text to tell.
func (p *Parser) lineForm() (done, more bool) {
	for _, f := range []struct {
		open string
		read func() (done, more bool)
	}{{"Action:", p.action}, {"functools[", p.functools}, {">>>", p.recipient}} {
		if strings.HasPrefix(p.buf, f.open) {
			return f.read()
		}
		if !p.final && strings.HasPrefix(f.open, p.buf) {
			return false, true
		}
	}
	return false, false
}

// functools reads functools[{…}].
func (p *Parser) functools() (done, more bool) {
	body := p.buf[len("functools"):]
	calls, n, err := p.book.list(body)
	switch {
	case errors.Is(err, errOpen) && !p.final:
		return false, true
	case err != nil:
		done = p.spoilLine(len("functools")+n, err)
		return done, !done
	}
	p.add(len("functools")+n, calls...)
	return true, false
}

// recipient reads >>>name and JSON in the next line; ">>>all" is text.
func (p *Parser) recipient() (done, more bool) {
	end := strings.IndexByte(p.buf, '\n')
	if end < 0 {
		return false, !p.final
	}
	name := strings.TrimSpace(p.buf[3:end])
	if name == "all" {
		p.drop(end + 1)
		return true, false
	}
	if _, known := p.book.tools[name]; !known {
		return false, false
	}
	v, n, err := readValue(p.buf[end:])
	switch {
	case errors.Is(err, errOpen) && !p.final:
		return false, true
	case err != nil:
		done = p.spoilLine(end+n, err)
		return done, !done
	}
	p.add(end+n, p.book.make(name, v, true, p.buf[:end+n]))
	return true, false
}

var (
	actionName  = regexp.MustCompile("^Action:[ \t]*`?([A-Za-z0-9_.-]+)`?[ \t]*\r?\n")
	actionInput = regexp.MustCompile(`^\s*Action[ _]Input:[ \t]*`)
	actionJSON  = regexp.MustCompile("^Action:\\s*(?:```(?:json)?\\s*)?[\\[{]")
)

// action reads "Action: name" and "Action Input: {…}" of a tool that there is, or
// "Action:" and JSON.
func (p *Parser) action() (done, more bool) {
	open := func() (bool, bool) { return false, !p.final }
	body := strings.TrimLeft(p.buf[len("Action:"):], " \t\r\n")
	if body == "" || strings.HasPrefix("```json\n", body) {
		return open()
	}
	if actionJSON.MatchString(p.buf) {
		at := strings.IndexAny(p.buf, "[{")
		calls, n, err := p.book.list(p.buf[at:])
		if errors.Is(err, errOpen) && !p.final {
			return false, true
		}
		if err != nil {
			if m := meant.FindStringSubmatch(p.buf[at:]); m == nil {
				return false, false
			}
			done = p.spoilLine(at+n, err)
			return done, !done
		}
		if !p.book.known(calls) {
			return false, false
		}
		n += at
		if strings.Contains(p.buf[:at], "```") {
			rest := strings.TrimLeft(p.buf[n:], " \t\r\n")
			if !p.final && strings.HasPrefix("```", rest) && rest != "```" {
				return false, true
			}
			if after, ok := strings.CutPrefix(rest, "```"); ok {
				n = len(p.buf) - len(after)
			}
		}
		p.add(n, calls...)
		return true, false
	}
	m := actionName.FindStringSubmatch(p.buf)
	if m == nil {
		if strings.Contains(p.buf, "\n") {
			return false, false
		}
		return open()
	}
	if _, known := p.book.tools[m[1]]; !known {
		return false, false
	}
	rest := p.buf[len(m[0]):]
	in := actionInput.FindString(rest)
	if in == "" {
		if !p.final && (strings.TrimSpace(rest) == "" || strings.HasPrefix("Action Input:", strings.TrimLeft(rest, " \t\r\n")) || strings.HasPrefix("Action_Input:", strings.TrimLeft(rest, " \t\r\n"))) {
			return open()
		}
		return p.spoil(len(m[0]), errors.New("it has no \"Action Input:\"")), false
	}
	at := len(m[0]) + len(in)
	if rest := p.buf[at:]; strings.HasPrefix(rest, "```") {
		if line := strings.IndexByte(rest, '\n'); line >= 0 {
			at += line + 1
		}
	}
	v, n, err := readValue(p.buf[at:])
	switch {
	case errors.Is(err, errOpen) && !p.final:
		return false, true
	case err != nil:
		done = p.spoilLine(at+n, err)
		return done, !done
	}
	p.add(at+n, p.book.make(m[1], v, true, p.buf[:at+n]))
	return true, false
}
