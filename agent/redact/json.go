package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// JSON takes the secrets out of the strings of a JSON text, each read as the text
// that it stands for, and leaves all else as it is, byte for byte. The value of a
// key such as "password" is a secret by its key. Text that is no JSON is taken as
// a text.
func (v *Vault) JSON(text string) string {
	if !json.Valid([]byte(text)) {
		return v.Text(text)
	}
	before := v.known()
	out := v.strings(text)
	if v.known() != before {
		out = v.strings(out)
	}
	return out
}

// strings goes through the strings of a valid JSON text.
func (v *Vault) strings(text string) string {
	var b strings.Builder
	key, from := "", 0
	for i := 0; i < len(text); {
		switch text[i] {
		case '"':
			end := stringEnd(text, i)
			if next := strings.TrimLeft(text[end:], " \t\r\n"); strings.HasPrefix(next, ":") {
				key = unquote(text[i:end])
			} else if was := unquote(text[i:end]); was != "" {
				if now := v.value(key, was); now != was {
					b.WriteString(text[from:i])
					b.WriteString(enquote(now))
					from = end
				}
			}
			i = end
			continue
		case '{', '}', ',':
			// A list's elements keep the list's key.
			if text[i] != ',' {
				key = ""
			}
		}
		i++
	}
	b.WriteString(text[from:])
	return b.String()
}

// value is a string without its secrets; all of it is one if its key says so.
func (v *Vault) value(key, text string) string {
	if out := v.Text(text); out != text || key == "" || strings.ContainsAny(text, "\r\n") {
		return out
	}
	pair := enquote(key) + ":" + enquote(text)
	s := &scan{d: v.keeper.detector}
	for _, x := range s.look([]byte(pair), nil, false) {
		if x.start > len(enquote(key)) {
			return v.mark(x.kind, []byte(text))
		}
	}
	return text
}

// stringEnd is where the string that begins at i ends.
func stringEnd(text string, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
}

func unquote(quoted string) string {
	var s string
	_ = json.Unmarshal([]byte(quoted), &s) // a string of valid JSON
	return s
}

func enquote(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string can be encoded
	return strings.TrimSuffix(b.String(), "\n")
}
