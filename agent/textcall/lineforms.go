package textcall

import (
	"errors"
	"regexp"
	"strings"
	"sync"
)

// lineForm decides about what is a call at the beginning of a line: "Action:" of
// ReAct and Command-R, "functools[" of Phi, ">>>" of Functionary. more means that
// it takes more text to tell.
func (p *Parser) lineForm() (done, more bool) {
	for _, f := range []struct {
		open string
		read func() (done, more bool)
	}{
		{"Action:", p.action}, {"functools[", p.functools}, {">>>", p.recipient},
		{"function call<|role_sep|>", p.roleCall("function call<|role_sep|>", "<|message_sep|>")},
		{"-> tool/function_call\n", p.roleCall("-> tool/function_call\n", "<|im_end|>")},
		{"to=functions.", p.toTool}, {"commentary to=functions.", p.toTool}, {"assistant to=functions.", p.toTool},
	} {
		if strings.HasPrefix(p.buf, f.open) {
			return f.read()
		}
		if !p.final && strings.HasPrefix(f.open, p.buf) {
			return false, true
		}
	}
	return false, false
}

// toTool reads a message of gpt-oss whose first tokens the server has taken away.
func (p *Parser) toTool() (done, more bool) {
	return orMore(p.harmony(mark{}))
}

// roleCall reads what follows a role that is the call's mark, as GigaChat and HyperCLOVA X
// have it.
func (p *Parser) roleCall(open, end string) func() (done, more bool) {
	return func() (done, more bool) {
		return orMore(p.values(mark{open, values, []string{end}}))
	}
}

// functools reads functools[{…}].
func (p *Parser) functools() (done, more bool) {
	body := p.buf[len("functools"):]
	calls, n, err := p.book.list(body)
	switch {
	case errors.Is(err, errOpen) && !p.final:
		return false, true
	case err != nil:
		return orMore(p.spoilLine(len("functools")+n, err))
	}
	p.add(len("functools")+n, calls...)
	return true, false
}

// recipient reads >>>name and JSON in the next line; ">>>all" is text.
func (p *Parser) recipient() (done, more bool) {
	end := len(">>>")
	for end < len(p.buf) && nameByte(p.buf[end]) {
		end++
	}
	if end == len(p.buf) || p.buf[end:] == "\r" {
		return false, !p.final
	}
	name, line := p.buf[len(">>>"):end], strings.TrimPrefix(p.buf[end:], "\r")
	switch _, known := p.book.tools[name]; {
	case line[0] != '\n':
		return false, false
	case name == "all":
		p.drop(len(p.buf) - len(line) + 1)
		return true, false
	case !known:
		return false, false
	}
	return p.callOf(name, end)
}

// callOf reads the arguments of a call from a place on. more means that it takes more text to
// tell.
func (p *Parser) callOf(name string, at int) (done, more bool) {
	v, n, err := readValue(p.buf[at:])
	switch {
	case errors.Is(err, errOpen) && !p.final:
		return false, true
	case err != nil:
		return orMore(p.spoilLine(at+n, err))
	}
	p.add(at+n, p.book.make(name, v, true, p.buf[:at+n]))
	return true, false
}

var (
	actionName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^Action:[ \t]*`?([A-Za-z0-9_.-]+)`?[ \t]*\r?\n") })
	actionInput = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*Action[ _]Input:[ \t]*`) })
	actionJSON  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile("^Action:\\s*(?:```(?:json)?\\s*)?[\\[{]") })
)

// action reads "Action: name" and "Action Input: {…}" of a tool that there is, or
// "Action:" and JSON.
func (p *Parser) action() (done, more bool) {
	body := strings.TrimLeft(p.buf[len("Action:"):], " \t\r\n")
	switch {
	case body == "" || strings.HasPrefix("```json\n", body):
		return false, !p.final
	case actionJSON().MatchString(p.buf):
		return p.actionValues(strings.IndexAny(p.buf, "[{"))
	}
	m := actionName().FindStringSubmatch(p.buf)
	if m == nil {
		return false, !p.final && !strings.Contains(p.buf, "\n")
	}
	if _, known := p.book.tools[m[1]]; !known {
		return false, false
	}
	return p.actionInput(m[1], len(m[0]))
}

// actionValues reads the calls behind "Action:", which are JSON from a place on.
func (p *Parser) actionValues(at int) (done, more bool) {
	calls, n, err := p.book.list(p.buf[at:])
	end := at + n
	switch {
	case errors.Is(err, errOpen) && !p.final:
		return false, true
	case err != nil && !meant().MatchString(p.buf[at:]):
		return false, false
	case err != nil:
		return orMore(p.spoilLine(end, err))
	case !p.book.known(calls):
		return false, false
	case strings.Contains(p.buf[:at], "```"):
		if end, more = p.fenceBehind(end); more {
			return false, true
		}
	}
	p.add(end, calls...)
	return true, false
}

// fenceBehind is where the end of a code fence is that follows a place, or that place if none
// does. more means that it takes more text to tell.
func (p *Parser) fenceBehind(at int) (end int, more bool) {
	rest := strings.TrimLeft(p.buf[at:], " \t\r\n")
	if after, ok := strings.CutPrefix(rest, "```"); ok {
		return len(p.buf) - len(after), false
	}
	return at, !p.final && strings.HasPrefix("```", rest)
}

// actionInput reads the arguments of a call whose name ends at a place.
func (p *Parser) actionInput(name string, at int) (done, more bool) {
	rest := p.buf[at:]
	in := actionInput().FindString(rest)
	if in == "" {
		next := strings.TrimLeft(rest, " \t\r\n")
		if !p.final && (strings.TrimSpace(rest) == "" || strings.HasPrefix("Action Input:", next) || strings.HasPrefix("Action_Input:", next)) {
			return false, true
		}
		return p.spoil(at, errors.New("it has no \"Action Input:\"")), false
	}
	at += len(in)
	if rest := p.buf[at:]; strings.HasPrefix(rest, "```") {
		if line := strings.IndexByte(rest, '\n'); line >= 0 {
			at += line + 1
		}
	}
	return p.callOf(name, at)
}

// opening reads a reply that begins with a tool's name and is nothing but calls: name and
// JSON, as Functionary goes on behind the ">>>" of its prompt, or calls in the manner of
// Python, as Granite writes them. more means that it takes more text to tell.
func (p *Parser) opening() (done, more bool) {
	for name := range p.book.tools {
		for _, next := range []string{"\n", "("} {
			switch open := name + next; {
			case strings.HasPrefix(p.buf, open):
				return p.openingCall(name, next)
			case !p.final && strings.HasPrefix(open, p.buf):
				more = true
			}
		}
	}
	return false, more
}

func (p *Parser) openingCall(name, next string) (done, more bool) {
	if next == "(" {
		return p.openingLines()
	}
	return p.openingValue(name, len(name)+len(next))
}

// openingLines reads a reply that is nothing but calls in the manner of Python.
func (p *Parser) openingLines() (done, more bool) {
	if !p.final {
		return false, true
	}
	calls, err := p.book.pythonLines(strings.TrimSpace(p.buf))
	if err != nil || !p.book.known(calls) {
		return false, false
	}
	p.add(len(p.buf), calls...)
	return true, false
}

// openingValue reads the arguments of a call from a place on, which another one may follow, and
// nothing else.
func (p *Parser) openingValue(name string, at int) (done, more bool) {
	if rest := strings.TrimLeft(p.buf[at:], " \t\r\n"); rest == "" || rest[0] != '{' {
		return false, rest == "" && !p.final
	}
	v, n, err := readValue(p.buf[at:])
	if errors.Is(err, errOpen) && !p.final {
		return false, true
	}
	n += at
	rest := strings.TrimLeft(p.buf[min(n, len(p.buf)):], " \t\r\n")
	switch {
	case err == nil && !p.final && strings.HasPrefix(">>>", rest[:min(len(rest), 3)]) && len(rest) < 3:
		return false, true
	case err == nil && (rest == "" || strings.HasPrefix(rest, ">>>")):
		p.add(n, p.book.make(name, v, true, p.buf[:n]))
		return true, false
	case errors.Is(err, errOpen):
		return p.spoil(len(p.buf), err), false
	}
	return false, false
}
