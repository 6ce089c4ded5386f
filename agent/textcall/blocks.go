package textcall

import (
	"errors"
	"regexp"
	"strings"
	"sync"
)

// marked reads what a mark begins.
func (p *Parser) marked(m mark) bool {
	switch m.form {
	case tagged:
		return p.tagged(m)
	case values:
		return p.values(m)
	case mistral:
		return p.mistral(m)
	case begun:
		return p.begun(m)
	case harmony:
		return p.harmony(m)
	case python:
		return p.python(m)
	case keyed:
		return p.keyed(m)
	case channels:
		return p.channels(m)
	case elements:
		return p.elements(m)
	}
	p.drop(len(m.open))
	return true
}

// plainer make what stands between some marks like what stands between others: without the
// word in each of Hunyuan's newer tags, and without PLaMo's tags around name and arguments.
var plainer = map[string]*strings.Replacer{
	"<tool_call:opensource>": strings.NewReplacer(":opensource>", ">"),
	plamo: strings.NewReplacer("<|plamo:begin_tool_name:plamo|>", "", "<|plamo:end_tool_name:plamo|>", " ", "<|plamo:begin_tool_arguments:plamo|>", " ",
		"<|plamo:constrain|>json", "", "<|plamo:msg|>", "", "<|plamo:end_tool_arguments:plamo|>", ""),
}

const plamo = "<|plamo:begin_tool_request:plamo|>"

// tagged reads up to the first end that leaves a whole call before it. An end
// within a string of the call is none.
func (p *Parser) tagged(m mark) bool {
	from := len(m.open)
	body := from
	if m.open[len(m.open)-1] == '=' {
		body = 0 // the mark is a part of the tag
	}
	if m.open == "<tool_calls>" {
		// Some wrap each call once more; then the outer mark says nothing.
		switch inner := strings.TrimLeft(p.buf[from:], " \t\r\n"); {
		case strings.HasPrefix(inner, "<tool_call>"):
			p.drop(from)
			return true
		case strings.HasPrefix("<tool_call>", inner) && !p.final:
			return false
		}
	}
	if list := strings.TrimLeft(p.buf[from:], " \t\r\n"); m.open == "<|tool_call|>" || m.open == "<tool_call>" {
		// Granite's list has no end of its own.
		if strings.HasPrefix(list, "[") {
			return p.values(mark{m.open, values, m.ends})
		}
	}
	firstEnd := -1
	for at, tries := from, 1; ; tries++ {
		i, end := first(p.buf, at, m.ends)
		if i < 0 {
			break
		}
		after := i + len(end)
		inner := p.buf[body:i]
		if body == 0 {
			inner = p.buf[:after]
		}
		if r := plainer[m.open]; r != nil {
			inner = r.Replace(inner)
		}
		calls, err := p.book.payload(inner, p.buf[:after])
		switch {
		case err == nil:
			p.add(after, calls...)
			return true
		case firstEnd < 0:
			firstEnd = after
		}
		if !errors.Is(err, errOpen) || tries == maxEnds {
			return p.spoil(firstEnd, err)
		}
		at = after
	}
	if !p.final {
		return false
	}
	if firstEnd < 0 {
		firstEnd = len(p.buf)
	}
	return p.spoil(firstEnd, errOpen)
}

// values reads JSON up to its own end, and an end mark where there is one.
func (p *Parser) values(m mark) bool {
	from := len(m.open)
	rest := strings.TrimLeft(p.buf[from:], " \t\r\n")
	if rest == "" {
		if !p.final {
			return false
		}
		return p.spoil(len(p.buf), errOpen)
	}
	at := len(p.buf) - len(rest)
	calls, n, err := p.book.list(rest)
	if err != nil && !errors.Is(err, errOpen) && rest[0] == '[' {
		if python, m, perr := p.book.pythonList(rest); perr == nil || errors.Is(perr, errOpen) {
			calls, n, err = python, m, perr
		}
	}
	switch {
	case errors.Is(err, errOpen) && !p.final:
		return false
	case err != nil:
		// Up to its end if it has one, or else to the end of the line.
		end := len(p.buf)
		if i, mark := first(p.buf, at, append([]string{"\n"}, m.ends...)); i >= 0 && !errors.Is(err, errOpen) {
			end = i + len(mark)
		}
		if end == len(p.buf) && !p.final {
			return false
		}
		return p.spoil(end, err)
	}
	after := at + n
	tail := strings.TrimLeft(p.buf[after:], " \t\r\n")
	if !p.final && (strings.Trim(tail, ",; \t\r\n") == "" || partial(tail, m.ends) == len(tail)) {
		return false
	}
	for _, end := range m.ends {
		if strings.HasPrefix(tail, end) {
			after = len(p.buf) - len(tail) + len(end)
			break
		}
	}
	p.add(after, calls...)
	return true
}

// python reads calls in the manner of Python, or JSON, up to the first end that leaves
// whole calls before it. An end within a string of a call is none.
func (p *Parser) python(m mark) bool {
	from, firstEnd := len(m.open), -1
	for at, tries := from, 1; ; tries++ {
		i, end := first(p.buf, at, m.ends)
		if i < 0 {
			break
		}
		after := i + len(end)
		if end == m.open {
			after = i // it begins the next call
		}
		calls, err := p.book.pythonOrJSON(p.buf[from:i])
		switch {
		case err == nil:
			p.add(after, calls...)
			return true
		case firstEnd < 0:
			firstEnd = after
		}
		if !errors.Is(err, errOpen) || tries == maxEnds {
			return p.spoil(firstEnd, err)
		}
		at = i + len(end)
	}
	switch {
	case !p.final:
		return false
	case firstEnd >= 0:
		return p.spoil(firstEnd, errOpen)
	case m.open == "<|tool_call_start|>" || m.open == "<|python_start|>":
		return p.spoil(len(p.buf), errOpen)
	}
	// The server may have taken the last token away.
	calls, err := p.book.pythonOrJSON(p.buf[from:])
	if err != nil {
		return p.spoil(len(p.buf), err)
	}
	p.add(len(p.buf), calls...)
	return true
}

func (b book) pythonOrJSON(s string) ([]Call, error) {
	body := strings.TrimSpace(s)
	if !strings.HasPrefix(body, "{") && !startsWithObject(body) {
		return b.pythonLines(body)
	}
	calls, n, err := b.list(body)
	if err == nil && strings.Trim(body[n:], "; \r\n\t") != "" {
		err = errors.New("something follows it")
	}
	return calls, err
}

// startsWithObject reports whether a text is a list whose first item is an object.
func startsWithObject(s string) bool {
	rest, ok := strings.CutPrefix(s, "[")
	return ok && strings.HasPrefix(strings.TrimLeft(rest, " \t\r\n"), "{")
}

// mistralHead is what may become a name and arguments.
var mistralHead = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_.-]*\s*(?:\[[A-Z_]*(?:\]\s*[A-Za-z0-9_-]*\s*)?)*$`)
})

var mistralName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*([A-Za-z0-9_.-]+)\s*(?:\[CALL_ID\]\s*[A-Za-z0-9_-]+\s*)?(?:\[ARGS\])?\s*\{`)
})

// mistral reads a list, or name[ARGS]{…} as newer models write it.
func (p *Parser) mistral(m mark) bool {
	rest := strings.TrimLeft(p.buf[len(m.open):], " \t\r\n")
	if rest == "" {
		if !p.final {
			return false
		}
		return p.spoil(len(p.buf), errOpen)
	}
	if rest[0] == '[' || rest[0] == '{' {
		return p.values(m)
	}
	at := len(p.buf) - len(rest)
	name := mistralName().FindStringSubmatch(rest)
	if name == nil {
		if mistralHead().MatchString(rest) && !p.final {
			return false
		}
		return p.spoilLine(at, errors.New("it has no name and arguments"))
	}
	at += len(name[0]) - 1
	v, n, err := readValue(p.buf[at:])
	switch {
	case errors.Is(err, errOpen) && !p.final:
		return false
	case err != nil:
		return p.spoilLine(at+n, err)
	}
	p.add(at+n, p.book.make(name[1], v, true, p.buf[:at+n]))
	return true
}

var (
	beginEnds      = concatSpellings("tool_call_end")
	beginOther     = concatSpellings("tool_call_begin", "tool_calls_section_end", "tool_calls_end", "tool_call_section_end")
	separators     = concatSpellings("tool_sep", "tool_call_argument_begin")
	kimiSeparators = concatSpellings("tool_call_argument_begin")
	kimiIndex      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`:\d+$`) })
	stepTag        = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(</?)steptml:`) })
)

func concatSpellings(names ...string) []string {
	var all []string
	for _, n := range names {
		all = append(all, spellings(n)...)
	}
	return all
}

// begun reads name, separator, arguments, end; DeepSeek's older models write the
// call's type in front, and the arguments in a fence.
func (p *Parser) begun(m mark) bool {
	from, firstEnd := len(m.open), -1
	if other, _ := first(p.buf, from, beginOther); other >= 0 {
		if end, _ := first(p.buf, from, beginEnds); end < 0 || end > other {
			// Some leave the end marks out. A mark within a string of the call is none.
			if calls, err := p.separated(p.buf[from:other], p.buf[:other]); err == nil {
				p.add(other, calls...)
				return true
			}
		}
	}
	for at, tries := from, 1; ; tries++ {
		i, end := first(p.buf, at, beginEnds)
		if i < 0 {
			break
		}
		calls, err := p.separated(p.buf[from:i], p.buf[:i+len(end)])
		if err == nil {
			p.add(i+len(end), calls...)
			return true
		}
		if firstEnd < 0 {
			firstEnd = i + len(end)
		}
		if !errors.Is(err, errOpen) || tries == maxEnds {
			return p.spoil(firstEnd, err)
		}
		at = i + len(end)
	}
	if !p.final {
		return false
	}
	if firstEnd < 0 {
		firstEnd = len(p.buf)
		if i, _ := first(p.buf, from, beginOther); i >= 0 {
			firstEnd = i
		} else if sep, _ := first(p.buf, from, kimiSeparators); sep >= 0 {
			// Servers leave Kimi's last mark out. The reply has ended, so a whole value is all of it.
			if calls, err := p.separated(p.buf[from:], p.buf); err == nil {
				p.add(len(p.buf), calls...)
				return true
			}
		}
	}
	return p.spoil(firstEnd, errOpen)
}

func (p *Parser) separated(s, raw string) ([]Call, error) {
	i, sep := first(s, 0, separators)
	if i < 0 {
		return nil, errors.New("nothing separates its name from its arguments")
	}
	name, rest := strings.TrimSpace(s[:i]), strings.TrimSpace(s[i+len(sep):])
	switch {
	case name == "function" && strings.HasPrefix(rest, "<"):
		return p.book.xml(stepTag().ReplaceAllString(rest, "$1"), raw)
	case name == "function":
		return p.book.named(rest, raw)
	}
	name = kimiIndex().ReplaceAllString(name, "")
	if !isName(name) {
		return nil, errors.New("it names no tool")
	}
	if strings.HasPrefix(rest, "```") {
		var err error
		if rest, err = unfence(rest); err != nil {
			return nil, err
		}
	}
	v, n, err := readValue(rest)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(rest[n:]) != "" {
		return nil, errors.New("something follows its arguments")
	}
	return []Call{p.book.make(name, v, true, raw)}, nil
}

// keyed reads a list of objects, each of which has the arguments under the tool's name.
func (p *Parser) keyed(m mark) bool {
	from := len(m.open)
	v, n, err := readValue(p.buf[from:])
	switch {
	case errors.Is(err, errOpen) && !p.final:
		return false
	case err != nil:
		return p.spoilLine(from+n, err)
	}
	end := from + n
	tail := strings.TrimLeft(p.buf[end:], " \t\r\n")
	if !p.final && (tail == "" || partial(tail, m.ends) == len(tail)) {
		return false
	}
	if strings.HasPrefix(tail, m.ends[0]) {
		end = len(p.buf) - len(tail) + len(m.ends[0])
	}
	items := v.items
	if v.kind == '{' {
		items = []value{v}
	}
	var calls []Call
	for _, item := range items {
		if item.kind != '{' || len(item.keys) != 1 {
			return p.spoil(end, errors.New("it is not one tool's name with its arguments"))
		}
		calls = append(calls, p.book.make(item.keys[0], item.items[0], true, string(item.json())))
	}
	if len(calls) == 0 {
		return p.spoil(end, errors.New("it names no tool"))
	}
	p.add(end, calls...)
	return true
}
