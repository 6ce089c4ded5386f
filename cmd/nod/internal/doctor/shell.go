package doctor

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nod-console/nod/backends/pane/shells"
)

// startUpFiles are what shells read when they start, below the home folder or not.
var startUpFiles = map[string][]string{
	"bash": {"/etc/bash.bashrc", "/etc/bashrc", "/etc/profile", ".bash_profile", ".bash_login", ".profile", ".bashrc"},
	"zsh":  {"/etc/zsh/zshrc", "/etc/zshrc", ".zshenv", ".zshrc"},
	"ksh":  {"/etc/ksh.kshrc", "/etc/profile", ".profile", ".kshrc"},
	"mksh": {"/etc/mkshrc", "/etc/profile", ".profile", ".mkshrc"},
	"dash": {"/etc/profile", ".profile"},
	"ash":  {"/etc/profile", ".profile"},
	"sh":   {"/etc/profile", ".profile"},
}

// maxStartUp bounds how much of a start-up file is read.
const maxStartUp = 1 << 20

// fixedNames are variables that a line makes readonly.
var fixedNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\s*(?:readonly\b|(?:declare|typeset)\s+-\w*r\w*\b)(.*)$`)
})

// promptNames are the variables with which shells say what they do.
var promptNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:PROMPT_COMMAND|PS[012]|PROMPT|preexec_functions|precmd_functions)\b`)
})

// checkStartUp looks for what keeps the operator's shell from saying what it does in a
// pane.
func (e *examination) checkStartUp() Finding {
	name := filepath.Base(e.sys.Getenv("SHELL"))
	if name == "." {
		name = "sh"
	}
	f := Finding{Check: "start-up", Optional: true, Fix: "nod help shells says what that means"}
	if !shells.Is(name) {
		f.Detail = fmt.Sprintf("commands in panes are not tracked in %s, and refused", name)
		return f
	}
	var found []string
	files := startUpFiles[name]
	if env := e.sys.Getenv("ENV"); filepath.IsAbs(env) && name != "bash" && name != "zsh" && name != "fish" {
		files = append(slices.Clone(files), env) // which the others read
	}
	for _, file := range files {
		if !filepath.IsAbs(file) {
			file = filepath.Join(e.sys.Getenv("HOME"), file)
		}
		found = append(found, fixedIn(file)...)
	}
	if len(found) > 0 {
		f.Detail = strings.Join(found, "; ")
		return f
	}
	return Finding{Check: "start-up", OK: true, Optional: true, Detail: "nothing is seen in the way of tracking commands in " + name}
}

// fixedIn are the lines of a start-up file that make readonly what nod has to set. A
// file that is not there, or is none to be read, has none.
func fixedIn(file string) []string {
	if info, err := os.Stat(file); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	r, err := os.Open(file) // #nosec G304 -- one of the above
	if err != nil {
		return nil
	}
	defer func() { _ = r.Close() }() // it was only read
	var found []string
	lines := bufio.NewScanner(io.LimitReader(r, maxStartUp))
	for n := 1; lines.Scan(); n++ {
		for _, part := range strings.FieldsFunc(lines.Text(), func(r rune) bool { return r == ';' || r == '&' }) {
			fixed := fixedNames().FindStringSubmatch(part)
			if fixed == nil {
				continue
			}
			if names := promptNames().FindAllString(fixed[1], -1); len(names) > 0 {
				found = append(found, fmt.Sprintf("%s:%d makes %s readonly", file, n, strings.Join(names, " and ")))
			}
		}
	}
	return found
}
