package risk

import "strings"

// findProgram reads find's expression.
func findProgram(a *assessor, name word, args []word) {
	from := findOptions(args)
	roots := a.findRoots(args[from:])
	i := from + len(roots)
	if len(roots) == 0 {
		roots = []word{{text: "."}}
	}
	for i < len(args) {
		switch args[i].text {
		case "!", "(", ")", ",", "-a", "-o", "-not", "-and", "-or":
			i++
			continue
		case "-exec", "-execdir", "-ok", "-okdir":
			i = a.findExec(args, i, roots)
			continue
		case "-delete":
			for _, root := range roots {
				a.deletePath(word{text: root.text, tree: true, start: root.start, end: root.end}, name)
			}
		}
		i = a.findPrimary(name, args, i)
	}
}

// findOptions counts the options that stand before the roots.
func findOptions(args []word) int {
	for i, w := range args {
		t := w.text
		if !w.known() || t != "-H" && t != "-L" && t != "-P" && (len(t) <= 2 || t[:2] != "-O") {
			return i
		}
	}
	return len(args)
}

// findRoots are the words before the expression.
func (a *assessor) findRoots(args []word) []word {
	for i, w := range args {
		if w.mayBeOption() && w.text[0] != '-' {
			a.unread(Mutate, 0, "argument.dynamic", "an argument that is not known could be an action", w)
		}
		switch {
		case w.text == "" || strings.HasPrefix(w.text, "-") || w.text == "!" || w.text == "(" || w.text == ")" || w.text == ",":
			return args[:i:i]
		case w.several() && strings.IndexByte(w.text, hole) >= 0:
			a.unread(Mutate, 0, "argument.dynamic", "an argument that is not known could become an action", w)
		}
	}
	return args
}

// findPrimary reads the test or the action at a place by the table; next is behind it.
func (a *assessor) findPrimary(name word, args []word, i int) (next int) {
	w, s := args[i], specOf("find")
	o := s.option(w.text)
	if o == nil || !w.known() {
		a.unread(Mutate, 0, "option.unknown", "the test or action "+shown(w.text)+" of find is not known", w)
		return i + 1
	}
	m := &matching{a: a, s: s, name: name, args: args}
	m.use(o, w)
	if o.takes {
		m.next(o, w, &i)
	}
	return i + 1
}

// findExec reads -exec … ; or -exec … {} + for each root.
func (a *assessor) findExec(args []word, i int, roots []word) (next int) {
	var words []word
	action := args[i]
	for i++; i < len(args) && args[i].text != ";" && !(args[i].text == "+" && len(words) > 0 && words[len(words)-1].text == "{}"); i++ {
		words = append(words, args[i])
	}
	if len(words) == 0 {
		a.unclear("option.value", "the action lacks its command", action)
		return i + 1
	}
	if strings.HasPrefix(action.text, "-ok") {
		a.unclear("find.ok", "asks at the terminal", action)
	}
	for _, root := range roots {
		if a.spent {
			break
		}
		one := filledIn(words, root)
		if strings.HasSuffix(action.text, "dir") {
			a.unclear("find.execdir", "runs in folders that are not known", action)
		}
		a.run(one)
	}
	return i + 1
}

// filledIn are words with what find finds below a root in place of {}.
func filledIn(words []word, root word) []word {
	found := root.text
	if !strings.HasPrefix(found, "/") && !strings.HasPrefix(found, ".") && !strings.HasPrefix(found, "~") {
		found = "./" + found
	}
	one := make([]word, len(words))
	for n, w := range words {
		one[n] = w
		if w.text == "{}" {
			one[n] = word{text: found, tree: true, glob: root.glob, start: w.start, end: w.end, quoted: true}
		} else {
			one[n].text = strings.ReplaceAll(w.text, "{}", string(hole))
		}
	}
	return one
}

// tarring is one pass over tar's arguments.
type tarring struct {
	a    *assessor
	name word
	args []word
	at   int  // of the argument that is read
	mode byte // the letter of what is done; 0 before it is known
	file bool // the archive is a file
}

// tarProgram: listing is harmless, creating writes a file, extracting writes
// many; an archive may overwrite anything.
func tarProgram(a *assessor, name word, args []word) {
	if len(args) == 0 {
		return
	}
	t := &tarring{a: a, name: name, args: args}
	inside := a.scope.cwds
	first := true
	for ; t.at < len(args); t.at++ {
		w := args[t.at]
		switch {
		case !w.known():
			a.readPath(w, kindTree)
			if w.mayBeOption() {
				a.unread(Mutate, Opaque, "argument.dynamic", "an argument that is not known could be an option that runs a program", w)
			}
		case strings.HasPrefix(w.text, "--"):
			t.long(w)
		case strings.HasPrefix(w.text, "-") && len(w.text) > 1:
			t.cluster(w, w.text[1:])
			first = false
		case first:
			t.cluster(w, w.text)
			first = false
		default:
			a.readPath(w, kindTree)
		}
	}
	t.judgeMode()
	a.scope.cwds = inside
}

// cluster reads options of one letter.
func (t *tarring) cluster(w word, letters string) {
	for at := 0; at < len(letters); at++ {
		switch c := letters[at]; c {
		case 't', 'x', 'c', 'r', 'u', 'A', 'd':
			t.mode = c
		case 'v', 'z', 'j', 'J', 'a', 'p', 'h', 'S', 'k', 'm', 'P', 'o', 'B', 'l', 'O', 'n':
			if c == 'P' && t.mode == 'x' {
				t.a.note(Mutate, 0, "tar.absolute", "extracts to absolute paths", w)
			}
		case 'f', 'C', 'T', 'X', 'b':
			if t.letterWithValue(c, w, letters[at+1:]) {
				return
			}
		case 'I', 'F':
			t.a.note(Mutate, Opaque, "tar.program", "makes tar run a program", w)
			t.at++
			return
		default:
			t.a.unread(Mutate, 0, "option.unknown", "the option -"+shown(string([]byte{c}))+" of tar is not known", w)
		}
	}
}

// letterWithValue reads an option whose value is the rest of its word, or the next argument.
// With a dash before the letters, none of them follows a value: ends says so.
func (t *tarring) letterWithValue(c byte, w word, rest string) (ends bool) {
	dashed := strings.HasPrefix(w.text, "-")
	value := w
	value.text = rest
	if (rest == "" || !dashed) && t.at+1 < len(t.args) {
		t.at++
		value = t.args[t.at]
	}
	t.file = t.file || c == 'f'
	t.path(c, value)
	return dashed
}

// path judges the path that an option of this letter names.
func (t *tarring) path(option byte, value word) {
	switch {
	case option == 'f' && strings.Contains(value.text, ":") && !strings.HasPrefix(value.text, "/"):
		t.a.note(Mutate, Exfil, "tar.remote", "the archive lies on another host", value)
	case option == 'f' && t.mode != 't' && t.mode != 'x' && t.mode != 'd':
		t.a.writePath(value, word{start: t.name.start, end: value.end})
	case option == 'T' || option == 'X':
		t.a.readPath(value, kindReads) // its lines are shown in errors
	case option == 'f':
		t.a.readPath(value, kindReads)
	case option == 'C':
		t.a.enterNamed(value)
	}
}

// tarModes are the long options that say what is done, by the letter that does.
var tarModes = map[string]byte{
	"--list": 't', "--extract": 'x', "--get": 'x', "--create": 'c',
	"--append": 'r', "--update": 'r', "--concatenate": 'r', "--delete": 'r',
}

// long reads an option that is written out.
func (t *tarring) long(w word) {
	option, value, attached := strings.Cut(w.text, "=")
	v := w
	v.text = value
	if mode, ok := tarModes[option]; ok {
		if option == "--delete" {
			t.a.note(Destroy, 0, "tar.delete", "removes members from an archive", w)
		}
		t.mode = mode
		return
	}
	switch option {
	case "--remove-files":
		t.a.note(Destroy, 0, "tar.remove-files", "removes the files that it packs", w)
	case "--verbose", "--gzip", "--bzip2", "--xz", "--zstd", "--auto-compress", "--version", "--help", "--numeric-owner", "--full-time", "--no-recursion", "--wildcards":
	case "--strip-components", "--exclude":
		if !attached {
			t.at++
		}
	case "--file":
		t.file = true
		t.path('f', t.valueOf(v, attached))
	case "--directory":
		t.path('C', t.valueOf(v, attached))
	case "--checkpoint-action", "--to-command", "--use-compress-program", "--info-script", "--new-volume-script", "--rsh-command", "--rmt-command":
		t.runs(w, v)
	default:
		t.a.unread(Mutate, 0, "option.unknown", "the option "+shown(w.text)+" of tar is not known", w)
	}
}

// valueOf is the value of a long option: what is attached, or else the next argument.
func (t *tarring) valueOf(v word, attached bool) word {
	if !attached && t.at+1 < len(t.args) {
		t.at++
		return t.args[t.at]
	}
	return v
}

// runs judges an option by which tar runs a program.
func (t *tarring) runs(w, v word) {
	t.a.note(Mutate, Opaque, "tar.program", "makes tar run a program", w)
	if _, text, ok := strings.Cut(v.text, "exec="); ok {
		v.text = text
	}
	if v.text != "" {
		t.a.nested(v)
	}
}

// judgeMode judges what is done with the archive.
func (t *tarring) judgeMode() {
	switch t.mode {
	case 't', 'd':
	case 'x':
		t.a.note(Mutate, 0, "tar.extract", "extracts files, over what is there", t.name)
	case 'c':
		if t.file {
			t.a.note(Mutate, 0, "tar.create", "writes an archive", t.name)
		} else {
			t.a.unclear("tar.stream", "writes an archive to its output", t.name)
		}
	case 0:
		t.a.unclear("tar.mode", "tar lacks its mode", t.name)
	default:
		t.a.note(Mutate, 0, "tar.change", "changes an archive", t.name)
	}
}

// rsyncProgram tells copies to another host from copies here, and both from a
// run that only shows what would be copied. What is an option and what is an
// option's value, the table says.
func rsyncProgram(a *assessor, name word, args []word) {
	look := a.quiet()
	look.scope, look.plainText = a.scope.clone(), a.plainText
	m := &matching{a: look, s: specOf("rsync"), name: name, args: args}
	rest := m.options(0, false)
	operands := append(m.operands, rest...)
	dry := len(m.values("-n", "--dry-run", "--list-only")) > 0 && !m.odd
	remote := false
	if n := len(operands); n > 1 {
		remote = remotePlace(operands[n-1].text)
	}
	switch {
	case dry:
		a.flags |= look.flags &^ Exfil
		if remote || !dryUnderstood(look, operands) {
			a.unclear("rsync.dry-run", "only shows what would be copied", name)
		}
		if look.flags&^Exfil != 0 {
			a.findings = append(a.findings, look.findings...)
			a.murky = true
		}
		return
	case remote:
		a.note(Mutate, Exfil, "rsync.remote", "copies data to another host", name)
	}
	a.hand(name, args)
	for _, w := range operands {
		a.readPath(w, kindTree)
	}
	if n := len(operands); n > 1 && !remote {
		a.writePath(operands[n-1], word{start: name.start, end: operands[n-1].end})
	}
}

// dryUnderstood reports whether a run that changes nothing was read to its last
// word, and stays on this host.
func dryUnderstood(quiet *assessor, operands []word) bool {
	for _, f := range quiet.findings {
		if f.Rule == "option.unknown" || f.Rule == "option.value" || f.Rule == "argument.dynamic" || strings.HasPrefix(f.Rule, "write.") {
			return false
		}
	}
	for _, w := range operands {
		if !w.known() || remotePlace(w.text) {
			return false
		}
	}
	return quiet.flags == 0 && len(operands) > 1
}

// remotePlace reports whether a copy's end lies on another host: HOST:PATH.
func remotePlace(text string) bool {
	at := strings.IndexByte(text, ':')
	return at > 0 && !strings.Contains(text[:at], "/") || strings.Contains(text, "://")
}

// gitLoss finds loss that is written as an operand: a forced or deleting
// refspec, a path that is checked out over the working files.
func (a *assessor) gitLoss(name word, command string, args []word) {
	for _, w := range args {
		at := word{start: name.start, end: w.end}
		switch {
		case command == "push" && len(w.text) > 1 && (w.text[0] == '+' || w.text[0] == ':'):
			a.note(Destroy, 0, "git.push.refspec", "removes or overwrites what others have", at)
		case command == "checkout" && (w.text == "--" || w.text == "." || strings.HasPrefix(w.text, "./") || w.glob):
			a.note(Destroy, 0, "git.checkout.path", "throws changes to files away", at)
		}
	}
}

// gitProgram refuses settings on the line, which can name programs to run.
func gitProgram(a *assessor, name word, args []word) {
	for i, w := range args {
		if w.text == "-c" || strings.HasPrefix(w.text, "--config-env") || strings.HasPrefix(w.text, "--exec-path=") {
			a.unread(Mutate, Opaque, "git.config", "a setting of git can name a program to run", w)
			if i+1 < len(args) {
				if _, text, ok := strings.Cut(args[i+1].text, "="); ok {
					v := args[i+1]
					v.text = strings.TrimPrefix(text, "!")
					a.nested(v)
				}
			}
		}
		if !strings.HasPrefix(w.text, "-") {
			a.gitLoss(name, w.text, args[i+1:])
			break
		}
	}
	saved := a.apart
	a.apart = saved || gitRunsNothing(args)
	a.hand(name, args)
	a.apart = saved
}

// gitRunsNothing knows the questions that git answers from its references and
// settings alone. They look at no file and at no object, and without a pager
// there is nothing left that a repository's configuration could have them run.
// TestWhatGitRuns tries them on a hostile repository.
func gitRunsNothing(args []word) bool {
	if len(args) < 2 || args[0].text != "--no-pager" && args[0].text != "-P" {
		return false
	}
	args = args[1:]
	if len(args) > 2 && args[0].text == "-C" && args[1].known() {
		args = args[2:]
	}
	var texts []string
	for _, w := range args {
		if !w.known() {
			return false
		}
		texts = append(texts, w.text)
	}
	switch line := strings.Join(texts[1:], " "); texts[0] {
	case "rev-parse":
		switch line {
		case "--show-toplevel", "--git-dir", "--is-inside-work-tree", "--is-bare-repository", "--show-prefix",
			"HEAD", "--verify HEAD", "--abbrev-ref HEAD", "--symbolic-full-name HEAD":
			return true
		}
	case "branch":
		return line == "--show-current"
	case "remote":
		return line == "-v" || line == "--verbose"
	}
	return false
}
