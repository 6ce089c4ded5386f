package spec

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// misfit says why arguments do not fit into a struct, in the words of the call: which
// argument it is, and what would fit.
func misfit(err error, into any) string {
	var wrong *json.UnmarshalTypeError
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		return fmt.Sprintf("there is no argument %s; there are %s", name, strings.Join(argumentsOf(reflect.TypeOf(into)), ", "))
	}
	if errors.As(err, &wrong) {
		what := fmt.Sprintf("argument %q", wrong.Field)
		if wrong.Field == "" {
			what = "an argument"
		}
		return fmt.Sprintf("%s is a JSON %s, want %s", what, wrong.Value, kindOf(wrong.Type))
	}
	return "the arguments are not one whole JSON object"
}

// argumentsOf are the names of a struct's arguments, those of embedded structs included.
func argumentsOf(t reflect.Type) []string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" && f.IsExported() {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// kindOf is a Go type in the words of JSON.
func kindOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return kindOf(t.Elem())
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}
	return "a whole number"
}
