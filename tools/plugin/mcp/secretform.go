package mcp

import (
	"slices"
	"strings"
	"unicode"

	"github.com/nod-console/nod/tools/plugin/harmless"
)

// secretWords name what nobody gives away in a form.
var secretWords = []string{
	"apikey", "apitoken", "cvc", "cvv", "credential", "credentials", "jwt", "otp", "passcode", "passphrase", "passwd", "password",
	"passwords", "passwort", "pin", "pwd", "secret", "secrets", "token", "tokens", "totp",
}

// keyWords stand before "key" where it opens something; other keys are names.
var keyWords = []string{
	"access", "account", "api", "auth", "client", "decryption", "encryption", "host", "license", "master", "private", "recovery",
	"secret", "server", "service", "signing", "ssh",
}

// secret is the word by which a form asks for something secret; empty if it does not. Of
// a form that has choices alone nothing secret can be learned.
func (f Form) secret() string {
	typed := false
	for _, field := range f.Fields {
		if len(field.Options) > 0 {
			continue
		}
		typed = true
		if words := wordsOf(field.Name); len(words) == 1 && words[0] == "key" {
			return "key"
		}
		if word := secretIn(field.Name + " " + field.About); word != "" {
			return word
		}
	}
	if !typed {
		return ""
	}
	return secretIn(f.Message)
}

// secretIn is the first word of a text for something secret.
func secretIn(text string) string {
	before := ""
	for _, w := range wordsOf(text) {
		switch {
		case slices.Contains(secretWords, w):
			return w
		case (w == "key" || w == "keys") && slices.Contains(keyWords, before):
			return harmless.Line(before+" "+w, 40)
		}
		before = w
	}
	return ""
}

// wordsOf are the words of a text in small letters; those of apiKey are api and key.
func wordsOf(text string) []string {
	var b strings.Builder
	lower := false
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && lower:
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(b.String())
}
