package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
)

// trufflehog reads the pattern tests of a checkout of trufflehog: tables of tests with an input,
// and what is wanted of it. Tests that compute their inputs with more than constants are left out.
func trufflehog(root string) ([]fixture, error) {
	var all []fixture
	err := filepath.WalkDir(filepath.Join(root, "pkg", "detectors"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, "_test.go") || strings.HasSuffix(path, "_integration_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, tables(filepath.Base(filepath.Dir(path)), file)...)
		return nil
	})
	return all, err
}

// tables finds the tests of a file.
func tables(name string, file *ast.File) []fixture {
	texts := texts{}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if i < len(n.Values) {
					texts.set(id.Name, n.Values[i])
				}
			}
		case *ast.AssignStmt:
			for i, left := range n.Lhs {
				if id, ok := left.(*ast.Ident); ok && i < len(n.Rhs) {
					texts.set(id.Name, n.Rhs[i])
				}
			}
		}
		return true
	})
	var all []fixture
	ast.Inspect(file, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		f, fields := fixture{Rule: name}, 0
		for _, e := range lit.Elts {
			kv, ok := e.(*ast.KeyValueExpr)
			if !ok {
				continue
			}
			key, _ := kv.Key.(*ast.Ident)
			switch {
			case key == nil:
			case key.Name == "input":
				if f.Text, ok = texts.of(kv.Value); ok {
					fields++
				}
			case key.Name == "want":
				if f.Secrets, ok = texts.list(kv.Value); ok {
					fields++
				}
			}
		}
		if fields == 2 {
			all = append(all, f)
		}
		return true
	})
	return all
}

// texts are the strings that a file names.
type texts map[string]string

func (t texts) set(name string, e ast.Expr) {
	if s, ok := t.of(e); ok {
		t[name] = s
	}
}

// of is the string that an expression stands for.
func (t texts) of(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return "", false
		}
		s, err := strconv.Unquote(e.Value)
		return s, err == nil
	case *ast.Ident:
		s, ok := t[e.Name]
		return s, ok
	case *ast.ParenExpr:
		return t.of(e.X)
	case *ast.BinaryExpr:
		a, okA := t.of(e.X)
		b, okB := t.of(e.Y)
		return a + b, okA && okB && e.Op == token.ADD
	case *ast.CallExpr:
		return t.call(e)
	}
	return "", false
}

// call is what fmt.Sprintf makes of strings.
func (t texts) call(e *ast.CallExpr) (string, bool) {
	s, ok := e.Fun.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Sprintf" || len(e.Args) == 0 {
		return "", false
	}
	format, ok := t.of(e.Args[0])
	if !ok {
		return "", false
	}
	for _, arg := range e.Args[1:] {
		v, ok := t.of(arg)
		at := strings.Index(format, "%")
		if !ok || at < 0 || at+1 >= len(format) || format[at+1] != 's' && format[at+1] != 'v' {
			return "", false
		}
		format = format[:at] + v + format[at+2:]
	}
	return format, true
}

// list is what a test wants: nil for nothing.
func (t texts) list(e ast.Expr) ([]string, bool) {
	if id, ok := e.(*ast.Ident); ok && id.Name == "nil" {
		return nil, true
	}
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return nil, false
	}
	var all []string
	for _, e := range lit.Elts {
		s, ok := t.of(e)
		if !ok {
			return nil, false
		}
		all = append(all, s)
	}
	return all, true
}
