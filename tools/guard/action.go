package guard

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/nod-console/nod/tools"
)

// field is a part of an action that makes something happen.
type field struct {
	name string
	set  func(tools.Action) bool
}

// fields are all of them. Target, User and Tool say where and who; Claim and
// Diff are for the operator. A test keeps the list complete.
var fields = []field{
	{"Pane", func(a tools.Action) bool { return a.Pane != "" }},
	{"Dir", func(a tools.Action) bool { return a.Dir != "" }},
	{"Inside", func(a tools.Action) bool { return len(a.Inside) != 0 }},
	{"Shell", func(a tools.Action) bool { return a.Shell != 0 }},
	{"Command", func(a tools.Action) bool { return a.Command != "" }},
	{"Dialect", func(a tools.Action) bool { return a.Dialect != "" }},
	{"Stdin", func(a tools.Action) bool { return len(a.Stdin) != 0 }},
	{"Grants", func(a tools.Action) bool { return a.Grants != "" }},
	{"Wall", func(a tools.Action) bool { return a.Wall != "" }},
	{"Pending", func(a tools.Action) bool { return a.Pending != "" }},
	{"Prompt", func(a tools.Action) bool { return a.Prompt }},
	{"Program", func(a tools.Action) bool { return a.Program != "" }},
	{"Busy", func(a tools.Action) bool { return a.Busy != "" }},
	{"Literal", func(a tools.Action) bool { return a.Literal != "" }},
	{"Keys", func(a tools.Action) bool { return len(a.Keys) != 0 }},
	{"Enter", func(a tools.Action) bool { return a.Enter }},
	{"Path", func(a tools.Action) bool { return a.Path != "" }},
	{"Content", func(a tools.Action) bool { return len(a.Content) != 0 }},
	{"Expect", func(a tools.Action) bool { return a.Expect.Exists || a.Expect.SHA256 != "" }},
	{"Wait", func(a tools.Action) bool { return a.Wait != 0 }},
	{"Background", func(a tools.Action) bool { return a.Background }},
	{"Until", func(a tools.Action) bool { return a.Until != tools.Until{} }},
	{"Parts", func(a tools.Action) bool { return len(a.Parts) != 0 }}, // no kind may: each part is carried out
	{"PartOf", func(a tools.Action) bool { return a.PartOf != "" }},
}

// shape says which fields an action of one kind must and may have.
type shape struct{ must, may []string }

var (
	execShape    = shape{[]string{"Command", "Dialect"}, []string{"Dir", "Stdin", "Wall", "Grants", "Wait", "Until", "PartOf"}}
	runShape     = shape{[]string{"Command", "Dialect", "Pane"}, []string{"Dir", "Inside", "Shell", "Prompt", "Wall", "Grants", "Wait", "Background", "Until"}}
	typeShape    = shape{[]string{"Pane", "Dialect"}, []string{"Dir", "Inside", "Shell", "Pending", "Prompt", "Program", "Busy", "Literal", "Keys", "Enter", "Wait", "Until", "PartOf"}}
	readShape    = shape{[]string{"Path"}, []string{"Command", "PartOf"}}
	captureShape = shape{[]string{"Pane", "Command"}, []string{"Wait"}}
	writeShape   = shape{[]string{"Path"}, []string{"Content", "Expect"}}

	fetchShape       = shape{[]string{"Command"}, nil}
	invokeShape      = shape{[]string{"Command"}, []string{"Wait"}}
	connectShape     = shape{nil, []string{"Wait", "PartOf"}}
	createShape      = shape{[]string{"Command"}, nil}
	killSessionShape = shape{[]string{"Command", "Busy"}, nil}
	killPaneShape    = shape{[]string{"Command", "Busy", "Pane"}, nil}
)

func shapeOf(a tools.Action) (shape, bool) {
	switch a.Kind {
	case tools.Exec:
		return execShape, true
	case tools.Run:
		return runShape, true
	case tools.Type:
		return typeShape, true
	case tools.Read:
		if a.Pane != "" {
			return captureShape, true
		}
		return readShape, true
	case tools.Write:
		return writeShape, true
	case tools.Fetch:
		return fetchShape, true
	case tools.Invoke:
		return invokeShape, true
	case tools.Connect:
		return connectShape, true
	case tools.Manage:
		switch verb, _, _ := strings.Cut(a.Command, " "); verb {
		case KillSession:
			return killSessionShape, true
		case KillPane:
			return killPaneShape, true
		}
		return createShape, true
	}
	return shape{}, false
}

// wellFormed reports what an action says that it would not do, or lacks.
func wellFormed(a tools.Action) error {
	s, ok := shapeOf(a)
	if !ok {
		return fmt.Errorf("kind %s touches no target", a.Kind)
	}
	for _, f := range fields {
		set, must := f.set(a), slices.Contains(s.must, f.name)
		if must && !set {
			return fmt.Errorf("kind %s without %s", a.Kind, f.name)
		}
		if set && !must && !slices.Contains(s.may, f.name) {
			return fmt.Errorf("kind %s with %s, which it does not carry out", a.Kind, f.name)
		}
	}
	if err := waitFits(a); err != nil {
		return err
	}
	if a.Path != "" && (!path.IsAbs(a.Path) || path.Clean(a.Path) != a.Path) {
		return fmt.Errorf("the path %q is not absolute and clean", a.Path)
	}
	return nil
}

// waitFits reports what an action says of its waiting that cannot be.
func waitFits(a tools.Action) error {
	switch {
	case a.Wait < 0:
		return fmt.Errorf("a wait of %s", a.Wait)
	case a.Until.Silence < 0, a.Until.Time < 0, a.Until.Most < 0:
		return fmt.Errorf("what ends the wait is less than nothing: %+v", a.Until)
	case a.Until.Waits() && a.Background:
		return fmt.Errorf("something is waited for where nothing is: %+v", a.Until)
	case a.Wait > 0 && a.Background:
		return fmt.Errorf("a wait of %s for what is not waited for", a.Wait)
	}
	return nil
}

// execArgv is shellArgv for a command without a pane. bash reads .bashrc for it, too, where it
// takes itself for the shell of an ssh login (SSH_CLIENT, SHLVL): what that file defines would
// stand in the way of the command, and what it prints, in its output. The login shell has
// read it before.
func execArgv(dialect, command string) ([]string, error) {
	argv, err := shellArgv(dialect, command)
	if dialect == "bash" {
		argv = slices.Insert(argv, 1, "--norc")
	}
	return argv, err
}

// shellArgv is the command by which a shell reads a command line as it is,
// also one that begins with a dash.
func shellArgv(dialect, command string) ([]string, error) {
	switch dialect {
	case "sh", "bash", "zsh":
		return []string{dialect, "-c", "--", command}, nil
	case "fish":
		return []string{dialect, "--no-config", "--command=" + command}, nil
	}
	return nil, fmt.Errorf("unknown shell %q", dialect)
}
