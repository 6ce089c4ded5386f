package risk

import (
	"regexp"
	"strings"
	"sync"
)

var (
	// sqlTells begin statements in which a text in quotes is a value, if no function is
	// called that could run it.
	sqlTells = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^\s*(show|insert\s+into|update|select|describe|desc|explain)\b`)
	})
	// sqlTexts are texts in quotes.
	sqlTexts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`'[^'\\]*'|"[^"\\]*"`) })
	// sqlBrackets are brackets that call nothing.
	sqlBrackets = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)\b(values|in|into\s+\w+|count)\s*\(`) })
)

// sqlLoses reports whether a statement removes data. A word of loss within a value does
// not count where nothing can run it.
func sqlLoses(text string) bool {
	if !sqlDestroys().MatchString(text) {
		return false
	}
	bare := sqlTexts().ReplaceAllString(text, " ")
	if !sqlTells().MatchString(text) || strings.Contains(sqlBrackets().ReplaceAllString(bare, ""), "(") {
		return true
	}
	return sqlDestroys().MatchString(bare)
}
