package risk

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What words that a table lets pass as free text say all the same.

// actingVerbs say, as a whole word, that something is done. The name of a thing that is
// looked at is hardly ever one of them, and a table that lets any word pass would let
// them pass, too: "talosctl service kubelet restart".
var actingVerbs = set(`start stop restart reload reboot shutdown poweroff reset kill delete destroy remove rm purge erase wipe
	approve deny revoke enable disable promote demote rollback restore failover cordon uncordon drain evict`)

// free are the kinds of words that may be any name.
func (k kind) free() bool {
	return k == kindAny || k == kindWord || k == kindLabel || k == kindPlain
}

// setsPlace matches the settings of a connection that some clients take among their operands:
// "xe vm-list server=HOST".
var setsPlace = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(server|endpoint|password-?file)=.`)
})

// freeOperand judges what the operand at a place says beside being a name: to a command that
// only looks.
func (m *matching) freeOperand(p param, ops []word, i int) {
	w := ops[i]
	if !p.kind.free() || m.s.effect != Observe && !m.looks || !w.known() {
		return
	}
	m.freeText(p, w)
	if setsPlace().MatchString(w.text) {
		m.a.unread(Mutate, Exfil, "argument.elsewhere", shown(w.text)+" names the place that is asked, or a file for it", w)
	}
	first := i == 0 && asking[m.before(nil, 0)] // "show wipe": a package of that name
	if m.s.parent != nil && !first && actingVerbs[w.text] && !slices.ContainsFunc(namesOf(m.s), func(name string) bool { return speaksOfVerbs[name] }) {
		m.a.unread(Mutate, 0, "operand.verb", shown(w.text)+" may be something that "+m.s.name+" does, and not the name of a thing", w)
	}
}

// speaksOfVerbs are commands whose operands may well be verbs, because they ask what may be
// done, look for words or explain them, and programs whose operands are keys of any kind.
var speaksOfVerbs = set(`can-i help search find explain doc completion man apropos alias redis-cli valkey-cli`)

// namesOf are the names of a sub-command, from the program on.
func namesOf(s *spec) []string {
	program := s.program().name
	return append([]string{program}, strings.Split(strings.TrimPrefix(s.name, program), ".")...)
}

// outputs are options for the form of what is shown, with some programs, and for the file that
// it is written to, with others.
var outputs = set(`-o -output --output --out --outfile --output-file`)

// freeValue judges what the value of an option says beside what its table makes of it: to a
// command that only looks.
func (m *matching) freeValue(o *option, v word) {
	m.freeText(o.value, v)
	if outputs[o.name] && o.value.kind.free() && strings.ContainsRune(v.text, '/') {
		m.a.unread(Mutate, 0, "option.output", shown(v.text)+" may be a file that is written, and no form of an answer", v)
	}
}

// freeText judges a word of free text that a program of the network is given. By custom such
// programs take "@FILE" and "file://FILE" for what stands in the file, which they send, and an
// address for another place to ask.
func (m *matching) freeText(p param, w word) {
	if !p.kind.free() || !w.known() {
		return
	}
	if programNeeds()[m.s.program().name].Has(NeedNet) && namesElsewhere(w.text) {
		m.a.unread(Mutate, Exfil, "argument.elsewhere", shown(w.text)+" may name a file that is sent, or another place that is asked", w)
	}
}

// namesElsewhere reports whether a word, or the value behind its "=", is an address or names a
// file by the customs of clients.
func namesElsewhere(text string) bool {
	_, value, _ := strings.Cut(text, "=")
	for _, part := range []string{text, value} {
		if strings.HasPrefix(part, "@") && len(part) > 1 || strings.Contains(part, "://") {
			return true
		}
	}
	return false
}

// verifiedFile judges rpm that verifies a package that is not installed: it runs the script
// that the package's file brings for that.
func (m *matching) verifiedFile() {
	verifies, file := false, false
	for _, g := range m.given {
		verifies = verifies || g.name == "-V" || g.name == "--verify"
		file = file || g.name == "-p" || g.name == "--package"
	}
	if verifies && file {
		m.a.unread(Mutate, Opaque, "rpm.verify.package", "runs the script with which the file is verified", m.name)
	}
}

// speaksOfSecrets reports whether the name of a command says that it may hand secrets out:
// "get-*" does not stand for get-session-token. A list of such things only names them.
func speaksOfSecrets(name string) bool {
	return !strings.HasPrefix(name, "list-") && secretCommand().MatchString(name)
}

var secretCommand = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`secret|password|passwd|credential|token|chap|private-?key|key-material|login|auth-?string|connection-string`)
})
