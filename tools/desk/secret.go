package desk

import (
	"regexp"
	"sync"
)

// whatLoginsWant is how a credential is called.
const whatLoginsWant = `(?:pass ?words?|passwd|pass ?phrases?|pass ?codes?|pins?\b|pin codes?|api[ -]?keys?|access[ -]?keys?|secret[ -]?keys?|private[ -]?keys?|secrets?|tokens?|credentials?|otps?\b|(?:one[ -]time|2fa|mfa|verification|security|login)[ -](?:codes?|pass ?words?))`

// asking are the ways in which a credential is asked for: to enter it, what it is, as a
// prompt of a login does, and as the operator's own.
var asking = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)` +
		`\b(?:enter|type(?: in)?|key in|input|provide|paste|supply|share|send(?: me)?|give(?: me)?|tell(?: me)?|reply with|write(?: down)?|confirm|repeat)\s+(?:(?:me|in|here|now|again|us|your|the|a|an|my|its|this|sudo|root|ssh|new|old|current|admin|database|login|user|account)\s+){0,4}` + whatLoginsWant +
		`|\bwhat(?:'s|’s| is| are)\s+(?:(?:your|the|my|its)\s+)(?:\S+\s+){0,3}?` + whatLoginsWant +
		`|^\W*(?:\S+\s+){0,2}?` + whatLoginsWant + `(?:\s+(?:of|for|on)\s+\S+){0,3}\s*:?\s*$` +
		`|\byour\s+(?:(?:sudo|root|ssh|new|old|current|login|user)\s+){0,2}` + whatLoginsWant + `\s*[?:]`)
})

// asksForSecret reports whether a text asks for a credential. It knows what is usual;
// what it does not know changes nothing: the answer of a question is one of its options,
// and nothing else that the operator types reaches the model.
func asksForSecret(text string) bool { return asking().MatchString(text) }
