package completion

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Kind says what a word can become.
type Kind uint8

// The kinds.
const (
	None     Kind = iota
	Command       // "/sta"
	Argument      // "/theme dra"
	Name          // "@web", "@etc/host", "@~/my"
)

// Word is a word before the cursor that can be completed. Words can be compared.
type Word struct {
	Kind   Kind
	Text   string // what is written of it, without its mark and quotes
	Of     string // the command whose argument it is
	Start  int    // of the word with its mark, in bytes of the line
	Quoted bool   // a name that began with a quote, so that it can hold blanks
	Row    int    // of the cursor
}

// maxWord bounds the words that are completed, in bytes.
const maxWord = 4096

// At is the word before the cursor: at the end of before, which is what stands
// there in the cursor's line. Row is that line's number; only says that it is the
// only one.
func At(before string, row int, only bool) (w Word, ok bool) {
	if only && strings.HasPrefix(before, "/") {
		return slash(before)
	}
	from := max(0, len(before)-maxWord)
	if at := strings.LastIndex(before[from:], `@"`); at >= 0 {
		text := before[from+at+2:]
		if !strings.ContainsRune(text, '"') && begins(before[:from+at]) {
			return Word{Kind: Name, Text: text, Start: from + at, Quoted: true, Row: row}, true
		}
	}
	at := strings.LastIndexFunc(before[from:], unicode.IsSpace)
	if at >= 0 {
		_, n := utf8.DecodeRuneInString(before[from+at:])
		from += at + n
	} else if from > 0 {
		return Word{}, false
	}
	token := strings.TrimLeft(before[from:], `("'[`)
	start := len(before) - len(token)
	if !strings.HasPrefix(token, "@") || strings.HasPrefix(token, `@"`) {
		return Word{}, false
	}
	return Word{Kind: Name, Text: token[1:], Start: start, Row: row}, true
}

// begins reports whether a name can begin behind a text.
func begins(before string) bool {
	r, n := utf8.DecodeLastRuneInString(before)
	return n == 0 || unicode.IsSpace(r) || strings.ContainsRune(`("'[`, r)
}

// slash is the word of a line that begins as a command.
func slash(before string) (Word, bool) {
	command, argument, told := strings.Cut(before[1:], " ")
	if strings.IndexFunc(command, func(r rune) bool { return (r < 'a' || r > 'z') && r != '-' }) >= 0 {
		return Word{}, false
	}
	if !told {
		return Word{Kind: Command, Text: command}, true
	}
	if strings.ContainsRune(argument, ' ') || command == "" {
		return Word{}, false
	}
	return Word{Kind: Argument, Text: argument, Of: command, Start: len(command) + 2}, true
}
