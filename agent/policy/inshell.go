package policy

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// inShell reports whether another shell than the pane's would answer differently, or is
// not certain to be given the same text.
func inShell(a tools.Action, v risk.Verdict) bool {
	d, err := risk.ParseDialect(a.Dialect)
	if err != nil || v.InShell || d == risk.Fish && strings.ContainsAny(a.Command, "'\"\\$()*?~{}[]<>^%!`") {
		return true
	}
	file, err := risk.Parse(a.Command, d)
	return err != nil || usesState(file)
}

// usesState reports whether a text uses what a shell does not hand on: variables that
// are not exported, the status of the last command, jobs.
func usesState(file *syntax.File) bool {
	set := variables(file)
	uses := false
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			uses = uses || n.Param == nil || !set[n.Param.Value] && !exported(n.Param.Value)
		case *syntax.FuncDecl, *syntax.DeclClause, *syntax.LetClause:
			uses = true
		case *syntax.Stmt:
			uses = uses || n.Background || n.Coprocess
		case *syntax.CallExpr:
			uses = uses || len(n.Args) > 0 && n.Args[0].Lit() == ""
		}
		return !uses
	})
	return uses
}

// variables are those that a text sets itself.
func variables(file *syntax.File) map[string]bool {
	set := map[string]bool{}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Assign:
			if n.Name != nil {
				set[n.Name.Value] = true
			}
		case *syntax.WordIter:
			set[n.Name.Value] = true
		case *syntax.CallExpr:
			if len(n.Args) > 1 && n.Args[0].Lit() == "read" {
				for _, w := range n.Args[1:] {
					set[w.Lit()] = true
				}
			}
		}
		return true
	})
	return set
}

// exported reports whether a variable is one that every login exports, or that every
// shell sets to the same.
func exported(name string) bool {
	switch name {
	case "HOME", "USER", "LOGNAME", "PATH", "PWD", "SHELL", "TERM", "LANG", "TZ", "TMPDIR", "XDG_RUNTIME_DIR", "SSH_CONNECTION", "UID", "EUID", "RANDOM":
		return true
	}
	return len(name) > len("LC_") && strings.HasPrefix(name, "LC_")
}
