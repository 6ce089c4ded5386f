package redact

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// find is a place that may be a secret.
type find struct {
	rule       *rule
	line       []byte
	groups     []int // of the match
	at         int   // where the key ends that the match begins with
	start, end int   // of the secret in the line
}

func (f find) value() []byte { return f.line[f.start:f.end] }

// named is what a named group holds; ok is false if it took no part.
func (f find) named(name string) (text []byte, ok bool) {
	i, known := f.rule.named[name]
	if !known && name == "key" {
		return f.line[f.groups[0]:f.at], true
	}
	if !known || f.groups[2*i] < 0 {
		return nil, false
	}
	return f.line[f.groups[2*i]:f.groups[2*i+1]], true
}

// quoted reports whether quotes stand around the value.
func (f find) quoted() bool {
	return f.start > 0 && (f.line[f.start-1] == '"' || f.line[f.start-1] == '\'')
}

// checks say by name whether a find is a secret indeed.
var checks = map[string]func(find) bool{
	"":            func(f find) bool { return !isPlaceholder(f.value()) && !isMask(f.value()) },
	"own":         func(f find) bool { return !isPlaceholder(f.value()) },
	"any":         isValue,
	"password":    isPassword,
	"token":       isToken,
	"environment": isEnvironment,
	"random":      func(f find) bool { return isValue(f) && hasDigit(f.value()) && !isMask(f.value()) },
	"login":       isLogin,
	"option":      isOption,
	"entropy":     isRandom,
}

// refers are the beginnings of what stands for a value elsewhere: shell and
// other variables, templates, metavariables, masks, formats.
var refers = []string{"$", "<", "{", "%s", "%v", "%q", "%d", "%(", "***", "xxxx", "XXXX", "####", "...", "…", "••", "env:", "vault:", "op://", "@/", "ENC[", "!vault", "file://"}

// nothing are values that say that there is none, or of what sort it is.
var nothing = wordSet(`true false null nil none undefined yes no on off ok empty unset set unknown hidden masked redacted removed
	required optional expired changed invalid incorrect missing wrong accepted rejected failed success valid disabled enabled denied
	string str text int integer bool boolean bytes char varchar object array any number secretstr optional[str] password passwd pass token
	secret key value stdin prompt ask file env auto default todo fixme example changeit? see from for the is was has with not must should can may and or
	type=password 0 1 -1 * - -- n/a na nan`)

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

// isValue reports whether a value can be a secret at all.
func isValue(f find) bool {
	v := f.value()
	if len(v) == 0 || isPlaceholder(v) {
		return false
	}
	if bytes.HasSuffix(v, []byte("...")) {
		return false // it was cut short by hand
	}
	if v[0] == '%' && v[len(v)-1] == '%' {
		return false // a variable
	}
	for _, r := range refers {
		if len(v) >= len(r) && string(v[:len(r)]) == r {
			return false
		}
	}
	return !nothing[strings.ToLower(strings.Trim(string(v), ".!?,;:"))] && !sameByte(v)
}

// isPassword tells a password from prose and code that speaks of one. A
// password can be any word, so where it stands decides.
func isPassword(f find) bool {
	v := f.value()
	key, _ := f.named("key")
	if !isValue(f) || isPath(v) || isCode(f) || !passwordKey().Match(key) {
		return false
	}
	if f.quoted() {
		return len(v) <= 128 && !bytes.Contains(v, []byte("  "))
	}
	return isBarePassword(f, key, v)
}

// isBarePassword does so for a value without quotes.
func isBarePassword(f find, key, v []byte) bool {
	sep, _ := f.named("sep")
	if len(v) < 3 {
		return false
	}
	if spaced(sep) && bytes.IndexByte(sep, ':') >= 0 || bytes.EqualFold(key, []byte("pass")) && !bytes.Contains(sep, []byte{'='}) {
		// "password: word" is a setting only where it is all that the line says.
		return fillsLine(f) && len(v) >= 4 || mixed(v) && len(v) >= 6
	}
	return !isDigits(v) || len(v) >= 6
}

// isLogin tells a password behind a user's name from an example of one.
func isLogin(f find) bool {
	user, _ := f.named("user")
	v := f.value()
	return isValue(f) && v[0] != '[' && v[len(v)-1] != '>' && !bytes.Equal(user, v)
}

// isMask reports whether a value stands for one: "ghp_xxxxxxxxxxxx".
func isMask(v []byte) bool {
	if len(v) < 12 {
		return false
	}
	var count [256]int
	most := 0
	for _, b := range v {
		count[b]++
		most = max(most, count[b])
	}
	return 5*most >= 2*len(v)
}

// isSample reports whether a value is one that manuals show.
func isSample(v []byte) bool {
	return bytes.HasSuffix(v, []byte("EXAMPLE")) || bytes.Contains(v, []byte("abcdefghijklmnopqrstuvwxyz"))
}

// isToken tells a random value from names, numbers, paths and prose.
func isToken(f find) bool {
	v := f.value()
	key, _ := f.named("key")
	if !isValue(f) || isMask(v) || isSample(v) || isPath(v) || isCode(f) || cursor(key) || bytes.ContainsAny(v, " ") {
		return false
	}
	return looksRandom(v)
}

// looksRandom reports whether chance seems to have made a value.
func looksRandom(v []byte) bool {
	switch {
	case isUUID(v):
		return true
	case len(v) < 12 || isDigits(v) || isName(v) || bytes.Contains(v, []byte("://")):
		return false
	case isHex(v):
		return len(v) >= 16
	case !hasDigit(v):
		return len(v) >= 24 && hasUpper(v) && hasLower(v)
	}
	return mixed(v)
}

// isEnvironment is for a line that sets nothing but one variable: whoever named
// it so meant a secret.
func isEnvironment(f find) bool {
	v := f.value()
	key, _ := f.named("key")
	return isValue(f) && !isMask(v) && !isPath(v) && !isDigits(v) && !cursor(key) && !bytes.Contains(v, []byte("://"))
}

// isOption tells a value from a synopsis.
func isOption(f find) bool {
	v := f.value()
	key, _ := f.named("key")
	if !isValue(f) || isMask(v) || isPath(v) || len(v) < 3 || key[0] != '-' || f.groups[0] > 0 && strings.IndexByte(" \t\"'", f.line[f.groups[0]-1]) < 0 || bytes.ContainsRune(v, '=') && bytes.HasSuffix(key, []byte("secret")) {
		return false
	}
	return f.quoted() || !isMetavariable(v)
}

// cursor reports whether a key names a place in a list, or a limit.
func cursor(key []byte) bool {
	return cursorKey().Match(key)
}

var cursorKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:csrf|xsrf|next|page|prev|previous|continuation|continue|sync|start|max|min|cancel|resume|scroll|cursor|end|unk|pad|bos|eos|special|public|num|per|total)[_.-]?(?:page[_.-]?)?token$|public[_-]?key`)
})

// passwordKey tells "db_pass" from "bypass".
var passwordKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(?:password|passwd|passphrase|passwort|passcode)$|[a-z0-9](?-i:Pass|Pwd)$|(?:^|[_.-]|require|master|bind|root|user|db|login)(?:pwd|pass)$|(?:^|[_.-])psk$`)
})

func isWord(b byte) bool { return isDigit(b) || isLower(b) || isUpper(b) || b == '_' }

// spaced reports whether white space follows the separator.
func spaced(sep []byte) bool {
	return len(sep) > 0 && (sep[len(sep)-1] == ' ' || sep[len(sep)-1] == '\t')
}

// fillsLine reports whether the line is a setting: its key at the beginning and
// nothing after the value.
func fillsLine(f find) bool {
	before := bytes.TrimLeft(f.line[:f.groups[0]], " \t-\"'{,")
	rest := bytes.TrimRight(f.line[f.end:], " \t\r\"',;}")
	if len(rest) > 0 && rest[0] != '#' && !bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("#")) {
		return false
	}
	return !bytes.ContainsAny(before, " \t()")
}

// isCode reports whether the value is an expression: a call, an element, a
// field of something.
func isCode(f find) bool {
	if f.quoted() {
		return false
	}
	if f.end < len(f.line) && strings.IndexByte("([{<", f.line[f.end]) >= 0 {
		return true
	}
	return fieldOf().Match(f.value())
}

var fieldOf = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:os|self|this|args|opts?|options|config|cfg|conf|settings|process|env|ENV|req|request|r|ctx|data|values|Values|params|user|var|local|module|secrets|System|flask|app|input|form|c|s|p|m)\.[A-Za-z_][A-Za-z0-9_.]*$`)
})

// isPath reports whether the value is a path of a file.
func isPath(v []byte) bool {
	if !pathLike().Match(v) {
		return false
	}
	for part := range bytes.SplitSeq(v, []byte{'/'}) {
		if len(part) > 24 && bytes.IndexByte(part, '.') < 0 && hasUpper(part) {
			return false
		}
	}
	return true
}

var pathLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:[A-Za-z]:\\|~|\.{1,2})?(?:/[A-Za-z0-9._@%+-]*)+$`)
})

// isName reports whether the value is one that people give to things:
// "web-tls-7f9c", "kube-system/default", "app.example.com".
func isName(v []byte) bool {
	return !isHex(v) && nameLike().Match(v)
}

var nameLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[a-z][a-z0-9]{0,20}(?:[-_./:][a-z0-9]{1,20})+$|^[A-Za-z]+(?:[-_./: ][A-Za-z]+)*$`)
})

func isUUID(v []byte) bool { return uuidLike().Match(v) }

var uuidLike = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)
})

// isMetavariable reports whether the value only names what is wanted there.
func isMetavariable(v []byte) bool {
	return !hasDigit(v) && !hasLower(v) || nothing[strings.ToLower(string(v))] || v[0] == '[' || v[0] == '-'
}

// mixed reports whether characters of two sorts at least stand in the value.
func mixed(v []byte) bool {
	n := 0
	for _, has := range []bool{hasDigit(v), hasLower(v), hasUpper(v), hasSign(v)} {
		if has {
			n++
		}
	}
	return n >= 2
}

func hasAny(v []byte, in func(b byte) bool) bool {
	for _, b := range v {
		if in(b) {
			return true
		}
	}
	return false
}

func isDigit(b byte) bool { return b >= '0' && b <= '9' }
func isLower(b byte) bool { return b >= 'a' && b <= 'z' }
func isUpper(b byte) bool { return b >= 'A' && b <= 'Z' }

func hasDigit(v []byte) bool { return hasAny(v, isDigit) }
func hasLower(v []byte) bool { return hasAny(v, isLower) }
func hasUpper(v []byte) bool { return hasAny(v, isUpper) }
func hasSign(v []byte) bool {
	return hasAny(v, func(b byte) bool { return b > ' ' && b < 0x7f && !isDigit(b) && !isLower(b) && !isUpper(b) })
}
func isDigits(v []byte) bool { return !hasAny(v, func(b byte) bool { return !isDigit(b) }) }
func isHex(v []byte) bool {
	return !hasAny(v, func(b byte) bool { return !(isDigit(b) || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F') })
}

// sameByte reports whether the value is one character again and again.
func sameByte(v []byte) bool {
	return !hasAny(v, func(b byte) bool { return b != v[0] })
}
