package risk

import (
	"regexp"
	"strings"
	"sync"
)

// sqlToken is a piece of a statement.
type sqlToken struct {
	kind byte   // 'w' a bare word, 'q' a quoted name, 's' a string, 'n' a number, 'p' a sign
	text string // a name without its quotes, a bare word in lower case
}

// sqlTokens cuts a statement up. ok is false if it cannot be read for sure: with
// a comment, a backslash, a dollar quote, or a quote that does not end.
func sqlTokens(text string, d sqlDialect) (tokens []sqlToken, ok bool) {
	for i := 0; i < len(text); {
		if strings.IndexByte(" \t\n\r", text[i]) >= 0 {
			i++
			continue
		}
		t, end := sqlNext(text, i, d, tokens)
		if end < 0 {
			return nil, false
		}
		tokens = append(tokens, t)
		i = end
	}
	return tokens, true
}

// sqlNext reads the token at a place, behind those before; end is behind it, or -1.
func sqlNext(text string, at int, d sqlDialect, before []sqlToken) (t sqlToken, end int) {
	switch c := text[at]; {
	case c == '$' && d == sqlPostgres && sqlDollar().MatchString(text[at:]):
		return sqlDollarString(text, at)
	case sqlUnsure(text[at:], d):
		return sqlToken{}, -1
	case c == '\'' || c == '"' || c == '`' || c == '[' && (d == sqlLite || d == sqlAny && bracketed(before)):
		return sqlQuote(text, at, d)
	case sqlLetter(c):
		return sqlWord(text, at)
	case c >= '0' && c <= '9':
		return sqlNumber(text, at)
	default:
		return sqlToken{'p', string(c)}, at + 1
	}
}

// sqlUnsure reports whether a text begins with what servers read in different ways.
func sqlUnsure(text string, d sqlDialect) bool {
	switch text[0] {
	case '\\', '$':
		return true
	case '#':
		return d != sqlPostgres
	}
	return strings.HasPrefix(text, "--") || strings.HasPrefix(text, "/*")
}

// sqlDollarString reads a string of PostgreSQL between two tags.
func sqlDollarString(text string, at int) (t sqlToken, end int) {
	tag := sqlDollar().FindString(text[at:])
	from := at + len(tag)
	length := strings.Index(text[from:], tag)
	if length < 0 {
		return sqlToken{}, -1
	}
	return sqlToken{'s', text[from : from+length]}, from + length + len(tag)
}

// sqlQuote reads a string, or a name in quotes.
func sqlQuote(text string, at int, d sqlDialect) (t sqlToken, end int) {
	c := text[at]
	inner, end := sqlQuoted(text, at)
	if end < 0 || c == '\'' && strings.IndexByte(inner, '\\') >= 0 {
		return sqlToken{}, -1 // a backslash ends a string in one server and not in the other
	}
	kind := byte('q')
	if c == '\'' || c == '"' && d == sqlMySQL {
		kind = 's'
	}
	return sqlToken{kind, inner}, end
}

// sqlNumber reads a number.
func sqlNumber(text string, at int) (t sqlToken, end int) {
	end = at
	for end < len(text) && (isDigit(text[end], 16) || strings.IndexByte(".xX_", text[end]) >= 0) {
		end++
	}
	return sqlToken{'n', text[at:end]}, end
}

// sqlWord reads a bare word.
func sqlWord(text string, at int) (t sqlToken, end int) {
	end = at + 1
	for end < len(text) && (sqlLetter(text[end]) || text[end] == '$' || isDigit(text[end], 10)) {
		end++
	}
	word := strings.ToLower(text[at:end])
	if word == "u" && strings.HasPrefix(text[end:], "&") {
		return sqlToken{}, -1 // names and strings written with escapes
	}
	return sqlToken{'w', word}, end
}

// sqlLetter reports whether a bare word may begin with a byte.
func sqlLetter(c byte) bool {
	return c == '_' || c == '@' || c >= 0x80 || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// sqlDollar opens and closes a string of PostgreSQL.
var sqlDollar = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\$([A-Za-z_][A-Za-z_0-9]*)?\$`) })

// bracketed reports whether a bracket would stand for a name and not for a
// subscript.
func bracketed(tokens []sqlToken) bool {
	n := len(tokens)
	return n == 0 || tokens[n-1].kind == 'w' && sqlClause[tokens[n-1].text] || tokens[n-1].kind == 'p' && tokens[n-1].text != ")" && tokens[n-1].text != "]"
}

var sqlClause = map[string]bool{"select": true, "from": true, "join": true, "where": true, "and": true, "or": true, "by": true, "on": true, "distinct": true, "all": true}

// sqlQuoted reads a quoted piece, in which the quote is doubled; end is behind
// it, or -1.
func sqlQuoted(text string, at int) (inner string, end int) {
	closing := text[at]
	if closing == '[' {
		closing = ']'
	}
	var b strings.Builder
	for i := at + 1; i < len(text); i++ {
		if text[i] != closing {
			b.WriteByte(text[i])
			continue
		}
		if i+1 < len(text) && text[i+1] == closing && closing != ']' {
			b.WriteByte(closing)
			i++
			continue
		}
		return b.String(), i + 1
	}
	return "", -1
}
