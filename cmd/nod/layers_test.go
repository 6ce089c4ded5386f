package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const module = "github.com/nod-console/nod/"

// edge forbids packages below from to import packages below to.
type edge struct{ from, to, why string }

var forbidden = []edge{
	{"backends", "tools", "targets know nothing of tools"},
	{"backends", "agent", "targets know nothing of models"},
	{"backends", "ui", "targets know no screen"},
	{"backends", "cmd", "only cmd composes, and nobody composes cmd"},
	{"backends/vt", "backends/tmux", "the emulator reads bytes and knows no multiplexer"},
	{"backends/vt", "backends/pane", "the emulator reads bytes and knows no runs"},
	{"backends/tmux", "backends/pane", "a control client knows no runs"},
	{"backends/tmux", "backends/local", "control mode goes over any target"},
	{"backends/pane", "backends/local", "panes stand on any target"},
	{"tools", "agent", "tools are called by the agent, never the other way"},
	{"tools", "ui", "tools know no screen"},
	{"tools", "cmd", "only cmd composes"},
	{"tools/risk", "backends", "a verdict is a pure function of the text"},
	{"agent", "ui", "the agent tells events, it draws nothing"},
	{"agent", "cmd", "only cmd composes"},
	{"agent", "backends/local", "the agent meets targets only behind the guard"},
	{"agent", "backends/tmux", "the agent meets panes only behind the guard"},
	{"agent", "backends/pane", "the agent meets panes only behind the guard"},
	{"agent/model", "tools", "the client speaks a protocol and knows no tools"},
	{"agent/model", "agent/policy", "the client speaks a protocol and decides nothing"},
	{"agent/guide", "tools", "the guide is a model like any other: it only proposes"},
	{"agent/ledger", "agent/policy", "a record does not depend on who decided"},
	{"ui", "cmd", "only cmd composes"},
	{"ui", "tools/guard", "the screen never touches a target"},
	{"ui", "tools/terminal", "the screen never touches a target"},
	{"ui", "tools/files", "the screen never touches a target"},
	{"ui", "backends/local", "the screen never touches a target"},
	{"ui", "backends/tmux", "the screen never touches a target"},
	{"ui", "backends/pane", "the screen gets snapshots and callbacks"},
	{"themes", "", "themes are data"},
	{"", "tools/web/webtest", "a network that nobody guards is for tests alone"},
}

// Tests may bring the real thing along; only the product's own files count.
func TestDependenciesGoOneWay(t *testing.T) {
	t.Parallel()
	eachFile(t, func(path string, file *ast.File) {
		from := filepath.ToSlash(filepath.Dir(path))
		for _, spec := range file.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			to, ours := strings.CutPrefix(imported, module)
			if !ours || to == from {
				continue
			}
			for _, e := range forbidden {
				if below(from, e.from) && below(to, e.to) && !(e.to == "" && below(to, e.from)) {
					t.Errorf("%s imports %s: %s", path, to, e.why)
				}
			}
		}
	})
}

// TestLayersAreDrawn draws the layers: a package stands one above the highest package
// that it imports. It fails where packages import each other in a circle, and "make
// layers" prints it.
func TestLayersAreDrawn(t *testing.T) {
	imports := map[string]map[string]bool{}
	eachFile(t, func(path string, file *ast.File) {
		from := filepath.ToSlash(filepath.Dir(path))
		if imports[from] == nil {
			imports[from] = map[string]bool{}
		}
		for _, spec := range file.Imports {
			if to, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module); ours {
				imports[from][to] = true
			}
		}
	})
	heights := map[string]int{}
	var height func(name string, above []string) int
	height = func(name string, above []string) int {
		if slices.Contains(above, name) {
			t.Fatalf("a circle: %s", strings.Join(append(above, name), " -> "))
		}
		if h, known := heights[name]; known {
			return h
		}
		h := 0
		for to := range imports[name] {
			h = max(h, height(to, append(above, name))+1)
		}
		heights[name] = h
		return h
	}
	top := 0
	for name := range imports {
		top = max(top, height(name, nil))
	}
	for h := top; h >= 0; h-- {
		var names []string
		for name, at := range heights {
			if at == h {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		t.Logf("%2d  %s", h, strings.Join(names, "  "))
	}
}

// Grants are minted by the policy engine alone; the mint itself is made where
// the program is composed.
func TestOnlyPolicyMintsGrants(t *testing.T) {
	t.Parallel()
	allowed := map[string][]string{
		"NewMint": {"tools", "cmd/nod/internal/app", "agent/internal/agenttest", "tools/internal/fleettest"},
		"Minter":  {"tools", "cmd/nod/internal/app", "agent/policy", "agent/internal/agenttest", "tools/internal/fleettest"},
		"Mint":    {"tools", "agent/policy", "tools/internal/fleettest"},
	}
	eachFile(t, func(path string, file *ast.File) {
		folder := filepath.ToSlash(filepath.Dir(path))
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				if folders, watched := allowed[sel.Sel.Name]; watched && !slices.Contains(folders, folder) {
					t.Errorf("%s uses %s, which belongs to %s", path, sel.Sel.Name, strings.Join(folders, ", "))
				}
			}
			return true
		})
	})
}

// A start of nod compiles no pattern that it may not need: a package's patterns are
// compiled when they are first used.
func TestPatternsAreCompiledWhenNeeded(t *testing.T) {
	eachFile(t, func(path string, file *ast.File) {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			ast.Inspect(g, func(n ast.Node) bool {
				if _, later := n.(*ast.FuncLit); later {
					return false
				}
				if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "MustCompile" && !strings.Contains(path, "test/") && !strings.Contains(path, "/shots/") {
					t.Errorf("%s compiles a pattern at the start: wrap it in sync.OnceValue", path)
				}
				return true
			})
		}
	})
}

// A story waits more than it computes: one that is not told beside others holds up all.
func TestStoriesAreToldBesideEachOther(t *testing.T) {
	files, err := filepath.Glob("*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && strings.HasPrefix(f.Name.Name, "Test") && startsNod(f.Body) && !tellsBesideOthers(f.Body) {
				t.Errorf("%s: %s begins with none of t.Parallel(), inProcess(t) and alone(t, why)", name, f.Name.Name)
			}
		}
	}
}

// startsNod reports whether a test has nod in surroundings of its own.
func startsNod(body *ast.BlockStmt) (does bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name, ok := call.Fun.(*ast.Ident)
		does = does || ok && slices.Contains([]string{"newWorld", "newRemote", "newIsland", "containers", "openDisplay"}, name.Name)
		return true
	})
	return does
}

// tellsBesideOthers reports whether a test's first statements say that it is parallel, or
// has parts that are, or why it is not.
func tellsBesideOthers(body *ast.BlockStmt) bool {
	for _, s := range body.List[:min(2, len(body.List))] {
		expr, ok := s.(*ast.ExprStmt)
		if !ok {
			continue
		}
		call, ok := expr.X.(*ast.CallExpr)
		if !ok {
			continue
		}
		switch name := call.Fun.(type) {
		case *ast.SelectorExpr:
			if name.Sel.Name == "Parallel" {
				return true
			}
		case *ast.Ident:
			if name.Name == "inProcess" || name.Name == "alone" {
				return true
			}
		}
	}
	return false
}

func TestTopLevelIsFixed(t *testing.T) {
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	known := []string{"cmd", "ui", "backends", "agent", "tools", "themes", "go.mod", "go.sum",
		"Makefile", "README.md", "LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "bin"}
	for _, e := range entries {
		if name := e.Name(); !strings.HasPrefix(name, ".") && !slices.Contains(known, name) {
			t.Errorf("%s does not belong into the top level", name)
		}
	}
}

func below(path, folder string) bool {
	return folder == "" || path == folder || strings.HasPrefix(path, folder+"/")
}

// source is a file of the product.
type source struct {
	path string
	file *ast.File
}

// sources are all files of the product, read once for the tests that look at them.
var sources = sync.OnceValues(func() (all []source, err error) {
	root := os.DirFS("../..")
	err = fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if name := d.Name(); d.IsDir() && path != "." && (strings.HasPrefix(name, ".") || name == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(root, path)
		if err != nil {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		all = append(all, source{path, file})
		return nil
	})
	return all, err
})

func eachFile(t *testing.T, visit func(path string, file *ast.File)) {
	t.Helper()
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		visit(s.path, s.file)
	}
}
