package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// misfit says why arguments do not fit into a struct, in the words of the call: which
// argument it is, and what would fit.
func misfit(text []byte, err error, into any) string {
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return fmt.Sprintf("%s is a JSON %s, want %s", argument(wrong.Field), wrong.Value, kindOf(wrong.Type))
	case strings.HasPrefix(err.Error(), "json: unknown field "):
		var v any
		_ = json.Unmarshal(text, &v) // it has just been read up to that field
		if s := strange(v, reflect.TypeOf(into), ""); s.name != "" {
			return s.String()
		}
	}
	return `the arguments are not one whole JSON object: send one such as {"name": "value"}, with every quotation mark and bracket closed`
}

// argument names an argument by its path. What begins with a capital is a struct's name,
// which no model has written.
func argument(path string) string {
	parts := slices.DeleteFunc(strings.Split(path, "."), func(p string) bool { return p == "" || p[0] >= 'A' && p[0] <= 'Z' })
	if len(parts) == 0 {
		return "an argument"
	}
	return fmt.Sprintf("argument %q", strings.Join(parts, "."))
}

// stranger is a name that there is not, and what there is in its place.
type stranger struct {
	name, within string
	known        []string
}

func (s stranger) String() string {
	at := ""
	if s.within != "" {
		at = " in " + s.within
	}
	return fmt.Sprintf("there is no argument %q%s; there are %s: leave it out, or use one of them", s.name, at, strings.Join(s.known, ", "))
}

// strange is the first name in a value that a type has no room for.
func strange(v any, t reflect.Type, at string) stranger {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch v := v.(type) {
	case []any:
		if t.Kind() != reflect.Slice || t.Elem().Kind() == reflect.Uint8 {
			return stranger{}
		}
		for i, item := range v {
			if s := strange(item, t.Elem(), fmt.Sprintf("%s[%d]", at, i)); s.name != "" {
				return s
			}
		}
	case map[string]any:
		if t.Kind() != reflect.Struct {
			return stranger{}
		}
		fields := fieldsOf(t)
		known := slices.Sorted(maps.Keys(fields))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
			if i < 0 {
				return stranger{name, at, known}
			}
			if s := strange(v[name], fields[known[i]], strings.TrimPrefix(at+"."+known[i], ".")); s.name != "" {
				return s
			}
		}
	}
	return stranger{}
}

// fieldsOf are the types of a struct's arguments by name, those of embedded structs included.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	fields := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" && f.IsExported() {
			fields[name] = f.Type
		}
	}
	return fields
}

// kindOf is a Go type in the words of JSON.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Bool:
		return "true or false, without quotation marks"
	case reflect.String:
		return "a string, in quotation marks"
	case reflect.Slice, reflect.Array:
		return "an array, in [ ]"
	case reflect.Struct, reflect.Map:
		return "an object, in { }"
	}
	return "a whole number such as 3, without quotation marks"
}
