package risk

import (
	"path"
	"strings"
)

// readPath judges a path whose content (or with kindMeta whose names) are read.
func (a *assessor) readPath(w word, k kind) {
	text := path.Clean(w.text)
	a.pathNeeds(text)
	switch {
	case w.text == "-" || w.text == "" || quietDevice(text) && !w.glob:
		return
	case strings.Contains(w.text, "://") || opensConnection(text):
		a.note(Observe, Exfil, "path.network", "opens a connection to another host", w)
		return
	case k == kindMeta, releases[text] && k != kindTree:
		return
	}
	a.noteRead(w, text, k == kindTree)
}

// releases are patterns by which everybody finds out what distribution a host has. A copy
// of a secret file could have such a name, but none is made under one.
var releases = map[string]bool{"/etc/*release": true, "/etc/*-release": true, "/etc/*_release": true, "/etc/*version": true, "/etc/*_version": true}

// noteRead judges a file that is read, or with tree all that lies below it, by what it may
// be; clean is its path, cleaned.
func (a *assessor) noteRead(w word, clean string, tree bool) {
	c := a.classesOf(w, tree || w.tree) | a.printedPath(w)&classSecret
	switch {
	case c&classSecret != 0:
		a.note(Observe, Secret, "path.secret", shown(w.text)+" holds or may hold secrets", w)
	case c&classDevice != 0:
		a.note(Observe, Secret, "path.device", "reads raw storage or memory", w)
	case strings.HasPrefix(clean, "/dev/") && !strings.HasPrefix(clean, "/dev/shm/"):
		a.note(Mutate, 0, "path.device", "reading a device can change its state", w)
	case strings.IndexByte(w.text, hole) >= 0 && !w.tame:
		a.unclear("path.dynamic", "which file is read is not known", w)
	case tree && strings.HasPrefix(w.text, "..") && len(a.scope.cwds) == 0 && placeOf(w.text, "").relative:
		a.unclear("path.relative", "which folder is searched is not known", w)
	}
}

// opensConnection reports whether a clean path means another host to a shell or to awk.
func opensConnection(p string) bool {
	return isNetwork(p) || strings.HasPrefix(p, "/inet/") || strings.HasPrefix(p, "/inet4/") || strings.HasPrefix(p, "/inet6/")
}

// writePath judges a path that is created, replaced or appended to.
func (a *assessor) writePath(w word, at word) {
	text := path.Clean(w.text)
	switch {
	case quietDevice(text) && !w.glob || w.text == "-" && at.start == at.end:
		if number, ok := strings.CutPrefix(text, "/dev/fd/"); ok {
			a.descriptor(number, true, at)
		}
		return
	case isNetwork(text):
		a.note(Mutate, Exfil, "path.network", "sends data to another host", at)
		return
	}
	c := a.classesOf(w, w.tree) | a.printedPath(w)
	if c&classDevice != 0 {
		a.note(Destroy, 0, "write.device", "writes to raw storage or memory: "+shown(w.text), at)
	}
	a.noteClasses(c, at, w)
	a.note(Mutate, 0, "write.file", "writes "+shown(w.text), at)
}

// deletePath judges a path that is removed; the program says how bad that is.
func (a *assessor) deletePath(w word, name word) {
	c := a.classesOf(w, w.tree) | a.printedPath(w)
	c |= a.class(w.text, "", true) & classLockout
	for _, cwd := range a.scope.cwds {
		c |= a.class(w.text, cwd, true) & classLockout
	}
	a.noteClasses(c, word{start: name.start, end: w.end}, w)
}

// classesOf is what a path, or with below what lies in it, may be, seen from every folder
// that may be the present one.
func (a *assessor) classesOf(w word, below bool) class {
	c := a.class(w.text, "", below)
	if len(a.scope.cwds) > 0 && placeOf(w.text, "").relative {
		for _, cwd := range a.scope.cwds {
			c |= a.class(w.text, cwd, below)
		}
	}
	return c
}

// printedPath is what a path would be if what is not known of it were what a
// substitution in the text prints: "$(printf /etc/%s shadow)".
func (a *assessor) printedPath(w word) class {
	var c class
	if strings.Count(w.text, string(hole)) == 1 {
		for _, text := range a.printed {
			c |= a.class(strings.Replace(w.text, string(hole), text, 1), "", w.tree)
		}
	}
	return c
}

func (a *assessor) noteClasses(c class, at, w word) {
	if c&classLockout != 0 {
		a.note(Mutate, Lockout, "write.access", "changes "+shown(w.text)+", on which the way in depends", at)
	}
	if c&classRights != 0 {
		a.note(Mutate, Privesc, "write.rights", "changes "+shown(w.text)+", which grants rights", at)
	}
	if c&classRuns != 0 {
		a.note(Mutate, Opaque, "write.runs", "changes "+shown(w.text)+", which is executed later", at)
	}
	if c&classSecret != 0 {
		a.note(Mutate, Secret, "write.secret", "touches secret material in "+shown(w.text), at)
	}
}

// ReadFile assesses reading one file.
func ReadFile(name string) Verdict {
	a := &assessor{effect: Observe, plainText: true}
	w := word{text: name, end: len(name), quoted: true}
	if name == "" || strings.IndexByte(name, hole) >= 0 {
		a.note(Mutate, Opaque, "path.invalid", "the path is not one", w)
	} else {
		a.readPath(w, kindReads)
	}
	return a.verdict()
}

// WriteFile assesses creating or replacing one file; it is never auto.
func WriteFile(name string) Verdict {
	a := &assessor{effect: Observe, plainText: true}
	w := word{text: name, end: len(name), quoted: true}
	if name == "" || strings.IndexByte(name, hole) >= 0 {
		a.note(Mutate, Opaque, "path.invalid", "the path is not one", w)
	}
	a.writePath(w, w)
	a.note(Mutate, 0, "write.file", "writes "+shown(name), w)
	if a.isLog(name) {
		a.note(Destroy, 0, "write.log", "replaces a log", w)
	}
	return a.verdict()
}

// throughProcess is what a path is beyond a process's root or present folder, to which
// /proc/PID/root, /proc/PID/cwd and the same below task/TID lead; ".." behind them does not
// lead back. There is more than one if a name may stand for these.
func throughProcess(text, cwd string) (beyond []string) {
	if text != "" && text[0] != '/' {
		text = cwd + "/" + text
	}
	if !loose(text) && !strings.Contains(text, "/root") && !strings.Contains(text, "/cwd") {
		return nil
	}
	var at []string
	names := components(text)
	for i, name := range names {
		switch {
		case name == "" || name == ".":
		case name == "..":
			at = at[:max(0, len(at)-1)]
		default:
			if at = append(at, name); leadsAway(at) {
				beyond = append(beyond, "/"+strings.Join(names[i+1:], "/"))
			}
		}
	}
	return beyond
}

// leadsAway reports whether names from the root on may be those of a process's root or folder.
func leadsAway(names []string) bool {
	if n := len(names); n != 3 && (n != 5 || !overlap("task", names[2])) || !overlap("proc", names[0]) {
		return false
	}
	last := names[len(names)-1]
	return overlap("root", last) || overlap("cwd", last)
}

func (a *assessor) isLog(text string) bool { return a.class(text, "", false)&classLog != 0 }

// looked is a question about a path that was asked before.
type looked struct {
	text, cwd string
	below     bool
}

// manyNames are so many that comparing a path takes the time of one more.
const manyNames = 12

// class is what a path, or with below anything under it, may be. Programs ask
// about the same path more than once, and the list of paths is long.
func (a *assessor) class(text, cwd string, below bool) class {
	key := looked{text, cwd, below}
	if c, ok := a.looked[key]; ok {
		return c
	}
	left := a.spend(costPath*(1+strings.Count(text, "/")/manyNames)+len(text)/costByte, word{})
	c := placeOf(text, cwd).classify(below)
	if left {
		for _, beyond := range throughProcess(text, cwd) {
			c |= a.class(beyond, "", below)
		}
	}
	if a.looked == nil {
		a.looked = map[looked]class{}
	}
	a.looked[key] = c
	return c
}
