package risk

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// Vocabulary reports whether a word is the name of a program, of a sub-command
// or of an option that the data files know. Such a word says nothing about where
// it came from.
func Vocabulary(word string) bool { return vocabulary()[word] }

// Patterns reports whether a command names units, processes or containers by a
// pattern, which may stand for any number of them.
func Patterns(words []string) bool {
	if len(words) == 0 {
		return false
	}
	switch name := path.Base(words[0]); name {
	case "pkill", "killall", "pgrep", "skill":
		return slices.ContainsFunc(words[1:], func(w string) bool { return !strings.HasPrefix(w, "-") && strings.ContainsAny(w, `*?[.^$|+(\`) })
	case "grep", "egrep", "fgrep", "rg", "sed", "awk", "gawk", "mawk", "jq", "yq", "find", "printf", "echo":
		return false
	}
	return slices.ContainsFunc(words[1:], func(w string) bool { return strings.ContainsAny(w, "*?[") })
}

// Wraps reports whether a program runs a command that stands in its operands, as
// sudo, env and ssh do.
func Wraps(program string) bool {
	switch program {
	case "sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "fish", "su", "eval", "xargs", "command", "builtin", "exec", "find", "parallel":
		return true
	}
	s := specOf(program)
	return s != nil && slices.ContainsFunc(s.operands, func(p param) bool {
		return p.kind == kindCommand || p.kind == kindShell || p.kind == kindPsArgs
	})
}

var vocabulary = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	var add func(name string, s *spec)
	add = func(name string, s *spec) {
		words[strings.ToLower(name)] = true
		for option := range s.options {
			if len(option) > 2 {
				words[strings.ToLower(strings.TrimLeft(option, "-+"))] = true
			}
		}
		for sub, inner := range s.subs {
			add(sub, inner)
		}
	}
	for name := range programs().stanzas {
		add(name, specOf(name))
	}
	for name := range specials {
		words[name] = true
	}
	return words
})
