package textcall

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxDepth bounds how deep values may be nested.
const maxDepth = 64

// Errors of reading a value. errOpen means that the text ends too early: more of
// it could make it right.
var (
	errOpen = errors.New("it is not complete")
	errDeep = errors.New("it is nested too deeply")
)

// syntaxError says what is wrong, and where.
type syntaxError struct {
	what string
	at   int
}

func (e *syntaxError) Error() string { return e.what + " at byte " + strconv.Itoa(e.at) }

// value is what was read: exactly one of its parts counts, by kind.
type value struct {
	kind  byte     // '{' '[' 's' (text) 'n' (number, true, false, null)
	text  string   // of 's', and of 'n' as JSON
	keys  []string // of '{'
	items []value  // of '{' and '['
}

// get is the value of a key.
func (v value) get(key string) (value, bool) {
	for i, k := range v.keys {
		if k == key && v.kind == '{' {
			return v.items[i], true
		}
	}
	return value{}, false
}

// json encodes the value.
func (v value) json() json.RawMessage {
	var b bytes.Buffer
	v.write(&b)
	return b.Bytes()
}

func (v value) write(b *bytes.Buffer) {
	switch v.kind {
	case 's':
		writeString(b, v.text)
	case 'n':
		b.WriteString(v.text)
	case '[', '{':
		b.WriteByte(v.kind)
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			if v.kind == '{' {
				writeString(b, v.keys[i])
				b.WriteByte(':')
			}
			item.write(b)
		}
		b.WriteByte(v.kind + 2) // the closing one of both
	}
}

func writeString(b *bytes.Buffer, s string) {
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)       // a string can be encoded
	b.Truncate(b.Len() - 1) // the line's end
}

// reader reads JSON as models write it: keys without quotes, single quotes and
// the quotes that some models have tokens for, commas before a closing bracket,
// comments, line ends within strings, True, False and None. It never guesses
// where a string ends, and takes no key twice.
type reader struct {
	s string
	i int
}

// readValue reads one value from the beginning of s and returns how long it is.
func readValue(s string) (value, int, error) {
	r := &reader{s: s}
	v, err := r.value(0)
	return v, r.i, err
}

func (r *reader) fail(what string) error { return &syntaxError{what, r.i} }

// space skips white space and comments.
func (r *reader) space() error {
	for r.i < len(r.s) {
		switch c := r.s[r.i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.i++
		case c == '/' && r.i+1 == len(r.s):
			return errOpen
		case strings.HasPrefix(r.s[r.i:], "//"):
			end := strings.IndexByte(r.s[r.i:], '\n')
			if end < 0 {
				r.i = len(r.s)
				return errOpen
			}
			r.i += end + 1
		case strings.HasPrefix(r.s[r.i:], "/*"):
			end := strings.Index(r.s[r.i+2:], "*/")
			if end < 0 {
				r.i = len(r.s)
				return errOpen
			}
			r.i += end + 4
		default:
			return nil
		}
	}
	return errOpen
}

func (r *reader) value(depth int) (value, error) {
	if depth > maxDepth {
		return value{}, errDeep
	}
	if err := r.space(); err != nil {
		return value{}, err
	}
	switch c := r.s[r.i]; {
	case c == '{':
		return r.object(depth)
	case c == '[':
		return r.list(depth)
	case r.quote() != "":
		s, err := r.text()
		return value{kind: 's', text: s}, err
	case c == '<':
		return value{}, r.partial("a value is missing")
	case c == '-' || c >= '0' && c <= '9':
		return r.number()
	default:
		return r.word()
	}
}

// quotes are what strings begin and end with.
var quotes = []string{`"""`, `'''`, `"`, `'`, `<|"|>`, `<escape>`}

// quote is what the string that begins here is quoted with; empty if none does.
func (r *reader) quote() string {
	for _, q := range quotes {
		if strings.HasPrefix(r.s[r.i:], q) {
			return q
		}
	}
	return ""
}

// partial is errOpen if one of the quotes may begin here.
func (r *reader) partial(what string) error {
	for _, q := range quotes {
		if strings.HasPrefix(q, r.s[r.i:]) {
			return errOpen
		}
	}
	return r.fail(what)
}

func (r *reader) object(depth int) (value, error) {
	v := value{kind: '{'}
	for r.i++; ; {
		if err := r.space(); err != nil {
			return v, err
		}
		if r.s[r.i] == '}' {
			r.i++
			return v, nil
		}
		key, err := r.key()
		if err != nil {
			return v, err
		}
		if err := r.space(); err != nil {
			return v, err
		}
		if r.s[r.i] != ':' {
			return v, r.fail("a colon is missing after " + strconv.Quote(key))
		}
		r.i++
		item, err := r.value(depth + 1)
		if err != nil {
			return v, err
		}
		if _, twice := v.get(key); twice {
			return v, r.fail("the key " + strconv.Quote(key) + " stands there twice")
		}
		v.keys, v.items = append(v.keys, key), append(v.items, item)
		if err := r.comma('}'); err != nil {
			return v, err
		}
	}
}

// comma skips a comma, or stays before the closing bracket.
func (r *reader) comma(end byte) error {
	if err := r.space(); err != nil {
		return err
	}
	switch r.s[r.i] {
	case ',':
		r.i++
		return nil
	case end:
		return nil
	}
	return r.fail("a comma or " + strconv.Quote(string(end)) + " is missing")
}

func (r *reader) key() (string, error) {
	if r.quote() != "" {
		return r.text()
	}
	from := r.i
	for r.i < len(r.s) && nameByte(r.s[r.i]) {
		r.i++
	}
	switch {
	case r.i == len(r.s):
		return "", errOpen
	case r.i == from:
		return "", r.partial("a key is missing")
	}
	return r.s[from:r.i], nil
}

func nameByte(c byte) bool {
	return c == '_' || c == '-' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (r *reader) list(depth int) (value, error) {
	v := value{kind: '['}
	for r.i++; ; {
		if err := r.space(); err != nil {
			return v, err
		}
		if r.s[r.i] == ']' {
			r.i++
			return v, nil
		}
		item, err := r.value(depth + 1)
		if err != nil {
			return v, err
		}
		v.items = append(v.items, item)
		if err := r.comma(']'); err != nil {
			return v, err
		}
	}
}

// text reads a quoted string.
func (r *reader) text() (string, error) {
	q := r.quote()
	if len(q) == 1 && len(r.s)-r.i < 3 && strings.Count(r.s[r.i:], q) == len(r.s)-r.i {
		r.i = len(r.s)
		return "", errOpen // three of them are another quote
	}
	r.i += len(q)
	escapes := q[0] != '<'
	var b strings.Builder
	for r.i < len(r.s) {
		rest := r.s[r.i:]
		switch {
		case strings.HasPrefix(rest, q):
			r.i += len(q)
			return b.String(), nil
		case rest[0] == '\\' && escapes:
			if err := r.escape(&b); err != nil {
				return "", err
			}
		default:
			b.WriteByte(rest[0])
			r.i++
		}
	}
	return "", errOpen
}

// escape reads one escaped character. What is no escape of JSON stands for
// itself, with its backslash: a shell's "\$" is meant.
func (r *reader) escape(b *strings.Builder) error {
	if r.i+1 >= len(r.s) {
		r.i = len(r.s)
		return errOpen
	}
	c := r.s[r.i+1]
	r.i += 2
	switch c {
	case '"', '\\', '/', '\'':
		b.WriteByte(c)
	case 'n':
		b.WriteByte('\n')
	case 't':
		b.WriteByte('\t')
	case 'r':
		b.WriteByte('\r')
	case 'b':
		b.WriteByte('\b')
	case 'f':
		b.WriteByte('\f')
	case 'u':
		return r.unicode(b)
	default:
		b.WriteByte('\\')
		b.WriteByte(c)
	}
	return nil
}

// unicode reads the digits of \u, and the second half of a pair.
func (r *reader) unicode(b *strings.Builder) error {
	first, err := r.hex()
	if err != nil {
		return err
	}
	if first < 0xd800 || first > 0xdfff {
		b.WriteRune(first)
		return nil
	}
	rest := r.s[r.i:]
	if len(rest) < 6 && strings.HasPrefix(`\u`, rest[:min(2, len(rest))]) {
		r.i = len(r.s)
		return errOpen
	}
	if first >= 0xdc00 || !strings.HasPrefix(rest, `\u`) {
		return r.fail("half of a character")
	}
	r.i += 2
	second, err := r.hex()
	if err != nil {
		return err
	}
	if second < 0xdc00 || second > 0xdfff {
		return r.fail("half of a character")
	}
	b.WriteRune(0x10000 + (first-0xd800)<<10 + (second - 0xdc00))
	return nil
}

func (r *reader) hex() (rune, error) {
	if len(r.s)-r.i < 4 {
		r.i = len(r.s)
		return 0, errOpen
	}
	n, err := strconv.ParseUint(r.s[r.i:r.i+4], 16, 32)
	if err != nil {
		return 0, r.fail("no hexadecimal digits after \\u")
	}
	r.i += 4
	return rune(n), nil
}

func (r *reader) number() (value, error) {
	from := r.i
	for r.i < len(r.s) && strings.IndexByte("+-.eE0123456789", r.s[r.i]) >= 0 {
		r.i++
	}
	text := r.s[from:r.i]
	if r.i == len(r.s) {
		return value{}, errOpen // a digit more may follow
	}
	if !json.Valid([]byte(text)) {
		r.i = from
		return value{}, r.fail("no number")
	}
	return value{kind: 'n', text: text}, nil
}

// words are values without quotes.
var words = map[string]string{"true": "true", "false": "false", "null": "null", "True": "true", "False": "false", "None": "null"}

func (r *reader) word() (value, error) {
	from := r.i
	for r.i < len(r.s) && nameByte(r.s[r.i]) {
		r.i++
	}
	if r.i == len(r.s) {
		return value{}, errOpen
	}
	if w, ok := words[r.s[from:r.i]]; ok {
		return value{kind: 'n', text: w}, nil
	}
	r.i = from
	c, _ := utf8.DecodeRuneInString(r.s[from:])
	return value{}, r.fail("a value cannot begin with " + strconv.QuoteRune(c))
}
