package risk

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"mvdan.cc/sh/v3/syntax"
)

// scope is what is known about the shell's variables and its folder at one
// point of a text.
type scope struct {
	vars map[string]word
	cwds []string // the folders that may be the present one, besides one that is not known
}

func (s scope) clone() scope { return scope{vars: maps.Clone(s.vars), cwds: s.cwds} }

// maxFolders bounds how many folders are followed.
const maxFolders = 6

// enterFolder follows a change of the folder.
func (a *assessor) enterFolder(to string) {
	if to == "" {
		return
	}
	if to[0] == '/' || to[0] == '~' {
		a.scope.cwds = []string{to}
		return
	}
	found := []string{to}
	for _, from := range a.scope.cwds {
		if joined := path.Join(from, to); !slices.Contains(found, joined) && len(found) < maxFolders {
			found = append(found, joined)
		}
	}
	a.scope.cwds = found
}

// enterNamed makes the folder that a word names the present one. A word with patterns or
// parts that are not known names all that it fits; one of which not even the beginning is
// known names none.
func (a *assessor) enterNamed(to word) {
	if strings.IndexByte(to.text, hole) != 0 {
		a.enterFolder(to.text)
	}
}

// alsoIn adds folders that may be the present one.
func (s *scope) alsoIn(folders []string) {
	for _, f := range folders {
		if !slices.Contains(s.cwds, f) && len(s.cwds) < maxFolders {
			s.cwds = append(slices.Clone(s.cwds), f)
		}
	}
}

func (s *scope) set(name string, w word) {
	if s.vars == nil {
		s.vars = map[string]word{}
	}
	s.vars[name] = w
}

// inSubshell runs f with a copy of the scope that is dropped afterwards.
func (a *assessor) inSubshell(f func()) {
	a.spend(len(a.scope.vars)/16, word{})
	saved, savedShell := a.scope, a.inShell
	a.scope = saved.clone()
	f()
	a.scope, a.inShell = saved, savedShell
}

// perhaps runs f for a branch that may or may not run: what it sets is not
// known afterwards.
func (a *assessor) perhaps(f func()) {
	a.spend(len(a.scope.vars)/16, word{})
	before := a.scope.clone()
	f()
	for name, w := range a.scope.vars {
		if old, ok := before.vars[name]; !ok || old.text != w.text {
			delete(a.scope.vars, name)
		}
	}
	a.scope.alsoIn(before.cwds)
}

// forgetAssigned drops every variable that a loop's body may set, so that its
// second round is assessed like its first.
func (a *assessor) forgetAssigned(body []*syntax.Stmt) {
	for _, stmt := range body {
		syntax.Walk(stmt, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.Assign:
				if n.Name != nil && !(a.counts(n.Name.Value) && counted(n)) {
					delete(a.scope.vars, n.Name.Value)
				}
			case *syntax.WordIter:
				delete(a.scope.vars, n.Name.Value)
			case *syntax.ArithmExp:
				if assignsInside(n.X) {
					clear(a.scope.vars)
				}
			case *syntax.ArithmCmd, *syntax.LetClause:
				clear(a.scope.vars)
			case *syntax.CallExpr:
				if len(n.Args) > 0 && setsVariables(n.Args[0].Lit()) {
					clear(a.scope.vars)
				}
			}
			return true
		})
	}
}

// counts reports whether a variable holds a number now.
func (a *assessor) counts(name string) bool {
	w, ok := a.scope.vars[name]
	return ok && w.known() && w.text != "" && strings.Trim(w.text, "0123456789") == ""
}

// counted reports whether an assignment gives a variable a number, whichever.
func counted(as *syntax.Assign) bool {
	if as.Append || as.Index != nil || as.Array != nil || as.Value == nil || len(as.Value.Parts) != 1 {
		return false
	}
	switch part := as.Value.Parts[0].(type) {
	case *syntax.Lit:
		return strings.Trim(part.Value, "0123456789") == ""
	case *syntax.ArithmExp:
		return true
	}
	return false
}

// assignsInside reports whether arithmetic sets a variable.
func assignsInside(x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case nil, *syntax.Word:
		return false
	case *syntax.ParenArithm:
		return assignsInside(x.X)
	case *syntax.BinaryArithm:
		switch x.Op {
		case syntax.Add, syntax.Sub, syntax.Mul, syntax.Quo, syntax.Rem, syntax.Eql, syntax.Neq, syntax.Lss, syntax.Gtr, syntax.Leq, syntax.Geq, syntax.AndArit, syntax.OrArit:
			return assignsInside(x.X) || assignsInside(x.Y)
		}
	}
	return true
}

// setsVariables names the built-ins that set variables by name; "" is a word
// that cannot be read here.
func setsVariables(program string) bool {
	switch program {
	case "", "read", "mapfile", "readarray", "getopts", "printf", "unset", "eval", "source", ".", "vared", "builtin", "command":
		return true
	}
	return false
}

var (
	plainNumber    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([0-9]*|0[xX][0-9a-fA-F]+|@|\*)$`) })
	plainVariable  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_]*$`) })
	secretVariable = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)(secret|token|passw|passphrase|_pwd$|api_?key|private|credential|_key$|_pat$|^pgpass|_auth$)`)
	})
)

// ownVariables begin the names of what nod keeps in a pane's shell
// (backends/pane).
const ownVariables = "__nod_"

// promptVariables are where shells keep their prompts, and with them nod's
// marks.
var promptVariables = map[string]bool{
	"PS0": true, "PS1": true, "PS2": true, "PS3": true, "PS4": true, "RPS1": true, "RPS2": true,
	"PROMPT": true, "PROMPT2": true, "PROMPT3": true, "PROMPT4": true, "RPROMPT": true, "RPROMPT2": true,
	"prompt": true, "PROMPT_EOL_MARK": true, "PROMPT_COMMAND": true,
}

// specialVariables are lower-case names that mean something to a shell or to
// the programs that it starts.
var specialVariables = map[string]bool{
	"path": true, "fpath": true, "cdpath": true, "manpath": true, "module_path": true, "mailpath": true,
	"prompt": true, "psvar": true, "histchars": true, "argv": true, "status": true, "aliases": true,
	"functions": true, "commands": true, "options": true, "fignore": true, "watch": true, "signals": true,
	"http_proxy": true, "https_proxy": true, "all_proxy": true, "no_proxy": true, "ftp_proxy": true, "rsync_proxy": true,
	"galiases": true, "saliases": true, "zsh_eval_context": true, "keymap": true, "precmd_functions": true,
	"preexec_functions": true, "chpwd_functions": true, "periodic_functions": true, "zshexit_functions": true,
	"zshaddhistory_functions": true, "command_not_found_handle": true, "dirstack": true, "reswords": true,
	"parameters": true, "modules": true, "jobtexts": true, "userdirs": true, "nameddirs": true, "usergroups": true,
}

// quietVariables may stand before a command or be set: they change how output
// looks and nothing else.
func quietVariable(name, value string) bool {
	switch name {
	case "LANG", "LANGUAGE", "TZ", "COLUMNS", "LINES", "NO_COLOR", "CLICOLOR", "TERM", "DEBIAN_FRONTEND",
		"SYSTEMD_COLORS", "SYSTEMD_LOG_LEVEL", "POSIXLY_CORRECT", "BLOCKSIZE", "BLOCK_SIZE", "TIME_STYLE",
		"QUOTING_STYLE", "S_TIME_FORMAT", "S_COLORS", "HISTTIMEFORMAT":
		return !strings.ContainsAny(value, "/%$`") || name == "TZ" && !strings.HasPrefix(value, "/") && !strings.Contains(value, "..") ||
			name == "HISTTIMEFORMAT" && !strings.ContainsAny(value, "$`")
	case "PAGER", "SYSTEMD_PAGER", "GIT_PAGER", "MANPAGER":
		return value == "" || value == "cat"
	case "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_MONETARY", "LC_NUMERIC", "LC_TIME":
		return !strings.ContainsAny(value, "/%$`")
	}
	return false
}

// assigns assesses NAME=value words, before a command or alone.
func (a *assessor) assigns(list []*syntax.Assign, alone bool) {
	for _, as := range list {
		a.assign(as, alone)
	}
}

func (a *assessor) assign(as *syntax.Assign, alone bool) {
	at := a.at(as)
	value := word{start: at.start, end: at.end}
	switch {
	case as.Array != nil || as.Index != nil:
		if as.Index != nil {
			a.arithmetic(as.Index)
		}
		if as.Array != nil {
			for _, e := range as.Array.Elems {
				if e.Index != nil {
					a.arithmetic(e.Index)
				}
				if e.Value != nil {
					a.expand(e.Value)
				}
			}
		}
		value.text = string(hole)
	case as.Value != nil:
		value = a.one(as.Value)
	}
	if as.Name == nil {
		a.unclear("assign.dynamic", "a variable whose name is not known is set", at)
		clear(a.scope.vars)
		return
	}
	name := as.Name.Value
	if as.Append {
		value.text = string(hole)
	}
	a.setVariable(name, value, at, alone)
	if alone {
		a.scope.set(name, value)
		a.ofShell()
	}
}

// setVariable judges a variable's new value by its name.
func (a *assessor) setVariable(name string, value word, at word, alone bool) {
	switch {
	case value.known() && quietVariable(name, value.text):
	case alone && plainVariable().MatchString(name) && !specialVariables[name]:
	case secretVariable().MatchString(name):
		a.note(Mutate, 0, "env.secret", "sets a variable that holds a secret", at)
	default:
		a.mentions([]word{value})
		a.unread(Mutate, Opaque, "env.unknown", "sets "+shown(name)+", which can change what commands do", at)
	}
}

// parameter expands $name and its forms.
func (a *assessor) parameter(p *syntax.ParamExp, quoted bool) word {
	at := a.at(p)
	if indirect(p) {
		a.note(Mutate, Opaque, "expansion.indirect", "the expansion reaches a value that cannot be known", at)
		return word{text: string(hole)}
	}
	name := p.Param.Value
	if secretVariable().MatchString(name) && !p.Length {
		a.note(Observe, Secret, "variable.secret", "uses a variable that looks like a secret", at)
	}
	if strings.HasPrefix(name, ownVariables) || promptVariables[name] {
		a.note(Mutate, Opaque, "variable.own", "uses what nod tracks the pane's commands by: the end of one can be forged with it", at)
	}
	if p.Index == nil && p.Slice == nil && p.Repl == nil && p.Exp == nil {
		return a.variable(name, p.Length, quoted, at)
	}
	a.operators(p, at)
	return word{text: string(hole)}
}

// indirect reports whether an expansion is more than the name of a variable and what
// [assessor.operators] reads: ${!name}, or a form of zsh's.
func indirect(p *syntax.ParamExp) bool {
	return p.Param == nil || p.Flags != nil || p.NestedParam != nil || len(p.Modifiers) > 0 || p.Excl || p.Names != 0 ||
		p.Split != syntax.OptUnset || p.GlobSubst != syntax.OptUnset || p.RcExpand != syntax.OptUnset || p.Width || p.IsSet
}

// operators judges what stands behind the name of a variable: what is in it is evaluated.
func (a *assessor) operators(p *syntax.ParamExp, at word) {
	if p.Index != nil {
		a.arithmetic(p.Index)
	}
	if p.Slice != nil {
		if p.Slice.Offset != nil {
			a.arithmetic(p.Slice.Offset)
		}
		if p.Slice.Length != nil {
			a.arithmetic(p.Slice.Length)
		}
	}
	if p.Repl != nil {
		for _, w := range []*syntax.Word{p.Repl.Orig, p.Repl.With} {
			if w != nil {
				a.expand(w)
			}
		}
	}
	if p.Exp != nil {
		a.expansion(p, at)
	}
}

func (a *assessor) expansion(p *syntax.ParamExp, at word) {
	if p.Exp.Word != nil {
		a.expand(p.Exp.Word)
	}
	switch p.Exp.Op {
	case syntax.AssignUnset, syntax.AssignUnsetOrNull:
		a.note(Mutate, 0, "expansion.assign", "the expansion sets a variable", at)
		delete(a.scope.vars, p.Param.Value)
	case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
		a.unclear("expansion.error", "the expansion may end the shell", at)
	case syntax.OtherParamOps:
		a.note(Mutate, Opaque, "expansion.transform", "the expansion is evaluated again", at)
	}
}

// variable gives what is known of a variable's value.
func (a *assessor) variable(name string, length, quoted bool, at word) word {
	unknown := word{text: string(hole)}
	switch name {
	case "?", "$", "#", "!", "UID", "EUID", "PPID", "SECONDS", "RANDOM", "LINENO", "BASHPID":
		return word{text: "0", quoted: true}
	case "HOME":
		if _, set := a.scope.vars[name]; !set && !length {
			return word{text: "~"}
		}
	case "IFS":
		if !quoted {
			a.note(Mutate, Opaque, "variable.ifs", "$IFS cuts the line in ways that are hard to see", at)
			return word{text: ifsMark}
		}
	}
	if length {
		return word{text: "0", quoted: true}
	}
	w, ok := a.scope.vars[name]
	if !ok {
		return unknown
	}
	if !quoted && !w.glob && !plainLiteral(w.text) {
		unknown.tame = w.tame && w.text == string(hole)
		return unknown // the shell splits and expands it again
	}
	w.start, w.end = 0, 0
	return w
}

// arithmetic accepts numbers and numeric specials; anything else can run code
// through array subscripts or set variables.
func (a *assessor) arithmetic(x syntax.ArithmExpr) {
	switch x := x.(type) {
	case nil:
	case *syntax.Word:
		w := a.one(x)
		if plainNumber().MatchString(w.text) {
			return
		}
		if plainVariable().MatchString(w.text) {
			if v, ok := a.scope.vars[w.text]; ok && v.known() && strings.Trim(v.text, "0123456789") == "" {
				return
			}
		}
		a.unclear("arithmetic.value", "arithmetic on a value that is not known can run code", a.at(x))
		a.evaluated(w)
		if v, ok := a.scope.vars[w.text]; ok {
			v.start, v.end = w.start, w.end
			a.evaluated(v)
		}
	case *syntax.BinaryArithm:
		switch x.Op {
		case syntax.Assgn, syntax.AddAssgn, syntax.SubAssgn, syntax.MulAssgn, syntax.QuoAssgn, syntax.RemAssgn,
			syntax.AndAssgn, syntax.OrAssgn, syntax.XorAssgn, syntax.ShlAssgn, syntax.ShrAssgn:
			a.unclear("arithmetic.assign", "arithmetic sets a variable", a.at(x))
			clear(a.scope.vars)
		}
		a.arithmetic(x.X)
		a.arithmetic(x.Y)
	case *syntax.UnaryArithm:
		if x.Op == syntax.Inc || x.Op == syntax.Dec {
			a.unclear("arithmetic.assign", "arithmetic sets a variable", a.at(x))
			clear(a.scope.vars)
		}
		a.arithmetic(x.X)
	case *syntax.ParenArithm:
		a.arithmetic(x.X)
	default:
		a.unclear("arithmetic.unknown", "the arithmetic is not read", a.at(x))
	}
}
