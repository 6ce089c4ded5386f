package risk

import (
	"regexp"
	"strings"
	"sync"
)

// Loss by kind, whatever the program: what names say, what options say, which paths
// are touched, what a server is asked.

var (
	// lossName is a program's name that says what it does: k3s-uninstall.sh, trash-empty.
	lossName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(^|[-_.])(rm|delete|remove|uninstall|removepkg|pkgrm|rmvirtualenv|destroy|purge|wipe|erase|eraseall|empty|rimraf|shred|format|prune|reset|sysprep)($|[-_.])|rimraf|deleteduplicates|^rmlint\.sh$`)
	})
	// lossOption is an option that says so.
	lossOption = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^--?(delete|remove|purge|wipe|erase|destroy|zap|uninstall|prune|empty|reset|clear|flush|format|rmdir|rm|cfgclr|cfgldel|factory|invalidate|expunge|undochange|restore|overwrite)([-=a-z].*)?$|^--?(del|drop)([-_=].*)?$`)
	})
	// lossWord is a word, or a part of one, in which a client names what it wants done.
	lossWord = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(^|[./:_-])(delete|del|remove|destroy|wipe|erase|purge|rmtree|zap|factory-?reset|invalidate|clearconfig|fence|zero-log|undochange|force[-_]reset|remove_all|reset-configuration|poweroff|power-off|powercycle|powerdown|hardreset|shutdown|reboot|terminate|deleteall|cleanse|deprovision|reset|(?-i:drop)|teardown|tear-down|unpublish|obliterate|nuke|delnode|rrdelete|rmi|uninstall|vacuum|purify|discard|revert)($|[./:_-])|state=absent`)
	})
	// lossPower are calls that change the power state of a host, on whatever bus.
	lossPower = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(reboot|poweroff|halt|kexec|suspend|hibernate|hybridsleep|suspendthenhibernate|scheduleshutdown|rebootwithflags|poweroffwithflags|haltwithflags|setreboot\w*|softreboot|exit)(\.target)?\b|org\.freedesktop\.login1\.manager\.(terminate|kill)`)
	})
	// lossRequest is a request to a store that removes something though its method does
	// not say so.
	lossRequest = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)_delete_by_query|[/?=_.-](delete(range|instancedir)?|drop|truncate|purge|prune|destroy|wipe|flush(all|db)?|shutdown|kill|reset|remove|clean_tombstones|delete_series|force_?merge|_close|unload|force-leave)\b|[?&]delete\w*=true|\b(drop|truncate)\s+(table|database|keyspace|measurement|series|index|collection)|\bdelete\s+from\b`)
	})
)

// lossPlaces is how many arguments of a program that is not understood may name what it is
// to do; those behind are names and values.
const lossPlaces = 6

// lossWords marks words in which a client would name what it wants done, if they say that
// something is lost.
func (a *assessor) lossWords(words []word) {
	a.hints(words)
	for _, w := range words {
		if w.known() && lossWord().MatchString(w.text) {
			a.note(Destroy, 0, "argument.loss", "reads as if it removes something: "+shown(w.text), w)
		}
	}
}

// namesLoss marks a program that nothing is known about, but for what its name, its
// options and its words say.
func (a *assessor) namesLoss(words []word, whole word) {
	if lossName().MatchString(words[0].text) {
		a.note(Destroy, 0, "program.loss", "the program's name says that it removes something", words[0])
	}
	for i, w := range words[1:] {
		switch {
		case !w.known():
		case lossOption().MatchString(w.text):
			a.note(Destroy, 0, "argument.loss", "reads as if it removes something: "+shown(w.text), w)
		case i < lossPlaces && !strings.HasPrefix(w.text, "-") && lossWord().MatchString(w.text):
			a.note(Destroy, 0, "argument.loss", "reads as if it removes something: "+shown(w.text), w)
		case strings.Contains(w.text, "/dev/") && a.spend(costPath, w) && a.class(devicePath(w.text), "", false)&classDevice != 0:
			a.note(Destroy, 0, "argument.device", "is given raw storage: "+shown(w.text), whole)
		}
	}
}

// devicePath is the device that an argument names: /dev/X, --option=/dev/X, of=/dev/X.
func devicePath(text string) string {
	return text[strings.Index(text, "/dev/"):]
}

// busProgram calls a method on a bus: everything but a few questions acts, and some
// calls switch the host off.
func busProgram(a *assessor, name word, args []word) {
	for _, w := range args {
		if lossPower().MatchString(w.text) {
			a.note(Destroy, Lockout, "unit.power", "switches the host off, restarts it or puts it to sleep: "+shown(w.text), w)
			break
		}
	}
	for _, w := range args {
		if strings.HasSuffix(w.text, ".service") || strings.HasSuffix(w.text, ".target") || strings.HasSuffix(w.text, ".socket") {
			a.unit(w, name)
		}
	}
	a.hand(name, args)
}

// requestLoss marks requests to a store that remove something. acts is set if the
// request is more than a question.
func (a *assessor) requestLoss(args []word, acts bool) {
	for i, w := range args {
		switch strings.ToUpper(strings.TrimPrefix(w.text, "--method=")) {
		case "DELETE", "PURGE":
			if i == 0 || strings.HasPrefix(w.text, "--") || acts {
				a.note(Destroy, 0, "method.removes", "asks the server to remove something", w)
			}
		}
		if acts && lossRequest().MatchString(w.text) {
			a.note(Destroy, 0, "request.removes", "reads as if it asks the server to remove something: "+shown(w.text), w)
		}
	}
}

// systemTrees are folders whose rights, changed as a whole, nobody can put back.
var systemTrees = map[string]bool{
	"/": true, "/*": true, "/bin": true, "/boot": true, "/dev": true, "/etc": true, "/home": true, "/lib": true, "/lib64": true,
	"/opt": true, "/root": true, "/sbin": true, "/srv": true, "/usr": true, "/var": true, "/var/lib": true, "/usr/bin": true,
	"/usr/lib": true, "~": true, "/etc/*": true, "/usr/*": true, "/var/*": true,
}

// treeRights marks a recursive change of rights or owners of a whole system folder.
func (m *matching) treeRights() {
	if len(m.values("-R", "--recursive")) == 0 {
		return
	}
	for _, w := range m.operands {
		if w.known() && systemTrees[strings.TrimSuffix(w.text, "/")] || w.text == "/" {
			m.a.note(Destroy, 0, "rights.tree", "changes the rights of everything in "+shown(w.text)+": nobody knows afterwards what they were", w)
		}
	}
}

// emptiedBy marks files that are given the content of an empty device.
func (m *matching) emptiedBy() {
	if len(m.operands) > 1 && m.operands[0].text == "/dev/null" && !quietDevice(m.operands[len(m.operands)-1].text) {
		m.a.note(Destroy, 0, "write.empties", "empties "+shown(m.operands[len(m.operands)-1].text), m.name)
	}
}

// wholeFile is a sed script that deletes every line.
var wholeFile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(0,\$|1,\$)?\s*d\s*;?\s*$`) })

// emptiedInPlace marks files of which sed deletes every line.
func (m *matching) emptiedInPlace() {
	if len(m.values("-i", "--in-place")) == 0 {
		return
	}
	scripts := m.values("-e", "--expression")
	if len(scripts) == 0 && len(m.operands) > 0 {
		scripts = m.operands[:1]
	}
	for _, w := range scripts {
		if wholeFile().MatchString(w.text) {
			m.a.note(Destroy, 0, "write.empties", "deletes every line", w)
		}
	}
}
