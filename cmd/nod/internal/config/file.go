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
	if err := c.takeMember(name, k.parts, value); err != nil {
		return err
	}
	c.origins[name] = origin
	return nil
}

// takeMember sets a field of one of the named sections: [model.NAME], [target.NAME] and
// the like. name is the whole key, parts are its parts.
func (c *Config) takeMember(name string, parts []string, value any) (err error) {
	member, field, rest := parts[1], parts[2], parts[3:]
	switch parts[0] {
	case "model":
		err = setMember(c.Models, member, field, rest, value)
	case "target":
		err = setMember(c.Targets, member, field, rest, value)
	case "redact":
		err = setMember(c.Redact, member, field, rest, value, func(r *Redact) error {
			_, err := regexp.Compile(r.Pattern)
			return err
		})
	case "mcp":
		err = setMember(c.Servers, member, field, rest, value)
	case "command":
		err = setMember(c.Commands, member, field, rest, value)
	case "hook":
		err = setMember(c.Hooks, member, field, rest, value)
	case "group":
		err = setMember(c.Groups, member, field, rest, value)
	default:
		return unknownKey(name)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// setMember sets a field of a section's member, which has to pass the checks then.
func setMember[T any](all map[string]T, member, field string, rest []string, value any, checks ...func(*T) error) error {
	one := all[member]
	if err := setField(&one, field, rest, value); err != nil {
		return err
	}
	for _, check := range checks {
		if err := check(&one); err != nil {
			return err
		}
	}
	all[member] = one
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
		return assignEntry(f, rest, value)
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
		if done, err := assignText(f, v); done || err != nil {
			return err
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

// assignEntry sets an entry of a table of texts.
func assignEntry(f reflect.Value, key []string, value any) error {
	s, ok := value.(string)
	if len(key) != 1 || !ok {
		return errors.New("must be a table of strings")
	}
	if f.IsNil() {
		f.Set(reflect.MakeMap(f.Type()))
	}
	f.SetMapIndex(reflect.ValueOf(key[0]), reflect.ValueOf(s))
	return nil
}

// assignText sets a field that is written as a text; done is false if it is none.
func assignText(f reflect.Value, text string) (done bool, err error) {
	switch {
	case f.Type() == reflect.TypeFor[time.Duration]():
		d, err := time.ParseDuration(text)
		if err != nil || d <= 0 {
			return false, fmt.Errorf("%q is not a duration such as \"30s\" or \"10m\"", text)
		}
		f.SetInt(int64(d))
	case f.Kind() == reflect.Slice:
		return false, fmt.Errorf("%q is no list: want [%q]", text, text)
	case f.Kind() == reflect.String:
		f.SetString(text)
	default:
		return false, nil
	}
	return true, nil
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
