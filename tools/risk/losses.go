package risk

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// Loss by kind, whatever the program: what names say, what options say, which paths
// are touched, what a server is asked.

var (
	// lossPower are calls that change the power state of a host, on whatever bus.
	lossPower = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(reboot|poweroff|halt|kexec|suspend|hibernate|hybridsleep|suspendthenhibernate|scheduleshutdown|rebootwithflags|poweroffwithflags|haltwithflags|setreboot\w*|softreboot|exit)(\.target)?\b|org\.freedesktop\.login1\.manager\.(terminate|kill)`)
	})
	// lossRequest is a request to a store that removes something though its method does
	// not say so.
	lossRequest = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)_delete_by_query|[/?=_.-](delete(range|instancedir)?|drop|truncate|purge|prune|destroy|wipe|flush(all|db)?|shutdown|kill|reset|remove|clean_tombstones|delete_series|force_?merge|_close|unload|force-leave)\b|[?&]delete\w*=true|\b(drop|truncate)\s+(table|database|keyspace|measurement|series|index|collection)|\bdelete\s+from\b|\b(?-i:(?:do)?(?:[dD]elete|[rR]emove|[dD]estroy|[pP]urge)[A-Z]\w*|doDelete)\b`)
	})
)

// lossPlaces is how many arguments of a program that is not understood may name what it is
// to do; those behind are names and values.
const lossPlaces = 6

// lossNames are, beside the verbs, what programs are called that lose something.
var lossNames = set(`format empty rimraf removepkg pkgrm rmvirtualenv eraseall sysprep deleteduplicates rmlint trashempty rd deltree sfill sswap sdmem
	eclean mkfs newfs bfg urpme tmpreaper tmpwatch bleachbit`)

// namedLoss reports whether a program's name says that something is lost:
// k3s-uninstall.sh, trash-empty, rmuser.
func namedLoss(program string) bool {
	base := program[strings.LastIndexByte(program, '/')+1:]
	all := parts(base)
	for i, p := range all {
		if lossVerbs[p] || lossNames[p] || glued(p) || p == "clear" && i > 0 && i == len(all)-1 {
			return true
		}
	}
	return inName().MatchString(base)
}

// losingScript marks a script whose name says that something is lost.
func (a *assessor) losingScript(file word) {
	if file.known() && namedLoss(file.text) {
		a.note(Destroy, 0, "program.loss", "the script's name says that it removes something", file)
	}
}

// inName is a verb within a program's name.
var inName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(remove|delete|destroy|purge|wipe|erase|uninstall|undefine)($|[^ds])`)
})

// namesLoss marks a program that nothing is known about, but for what its name, its
// options and its words say.
func (a *assessor) namesLoss(words []word, whole word) {
	if onlyAsked(words) {
		return
	}
	if namedLoss(words[0].text) {
		a.note(Destroy, 0, "program.loss", "the program's name says that it removes something", words[0])
	}
	a.appliance(words, whole)
	place, before := 0, words[0].text[strings.LastIndexByte(words[0].text, '/')+1:]
	made := asking[before]
	for _, w := range words[1:] {
		switch {
		case !w.known():
		case strings.HasPrefix(w.text, "-") || strings.HasPrefix(w.text, "/") && len(w.text) < maxOption:
			if saysOption(w.text, true) {
				a.lossArgument(w)
			}
		default:
			if place++; place <= lossPlaces && !made && says(w.text, before) {
				a.lossArgument(w)
			}
			before, made = w.text, made || objects(w.text)
		}
		if w.known() && strings.Contains(w.text, "/dev/") && a.spend(costPath, w) && a.class(devicePath(w.text), "", false)&classDevice != 0 {
			a.note(Destroy, 0, "argument.device", "is given raw storage: "+shown(w.text), whole)
		}
	}
	if a.effect != Destroy {
		a.handed(words[1:])
	}
}

// handed marks texts that lose something where a shell reads them, by programs that are known
// to: whatever has it read, tsh ssh host 'dropdb orders'.
func (a *assessor) handed(args []word) {
	for _, w := range args {
		if !w.known() || !strings.Contains(w.text, " ") || len(w.text) > maxWord || !mayLose(w.text) || a.depth > maxDepth || !a.spend(costStep, w) {
			continue
		}
		quiet := a.quiet()
		if quiet.script(w.text); quiet.effect != Destroy {
			continue
		}
		for _, f := range quiet.findings {
			if program, _, _ := strings.Cut(f.Rule, "."); specOf(program) != nil {
				a.note(Destroy, quiet.flags, "program.handed", "hands a text on that may run "+shown(w.text), w)
				break
			}
		}
	}
}

// maxOption bounds the options that begin with a slash: /delete.
const maxOption = 16

// applianceLoss are lines for the shells of switches, routers, firewalls and controllers.
var applianceLoss = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^\s*(wr(ite)? er(ase)?|erase (/all )?(startup|nvram|flash|boot|all|running)|reload( (in|at|now|reason|slot)|$)|request (restart|shutdown) system|request (system|vmhost|chassis) (zeroize|reboot|halt|power-off|power-cycle)|del(ete)? (/\S+ )*(flash|nvram|disk\d|boot\w*|config|vlan\.dat)|format (flash|disk\d|bootflash|usb)|reset (saved-configuration|system|factory)|clear (config\w*|startup-config|logging|log|counters all)|restore (factory|default)\S*|execute (factory\w*|formatlogdisk|shutdown|reboot|erase\S*)|(load|set|system) (factory|default)\S*|factory-reset|no (vlan|interface \w|router|feature)|zeroize)`)
})

// appliance marks lines for the shell of a device.
func (a *assessor) appliance(words []word, whole word) {
	line := join(words[:min(len(words), lossPlaces)])
	if applianceLoss().MatchString(line.text) {
		a.note(Destroy, 0, "appliance.loss", "on a network device or a controller it removes something, or restarts it: "+shown(line.text), whole)
		return
	}
	for _, w := range words[1:] {
		if strings.IndexByte(w.text, ' ') > 0 && applianceLoss().MatchString(w.text) {
			a.note(Destroy, 0, "appliance.loss", "on a network device or a controller it removes something, or restarts it: "+shown(w.text), w)
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
		if w.known() && systemTrees[path.Clean(w.text)] {
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

// emptiedByDD marks a file that dd makes empty.
func (a *assessor) emptiedByDD(args []word) {
	from, to := false, word{}
	for _, w := range args {
		from = from || w.text == "if=/dev/null"
		if strings.HasPrefix(w.text, "of=") {
			to = w
		}
	}
	if from && to.text != "" && !quietDevice(to.text[3:]) {
		a.note(Destroy, 0, "write.empties", "empties "+shown(to.text[3:]), to)
	}
}

// wholeFile is a sed script that deletes every line.
var wholeFile = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*(0,\$|1,\$|/\.\*?/|/\^/)?\s*d\s*;?\s*$`) })

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
