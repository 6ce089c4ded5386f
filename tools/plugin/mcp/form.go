package mcp

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nod-console/nod/tools/plugin/harmless"
)

// The kinds of fields whose values are no text.
const (
	kindBoolean = "boolean"
	kindInteger = "integer"
	kindNumber  = "number"
	kindArray   = "array"
)

// Value is a text as the field's kind. The error quotes it.
func (f Field) Value(text string) (any, error) {
	switch f.Kind {
	case kindBoolean:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is neither true nor false", f.Name, text)
		}
		return b, nil
	case kindInteger:
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is no whole number", f.Name, text)
		}
		return n, f.within(float64(n), text, "")
	case kindNumber:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsNaN(n) || math.IsInf(n, 0) {
			return nil, fmt.Errorf("%s: %q is no number", f.Name, text)
		}
		return n, f.within(n, text, "")
	case kindArray:
		return f.some(text)
	}
	if len(f.Options) > 0 {
		i := slices.Index(f.Options, text)
		if i < 0 {
			return nil, fmt.Errorf("%s: %q is none of %s", f.Name, text, strings.Join(f.Options, ", "))
		}
		return f.values[i], nil
	}
	return text, f.within(float64(utf8.RuneCountInString(text)), text, " characters")
}

// some are the values of the options with these numbers.
func (f Field) some(text string) (any, error) {
	chosen := []string{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(f.values) {
			return nil, fmt.Errorf("%s: %q is no number from 1 to %d", f.Name, word, len(f.values))
		}
		if v := f.values[n-1]; !slices.Contains(chosen, v) {
			chosen = append(chosen, v)
		}
	}
	return chosen, f.within(float64(len(chosen)), text, " options")
}

// within says whether a value is within the field's bounds.
func (f Field) within(n float64, text, unit string) error {
	switch {
	case f.low != nil && n < *f.low:
		return fmt.Errorf("%s: %q is below the least, which is %g%s", f.Name, text, *f.low, unit)
	case f.high != nil && n > *f.high:
		return fmt.Errorf("%s: %q is above the most, which is %g%s", f.Name, text, *f.high, unit)
	}
	return nil
}

// option is a value with its title.
type option struct {
	Const string `json:"const"`
	Title string `json:"title"`
}

// property is a field as a schema describes it.
type property struct {
	Type        string          `json:"type"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Format      string          `json:"format"`
	Default     json.RawMessage `json:"default"`
	Enum        []string        `json:"enum"`
	EnumNames   []string        `json:"enumNames"`
	OneOf       []option        `json:"oneOf"`
	Items       *struct {
		Enum  []string `json:"enum"`
		AnyOf []option `json:"anyOf"`
		OneOf []option `json:"oneOf"`
	} `json:"items"`
	Minimum   *float64 `json:"minimum"`
	Maximum   *float64 `json:"maximum"`
	MinLength *float64 `json:"minLength"`
	MaxLength *float64 `json:"maxLength"`
	MinItems  *float64 `json:"minItems"`
	MaxItems  *float64 `json:"maxItems"`
}

// fields reads the schema of a form: an object of plain values, by name.
func fields(schema any) ([]Field, error) {
	text, err := json.Marshal(schema)
	if err != nil {
		return nil, err
	}
	var object struct {
		Properties map[string]property `json:"properties"`
		Required   []string            `json:"required"`
	}
	if err := json.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	if len(object.Properties) > maxFields {
		return nil, fmt.Errorf("%d fields, and at most %d are asked for", len(object.Properties), maxFields)
	}
	var all []Field
	for _, name := range sortedKeys(object.Properties) {
		f, err := object.Properties[name].field(name)
		if err != nil {
			return nil, err
		}
		f.Required = slices.Contains(object.Required, name)
		all = append(all, f)
	}
	return all, nil
}

func (p property) field(name string) (Field, error) {
	about := p.Title + " " + p.Description
	if p.Format != "" {
		about += " (" + p.Format + ")"
	}
	f := Field{Name: name, Kind: p.Type, About: harmless.Line(about, 200)}
	switch p.Type {
	case "string":
		f.offer(p.Enum, p.EnumNames, p.OneOf)
		f.low, f.high = p.MinLength, p.MaxLength
	case kindBoolean:
		f.Options = []string{"true", "false"}
	case kindNumber, kindInteger:
		f.low, f.high = p.Minimum, p.Maximum
	case kindArray:
		if p.Items != nil {
			f.offer(p.Items.Enum, nil, append(p.Items.AnyOf, p.Items.OneOf...))
		}
		if len(f.Options) == 0 {
			return Field{}, fmt.Errorf("the field %q is a list of something else than options", harmless.Line(name, 40))
		}
		f.low, f.high = p.MinItems, p.MaxItems
	default:
		return Field{}, fmt.Errorf("the field %q is of the kind %q", harmless.Line(name, 40), harmless.Line(p.Type, 40))
	}
	for i, o := range f.Options {
		if slices.Contains(f.Options[:i], o) {
			return Field{}, fmt.Errorf("two options of the field %q look the same: %q", harmless.Line(name, 40), o)
		}
	}
	f.Default = f.proposed(p.Default)
	return f, nil
}

// offer adds options: values with names, where there are any, and titled ones.
func (f *Field) offer(values, names []string, titled []option) {
	for i, value := range values {
		label := value
		if i < len(names) {
			label = names[i]
		}
		titled = append(titled, option{value, label})
	}
	for _, o := range titled {
		if o.Title == "" {
			o.Title = o.Const
		}
		f.Options, f.values = append(f.Options, harmless.Line(o.Title, 80)), append(f.values, o.Const)
	}
}

// proposed is a default as Value takes it; empty if there is none that fits the field.
func (f Field) proposed(raw json.RawMessage) string {
	text := string(raw)
	switch {
	case len(raw) == 0:
		return ""
	case f.Kind == kindArray:
		var values []string
		if json.Unmarshal(raw, &values) != nil {
			return ""
		}
		var numbers []string
		for _, v := range values {
			numbers = append(numbers, strconv.Itoa(slices.Index(f.values, v)+1)) // 0 is no number
		}
		text = strings.Join(numbers, ",")
	case f.Kind == "string":
		if json.Unmarshal(raw, &text) != nil {
			return ""
		}
		if i := slices.Index(f.values, text); i >= 0 {
			text = f.Options[i]
		}
		if text != harmless.Line(text, 200) {
			return "" // what cannot be shown as it is sent is not proposed
		}
	}
	if _, err := f.Value(text); err != nil {
		return ""
	}
	return text
}
