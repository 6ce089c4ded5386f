package textcall

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// Call is one call that a model wrote.
type Call struct {
	Name string
	// Arguments is a JSON object; nil if Invalid is set.
	Arguments json.RawMessage
	// Raw is what the model wrote.
	Raw string
	// Invalid says why the call must not run; empty for a sound one.
	Invalid string
}

// book makes calls of what was read.
type book struct{ tools map[string]Tool }

// The names that models give to the parts of a call.
var (
	nameKeys     = []string{"name", "tool_name", "tool", "function", "action", "function_name", "recipient_name"}
	argumentKeys = []string{"arguments", "args", "parameters", "params", "action_input", "tool_input", "input", "kwargs"}
)

// broken is a call that cannot run, with what the model should do.
func broken(name, raw, why string) Call {
	return Call{Name: name, Raw: raw, Invalid: "the call cannot be read: " + why + "; write it again, whole"}
}

// make checks a name and arguments. given is false if there was nothing where
// the arguments should be.
func (b book) make(name string, args value, given bool, raw string) Call {
	name = strings.TrimPrefix(strings.TrimSpace(name), "functions.")
	switch {
	case name == "":
		return broken("", raw, "it names no tool")
	case given && args.kind == 's':
		// The arguments of OpenAI's own format are JSON in a string.
		inner, n, err := readValue(args.text + " ")
		if err != nil || n < len(strings.TrimSpace(args.text)) {
			return broken(name, raw, "its arguments are a text that is no JSON object")
		}
		args = inner
	}
	if given && args.kind != '{' {
		return broken(name, raw, "its arguments are no JSON object")
	}
	tool, known := b.tools[name]
	if !given || len(args.keys) == 0 {
		needs := tool.required()
		switch {
		case known && len(needs) > 0:
			return broken(name, raw, "its arguments are missing: "+strings.Join(needs, ", "))
		case !known && !given:
			return broken(name, raw, "its arguments are missing")
		}
		args = value{kind: '{'}
	}
	return Call{Name: name, Arguments: args.json(), Raw: raw}
}

// of makes calls of a JSON value: an object, or a list of them. ok is false if
// it has not the shape of a call.
func (b book) of(v value, raw string) (calls []Call, ok bool) {
	switch v.kind {
	case '[':
		for _, item := range v.items {
			more, ok := b.of(item, string(item.json()))
			if !ok {
				return nil, false
			}
			calls = append(calls, more...)
		}
		return calls, len(calls) > 0
	case '{':
		c, ok := b.object(v, raw)
		return []Call{c}, ok
	}
	return nil, false
}

// object makes a call of one object.
func (b book) object(v value, raw string) (c Call, ok bool) {
	if list, is := v.get("tool_calls"); is && list.kind == '[' && len(list.items) == 1 {
		return b.object(list.items[0], raw)
	}
	for _, key := range nameKeys {
		name, is := v.get(key)
		if !is {
			continue
		}
		if name.kind == '{' {
			return b.object(name, raw) // {"type":"function","function":{…}}
		}
		if name.kind != 's' {
			continue
		}
		args, given := value{}, false
		for _, key := range argumentKeys {
			a, is := v.get(key)
			if !is {
				continue
			}
			if given {
				return broken(name.text, raw, "it has arguments twice"), true
			}
			args, given = a, true
		}
		return b.make(name.text, args, given, raw), true
	}
	return Call{}, false
}

// known reports whether all calls are of tools that there are.
func (b book) known(calls []Call) bool {
	for _, c := range calls {
		if _, ok := b.tools[c.Name]; !ok {
			return false
		}
	}
	return len(calls) > 0
}

// payload reads what stands between the marks of a call: JSON, XML of several
// sorts, or a call in the manner of a programming language. The error is errOpen
// where more text could help.
func (b book) payload(s, raw string) ([]Call, error) {
	text := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(s), "<|plugin|>"))
	switch {
	case text == "":
		return nil, errOpen
	case text[0] == '{' || text[0] == '[':
		return b.wholeList(text, raw)
	case strings.HasPrefix(text, "call:"):
		return b.colon(text, raw)
	case strings.HasPrefix(text, "```"):
		inner, err := unfence(text)
		if err != nil {
			return nil, err
		}
		return b.payload(inner, raw)
	case text[0] == '<':
		return b.xml(text, raw)
	case pythonHead().MatchString(text):
		if calls, err := b.pythonLines(text); err == nil || errors.Is(err, errOpen) {
			return onlyOf(calls, raw), err
		}
	}
	return b.named(text, raw)
}

// wholeList reads values that are all of a text, or a list of calls in the manner of Python.
func (b book) wholeList(text, raw string) ([]Call, error) {
	calls, n, err := b.list(text)
	rest := ""
	if err == nil {
		rest = strings.TrimSpace(text[n:])
	}
	isList := text[0] == '['
	if isList && err != nil && !errors.Is(err, errOpen) || rest != "" {
		python, n, perr := b.pythonList(text)
		switch {
		case perr == nil && strings.TrimSpace(text[n:]) == "":
			return python, nil
		case errors.Is(perr, errOpen) && isList:
			return nil, errOpen
		}
	}
	if rest != "" {
		err = fmt.Errorf("%q follows it", head(rest))
	}
	return onlyOf(calls, raw), err
}

// onlyOf gives a call that is the only one all that the model wrote.
func onlyOf(calls []Call, raw string) []Call {
	if len(calls) == 1 {
		calls[0].Raw = raw
	}
	return calls
}

// pythonHead is how a call in the manner of Python begins.
var pythonHead = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*\(`) })

// head is the beginning of a text, for a message.
func head(s string) string {
	if len(s) > 20 {
		return strings.ToValidUTF8(s[:20], "") + "…"
	}
	return s
}

// list reads values that stand one after the other, with nothing between them
// but white space, commas and semicolons. n is how much that was.
func (b book) list(s string) (calls []Call, n int, err error) {
	for {
		v, length, err := readValue(s[n:])
		if err != nil {
			return nil, n, err
		}
		more, ok := b.of(v, strings.TrimSpace(s[n:n+length]))
		if !ok {
			return nil, n, errors.New("it does not have the name and the arguments of a call")
		}
		calls = append(calls, more...)
		n += length
		next := strings.TrimLeft(s[n:], " \t\r\n,;")
		if next == "" || next[0] != '{' && next[0] != '[' {
			return calls, n, nil
		}
		if _, another, _ := markOf(next); another {
			return calls, n, nil // [TOOL_CALLS]
		}
		n = len(s) - len(next)
	}
}

// colon reads call:NAME{arguments}, one or more.
func (b book) colon(s, raw string) ([]Call, error) {
	var calls []Call
	for s != "" {
		rest, ok := strings.CutPrefix(s, "call:")
		if !ok {
			return nil, fmt.Errorf("%q follows it", head(s))
		}
		at := strings.IndexByte(rest, '{')
		if at < 0 {
			return nil, errOpen
		}
		name := strings.TrimSpace(rest[:at])
		args, n, err := readValue(rest[at:])
		if err != nil {
			return nil, err
		}
		if !isName(name) {
			return nil, fmt.Errorf("%q is no name of a tool", head(name))
		}
		calls = append(calls, b.make(name, args, true, raw))
		s = strings.TrimSpace(rest[at+n:])
	}
	return calls, nil
}

func isName(s string) bool {
	for i := range len(s) {
		if !nameByte(s[i]) && s[i] != ':' && s[i] != '/' {
			return false
		}
	}
	return s != ""
}

// named reads a name and then arguments: GLM's keys and values, JSON, or JSON in
// a fence.
func (b book) named(s, raw string) ([]Call, error) {
	end := strings.IndexAny(s, "\n<{(` \t")
	if end < 0 {
		if !isName(s) {
			return nil, fmt.Errorf("%q is no call", head(s))
		}
		return []Call{b.make(s, value{}, false, raw)}, nil
	}
	name, rest := s[:end], strings.TrimSpace(s[end:])
	if !isName(name) {
		return nil, fmt.Errorf("%q is no name of a tool", head(name))
	}
	rest = strings.TrimSpace(strings.TrimPrefix(rest, "<tool_sep>"))
	switch {
	case rest == "":
		return []Call{b.make(name, value{}, false, raw)}, nil
	case rest[0] == '(':
		c, n, err := b.pythonCall(s)
		if err == nil && strings.TrimSpace(s[n:]) != "" {
			err = fmt.Errorf("%q follows it", head(s[n:]))
		}
		c.Raw = raw
		return []Call{c}, err
	case rest[0] == '<':
		args, err := b.pairs(name, rest)
		if err != nil {
			return nil, err
		}
		return []Call{b.make(name, args, true, raw)}, nil
	case strings.HasPrefix(rest, "```"):
		var err error
		if rest, err = unfence(rest); err != nil {
			return nil, err
		}
	}
	args, n, err := readValue(rest)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(rest[n:]) != "" {
		return nil, fmt.Errorf("%q follows it", head(strings.TrimSpace(rest[n:])))
	}
	return []Call{b.make(name, args, true, raw)}, nil
}

// unfence is what stands in a code fence that is all of s.
func unfence(s string) (string, error) {
	line := strings.IndexByte(s, '\n')
	if line < 0 {
		return "", errOpen
	}
	inner, ok := strings.CutSuffix(strings.TrimSpace(s[line:]), "```")
	if !ok {
		return "", errOpen
	}
	return strings.TrimSpace(inner), nil
}
