package textcall

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// space is what stands for a family's own words in its tags: before a colon (minimax:,
// steptml:), or between bars (DeepSeek's DSML, GigaChat's GCML). blank is white space, also
// as byte-level tokenizers write it, or none where they lose it.
const (
	space = `(?:[a-z]+:|[|｜][A-Z]{2,8}[|｜] ?)?`
	blank = `[\sĠ]*`
)

// The tags that calls are written with.
var (
	functionTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<` + space + `function(?:=|` + blank + `name=)\s*["']?([A-Za-z0-9_.:/-]+)["']?\s*>`)
	})
	invokeTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<` + space + `invoke` + blank + `name=["']([^"'>]+)["']\s*>`)
	})
	parameterTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<` + space + `param(?:eter)?(?:=([A-Za-z0-9_.-]+)|` + blank + `name=["']([^"'>]+)["'])(?:\s+(?:string|type)=["'](true|false|[a-z]+)["'])?\s*>`)
	})
	parameterWithin = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`<` + space + `param(?:eter)?(?:=|` + blank + `name=)`)
	})
	halfMarked   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*<!?\[?CDATA`) })
	parameterEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`</` + space + `param(?:eter)?(?:=[A-Za-z0-9_.-]+)?>`)
	})
	invokeEnd = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^</` + space + `(?:invoke|function)(?:=[A-Za-z0-9_.-]+)?>`)
	})
	wrapTag = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^</?` + space + `(?:function_calls|tool_calls|tool_call|functions)>`)
	})
)

var (
	errNoCall = errors.New("it has no tag of a call")
	errNoEnd  = errors.New("an argument has no certain end")
)

// xml reads one or more calls that are written with tags.
func (b book) xml(s, raw string) (calls []Call, err error) {
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		if m := wrapTag().FindString(s); m != "" {
			s = s[len(m):]
			continue
		}
		c, n, err := b.element(s)
		if err != nil {
			return nil, err
		}
		calls = append(calls, c)
		s = s[n:]
	}
	if len(calls) == 0 {
		return nil, errOpen
	}
	return onlyOf(calls, raw), nil
}

// element reads one call from the beginning of s.
func (b book) element(s string) (c Call, n int, err error) {
	m := invokeTag().FindStringSubmatch(s)
	if m == nil {
		m = functionTag().FindStringSubmatch(s)
	}
	switch {
	case m != nil:
	case strings.HasPrefix(s, "<name>") || strings.HasPrefix(s, "<tool_name>"):
		return b.parts(s)
	default:
		return c, 0, unlessOpen(s, errNoCall)
	}
	body := strings.TrimLeft(s[len(m[0]):], " \t\r\n")
	at := len(s) - len(body)
	if body != "" && (body[0] == '{' || body[0] == '[') {
		return b.elementOfJSON(m[1], s, at)
	}
	return b.elementOfParameters(m[1], s, at)
}

// unlessOpen is an error of a text that is no tag, unless the tag may be yet to end.
func unlessOpen(text string, err error) error {
	if !strings.Contains(text, ">") {
		return errOpen
	}
	return err
}

// elementOfJSON reads the arguments of a call, and the tag that ends it, from a place in s on.
func (b book) elementOfJSON(name, s string, at int) (c Call, n int, err error) {
	args, length, err := readValue(s[at:])
	if err != nil {
		return c, 0, err
	}
	rest := strings.TrimLeft(s[at+length:], " \t\r\n")
	end := invokeEnd().FindString(rest)
	if end == "" {
		return c, 0, unlessOpen(rest, fmt.Errorf("%q follows its arguments", head(rest)))
	}
	n = len(s) - len(rest) + len(end)
	return b.make(name, args, true, s[:n]), n, nil
}

// elementOfParameters reads the parameters of a call, and the tag that ends it, from a place
// in s on.
func (b book) elementOfParameters(name, s string, at int) (c Call, n int, err error) {
	args, given := value{kind: '{'}, false
	for {
		rest := strings.TrimLeft(s[at:], " \t\r\n")
		at = len(s) - len(rest)
		if end := invokeEnd().FindString(rest); end != "" {
			at += len(end)
			return b.make(name, args, given, s[:at]), at, nil
		}
		length, err := b.addParameter(&args, name, rest)
		if err != nil {
			return c, 0, err
		}
		given = true
		at += length
	}
}

// addParameter reads a parameter from the beginning of s. length is how long it is.
func (b book) addParameter(args *value, tool, s string) (length int, err error) {
	tag := parameterTag().FindStringSubmatch(s)
	if tag == nil {
		return 0, unlessOpen(s, fmt.Errorf("%q is no parameter", head(s)))
	}
	key, isString := tag[1]+tag[2], tag[3]
	text, n, marked, err := content(s[len(tag[0]):])
	if err != nil {
		return 0, err
	}
	if !marked && isString != "true" && (strings.HasPrefix(text, "\n") || strings.HasPrefix(text, "\r\n")) {
		text = trimmed(text) // else the value is all of it, with the line feed at its end
	}
	v, err := b.parameter(tool, key, text, isString)
	if err != nil {
		return 0, err
	}
	return len(tag[0]) + n, args.set(key, v)
}

// trimmed is a text without the line ends that the tags around it stand on.
func trimmed(text string) string {
	text = strings.TrimPrefix(strings.TrimPrefix(text, "\r"), "\n")
	return strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
}

// content is the text of a parameter, and how long it is with the tag that ends it. marked
// is set if it stands in a section where nothing else is a tag.
func content(s string) (text string, n int, marked bool, err error) {
	const open, end = "<![CDATA[", "]]>"
	from := 0
	if inner := strings.TrimLeft(s, " \t\r\n"); strings.HasPrefix(inner, open) {
		at := strings.Index(inner, end)
		if at < 0 {
			return "", 0, false, errOpen
		}
		text, from = inner[len(open):at], len(s)-len(inner)+at+len(end)
		if parameterWithin().MatchString(text) {
			return "", 0, false, errNoEnd
		}
	}
	tag := parameterEnd().FindStringIndex(s[from:])
	switch {
	case tag == nil:
		return "", 0, false, errOpen
	case from == 0 && (parameterWithin().MatchString(s[:tag[0]]) || halfMarked().MatchString(s[:tag[0]])):
		return "", 0, false, errNoEnd // its own may be missing, and this one another's
	case from == 0:
		return s[:tag[0]], tag[1], false, nil
	case strings.TrimSpace(s[from:from+tag[0]]) != "":
		return "", 0, false, errors.New("something follows its marked section")
	}
	return text, from + tag[1], true, nil
}

// set adds a key that is not there yet.
func (v *value) set(key string, item value) error {
	if _, twice := v.get(key); twice {
		return fmt.Errorf("the argument %q stands there twice", key)
	}
	v.keys, v.items = append(v.keys, key), append(v.items, item)
	return nil
}

// parameter is the value of a parameter: text, or what its tool takes. isString is what
// the model says of its type.
func (b book) parameter(tool, key, text, isString string) (value, error) {
	switch isString {
	case "":
	case "true", "string", "str":
		return value{kind: 's', text: text}, nil
	default:
		v, n, err := readValue(text + " ")
		switch {
		case err == nil && strings.TrimSpace(text[min(n, len(text)):]) == "":
			return v, nil
		case strings.ContainsAny(text, `[]{}"`):
			return v, fmt.Errorf("the argument %q %w", key, errNoJSON)
		}
	}
	return b.tools[strings.TrimPrefix(tool, "functions.")].typed(key, text)
}

var (
	nameElement = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^<(name|tool_name)>\s*([A-Za-z0-9_.:/-]+)\s*</(?:name|tool_name)>\s*`)
	})
	argsElement = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<(arguments|parameters|args)>`) })
	argsEnd     = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*</(?:arguments|parameters|args)>`) })
)

// parts reads <name>…</name><arguments>{…}</arguments>.
func (b book) parts(s string) (c Call, n int, err error) {
	m := nameElement().FindStringSubmatch(s)
	if m == nil {
		return c, 0, errOpen
	}
	rest := s[len(m[0]):]
	open := argsElement().FindString(rest)
	if open == "" {
		if rest == "" || strings.HasPrefix("<arguments>", rest) || strings.HasPrefix("<parameters>", rest) {
			return c, 0, errOpen
		}
		return c, 0, errors.New("its arguments are missing")
	}
	args, length, err := readValue(rest[len(open):])
	if err != nil {
		return c, 0, err
	}
	end := argsEnd().FindString(rest[len(open)+length:])
	if end == "" {
		return c, 0, errOpen
	}
	n = len(m[0]) + len(open) + length + len(end)
	return b.make(m[2], args, true, s[:n]), n, nil
}

var (
	argKey   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<arg_key>\s*([^<]*?)\s*</arg_key>\s*`) })
	argValue = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)^<arg_value>(.*?)</arg_value>\s*`) })
)

// pairs reads GLM's keys and values.
func (b book) pairs(tool, s string) (value, error) {
	args := value{kind: '{'}
	for s = strings.TrimSpace(s); s != ""; {
		k := argKey().FindStringSubmatch(s)
		if k == nil {
			if strings.Contains(s, "</arg_key>") || !strings.HasPrefix(s, "<arg_key>"[:min(len(s), 9)]) {
				return args, fmt.Errorf("%q is no key of an argument", head(s))
			}
			return args, errOpen
		}
		v := argValue().FindStringSubmatch(s[len(k[0]):])
		if v == nil {
			return args, errOpen
		}
		if strings.Contains(v[1], "<arg_key>") || strings.Contains(v[1], "<arg_value>") {
			return args, errNoEnd
		}
		item, err := b.parameter(tool, k[1], v[1], "")
		if err == nil {
			err = args.set(k[1], item)
		}
		if err != nil {
			return args, err
		}
		s = s[len(k[0])+len(v[0]):]
	}
	return args, nil
}
