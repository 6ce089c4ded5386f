package config

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"sort"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// decode reads the file's text into c and notes each value's line.
func (c *Config) decode(path string, data []byte) error {
	keys, malformed := keyLines(data)
	if errors.Is(malformed, errManyKeys) {
		return fmt.Errorf("config: %s: %w", path, malformed)
	}
	var tree map[string]any
	if err := toml.Unmarshal(data, &tree); err != nil { // it says more of a syntax error
		var syntax *toml.DecodeError
		if errors.As(err, &syntax) {
			line, _ := syntax.Position()
			return fmt.Errorf("config: %s:%d: %w", path, line, err)
		}
		return fmt.Errorf("config: %s: %w", path, err)
	}
	if malformed != nil {
		return fmt.Errorf("config: %s: %w", path, malformed)
	}
	for _, k := range keys {
		if err := c.take(path, k, lookup(tree, k.parts)); err != nil {
			return fmt.Errorf("config: %s:%d: %w", path, k.line, err)
		}
	}
	return nil
}

// take sets the one value that key k has in the file.
func (c *Config) take(path string, k keyLine, value any) error {
	origin := Origin(fmt.Sprintf("%s:%d", path, k.line))
	name := strings.Join(k.parts, ".")
	for _, s := range settings {
		if s.key == name {
			if err := s.parse(c, literal(value)); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			c.origins[name] = origin
			return nil
		}
	}
	if k.parts[0] == "keys" && len(k.parts) > 1 {
		if err := c.takeKeys(strings.Join(k.parts[1:], "."), value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.origins[name] = origin
		return nil
	}
	if len(k.parts) < 3 {
		return unknownKey(name)
	}
	switch section, member, field := k.parts[0], k.parts[1], k.parts[2]; section {
	case "model":
		m := c.Models[member]
		if err := setField(&m, field, k.parts[3:], value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.Models[member] = m
	case "target":
		t := c.Targets[member]
		if err := setField(&t, field, k.parts[3:], value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.Targets[member] = t
	case "redact":
		r := c.Redact[member]
		if err := setField(&r, field, k.parts[3:], value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if _, err := regexp.Compile(r.Pattern); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.Redact[member] = r
	case "mcp":
		s := c.Servers[member]
		if err := setField(&s, field, k.parts[3:], value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.Servers[member] = s
	case "command":
		own := c.Commands[member]
		if err := setField(&own, field, k.parts[3:], value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.Commands[member] = own
	case "hook":
		h := c.Hooks[member]
		if err := setField(&h, field, k.parts[3:], value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.Hooks[member] = h
	case "group":
		g := c.Groups[member]
		if err := setField(&g, field, k.parts[3:], value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		c.Groups[member] = g
	default:
		return unknownKey(name)
	}
	c.origins[name] = origin
	return nil
}

// takeKeys takes one line of [keys].
func (c *Config) takeKeys(name string, value any) error {
	all, ok := value.([]any)
	if !ok {
		all = []any{value}
	}
	k := Keys{Name: name}
	for _, v := range all {
		key, ok := v.(string)
		if !ok {
			return fmt.Errorf("%v is no key: want its name in quotes, such as \"Ctrl-G\", or a list of them", v)
		}
		k.Keys = append(k.Keys, key)
	}
	c.Keys = append(c.Keys, k)
	return nil
}

// literal is a value in the form in which settings parse it.
func literal(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case time.Time:
		return v.Format(time.RFC3339)
	case []any:
		all := ""
		for _, item := range v {
			all += literal(item) + listEnd
		}
		return all
	}
	return fmt.Sprint(v)
}

// setField sets the field of record (a pointer to a Model or Target) that the
// toml tag names. rest is the key within a table such as headers.
func setField(record any, field string, rest []string, value any) error {
	v := reflect.ValueOf(record).Elem()
	for i := range v.NumField() {
		if v.Type().Field(i).Tag.Get("toml") != field {
			continue
		}
		return assign(v.Field(i), rest, value)
	}
	return unknownKey(field)
}

func assign(f reflect.Value, rest []string, value any) error {
	if f.Kind() == reflect.Map {
		s, ok := value.(string)
		if len(rest) != 1 || !ok {
			return errors.New("must be a table of strings")
		}
		if f.IsNil() {
			f.Set(reflect.MakeMap(f.Type()))
		}
		f.SetMapIndex(reflect.ValueOf(rest[0]), reflect.ValueOf(s))
		return nil
	}
	switch v := value.(type) {
	case bool:
		if f.Kind() == reflect.Bool {
			f.SetBool(v)
			return nil
		}
	case []any:
		if f.Kind() == reflect.Slice {
			return assignList(f, v)
		}
	case string:
		if f.Type() == reflect.TypeFor[time.Duration]() {
			d, err := time.ParseDuration(v)
			if err != nil || d <= 0 {
				return fmt.Errorf("%q is not a duration such as \"30s\" or \"10m\"", v)
			}
			f.SetInt(int64(d))
			return nil
		}
		if f.Kind() == reflect.Slice {
			return fmt.Errorf("%q is no list: want [%q]", v, v)
		}
		if f.Kind() == reflect.String {
			f.SetString(v)
			return nil
		}
	case int64:
		if f.Kind() == reflect.Int && v >= 0 {
			f.SetInt(v)
			return nil
		}
		return assign(f, rest, float64(v))
	case float64:
		if f.Kind() == reflect.Pointer {
			n := float32(v)
			f.Set(reflect.ValueOf(&n))
			return nil
		}
	}
	return fmt.Errorf("%v is not a value of this setting", value)
}

// assignList sets a field that is a list of texts.
func assignList(f reflect.Value, items []any) error {
	all := make([]string, 0, len(items))
	for _, item := range items {
		s, ok := item.(string)
		if !ok {
			return fmt.Errorf("%v is no text: want a list of texts in quotes", item)
		}
		all = append(all, s)
	}
	f.Set(reflect.ValueOf(all))
	return nil
}

// keyLine is a key of the file and the line where it stands.
type keyLine struct {
	parts []string
	line  int
}

// maxKeys bounds the parts of keys in a file, those in values and in the headings of
// tables included. The time that package toml takes grows with the square of their
// number: 1 MiB of the shortest headings takes more than ten minutes, maxKeys a
// second.
const maxKeys = 10_000

var errManyKeys = fmt.Errorf("it has more than %d keys, which is the most that is read", maxKeys)

// keyLines lists the file's keys in order, tables and dotted keys resolved. The error
// is errManyKeys, or that of a file that is not TOML.
func keyLines(data []byte) ([]keyLine, error) {
	var (
		p     unstable.Parser
		table []string
		all   []keyLine
	)
	p.Reset(data)
	begin := lineBegins(data)
	for n := 0; p.NextExpression(); {
		e := p.Expression()
		if n += countKeys(e); n > maxKeys {
			return nil, errManyKeys
		}
		parts, line := begin.keyParts(e)
		switch e.Kind {
		case unstable.Table, unstable.ArrayTable:
			table = parts
		case unstable.KeyValue:
			full := append(append([]string(nil), table...), parts...)
			all = append(all, begin.inlineKeys(e.Value(), full, line)...)
		}
	}
	return all, p.Error()
}

// countKeys is how many parts of keys there are in an expression or a value.
func countKeys(e *unstable.Node) (n int) {
	for it := e.Children(); it.Next(); {
		if child := it.Node(); child.Kind == unstable.Key {
			n++
		} else {
			n += countKeys(child)
		}
	}
	return n
}

// lines are the offsets at which the lines of a text begin. The parser's own Shape
// counts them from the beginning each time.
type lines []int

func lineBegins(data []byte) lines {
	begin := lines{0}
	for i, b := range data {
		if b == '\n' {
			begin = append(begin, i+1)
		}
	}
	return begin
}

// of is the line, from 1, that holds the byte at an offset.
func (l lines) of(offset int) int { return sort.SearchInts(l, offset+1) }

// inlineKeys resolves an inline table into its keys; any other value is itself.
func (l lines) inlineKeys(value *unstable.Node, key []string, line int) []keyLine {
	if value.Kind != unstable.InlineTable {
		return []keyLine{{key, line}}
	}
	var all []keyLine
	for it := value.Children(); it.Next(); {
		parts, line := l.keyParts(it.Node())
		full := append(append([]string(nil), key...), parts...)
		all = append(all, l.inlineKeys(it.Node().Value(), full, line)...)
	}
	return all
}

func (l lines) keyParts(e *unstable.Node) (parts []string, line int) {
	for it := e.Key(); it.Next(); {
		n := it.Node()
		if line == 0 {
			line = l.of(int(n.Raw.Offset))
		}
		parts = append(parts, string(n.Data))
	}
	return parts, line
}

func lookup(tree map[string]any, key []string) any {
	var v any = tree
	for _, k := range key {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[k]
	}
	return v
}
