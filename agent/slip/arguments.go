package slip

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/nod-console/nod/tools"
)

// Models make slips that leave no doubt about what they mean: a flag as text, another
// case of a name, an argument too many. They are repaired, and the result says so. What
// could change the meaning is left as it is, for the tool to refuse.

// Arguments makes arguments fit a schema, as far as that is certain, and says what it has
// changed.
func Arguments(schema map[string]any, args json.RawMessage) (json.RawMessage, []string) {
	properties, _ := schema["properties"].(map[string]any)
	var given map[string]json.RawMessage
	if len(properties) == 0 || json.Unmarshal(args, &given) != nil {
		return args, nil
	}
	var notes []string
	if inner, name, ok := unwrapped(properties, given); ok {
		given = inner
		notes = append(notes, fmt.Sprintf("the arguments stood within %q", name))
	}
	_, acts := properties["risk"]
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, known := properties[name]; known {
			continue
		}
		if right := spelled(name, properties); right != "" && given[right] == nil {
			given[right] = given[name]
			notes = append(notes, fmt.Sprintf("%q was taken for %q", name, right))
		} else if harmless(name, given[name], acts) {
			notes = append(notes, fmt.Sprintf("there is no argument %q: it was left out", name))
		} else {
			continue
		}
		delete(given, name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		property, _ := properties[name].(map[string]any)
		if value, ok := fitted(property, given[name]); ok {
			notes = append(notes, fmt.Sprintf("%q was %.80s; it was taken for %.80s", name, given[name], value))
			given[name] = value
		}
	}
	if notes == nil {
		return args, nil
	}
	fixed, err := json.Marshal(given)
	if err != nil {
		return args, nil
	}
	return fixed, notes
}

// unwrapped are arguments that stand within a single one which there is not.
func unwrapped(properties map[string]any, given map[string]json.RawMessage) (inner map[string]json.RawMessage, name string, ok bool) {
	if len(given) != 1 {
		return nil, "", false
	}
	for name, value := range given {
		if _, known := properties[name]; known || !slices.Contains([]string{"arguments", "args", "parameters", "params", "input", "kwargs"}, name) {
			return nil, "", false
		}
		var text string
		if json.Unmarshal(value, &text) == nil {
			value = json.RawMessage(text)
		}
		return inner, name, json.Unmarshal(value, &inner) == nil && inner != nil
	}
	return nil, "", false
}

// plainName is a name without what models spell differently.
func plainName(name string) string {
	return strings.NewReplacer("_", "", "-", "", " ", "").Replace(strings.ToLower(name))
}

// spelled is the one property that a name spells differently; empty if there is none.
func spelled(name string, properties map[string]any) (right string) {
	for property := range properties {
		if plainName(property) == plainName(name) {
			if right != "" {
				return ""
			}
			right = property
		}
	}
	return right
}

// decisive is in the names of arguments that decide where, as whom, on what or whether
// something is done: without them, another thing would be done than was meant.
var decisive = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)dry|simul|preview|noop|check|only|dir|cwd|path|folder|file|user|host|target|server|node|container|env|stdin|input|root|sudo|shell|confirm|approv|undo|revert|max|limit|exclu|inclu|filter|force|pane|session|mode|recurs|pattern|content|command|keys?$`)
})

// harmless reports whether an argument that there is not can be left out: one that asks
// for nothing, or, in a call that only looks, or by its name, does not decide anything.
func harmless(name string, value json.RawMessage, acts bool) bool {
	switch strings.TrimSpace(string(value)) {
	case "null", "false", `""`, "[]", "{}":
		return true
	case "true":
		return !acts
	}
	return !acts || !decisive().MatchString(name)
}

// flags are the words for yes and no.
var flags = map[string]string{"true": "true", "false": "false", "yes": "true", "no": "false", "1": "true", "0": "false"}

var plainNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?$`) })

// fittedAny fits a text to one of several types, if it is none of the texts that are
// wanted and says only one of the others.
func fittedAny(kinds []any, v written) (fit json.RawMessage, ok bool) {
	if !v.isText {
		return nil, false
	}
	for _, one := range kinds {
		property, _ := one.(map[string]any)
		if property["type"] == "string" {
			pattern, bound := property["pattern"].(string)
			if re, err := regexp.Compile(pattern); !bound || err != nil || re.MatchString(v.text) {
				return nil, false
			}
			continue
		}
		if word := v.word(); property["type"] == "boolean" && word != "true" && word != "false" {
			continue
		}
		if to, can := fitted(property, v.raw); can {
			if ok {
				return nil, false
			}
			fit, ok = to, true
		}
	}
	return fit, ok
}

var wholeNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^-?[0-9]{1,15}(\.0+)?$`) })

// written is a value as a model wrote it.
type written struct {
	raw    json.RawMessage
	isText bool
	text   string // what a text says
}

func readWritten(value json.RawMessage) written {
	v := written{raw: value}
	v.isText = json.Unmarshal(value, &v.text) == nil && len(value) > 0 && value[0] == '"'
	return v
}

// word is what the value says, a text's in lower case and without blanks around it.
func (v written) word() string {
	if v.isText {
		return strings.ToLower(strings.TrimSpace(v.text))
	}
	return string(v.raw)
}

// fitted is a value in the type that a property wants, where it was written in another;
// ok is false if there is nothing to change.
func fitted(property map[string]any, value json.RawMessage) (fit json.RawMessage, ok bool) {
	v := readWritten(value)
	if kinds, ok := property["anyOf"].([]any); ok {
		return fittedAny(kinds, v)
	}
	switch property["type"] {
	case "boolean":
		return v.asBoolean()
	case "number":
		if word := v.word(); v.isText && json.Valid([]byte(word)) && plainNumber().MatchString(word) {
			return json.RawMessage(word), true
		}
	case "object":
		if v.isText && strings.HasPrefix(v.word(), "{") && json.Valid([]byte(v.text)) {
			return json.RawMessage(v.text), true
		}
	case "integer":
		return v.asInteger()
	case "array":
		return v.asArray(kindOfItems(property))
	case "string":
		return v.asString(words(property["enum"]))
	}
	return nil, false
}

func (v written) asBoolean() (fit json.RawMessage, ok bool) {
	word := v.word()
	flag, known := flags[word]
	if !known || !v.isText && word != "0" && word != "1" {
		return nil, false
	}
	return json.RawMessage(flag), true
}

func (v written) asInteger() (fit json.RawMessage, ok bool) {
	word := v.word()
	number, _, fraction := strings.Cut(word, ".")
	if !wholeNumber().MatchString(word) || !v.isText && !fraction {
		return nil, false
	}
	return json.RawMessage(number), true
}

// asArray is the array that a text holds, or one of which the text is the only item.
func (v written) asArray(items string) (fit json.RawMessage, ok bool) {
	var list []json.RawMessage
	switch {
	case !v.isText || v.text == "":
	case json.Unmarshal([]byte(v.text), &list) == nil:
		return json.RawMessage(v.text), true
	case strings.ContainsAny(v.text, "[]{}\""): // a list that cannot be read
	case items != "object": // a text is none of those: the tool says so, or reads it
		return json.RawMessage("[" + string(v.raw) + "]"), true
	}
	return nil, false
}

// asString is the text of a number, or the one of some words that differs only in its case.
func (v written) asString(words []string) (fit json.RawMessage, ok bool) {
	if !v.isText {
		if !plainNumber().Match(v.raw) {
			return nil, false
		}
		return json.RawMessage(strconv.Quote(string(v.raw))), true
	}
	for _, one := range words {
		if one != v.text && strings.EqualFold(one, v.word()) {
			return json.RawMessage(strconv.Quote(one)), true
		}
	}
	return nil, false
}

// kindOfItems is the type of what an array holds; empty if it is not said.
func kindOfItems(property map[string]any) string {
	items, _ := property["items"].(map[string]any)
	kind, _ := items["type"].(string)
	return kind
}

// words are the strings of an enum.
func words(enum any) []string {
	all, _ := enum.([]string)
	return all
}

// Resolve returns the tool that a name means: the one of that name, or, without a prefix that
// some models write and whatever the case, the only one. ok is false if there is none.
func Resolve(registry *tools.Registry, name string) (right string, ok bool) {
	if _, ok := registry.Get(name); ok {
		return name, true
	}
	bare := number().ReplaceAllString(strings.Trim(strings.TrimSuffix(strings.TrimSpace(name), "()"), "\"'` \t\r\n"), "")
	if at := strings.LastIndexAny(bare, ".:/"); at >= 0 {
		if before := strings.ToLower(bare[:at]); slices.Contains([]string{"functions", "function", "tools", "tool", "nod", "default_api"}, before) {
			bare = bare[at+1:]
		}
	}
	for _, t := range registry.All() {
		if plainName(t.Name()) == plainName(bare) {
			if right != "" {
				return "", false
			}
			right = t.Name()
		}
	}
	return right, right != ""
}

// number is what some models write behind a name: the number of the call.
var number = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`:[0-9]+$`) })
