package guard_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The real target, and a pane that only writes down what reaches it.
type world struct {
	*guard.Guard
	minter *tools.Minter
	pane   *recorder
}

func newWorld(t *testing.T) world {
	t.Helper()
	minter, verifier := tools.NewMint()
	target := local.New(os.Environ())
	t.Cleanup(func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	})
	w := world{guard.New(verifier), minter, &recorder{state: guard.State{ID: "%3", Shell: "bash", AtPrompt: true}}}
	if err := w.Add(guard.Place{Target: target, User: "ops", Shell: "sh", Panes: w.pane}); err != nil {
		t.Fatal(err)
	}
	return w
}

// recorder is a pane, and the panes that hold it.
type recorder struct {
	state guard.State
	got   []string
	deaf  error // what Type ends with, after it has typed
	away  error // why it cannot be looked at
}

func (r *recorder) Find(_ context.Context, _, name string) (guard.Pane, error) {
	if name != "" && name != r.state.ID {
		return nil, guard.ErrNoPane
	}
	return r, nil
}
func (r *recorder) Look(context.Context) (guard.State, error) { return r.state, r.away }
func (r *recorder) Run(_ context.Context, req pane.Request) (guard.Run, error) {
	r.got = append(r.got, "run "+req.Command)
	return nil, nil
}
func (r *recorder) Type(_ context.Context, literal string, keys []string) error {
	r.got = append(r.got, "type "+literal+" "+strings.Join(keys, ","))
	return r.deaf
}
func (r *recorder) Capture(_ context.Context, v guard.View) (pane.Capture, error) {
	r.got = append(r.got, "capture "+v.Encode())
	return pane.Capture{Text: "screen"}, nil
}

// The recorder is a roster of a shared pane, worker, which is the pane itself,
// and a session with one pane.
func (r *recorder) Label(_ context.Context, session string) (string, error) { return session, nil }
func (r *recorder) Members() []guard.Member {
	return []guard.Member{
		{Session: "build", Full: "nod-x-build", Name: "shared", ID: "%3"},
		{Session: "main", Full: "nod-x-main", Name: "shared", ID: "%1"},
		{Session: "main", Full: "nod-x-main", Name: "worker", ID: "%3"},
	}
}
func (r *recorder) Make(_ context.Context, session, name string) (guard.Member, bool, error) {
	r.got = append(r.got, strings.TrimSpace("make "+session+" "+name))
	return guard.Member{}, true, r.deaf
}
func (r *recorder) End(_ context.Context, session, name string) error {
	r.got = append(r.got, strings.TrimSpace("end "+session+" "+name))
	return r.deaf
}

var _ guard.Roster = (*recorder)(nil)

// actions are one of each kind; path is a file that does not exist.
func actions(path string) map[string]tools.Action {
	return map[string]tools.Action{
		"exec":    {Tool: "x", Kind: tools.Exec, Target: "local", User: "ops", Command: "cat >" + path, Dialect: "sh", Stdin: []byte("in"), Dir: "/", Wait: time.Second},
		"run":     {Tool: "x", Kind: tools.Run, Target: "local", User: "ops", Pane: "%3", Command: "id", Dialect: "bash", Prompt: true, Wait: time.Second},
		"type":    {Tool: "x", Kind: tools.Type, Target: "local", User: "ops", Pane: "%3", Dialect: "bash", Prompt: true, Literal: "ls", Keys: []string{"Up", "C-c"}, Enter: true},
		"write":   {Tool: "x", Kind: tools.Write, Target: "local", User: "ops", Path: path, Content: []byte("text")},
		"read":    {Tool: "x", Kind: tools.Read, Target: "local", User: "ops", Path: "/etc/hostname", Command: "lines"},
		"capture": {Tool: "x", Kind: tools.Read, Target: "local", User: "ops", Pane: "%3", Command: guard.View{Start: "-"}.Encode()},

		"create-session": {Tool: "x", Kind: tools.Manage, Target: "local", User: "ops", Command: "create-session build"},
		"kill-session":   {Tool: "x", Kind: tools.Manage, Target: "local", User: "ops", Command: "kill-session build", Busy: "nod-x-build:shared %3 at its prompt"},
		"create-pane":    {Tool: "x", Kind: tools.Manage, Target: "local", User: "ops", Command: "create-pane main worker"},
		"kill-pane":      {Tool: "x", Kind: tools.Manage, Target: "local", User: "ops", Command: "kill-pane main worker", Pane: "%3", Busy: "nod-x-main:worker %3 at its prompt"},
	}
}

// do does what an action of that name says, and waits for it.
func (w world) do(t *testing.T, name string, a tools.Action, grant tools.Grant) error {
	t.Helper()
	switch name {
	case "exec":
		p, err := w.Exec(t.Context(), a, grant, nil, nil)
		if err != nil {
			return err
		}
		_, err = p.Wait()
		return err
	case "run":
		_, err := w.Run(t.Context(), a, grant, guard.Dispatch{Turn: time.Second})
		return err
	case "type":
		return w.Type(t.Context(), a, grant)
	case "write":
		_, err := w.Write(t.Context(), a, grant)
		return err
	case "read":
		f, err := w.Open(t.Context(), a, grant)
		if err == nil {
			err = f.Close()
		}
		return err
	case "capture":
		_, err := w.Capture(t.Context(), a, grant)
		return err
	case "create-session", "kill-session", "create-pane", "kill-pane":
		_, err := w.Manage(t.Context(), a, grant)
		return err
	}
	t.Fatalf("no action %q", name)
	return nil
}

func TestGrantedActionsHappenOnceAsTheySay(t *testing.T) {
	for name := range actions("") {
		w := newWorld(t)
		path := filepath.Join(t.TempDir(), "file")
		a := actions(path)[name]
		grant := w.minter.Mint(a)
		if err := w.do(t, name, a, grant); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		content, _ := os.ReadFile(path) // not there for most
		want := map[string]string{
			"exec": "in", "write": "text", "run": "run id", "type": "type ls Up,C-c,Enter",
			"capture": `capture {"start":"-"}`, "read": "",
			"create-session": "make build", "kill-session": "end build", "create-pane": "make main worker", "kill-pane": "end main worker",
		}[name]
		if got := string(content) + strings.Join(w.pane.got, ""); got != want {
			t.Errorf("%s did %q, want %q", name, got, want)
		}
		err := w.do(t, name, a, grant)
		if again := err == nil; again == a.Kind.Acts() {
			t.Errorf("%s a second time: %v", name, err)
		}
		if err != nil && !errors.Is(err, tools.ErrNotGranted) {
			t.Errorf("%s a second time: %v", name, err)
		}
	}
}

// Every field of every kind of action, changed after the approval: nothing
// runs, is typed, read or written. Without a grant neither.
func TestAnyChangeAfterTheApprovalRunsNothing(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "file")
	for name, a := range actions(path) {
		grant := w.minter.Mint(a)
		if err := w.do(t, name, a, tools.Grant{}); !errors.Is(err, tools.ErrNotGranted) {
			t.Errorf("%s without a grant: %v", name, err)
		}
		for i := range reflect.TypeFor[tools.Action]().NumField() {
			field := reflect.TypeFor[tools.Action]().Field(i)
			if field.Name == "Diff" {
				continue // is shown, does nothing
			}
			changed := a
			alter(t, reflect.ValueOf(&changed).Elem().Field(i))
			if err := w.do(t, name, changed, grant); !errors.Is(err, tools.ErrNotGranted) {
				t.Errorf("%s with another %s: %v", name, field.Name, err)
			}
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) || len(w.pane.got) != 0 {
		t.Errorf("something happened: %v, %q", err, w.pane.got)
	}
}

// alter changes a value a little.
func alter(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + " ")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int64:
		v.SetInt(v.Int() + 1)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(v.Uint() + 1)
	case reflect.Slice:
		v.Set(reflect.Append(v, reflect.Zero(v.Type().Elem())))
	case reflect.Struct:
		alter(t, v.Field(0))
	default:
		t.Fatalf("cannot alter a %s", v.Kind())
	}
}

// An action that was granted but says more than its kind does, or not enough,
// was not what the operator was shown.
func TestMalformedActionsAreRefused(t *testing.T) {
	w := newWorld(t)
	path := filepath.Join(t.TempDir(), "file")
	for name, edit := range map[string]func(*tools.Action){
		"exec with a pane":              func(a *tools.Action) { a.Pane = "%3" },
		"exec with keys":                func(a *tools.Action) { a.Keys = []string{"C-c"} },
		"exec with a path":              func(a *tools.Action) { a.Path = "/x" },
		"exec without a shell":          func(a *tools.Action) { a.Dialect = "" },
		"exec with another shell":       func(a *tools.Action) { a.Dialect = "perl" },
		"exec without a command":        func(a *tools.Action) { a.Command = "" },
		"exec in the background":        func(a *tools.Action) { a.Background = true },
		"exec with a negative wait":     func(a *tools.Action) { a.Wait = -1 },
		"run with input":                func(a *tools.Action) { a.Stdin = []byte("x") },
		"run without a pane":            func(a *tools.Action) { a.Pane = "" },
		"run with what runs":            func(a *tools.Action) { a.Busy = "make" },
		"run behind a pending line":     func(a *tools.Action) { a.Pending = "rm -rf " },
		"run waited for and not":        func(a *tools.Action) { a.Background = true },
		"type with a command":           func(a *tools.Action) { a.Command = "x" },
		"write with a command":          func(a *tools.Action) { a.Command = "x" },
		"write a relative path":         func(a *tools.Action) { a.Path = "file" },
		"write an unclean path":         func(a *tools.Action) { a.Path = "/tmp/../etc/x" },
		"read with content":             func(a *tools.Action) { a.Content = []byte("x") },
		"capture without a view":        func(a *tools.Action) { a.Command = "" },
		"create-session with keys":      func(a *tools.Action) { a.Keys = []string{"C-c"} },
		"create-session with what ends": func(a *tools.Action) { a.Busy = "x" },
		"create-pane with an id":        func(a *tools.Action) { a.Pane = "%3" },
		"create-pane without a name":    func(a *tools.Action) { a.Command = "create-pane main" },
		"create-pane by another name":   func(a *tools.Action) { a.Command = "create-pane main Worker" },
		"create-pane and more":          func(a *tools.Action) { a.Command += " ; id" },
		"create-pane on two lines":      func(a *tools.Action) { a.Command += "\nkill-session build" },
		"create-session of nothing":     func(a *tools.Action) { a.Command = "create-session " },
		"kill-session by an option":     func(a *tools.Action) { a.Command = "kill-session -a" },
		"kill-session unseen":           func(a *tools.Action) { a.Busy = "" },
		"kill-session with a pane":      func(a *tools.Action) { a.Pane = "%3" },
		"kill-pane without its id":      func(a *tools.Action) { a.Pane = "" },
		"kill-pane with a command":      func(a *tools.Action) { a.Literal = "x" },
		"kill-pane and another verb":    func(a *tools.Action) { a.Command = "kill-server main worker" },
		"capture with a bad view":       func(a *tools.Action) { a.Command = `{"start":"-","shell":"id"}` },
	} {
		kind, _, _ := strings.Cut(name, " ")
		a, ok := actions(path)[kind]
		if !ok {
			t.Fatalf("no action %q", kind)
		}
		edit(&a)
		if err := w.do(t, kind, a, w.minter.Mint(a)); !errors.Is(err, guard.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	a := actions(path)["read"]
	if _, err := w.Capture(t.Context(), a, w.minter.Mint(a)); !errors.Is(err, guard.ErrMalformed) {
		t.Errorf("a file where a pane is captured: %v", err)
	}
	a = actions(path)["capture"]
	if _, err := w.Open(t.Context(), a, w.minter.Mint(a)); !errors.Is(err, guard.ErrMalformed) {
		t.Errorf("a pane where a file is opened: %v", err)
	}
	for kind, a := range actions(path) { // each through the door of another
		for other := range actions(path) {
			if kind != other && actions(path)[other].Kind != a.Kind {
				if err := w.do(t, other, a, w.minter.Mint(a)); !errors.Is(err, guard.ErrMalformed) {
					t.Errorf("%s as %s: %v", kind, other, err)
				}
			}
		}
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) || len(w.pane.got) != 0 {
		t.Errorf("something happened: %v, %q", err, w.pane.got)
	}
}

func TestChangedSurroundingsStopAnAction(t *testing.T) {
	base := actions("")
	for name, c := range map[string]struct {
		kind string
		edit func(*guard.State)
	}{
		"the operator typed":       {"run", func(s *guard.State) { s.Pending = "rm -rf " }},
		"the operator typed, keys": {"type", func(s *guard.State) { s.Pending = "sudo " }},
		"the shell has ended":      {"run", func(s *guard.State) { s.AtPrompt = false }},
		"a program runs, keys":     {"type", func(s *guard.State) { s.AtPrompt = false }},
		"another command, keys":    {"type", func(s *guard.State) { s.Busy = "rm -i *" }},
		"another folder":           {"run", func(s *guard.State) { s.Dir = "/tmp" }},
		"another folder, keys":     {"type", func(s *guard.State) { s.Dir = "/tmp" }},
		"a run before a kill":      {"kill-pane", func(s *guard.State) { s.Busy = "make" }},
		"a program before a kill":  {"kill-session", func(s *guard.State) { s.AtPrompt = false }},
		"typed before a kill":      {"kill-session", func(s *guard.State) { s.Pending = "rm" }},
		"another shell":            {"run", func(s *guard.State) { s.Shell = "fish" }},
		"another shell, keys":      {"type", func(s *guard.State) { s.Shell = "sh" }},
	} {
		w := newWorld(t)
		a := base[c.kind]
		grant := w.minter.Mint(a)
		before := w.pane.state
		c.edit(&w.pane.state)
		var changed *guard.ChangedError
		if err := w.do(t, c.kind, a, grant); !errors.As(err, &changed) {
			t.Errorf("%s: %v", name, err)
		}
		onPane := a.Kind == tools.Run || a.Kind == tools.Type
		if err := w.Standing(t.Context(), a); errors.As(err, &changed) != onPane {
			t.Errorf("%s: who is asked is told %v", name, err)
		}
		if len(w.pane.got) != 0 {
			t.Errorf("%s: %q happened", name, w.pane.got)
		}
		w.pane.state = before // as approved again: the grant was not used up
		if err := w.do(t, c.kind, a, grant); err != nil {
			t.Errorf("%s, when all is as it was: %v", name, err)
		}
		if err := w.Standing(t.Context(), a); err != nil {
			t.Errorf("%s, when all is as it was: who is asked is told %v", name, err)
		}
	}
}

// Whoever is asked about a pane is not told that it has changed while nobody can look.
func TestAPaneOutOfReachHasNotChanged(t *testing.T) {
	w := newWorld(t)
	a := actions("")["run"]
	w.pane.away = fmt.Errorf("the link is silent: %w", backends.ErrUnreachable)
	if err := w.Standing(t.Context(), a); err != nil {
		t.Errorf("out of reach: %v", err)
	}
	w.pane.away = errors.New("it is gone")
	if err := w.Standing(t.Context(), a); !errors.Is(err, w.pane.away) {
		t.Errorf("gone: %v", err)
	}
}

// The default session and its shared pane stay, whoever approved it.
func TestTheDefaultSessionIsNotEnded(t *testing.T) {
	w := newWorld(t)
	for _, a := range []tools.Action{
		{Kind: tools.Manage, Target: "local", User: "ops", Command: "kill-session main", Busy: "x"},
		{Kind: tools.Manage, Target: "local", User: "ops", Command: "kill-pane main shared", Pane: "%1", Busy: "x"},
	} {
		if _, err := w.Manage(t.Context(), a, w.minter.Mint(a)); !errors.Is(err, pane.ErrProtected) {
			t.Errorf("%s: %v", a.Command, err)
		}
	}
	a := tools.Action{Kind: tools.Manage, Target: "local", User: "ops", Command: "kill-session other", Busy: "x"}
	if _, err := w.Manage(t.Context(), a, w.minter.Mint(a)); !errors.Is(err, guard.ErrNoPane) {
		t.Errorf("one that is not there: %v", err)
	}
	if len(w.pane.got) != 0 {
		t.Errorf("%q happened", w.pane.got)
	}
}

// What ends says for each pane what goes on in it, and nothing that runs there
// can pass for another line.
func TestWhatEndsIsSaidExactly(t *testing.T) {
	w := newWorld(t)
	for want, state := range map[string]guard.State{
		"at its prompt": {AtPrompt: true},
		`at its prompt, where "rm -rf \u202e" is typed`:                       {AtPrompt: true, Pending: "rm -rf \u202e"},
		`runs "make\nnod-x-main:worker %3 at its prompt"`:                     {Busy: "make\nnod-x-main:worker %3 at its prompt"},
		"does something that nod did not start, or its shell does not answer": {},
	} {
		w.pane.state = state
		w.pane.state.ID = "%3"
		d, err := w.Doomed(t.Context(), "local", "main", "worker")
		if err != nil || d.Text != "nod-x-main:worker %3 "+want {
			t.Errorf("%q: %q, %v", want, d.Text, err)
		}
	}
	w.pane.state.AtPrompt = true
	d, err := w.Doomed(t.Context(), "local", "build", "shared")
	if err != nil || !strings.Contains(d.Text, "\nthe session nod-x-build, since this is its last pane") {
		t.Errorf("the last pane: %q, %v", d.Text, err)
	}
}

func TestMakingThatFailsIsNotNothing(t *testing.T) {
	w := newWorld(t)
	for name, sure := range map[error]bool{context.Canceled: false, pane.ErrTooMany: true} {
		for _, verb := range []string{"create-session", "kill-pane"} {
			w.pane.deaf = name
			a := actions("")[verb]
			var unsure *guard.UnsureError
			if err := w.do(t, verb, a, w.minter.Mint(a)); !errors.Is(err, name) || errors.As(err, &unsure) == sure {
				t.Errorf("%s, %v: %v", verb, name, err)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		"build": "build", " Build ": "build", "My  big\tbuild": "my-big-build", "a_b-1": "a_b-1",
		"": "", " ": "", "-x": "", "a:b": "", "a.b": "", "ü": "", "%3": "", "a;b": "", strings.Repeat("x", 33): "",
	} {
		if got, err := guard.Name(text); got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// Text that was typed is typed, also where the keys behind it failed.
func TestTypingThatFailsIsNotNothing(t *testing.T) {
	w := newWorld(t)
	a := actions("")["type"]
	w.pane.deaf = context.Canceled
	var unsure *guard.UnsureError
	if err := w.do(t, "type", a, w.minter.Mint(a)); !errors.As(err, &unsure) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.pane.got = nil
	if err := w.Type(ctx, a, w.minter.Mint(a)); errors.As(err, &unsure) || !errors.Is(err, context.Canceled) || len(w.pane.got) != 0 {
		t.Errorf("a call that had ended before: %v, %q", err, w.pane.got)
	}
}

func TestTheUserAndTheTargetMustBeTheSame(t *testing.T) {
	w := newWorld(t)
	a := actions("")["run"]
	a.User = "root"
	var changed *guard.ChangedError
	if err := w.do(t, "run", a, w.minter.Mint(a)); !errors.As(err, &changed) {
		t.Errorf("another user: %v", err)
	}
	a = actions("")["run"]
	w.Remove("local")
	if err := w.do(t, "run", a, w.minter.Mint(a)); !errors.Is(err, guard.ErrNoTarget) {
		t.Errorf("a target that has gone: %v", err)
	}
}

// A link that is put into an approved path leads neither a read nor a write
// somewhere else.
func TestLinksThatComeAfterTheApproval(t *testing.T) {
	w := newWorld(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "file")
	if err := os.Symlink(secret, path); err != nil {
		t.Fatal(err)
	}
	if got, err := w.Resolve(t.Context(), "local", path); err != nil || got != secret {
		t.Errorf("resolve: %q, %v", got, err)
	}
	for _, name := range []string{"read", "write"} {
		a := actions(path)[name]
		a.Path = path
		var changed *guard.ChangedError
		if err := w.do(t, name, a, w.minter.Mint(a)); !errors.As(err, &changed) {
			t.Errorf("%s through a link: %v", name, err)
		}
	}
	if data, err := os.ReadFile(secret); err != nil || string(data) != "secret" {
		t.Errorf("the file behind the link: %q, %v", data, err)
	}
}

func TestPresentIsBoundedAndKnowsAbsence(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	if data, v, err := w.Present(t.Context(), "local", path); data != nil || v != (backends.Version{}) || err != nil {
		t.Errorf("absent: %q, %+v, %v", data, v, err)
	}
	if err := os.WriteFile(path, []byte("abc"), 0o600); err != nil {
		t.Fatal(err)
	}
	if data, v, err := w.Present(t.Context(), "local", path); string(data) != "abc" || v != backends.VersionOf([]byte("abc")) || err != nil {
		t.Errorf("present: %q, %+v, %v", data, v, err)
	}
	if err := os.Truncate(path, guard.MaxPresent+1); err != nil {
		t.Fatal(err)
	}
	if _, _, err := w.Present(t.Context(), "local", path); !errors.Is(err, guard.ErrTooLarge) {
		t.Errorf("large: %v", err)
	}
	if _, _, err := w.Present(t.Context(), "local", dir); !errors.Is(err, backends.ErrIsDirectory) {
		t.Errorf("a folder: %v", err)
	}
}

// A link that leads nowhere is something: what is written to its name is made
// elsewhere.
func TestAbsentMeansThatNothingHasTheName(t *testing.T) {
	w := newWorld(t)
	dir := t.TempDir()
	for name, to := range map[string]string{"link": filepath.Join(dir, "nowhere"), "folder": dir} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{"new": true, "folder/new": true, "none/new": true, "link": false, "folder": false, "folder/link": false, ".": false} {
		if got, err := w.Absent(t.Context(), "local", filepath.Join(dir, name)); got != want || err != nil {
			t.Errorf("%s: %t, %v", name, got, err)
		}
	}
	if absent, err := w.Absent(t.Context(), "local", "/etc/passwd/new"); absent {
		t.Errorf("below a file: %v", err)
	}
	if absent, err := w.Absent(t.Context(), "ssh:none", "/new"); absent || !errors.Is(err, guard.ErrNoTarget) {
		t.Errorf("on no target: %t, %v", absent, err)
	}
}

func TestCommandLinesReachTheirShellAsTheyAre(t *testing.T) {
	w := newWorld(t)
	for command, want := range map[string]string{
		"printf 'a b'":                "a b",
		"-x; printf dash":             "dash",
		"printf \"$0\" | tr -d '\\n'": "sh",
		"cat\nprintf 2":               "input2",
	} {
		a := tools.Action{Tool: "x", Kind: tools.Exec, Target: "local", User: "ops", Command: command, Dialect: "sh"}
		if strings.HasPrefix(command, "cat") {
			a.Stdin = []byte("input")
		}
		var out, errs bytes.Buffer
		p, err := w.Exec(t.Context(), a, w.minter.Mint(a), &out, &errs)
		if err != nil {
			t.Fatal(err)
		}
		if o, err := p.Wait(); !o.OK() || err != nil || out.String() != want {
			t.Errorf("%q: %s, %v, %q, %q", command, o, err, out.String(), errs.String())
		}
	}
}

// breaking is a target whose link breaks while a program is being started.
type breaking struct{ backends.Target }

func (breaking) Name() string { return "ssh:box" }

func (breaking) Exec(context.Context, backends.Command) (backends.Process, error) {
	return nil, fmt.Errorf("ssh: %w: the link broke", backends.ErrUnsure)
}

func TestAStartThatNobodyKnowsOfIsUnsure(t *testing.T) {
	w := newWorld(t)
	if err := w.Add(guard.Place{Target: breaking{local.New(nil)}, User: "ops", Shell: "sh"}); err != nil {
		t.Fatal(err)
	}
	a := tools.Action{Tool: "x", Kind: tools.Exec, Target: "ssh:box", User: "ops", Command: "true", Dialect: "sh"}
	_, err := w.Exec(t.Context(), a, w.minter.Mint(a), nil, nil)
	var unsure *guard.UnsureError
	if !errors.As(err, &unsure) || !errors.Is(err, backends.ErrUnsure) {
		t.Errorf("%v", err)
	}
}

func TestPlacesAreAddedOnceAndListed(t *testing.T) {
	w := newWorld(t)
	if err := w.Add(guard.Place{Target: local.New(nil), Shell: "sh"}); err == nil {
		t.Error("a second target of the same name")
	}
	if err := guard.New(nil).Add(guard.Place{Target: local.New(nil), Shell: "perl"}); err == nil {
		t.Error("a shell that is none")
	}
	if got := w.Targets(); !reflect.DeepEqual(got, []string{"local"}) {
		t.Errorf("targets %q", got)
	}
	about, err := w.About("local")
	if want := (guard.About{Target: "local", User: "ops", Shell: "sh", Panes: true}); err != nil || about != want {
		t.Errorf("%+v, %v", about, err)
	}
	if _, err := w.About("ssh:nowhere"); !errors.Is(err, guard.ErrNoTarget) || !strings.Contains(err.Error(), "local") {
		t.Errorf("an unknown target: %v", err)
	}
	if state, err := w.Look(t.Context(), "local", "", ""); err != nil || state.ID != "%3" {
		t.Errorf("look: %+v, %v", state, err)
	}
	if _, err := w.Look(t.Context(), "local", "", "%9"); !errors.Is(err, guard.ErrNoPane) {
		t.Errorf("look at a pane that is not there: %v", err)
	}
}

// A resolved path on this machine goes where it says and nowhere else.
var _ guard.ExactFiles = local.New(nil).Files().(guard.ExactFiles)
