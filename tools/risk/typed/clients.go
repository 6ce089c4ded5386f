package typed

import (
	"regexp"
	"slices"
	"strings"

	"github.com/nod-console/nod/tools/risk"
)

// redisLine judges a line for redis-cli: a command with its arguments, or one of the
// client's own.
func redisLine(s *session, line string) {
	all, ok := words(line)
	if !ok {
		s.unread(line)
		return
	}
	// Commands are the same in either case; the tables have them in small letters. One
	// of the second words may be the name of a key, which keeps its own.
	all = slices.Clone(all)
	all[0] = strings.ToLower(all[0])
	switch all[0] {
	case "help", "?", "clear":
		return
	}
	if len(all) > 1 && redisFamilies[all[0]] {
		all[1] = strings.ToLower(all[1])
	}
	if strings.HasPrefix(all[0], "-") || strings.HasPrefix(all[0], ":") || slices.ContainsFunc(all[1:], func(w string) bool { return strings.HasPrefix(w, "-") }) {
		s.unread(line) // the program's arguments would be read as options
		return
	}
	v := risk.Argv(append([]string{"redis-cli"}, all...))
	s.add(v)
	if redisRuns[all[0]] || len(all) > 1 && all[0] == "config" && all[1] != "get" {
		s.note(risk.Mutate, risk.Opaque, "typed.runs", "the server runs a script, or another configuration")
	}
}

// redisFamilies are commands with a second word that says what they do.
var redisFamilies = set("config client cluster memory latency slowlog acl object xinfo pubsub command module script function debug")

// redisRuns are commands that run something, load something or take it from elsewhere.
var redisRuns = set("eval evalsha eval_ro evalsha_ro fcall fcall_ro function script module debug replicaof slaveof migrate connect exec restart")

// gdbLine judges a line for gdb.
func gdbLine(s *session, line string) {
	if !gdbLooks().MatchString(strings.TrimSpace(line)) || strings.Contains(line, "--") || strings.Contains(line, "++") {
		s.unread(line)
	}
}

// gdbLooks are commands that show: where the program stands, its registers, threads and
// memory, and values that are named and not computed.
var gdbLooks = re(`^(?:(?:bt|backtrace|where)(?: +(?:full|-?\d+))*` +
	`|info (?:registers|all-registers|threads|locals|args|frame|breakpoints|sharedlibrary|signals|files|proc|source|line|display|inferiors|auxv|symbol [\w$*]+|registers \w+)` +
	`|i (?:r|th|lo|b|f|s)|(?:frame|f|thread|up|down)(?: +\d+)?|thread apply all bt(?: full)?` +
	`|(?:list|l)(?: +[\w.:,]+)?|(?:print|p)(?:/[xduotacfs])? +[&*]?[$\w]+(?:(?:\.|->)\w+|\[\d+\])*|x/\d*[xduotacfsi]?[bhwg]? +[&*]?[$\w]+(?:[+-]\d+)?` +
	`|(?:disassemble|disas)(?: +\w+)?|ptype(?: +(?:struct |union |enum )?\w+)|whatis +\w+|help(?: +[a-z -]+)?|show (?:version|args|environment|paths))$`)

// sftpLine judges a line for sftp.
func sftpLine(s *session, line string) {
	if !sftpLooks().MatchString(strings.TrimSpace(line)) {
		s.client(line, sftpLoses)
	}
}

var (
	sftpLooks = re(`^(?:pwd|lpwd|version|help|\?|progress|(?:ls|dir)(?: +-[1aflhnrSt]+)?(?: +[A-Za-z0-9_./~*-]+)?|df(?: +-[hi]+)?(?: +[A-Za-z0-9_./~-]+)?|cd(?: +[A-Za-z0-9_./~-]+)?|lcd(?: +[A-Za-z0-9_./~-]+)?)$`)
	sftpLoses = re(`^\s*(?:rm|rmdir|rename)\b`)
	ftpLooks  = re(`^(?:pwd|status|system|help|\?|ls|dir|cd(?: +[A-Za-z0-9_./-]+)?|lcd(?: +[A-Za-z0-9_./-]+)?|size +[A-Za-z0-9_./-]+|modtime +[A-Za-z0-9_./-]+)$`)
	ftpLoses  = re(`^\s*(?:delete|mdelete|rmdir|rename)\b`)
)

// ftpLine judges a line for ftp.
func ftpLine(s *session, line string) {
	if !ftpLooks().MatchString(strings.TrimSpace(line)) {
		s.client(line, ftpLoses)
	}
}

// client judges a line for a client that moves files: what it removes, moves or hands to a
// shell is known by its first word.
func (s *session) client(line string, loses func() *regexp.Regexp) {
	bare := strings.TrimSpace(line)
	word, _, _ := strings.Cut(bare, " ")
	switch {
	case strings.HasPrefix(bare, "!"):
		s.escape(line, "!")
	case loses().MatchString(bare):
		s.note(risk.Destroy, 0, "typed.loss", "removes or replaces files on the other host")
	case transfers[word]:
		s.note(risk.Mutate, 0, "typed.transfer", "writes files here or on the other host")
	default:
		s.unread(line)
	}
}

// transfers are words of such clients that write, and run nothing.
var transfers = set("get reget mget put reput mput mkdir lmkdir chmod chown chgrp ln symlink copy cp")

// mongoLine judges a line for MongoDB's shell, whose language is JavaScript.
func mongoLine(s *session, line string) {
	v := risk.Statement(s.name, strings.TrimSpace(line))
	s.add(v)
	if v.Effect != risk.Observe {
		s.note(risk.Mutate, risk.Opaque, "typed.unread", s.name+" runs it, and what it does is not known by reading")
	}
}
