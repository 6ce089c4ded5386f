package screen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gdamore/tcell/v2"
)

// CharsetError is the error of [Charset].
type CharsetError struct {
	Variable string // LC_ALL, LC_CTYPE or LANG
	Locale   string // its value
}

// Error implements error.
func (e *CharsetError) Error() string {
	return fmt.Sprintf("%s is %q, but the screen is drawn in UTF-8", e.Variable, e.Locale)
}

// Charset returns an error if the locale of an environment says that the terminal
// shows another character set than UTF-8: what cannot be encoded would be shown as
// "?" there, and texts that differ would look the same. The locales C and POSIX,
// and none, say nothing of the terminal and stand for UTF-8, as in Python (PEP 538).
func Charset(getenv func(string) string) error {
	for _, variable := range []string{"LC_ALL", "LC_CTYPE", "LANG"} { // the first that is set counts (POSIX, locale(7))
		locale := getenv(variable)
		if locale == "" {
			continue
		}
		name, _, _ := strings.Cut(locale, "@")
		_, charset, named := strings.Cut(name, ".")
		charset = strings.ToLower(charset)
		if !named || charset == "utf-8" || charset == "utf8" || slices.Contains(asciis, charset) {
			return nil
		}
		return &CharsetError{variable, locale}
	}
	return nil
}

// asciis are tcell's names of the character set of the locales C and POSIX.
var asciis = []string{"us-ascii", "ascii", "iso646"}

// drawUTF8 has tcell draw UTF-8 where it would take the terminal for one that shows
// ASCII alone.
func drawUTF8() {
	for _, name := range asciis {
		tcell.RegisterEncoding(name, tcell.GetEncoding("UTF-8"))
	}
}
