package risk

import "strings"

// findProgram reads find's expression.
func findProgram(a *assessor, name word, args []word) {
	var roots []word
	i := 0
	for i < len(args) && args[i].known() {
		if t := args[i].text; t == "-H" || t == "-L" || t == "-P" || len(t) > 2 && t[:2] == "-O" {
			i++
			continue
		}
		break
	}
	for ; i < len(args); i++ {
		w := args[i]
		if w.mayBeOption() && w.text[0] != '-' {
			a.unread(Mutate, 0, "argument.dynamic", "an argument that is not known could be an action", w)
		}
		if w.text == "" || strings.HasPrefix(w.text, "-") || w.text == "!" || w.text == "(" || w.text == ")" || w.text == "," {
			break
		}
		if w.several() && strings.IndexByte(w.text, hole) >= 0 {
			a.unread(Mutate, 0, "argument.dynamic", "an argument that is not known could become an action", w)
		}
		roots = append(roots, w)
	}
	if len(roots) == 0 {
		roots = []word{{text: "."}}
	}
	s := specOf("find")
	for i < len(args) {
		w := args[i]
		switch w.text {
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
		o := s.option(w.text)
		if o == nil || !w.known() {
			a.unread(Mutate, 0, "option.unknown", "the test or action "+shown(w.text)+" of find is not known", w)
			i++
			continue
		}
		m := &matching{a: a, s: s, name: name, args: args}
		m.use(o, w)
		if o.takes {
			m.next(o, w, &i)
		}
		i++
	}
}

// findExec reads -exec … ; or -exec … {} +.
func (a *assessor) findExec(args []word, i int, roots []word) int {
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
		one := make([]word, len(words))
		for n, w := range words {
			one[n] = w
			if w.text == "{}" {
				one[n] = word{text: root.text, tree: true, glob: root.glob, start: w.start, end: w.end, quoted: true}
				if !strings.HasPrefix(root.text, "/") && !strings.HasPrefix(root.text, ".") && !strings.HasPrefix(root.text, "~") {
					one[n].text = "./" + root.text
				}
			} else if strings.Contains(w.text, "{}") {
				one[n].text = strings.ReplaceAll(w.text, "{}", string(hole))
			}
		}
		if strings.HasSuffix(action.text, "dir") {
			a.unclear("find.execdir", "runs in folders that are not known", action)
		}
		a.run(one)
	}
	return i + 1
}

// tarProgram: listing is harmless, creating writes a file, extracting writes
// many; an archive may overwrite anything.
func tarProgram(a *assessor, name word, args []word) {
	if len(args) == 0 {
		return
	}
	mode, file := byte(0), false
	inside := a.scope.cwds
	first := true
	for i := 0; i < len(args); i++ {
		w := args[i]
		text := w.text
		switch {
		case !w.known():
			a.readPath(w, kindTree)
			if w.mayBeOption() {
				a.unread(Mutate, Opaque, "argument.dynamic", "an argument that is not known could be an option that runs a program", w)
			}
			continue
		case strings.HasPrefix(text, "--"):
			mode = a.tarLong(name, w, mode, &file, args, &i)
			continue
		case strings.HasPrefix(text, "-") && len(text) > 1:
			text = text[1:]
		case !first:
			a.readPath(w, kindTree)
			continue
		}
		first = false
		for at := 0; at < len(text); at++ {
			switch c := text[at]; c {
			case 't', 'x', 'c', 'r', 'u', 'A', 'd':
				mode = c
			case 'v', 'z', 'j', 'J', 'a', 'p', 'h', 'S', 'k', 'm', 'P', 'o', 'B', 'l', 'O', 'n':
				if c == 'P' && mode == 'x' {
					a.note(Mutate, 0, "tar.absolute", "extracts to absolute paths", w)
				}
			case 'f', 'C', 'T', 'X', 'b':
				file = file || c == 'f'
				value := w
				if value.text = text[at+1:]; value.text == "" || !strings.HasPrefix(w.text, "-") {
					if i+1 < len(args) {
						i++
						value = args[i]
					}
				}
				a.tarFile(c, mode, name, value)
				if strings.HasPrefix(w.text, "-") {
					at = len(text)
				}
			case 'I', 'F':
				a.note(Mutate, Opaque, "tar.program", "makes tar run a program", w)
				i++
				at = len(text)
			default:
				a.unread(Mutate, 0, "option.unknown", "the option -"+shown(string([]byte{c}))+" of tar is not known", w)
			}
		}
	}
	a.tarMode(mode, file, name)
	a.scope.cwds = inside
}

func (a *assessor) tarFile(option, mode byte, name, value word) {
	switch {
	case option == 'f' && strings.Contains(value.text, ":") && !strings.HasPrefix(value.text, "/"):
		a.note(Mutate, Exfil, "tar.remote", "the archive lies on another host", value)
	case option == 'f' && mode != 't' && mode != 'x' && mode != 'd':
		a.writePath(value, word{start: name.start, end: value.end})
	case option == 'T' || option == 'X':
		a.readPath(value, kindReads) // its lines are shown in errors
	case option == 'f':
		a.readPath(value, kindReads)
	case option == 'C' && value.known():
		a.enterFolder(value.text)
	}
}

func (a *assessor) tarLong(name, w word, mode byte, file *bool, args []word, i *int) byte {
	option, value, attached := strings.Cut(w.text, "=")
	v := w
	v.text = value
	switch option {
	case "--list":
		return 't'
	case "--extract", "--get":
		return 'x'
	case "--create":
		return 'c'
	case "--append", "--update", "--concatenate":
		return 'r'
	case "--delete":
		a.note(Destroy, 0, "tar.delete", "removes members from an archive", w)
		return 'r'
	case "--remove-files":
		a.note(Destroy, 0, "tar.remove-files", "removes the files that it packs", w)
	case "--verbose", "--gzip", "--bzip2", "--xz", "--zstd", "--auto-compress", "--version", "--help", "--numeric-owner", "--full-time", "--no-recursion", "--wildcards":
	case "--strip-components", "--exclude":
		if !attached {
			*i++
		}
	case "--file", "--directory":
		if !attached && *i+1 < len(args) {
			*i++
			v = args[*i]
		}
		if option == "--directory" && v.known() {
			a.enterFolder(v.text)
		}
		if option == "--file" {
			*file = true
			a.tarFile('f', mode, name, v)
		}
	case "--checkpoint-action", "--to-command", "--use-compress-program", "--info-script", "--new-volume-script", "--rsh-command", "--rmt-command":
		a.note(Mutate, Opaque, "tar.program", "makes tar run a program", w)
		if _, text, ok := strings.Cut(value, "exec="); ok {
			v.text = text
		}
		if v.text != "" {
			a.nested(v)
		}
	default:
		a.unread(Mutate, 0, "option.unknown", "the option "+shown(w.text)+" of tar is not known", w)
	}
	return mode
}

func (a *assessor) tarMode(mode byte, file bool, name word) {
	switch mode {
	case 't', 'd':
	case 'x':
		a.note(Mutate, 0, "tar.extract", "extracts files, over what is there", name)
	case 'c':
		if file {
			a.note(Mutate, 0, "tar.create", "writes an archive", name)
		} else {
			a.unclear("tar.stream", "writes an archive to its output", name)
		}
	case 0:
		a.unclear("tar.mode", "tar lacks its mode", name)
	default:
		a.note(Mutate, 0, "tar.change", "changes an archive", name)
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
