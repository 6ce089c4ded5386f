package shells

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Opens reports whether a command does nothing but open an interactive
// shell. It is strict: what it does not know, and anything that is more than
// plain words, opens none.
func Opens(command string) bool {
	if strings.ContainsAny(command, "\n;|&<>`$(){}[]\"'\\*?!#") {
		return false
	}
	return Opener(strings.Fields(command))
}

// Opener is [Opens] for the words of a command.
func Opener(words []string) bool {
	for len(words) > 0 && isAssignment(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	name, rest := path.Base(words[0]), words[1:]
	switch name {
	case "command":
		return Opener(rest)
	case "env":
		return Opener(withoutOptions(rest, "-u", "-C"))
	case "setpriv":
		return Opener(withoutOptions(rest, "--reuid", "--regid"))
	case "busybox":
		return slices.Equal(rest, []string{"sh"}) || slices.Equal(rest, []string{"ash"})
	case "sudo", "doas":
		return becomes(rest)
	case "su":
		return !slices.ContainsFunc(rest, givesCommand)
	case "ssh":
		return logsIn(rest)
	case "docker", "podman", "nerdctl", "kubectl", "oc":
		return entersContainer(rest)
	case "chroot", "nsenter", "unshare":
		return endsWithShell(rest)
	}
	return Is(name) && shellAlone(rest)
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && name[0] != '-'
}

// givesCommand finds su's "-c", "-lc", "--command".
func givesCommand(word string) bool {
	return strings.HasPrefix(word, "--c") || word[0] == '-' && !strings.HasPrefix(word, "--") && strings.Contains(word, "c")
}

// entersContainer reads the words behind docker and its like.
func entersContainer(words []string) bool {
	return len(words) > 2 && slices.Contains([]string{"exec", "run", "container"}, words[0]) &&
		slices.ContainsFunc(words, isInteractive) && endsWithShell(words)
}

// endsWithShell reports whether the last word is a shell.
func endsWithShell(words []string) bool {
	return len(words) > 0 && Is(path.Base(words[len(words)-1]))
}

// isInteractive finds "-i", "-it", "--interactive".
func isInteractive(word string) bool {
	short := strings.HasPrefix(word, "-") && !strings.HasPrefix(word, "--") && len(word) <= 4 && strings.Contains(word, "i")
	return short || word == "--interactive" || word == "--stdin"
}

// withoutOptions drops options, of which the given ones take another word.
func withoutOptions(words []string, withWord ...string) []string {
	for len(words) > 0 && words[0] != "" && words[0][0] == '-' {
		if slices.Contains(withWord, words[0]) && len(words) > 1 {
			words = words[1:]
		}
		words = words[1:]
	}
	return words
}

// becomes reads the words behind sudo.
func becomes(words []string) bool {
	shell := false
	for len(words) > 0 && words[0][0] == '-' {
		switch words[0] {
		case "-i", "-s", "--login", "--shell":
			shell = true
		case "-u", "-g", "-h", "-C", "-p", "-R", "-D", "-T":
			if len(words) < 2 {
				return false
			}
			words = words[1:]
		case "-H", "-E", "-n", "-k", "-P":
		default:
			return false
		}
		words = words[1:]
	}
	if len(words) == 0 {
		return shell
	}
	return !shell && Opener(words)
}

// logsIn reads the words behind ssh.
func logsIn(words []string) bool {
	for len(words) > 0 && words[0][0] == '-' {
		option := words[0]
		switch {
		case len(option) == 2 && strings.Contains("BbcDEeFIiJLlmopRSw", option[1:]):
			if len(words) < 2 {
				return false
			}
			words = words[1:]
		case strings.ContainsAny(option, "NfnTWOGQVs"):
			return false
		}
		words = words[1:]
	}
	return len(words) == 1 || len(words) > 1 && Opener(words[1:])
}

// shellAlone reports whether the words behind a shell's name leave it
// interactive: no script, no command.
func shellAlone(words []string) bool {
	for len(words) > 0 {
		switch words[0] {
		case "-i", "-l", "-il", "-li", "-f", "-d", "-p", "--norc", "--noprofile", "--login", "--posix",
			"--no-rcs", "--no-globalrcs", "--no-config", "--interactive":
		case "--rcfile", "--init-file":
			if len(words) < 2 {
				return false
			}
			words = words[1:]
		default:
			return false
		}
		words = words[1:]
	}
	return true
}

// redirection is a command that does nothing but redirect what the shell reads or writes.
var redirection = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*exec(?:\s+\d*(?:[<>]&?|>>|>\||<>|&>)\s*[\w./~:$-]+)+\s*;?\s*$`)
})

// Redirects reports whether a command does nothing but redirect what the shell itself reads
// or writes.
func Redirects(command string) bool { return redirection().MatchString(command) }

// changers are words of commands that may change what a shell shows or does at its
// prompt, or that run others which may.
var changers = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`PS[01]|PROMPT|precmd|preexec|prompt|\b(?:source|eval|unset|exec|functions|emulate)\b|(?:^|[\s;&|])\.\s`)
})

// ChangesPrompt reports whether a command may change what a shell shows or does at its
// prompt.
func ChangesPrompt(command string) bool { return changers().MatchString(command) }
