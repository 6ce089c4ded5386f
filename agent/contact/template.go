package contact

import (
	"regexp"
	"sync"
)

var (
	oneCallWords  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)only supports? (single|one) tool[- ]calls?`) })
	firstCallOnly = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`tool_calls['"]?\]?\[0\]`) })
	allCalls      = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`for\s+\w+\s+in\s+\(?\s*\w+(\.|\[['"])tool_calls|tool_calls['"]?\]?\s*(\|\s*tojson|\[1)`)
	})
	noSystemWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)system (role|messages?|prompts?)( is| are)? not supported`)
	})
	shortIDWords = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)alphanumeric strings with length (>= ?)?9`) })
)

// ofTemplate is what a chat template refuses, as its text says: its exceptions have the
// same words in all templates of a family. One that shows only the first call of a
// message refuses the others without a word.
func ofTemplate(text string) Refusal {
	return Refusal{
		ManyCalls:  oneCallWords().MatchString(text) || firstCallOnly().MatchString(text) && !allCalls().MatchString(text),
		SystemRole: noSystemWords().MatchString(text),
		LongIDs:    shortIDWords().MatchString(text),
	}
}
