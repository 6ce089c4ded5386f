package tools_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
)

func several() tools.Action {
	var parts []tools.Action
	for _, target := range []string{"ssh:web-2", "ssh:web-1", "local"} {
		parts = append(parts, tools.Action{Tool: "run_shell", Kind: tools.Exec, Target: target, User: "ops", Dialect: "bash", Command: "uptime"})
	}
	parts[2].User, parts[1].Dialect = "root", "sh"
	return tools.Join("local,ssh:web-[1-2]", parts)
}

// One action on several targets has what they have in common, and its digest covers who they
// are.
func TestJoin(t *testing.T) {
	a := several()
	if got := a.Targets(); !slices.Equal(got, []string{"local", "ssh:web-1", "ssh:web-2"}) || a.Target != "local,ssh:web-[1-2]" {
		t.Errorf("%q of %q", got, a.Target)
	}
	if a.User != "" || a.Dialect != "" || a.Command != "uptime" || a.Same() != nil {
		t.Errorf("%+v, %v", a, a.Same())
	}
	for name, change := range map[string]func([]tools.Action) []tools.Action{
		"one more":     func(p []tools.Action) []tools.Action { return append(p, tools.Action{Target: "ssh:web-3"}) },
		"one less":     func(p []tools.Action) []tools.Action { return p[:2] },
		"another":      func(p []tools.Action) []tools.Action { p[1].Target = "ssh:db-1"; return p },
		"another user": func(p []tools.Action) []tools.Action { p[1].User = "root"; return p },
		"another wall": func(p []tools.Action) []tools.Action { p[1].Wall = "L"; return p },
	} {
		b := several()
		if b.Parts = change(b.Parts); b.Digest() == a.Digest() {
			t.Errorf("%s: the digest is the same", name)
		}
	}
	b := several()
	b.Parts[0].PartOf = a.Digest().String()
	if b.Digest() != a.Digest() || b.Parts[0].Digest() == a.Parts[0].Digest() {
		t.Error("a part's digest covers the whole, and the whole's does not cover itself")
	}
}

func TestPartsAreTheSameAction(t *testing.T) {
	for want, change := range map[string]func(a *tools.Action){
		"another action":   func(a *tools.Action) { a.Parts[1].Command = "reboot" },
		`for "ssh:web-2"`:  func(a *tools.Action) { a.Parts[2].Stdin = []byte("x") },
		"twice":            func(a *tools.Action) { a.Parts[1].Target = "local" },
		"not in its place": func(a *tools.Action) { slices.Reverse(a.Parts) },
		"parts itself":     func(a *tools.Action) { a.Parts[0].Parts = several().Parts },
		"is for one target": func(a *tools.Action) {
			a.Kind = tools.Run
			for i := range a.Parts {
				a.Parts[i].Kind = tools.Run
			}
		},
		"is for at most":      func(a *tools.Action) { a.Parts = make([]tools.Action, tools.MostTargets+1) },
		`part for "local" is`: func(a *tools.Action) { a.Path = "/x" },
	} {
		a := several()
		change(&a)
		if err := a.Same(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// What a model says of an action is not a part of what it does, neither of the whole nor of
// the parts.
func TestUnclaimed(t *testing.T) {
	claimed := several()
	for i := range claimed.Parts {
		claimed.Parts[i].Claim.Why = "a test"
	}
	claimed.Claim = claimed.Parts[0].Claim
	if a := claimed.Unclaimed(); a.Same() != nil || a.Digest() != several().Digest() || claimed.Parts[0].Claim.Why == "" {
		t.Errorf("%v, %+v", a.Same(), a)
	}
}

// typing are keys for three panes that stand differently.
func typing() tools.Action {
	parts := []tools.Action{
		{Target: "ssh:web-2", Pane: "%1", Shell: 3, Dialect: "bash", Dir: "/srv", Prompt: true, Pending: "rm "},
		{Target: "ssh:web-1", Pane: "%1", Shell: 4, Dialect: "bash", Dir: "/srv", Busy: "apt upgrade"},
		{Target: "local", Pane: "%7", Dialect: "zsh", Dir: "/", Program: "psql", Inside: []string{"ssh db"}},
	}
	for i := range parts {
		parts[i].Tool, parts[i].Kind, parts[i].Literal, parts[i].Enter = "send-keys", tools.Type, "y", true
	}
	return tools.Join("local,ssh:web-[1-2]", parts)
}

// TestKeysForSeveralPanes: what is typed is the same, how each pane stands is its own, and
// the whole says nothing of a pane that does not hold for all.
func TestKeysForSeveralPanes(t *testing.T) {
	a := typing()
	if err := a.Same(); err != nil || a.Pane != "" || a.Shell != 0 || a.Prompt || a.Pending != "" || a.Program != "" || a.Busy != "" || a.Dir != "" || a.Inside != nil || a.Literal != "y" {
		t.Errorf("%+v, %v", a, err)
	}
	alike := typing().Parts[1:]
	alike[0].Busy, alike[1] = "top", alike[0]
	alike[1].Target, alike[1].Busy = "ssh:web-9", "top"
	if both := tools.Join("x", alike); both.Busy != "top" || both.Dir != "/srv" || both.Same() != nil {
		t.Errorf("%+v", both)
	}
	for name, change := range map[string]func(a *tools.Action){
		"other text":         func(a *tools.Action) { a.Parts[1].Literal = "n" },
		"another key":        func(a *tools.Action) { a.Parts[1].Keys = []string{"C-c"} },
		"no Enter":           func(a *tools.Action) { a.Parts[0].Enter = false },
		"a pane of one":      func(a *tools.Action) { a.Pane = "%7" },
		"a prompt of one":    func(a *tools.Action) { a.Prompt = true },
		"a line of one":      func(a *tools.Action) { a.Pending = "rm " },
		"a folder of two":    func(a *tools.Action) { a.Dir = "/srv" },
		"a program of one":   func(a *tools.Action) { a.Program = "psql" },
		"a command of one":   func(a *tools.Action) { a.Busy = "apt upgrade" },
		"a shell within one": func(a *tools.Action) { a.Inside = []string{"ssh db"} },
	} {
		b := typing()
		if change(&b); b.Same() == nil {
			t.Errorf("%s: it counts as the same", name)
		}
	}
}
