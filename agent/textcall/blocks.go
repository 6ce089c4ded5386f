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

// tagged reads up to the first end that leaves a whole call before it.
func (p *Parser) tagged(m mark) bool {
	from := len(m.open)
	list := strings.TrimLeft(p.buf[from:], " \t\r\n")
	switch {
	case m.open == "<tool_calls>":
		// Some wrap each call once more; then the outer mark says nothing.
		if strings.HasPrefix(list, "<tool_call>") {
			p.drop(from)
			return true
		}
		if strings.HasPrefix("<tool_call>", list) && !p.final {
			return false
		}
	case (m.open == "<|tool_call|>" || m.open == "<tool_call>") && strings.HasPrefix(list, "["):
		// Granite's list has no end of its own.
		return p.values(mark{m.open, values, m.ends})
	}
	done, end := p.upToEnd(from, m.ends, func(i int, end string) (after int, calls []Call, err error) {
		after = i + len(end)
		inner := p.buf[from:i]
		if m.open[from-1] == '=' {
			inner = p.buf[:after] // the mark is a part of the tag
		}
		if r := plainer[m.open]; r != nil {
			inner = r.Replace(inner)
		}
		calls, err = p.book.payload(inner, p.buf[:after])
		return after, calls, err
	})
	if done || !p.final {
		return done
	}
	if end < 0 {
		end = len(p.buf)
	}
	return p.spoil(end, errOpen)
}

// upToEnd reads calls up to the first of some ends that leaves whole ones before it. An end
// within a string of a call is none. read is given the place of an end, and says what is to be
// taken away with the calls. If there is no such end, firstEnd is up to where the first one
// went, -1 without any.
func (p *Parser) upToEnd(from int, ends []string, read func(i int, end string) (after int, calls []Call, err error)) (done bool, firstEnd int) {
	firstEnd = -1
	for at, tries := from, 1; ; tries++ {
		i, end := first(p.buf, at, ends)
		if i < 0 {
			return false, firstEnd
		}
		after, calls, err := read(i, end)
		if err == nil {
			p.add(after, calls...)
			return true, after
		}
		if firstEnd < 0 {
			firstEnd = after
		}
		if !errors.Is(err, errOpen) || tries == maxEnds {
			return p.spoil(firstEnd, err), firstEnd
		}
		at = i + len(end)
	}
}

// values reads JSON up to its own end, and an end mark where there is one.
func (p *Parser) values(m mark) bool {
	rest := strings.TrimLeft(p.buf[len(m.open):], " \t\r\n")
	if rest == "" {
		if !p.final {
			return false
		}
		return p.spoil(len(p.buf), errOpen)
	}
	at := len(p.buf) - len(rest)
	calls, n, err := p.book.listOrPython(rest)
	switch {
	case errors.Is(err, errOpen) && !p.final:
		return false
	case err != nil:
		return p.spoilValues(at, m.ends, err)
	}
	end, more := p.endBehind(at+n, m.ends)
	if more {
		return false
	}
	p.add(end, calls...)
	return true
}

// listOrPython reads values, or a list of calls in the manner of Python.
func (b book) listOrPython(s string) (calls []Call, n int, err error) {
	calls, n, err = b.list(s)
	if err != nil && !errors.Is(err, errOpen) && s[0] == '[' {
		if python, m, perr := b.pythonList(s); perr == nil || errors.Is(perr, errOpen) {
			return python, m, perr
		}
	}
	return calls, n, err
}

// spoilValues takes away values that cannot be read: up to their end if they have one, or else
// to the end of the line.
func (p *Parser) spoilValues(at int, ends []string, err error) bool {
	end := len(p.buf)
	if i, mark := first(p.buf, at, append([]string{"\n"}, ends...)); i >= 0 && !errors.Is(err, errOpen) {
		end = i + len(mark)
	}
	if end == len(p.buf) && !p.final {
		return false
	}
	return p.spoil(end, err)
}

// endBehind is where values end, with the end mark that follows them, if one does. more means
// that it takes more text to tell.
func (p *Parser) endBehind(after int, ends []string) (end int, more bool) {
	tail := strings.TrimLeft(p.buf[after:], " \t\r\n")
	if !p.final && (strings.Trim(tail, ",; \t\r\n") == "" || partial(tail, ends) == len(tail)) {
		return 0, true
	}
	for _, mark := range ends {
		if strings.HasPrefix(tail, mark) {
			return len(p.buf) - len(tail) + len(mark), false
		}
	}
	return after, false
}

// python reads calls in the manner of Python, or JSON, up to the first end that leaves
// whole calls before it.
func (p *Parser) python(m mark) bool {
	from := len(m.open)
	done, firstEnd := p.upToEnd(from, m.ends, func(i int, end string) (after int, calls []Call, err error) {
		after = i + len(end)
		if end == m.open {
			after = i // it begins the next call
		}
		calls, err = p.book.pythonOrJSON(p.buf[from:i])
		return after, calls, err
	})
	switch {
	case done || !p.final:
		return done
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
	from := len(m.open)
	other, _ := first(p.buf, from, beginOther)
	if other >= 0 && p.endless(from, other) {
		return true
	}
	done, end := p.upToEnd(from, beginEnds, func(i int, end string) (after int, calls []Call, err error) {
		after = i + len(end)
		calls, err = p.separated(p.buf[from:i], p.buf[:after])
		return after, calls, err
	})
	if done || !p.final {
		return done
	}
	switch {
	case end >= 0:
		return p.spoil(end, errOpen)
	case other >= 0:
		return p.spoil(other, errOpen)
	}
	if sep, _ := first(p.buf, from, kimiSeparators); sep >= 0 {
		// Servers leave Kimi's last mark out. The reply has ended, so a whole value is all of it.
		if calls, err := p.separated(p.buf[from:], p.buf); err == nil {
			p.add(len(p.buf), calls...)
			return true
		}
	}
	return p.spoil(len(p.buf), errOpen)
}

// endless reads a call without an end mark, which some leave out, up to a mark that is no end.
// It reports whether there is one. A mark within a string of the call is none.
func (p *Parser) endless(from, other int) bool {
	if end, _ := first(p.buf, from, beginEnds); end >= 0 && end <= other {
		return false
	}
	calls, err := p.separated(p.buf[from:other], p.buf[:other])
	if err != nil {
		return false
	}
	p.add(other, calls...)
	return true
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
