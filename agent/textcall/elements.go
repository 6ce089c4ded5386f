package textcall

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// betweenTags is the token that stands before each tag of MiniMax M3's.
const betweenTags = "]<]minimax[>["

var (
	elementInvoke = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<invoke name="([^">]+)">$`) })
	elementTag    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^<(/?[^<>/\s"=]+)>$`) })
)

// element is a tag with the text behind it, up to the next tag.
type element struct{ tag, text string }

// elements reads the calls of MiniMax M3: each argument is an element of its own name, what
// a list holds are <item>s, and a token stands before each tag, so that none of them can be
// a part of a value.
func (p *Parser) elements(m mark) bool {
	from := len(m.open)
	i, end := first(p.buf, from, m.ends)
	if i < 0 {
		if !p.final {
			return false
		}
		return p.spoil(len(p.buf), errOpen)
	}
	after := i + len(end)
	calls, err := p.book.invocations(p.buf[from:i])
	if err != nil {
		return p.spoil(after, err)
	}
	p.add(after, calls...)
	return true
}

// invocations are the calls in a text of such elements.
func (b book) invocations(s string) (calls []Call, err error) {
	parts := strings.Split(s, betweenTags)
	if strings.TrimSpace(parts[0]) != "" {
		return nil, fmt.Errorf("%q stands before its call", head(strings.TrimSpace(parts[0])))
	}
	var all []element
	for _, part := range parts[1:] {
		at := strings.IndexByte(part, '>') + 1
		if at == 0 {
			return nil, fmt.Errorf("%q is no tag", head(part))
		}
		all = append(all, element{part[:at], part[at:]})
	}
	for len(all) > 0 {
		m := elementInvoke().FindStringSubmatch(all[0].tag)
		if m == nil || strings.TrimSpace(all[0].text) != "" {
			return nil, fmt.Errorf("%q begins no call", head(all[0].tag+all[0].text))
		}
		args := value{kind: '{'}
		for all = all[1:]; len(all) > 0 && all[0].tag != "</invoke>"; {
			key, v, rest, err := read(all, func(key string) map[string]any { return b.tools[m[1]].property(key) })
			if err != nil {
				return nil, err
			}
			if err := args.set(key, v); err != nil {
				return nil, err
			}
			all = rest
		}
		if len(all) == 0 || strings.TrimSpace(all[0].text) != "" {
			return nil, errors.New("a call in it has no end")
		}
		calls, all = append(calls, b.make(m[1], args, true, s)), all[1:]
	}
	if len(calls) == 0 {
		return nil, errors.New("it names no tool")
	}
	return calls, nil
}

// read takes the element that all begins with: a text, or what holds other elements.
func read(all []element, schemaOf func(key string) map[string]any) (key string, v value, rest []element, err error) {
	m := elementTag().FindStringSubmatch(all[0].tag)
	if m == nil || m[1][0] == '/' {
		return "", v, nil, fmt.Errorf("%q is no argument", head(all[0].tag))
	}
	key = m[1]
	end, schema := "</"+key+">", schemaOf(key)
	types := typesOf(schema)
	closing := slices.IndexFunc(all, func(e element) bool { return e.tag == end })
	if closing < 0 {
		return "", v, nil, fmt.Errorf("the argument %q has no end", key)
	}
	if closing == 1 {
		if v, err = typedAs(types, all[0].text); err != nil {
			return "", v, nil, fmt.Errorf("the argument %q %w", key, err)
		}
		rest, err = behind(all[1], all[2:])
		return key, v, rest, err
	}
	if slices.Contains(types, "string") && !slices.Contains(types, "object") && !slices.Contains(types, "array") {
		return "", v, nil, fmt.Errorf("the argument %q is a text, and holds tags", key)
	}
	if strings.TrimSpace(all[0].text) != "" {
		return "", v, nil, fmt.Errorf("%q stands before what %q holds", head(strings.TrimSpace(all[0].text)), key)
	}
	if v, rest, err = readWithin(all[1:], end, schema); err != nil {
		return "", v, nil, err
	}
	if len(rest) == 0 {
		return "", v, nil, fmt.Errorf("the argument %q has no end", key)
	}
	rest, err = behind(rest[0], rest[1:])
	return key, v, rest, err
}

// readWithin reads the elements up to a closing tag: those of a list, or of an object. rest
// begins with that tag; it is empty without one.
func readWithin(all []element, end string, schema map[string]any) (v value, rest []element, err error) {
	schemaOf := func(key string) map[string]any {
		if key == "item" {
			if items := within(schema, "items"); items != nil {
				return items
			}
		}
		return within(schema, key)
	}
	v = value{kind: '{'}
	for rest = all; len(rest) > 0 && rest[0].tag != end; {
		key, item, more, err := read(rest, schemaOf)
		if err != nil {
			return v, nil, err
		}
		if err := v.insert(key, item); err != nil {
			return v, nil, err
		}
		rest = more
	}
	return v, rest, nil
}

// insert adds an element to what holds it, which is a list if the first one is an item.
func (v *value) insert(key string, item value) error {
	switch {
	case key == "item" && (len(v.items) == 0 || v.kind == '['):
		v.kind, v.items = '[', append(v.items, item)
		return nil
	case v.kind == '[':
		return fmt.Errorf("%q stands in a list", key)
	}
	return v.set(key, item)
}

// behind is what follows a closing tag, behind which no text may stand.
func behind(end element, rest []element) ([]element, error) {
	if strings.TrimSpace(end.text) != "" {
		return nil, fmt.Errorf("%q stands behind an argument", head(strings.TrimSpace(end.text)))
	}
	return rest, nil
}
