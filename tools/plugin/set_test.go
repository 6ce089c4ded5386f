//go:build linux && (amd64 || arm64)

package plugin

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/hook"
	"github.com/nod-console/nod/tools/plugin/host"
	"github.com/nod-console/nod/tools/plugin/lua"
)

// rig is a set of plugins with what it stands on.
type rig struct {
	t     *testing.T
	store Store
	hooks *hook.Set
	tools *tools.Registry
	set   *Set

	mu     sync.Mutex
	warned []string
}

func newRig(t *testing.T) *rig {
	t.Helper()
	return &rig{t: t, store: Store{Dir: filepath.Join(t.TempDir(), "plugins")}}
}

// open opens the set.
func (r *rig) open(limits host.Limits) *Set {
	r.t.Helper()
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	r.hooks, r.tools = hook.New(hook.Options{Tell: r.warn}), &tools.Registry{}
	r.set = Open(SetOptions{
		Store: r.store, Run: Options{Program: []string{self, lua.Command}, Limits: limits},
		Registry: r.tools, Hooks: r.hooks, Warn: r.warn,
	})
	r.t.Cleanup(r.set.Close)
	return r.set
}

func (r *rig) warn(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.warned = append(r.warned, text)
}

// said is what was told, once.
func (r *rig) said() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	text := strings.Join(r.warned, "\n")
	r.warned = nil
	return text
}

// install puts a plugin of one file into the store.
func (r *rig) install(name, permissions, code string) {
	r.t.Helper()
	p, err := Read(write(r.t, map[string]string{
		ManifestName: fmt.Sprintf("name = %q\nversion = \"1\"\ndescription = \"d\"\n%s", name, permissions), "main.lua": code,
	}))
	if err == nil {
		err = r.store.Install(p)
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

// before is what the hooks say to a command.
func (r *rig) before(command string) hook.Said {
	return r.hooks.Run(r.t.Context(), hook.Event{Event: hook.PreTool, Tool: "run_shell", Command: command})
}

const (
	hooked   = "[permissions]\nhooks = [\"pre_tool\"]\n"
	required = hooked + "required_hooks = [\"pre_tool\"]\n"
	denier   = `nod.register_hook{event = "pre_tool", run = function(e)
  if e.command == "rm x" then return {deny = "no ticket", note = "ask Ada"} end
end}
`
)

// A hook in Lua denies and notes; one that is required denies also while its plugin is
// being started, and once it is changed, damaged or gone.
func TestHooksOfPlugins(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.install("tickets", required, denier)
	s := r.open(patient)
	if said := r.before("rm x"); said.Deny != "hook plugin tickets: no ticket" || len(said.Notes) != 1 { // without waiting for the start
		t.Errorf("%+v", said)
	}
	if said := r.before("ls"); said.Deny != "" {
		t.Errorf("%+v", said)
	}
	s.Close()
	at := filepath.Join(r.store.Dir, "tickets")
	for name, change := range map[string]func() error{
		"changed": func() error { return os.WriteFile(filepath.Join(at, "main.lua"), []byte("-- nothing"), 0o600) },
		"damaged": func() error { return os.WriteFile(filepath.Join(at, ManifestName), []byte("name ="), 0o600) },
		"fewer hooks": func() error {
			return os.WriteFile(filepath.Join(at, ManifestName), []byte("name = \"tickets\"\ndescription = \"d\"\n"), 0o600)
		},
		"gone": func() error { return os.RemoveAll(at) },
	} {
		r.install("tickets", required, denier)
		if err := change(); err != nil {
			t.Fatal(err)
		}
		s = r.open(patient)
		if said := r.before("ls"); !strings.Contains(said.Deny, "hook plugin tickets is required and failed: it is not running") {
			t.Errorf("%s: %+v", name, said)
		}
		if err := s.Tried(t.Context()); err != nil || !strings.Contains(r.said(), "the plugin tickets is not loaded") || s.Statuses()[0].Fault == "" {
			t.Errorf("%s: %v, %+v", name, err, s.Statuses())
		}
		s.Close()
	}
	if err := r.store.Remove("tickets"); err != nil { // its folder is gone, and it is known
		t.Error(err)
	}
	r.open(patient)
	if said := r.before("ls"); said.Deny != "" {
		t.Errorf("removed: %+v", said)
	}
	r.install("tickets", required, denier)
	if err := os.WriteFile(filepath.Join(r.store.Dir, pinsName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	r.open(patient)
	if said := r.before("ls"); !strings.Contains(said.Deny, "cannot be read") {
		t.Errorf("without pins: %+v", said)
	}
}

// Whatever a hook's code does: where it is required it denies, otherwise it is told of.
func TestHostileHooks(t *testing.T) {
	t.Parallel()
	short := patient
	short.Call, short.Grace = time.Second, time.Second // what never ends has no other end
	for name, c := range map[string]struct {
		body, says string
		limits     host.Limits
	}{
		"a loop without end":    {"while true do end", "took longer than 1s", short},
		"a pattern without end": {`string.find(string.rep("a", 3000), ".-.-.-.-.-.-.-b")`, "took longer than 1s", short},
		"a flood":               {`return {note = string.rep("x", 5000000)}`, "more than 4 MiB", patient},
		"a flood of lines":      {`for i = 1, 1e9 do nod.log(string.rep("x", 100000)) end`, "more than 4 MiB", patient},
		"a crash":               {`error("no")`, "main.lua:1: no", patient},
		"it allows":             {`return {allow = true}`, "cannot allow anything", patient},
		"a text":                {`return "yes"`, "not a JSON object", patient},
		"it acts":               {`local r, why = nod.exec("id") return nil, why`, "cannot be asked for here", patient},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, must := range []bool{true, false} {
				r := newRig(t)
				permissions := hooked
				if must {
					permissions = required
				}
				r.install("team", permissions, `nod.register_hook{event = "pre_tool", run = function(e) `+c.body+` end}`)
				r.open(c.limits)
				said := r.before("ls")
				told := r.said()
				if must && (!strings.HasPrefix(said.Deny, "hook plugin team is required and failed: ") || !strings.Contains(said.Deny, c.says)) {
					t.Errorf("required: %+v", said)
				}
				if !must && (said.Deny != "" || !strings.Contains(told, c.says) || strings.Contains(told, "\n")) {
					t.Errorf("not required: %+v, told %q", said, told)
				}
			}
		})
	}
}

// What the manifest says of hooks and what the code registers fit together.
func TestWhatHooksAreRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ permissions, code, says string }{
		"not asked for":  {"", denier, "permissions.hooks in its plugin.toml lacks it"},
		"not registered": {required, "", `permissions.required_hooks has "pre_tool"`},
		"twice":          {hooked, denier + denier, `"pre_tool" is registered twice`},
		"no event":       {hooked, `nod.register_hook{event = "pre_tol", run = function() end}`, `no event "pre_tol"`},
		"a field":        {hooked, `nod.register_hook{event = "pre_tool", allow = true}`, `no field "allow"`},
		"no function":    {hooked, `nod.register_hook{event = "pre_tool", run = 1}`, "run is not a function"},
		"a bad command":  {"", `nod.register_command{name = "Up!", description = "d", run = function() end}`, `cannot be called "Up!"`},
		"many commands":  {"", `for i = 1, 100 do nod.register_command{name = string.rep("a", i), description = "d", run = function() end} end`, "16 commands, and no more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRig(t)
			r.install("team", c.permissions, c.code)
			s := r.open(patient)
			if err := s.Tried(t.Context()); err != nil || !strings.Contains(s.Statuses()[0].Fault, c.says) {
				t.Errorf("%v, %+v", err, s.Statuses())
			}
		})
	}
}

// A command prints, makes a prompt, or fails; it acts on nothing.
func TestCommandsOfPlugins(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.install("duty", "", `
nod.register_command{name = "duty", description = "who is on call", args = "[day]", run = function(args)
  if args == "fail" then return nil, "no such day" end
  if args == "ask" then return {prompt = "Sum up the alerts\27[2J", print = "one moment"} end
  if args == "act" then return select(2, nod.exec("id")) end
  if args == "odd" then return {run = "id"} end
  return "Ada, on " .. args
end}`)
	s := r.open(patient)
	if err := s.Tried(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := s.Commands(); len(c) != 1 || c[0] != (lua.OwnCommand{Name: "duty", Description: "who is on call", Args: "[day]"}) {
		t.Errorf("%+v", c)
	}
	for args, want := range map[string]string{
		"Monday": `{Ada, on Monday } <nil>`,
		"ask":    `{one moment Sum up the alerts\u{1b}[2J} <nil>`,
		"act":    `{this cannot be asked for here } <nil>`,
		"fail":   `{ } plugin duty: /duty: no such day`,
		"odd":    `{ } plugin duty: /duty: its command "duty" returned "run"; there are print and prompt`,
	} {
		got, err := s.Command(t.Context(), "duty", args)
		if text := fmt.Sprint(got, " ", err); text != want {
			t.Errorf("%s: %s", args, text)
		}
	}
	if _, err := s.Command(t.Context(), "gone", ""); err == nil {
		t.Error("a command that is not there")
	}
}

// Reload exchanges what was installed, accepted anew or removed, and no required hook is
// missing meanwhile.
func TestReload(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	tool := func(name string) string {
		return fmt.Sprintf("nod.register_tool{name = %q, description = \"d\", execute = function() return %q end}\n", name, name)
	}
	r.install("tickets", required, denier+tool("one"))
	s := r.open(patient)
	if err := s.Tried(t.Context()); err != nil {
		t.Fatal(err)
	}
	reload := func(want string) {
		t.Helper()
		lines, err := s.Reload()
		if err != nil || strings.Join(lines, "; ") != want {
			t.Errorf("%q, %v, want %q", lines, err, want)
		}
	}
	names := func() string {
		var all []string
		for _, t := range r.tools.All() {
			all = append(all, t.Name())
		}
		return strings.Join(all, " ")
	}
	reload("nothing has changed")

	// All the while, somebody asks.
	stop, asked := make(chan struct{}), make(chan string, 1)
	go func() {
		odd := ""
		for {
			select {
			case <-stop:
				asked <- odd
				return
			default:
			}
			if said := r.before("rm x"); said.Deny == "" {
				odd = "it was not asked"
			}
		}
	}()
	r.install("tickets", required, denier+tool("two"))
	r.install("more", "", tool("three"))
	reload("more 1 runs; tickets 1 runs in the place of what ran before 1")
	if names() != "three two" {
		t.Error(names())
	}
	code := filepath.Join(r.store.Dir, "tickets", "main.lua")
	if err := os.WriteFile(code, []byte("-- changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if lines, err := s.Reload(); err != nil || len(lines) != 1 || !strings.HasPrefix(lines[0], "tickets goes on as it was accepted: it was changed") || names() != "three two" {
		t.Errorf("%q, %v, %s", lines, err, names())
	}
	r.install("tickets", required, "error('not today')")
	if lines, err := s.Reload(); err != nil || !strings.Contains(strings.Join(lines, ";"), "tickets does not run: main.lua:1: not today") || names() != "three" {
		t.Errorf("%q, %v, %s", lines, err, names())
	}
	if said := r.before("ls"); !strings.Contains(said.Deny, "required and failed") {
		t.Errorf("%+v", said)
	}
	close(stop)
	if odd := <-asked; odd != "" {
		t.Error(odd)
	}
	for _, name := range []string{"tickets", "more"} {
		if err := r.store.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	reload("more was removed; tickets was removed")
	if said := r.before("rm x"); said.Deny != "" || names() != "" || len(s.Statuses()) != 0 {
		t.Errorf("%+v, %s, %+v", said, names(), s.Statuses())
	}
}

// What a plugin says without being asked is one line each, and not many.
func TestUnaskedLines(t *testing.T) {
	t.Parallel()
	var told []string
	l := newLines(func(method, text string) { told = append(told, method+" "+text) })
	var minute []func()
	l.after = func(_ time.Duration, f func()) func() bool {
		minute = append(minute, f)
		return func() bool { return true }
	}
	for i := range 25 {
		l.say("notify", fmt.Sprintf("%d\nand \x1b[2J", i))
	}
	l.say("log", "x")
	if len(told) != 21 || told[1] != `notify 1 and \u{1b}[2J` || told[20] != "log x" {
		t.Errorf("%q", told)
	}
	minute[0]()
	if got := told[21]; got != "notify 5 lines more in a minute were left out" {
		t.Error(got)
	}
	for range 21 {
		l.say("notify", "again")
	}
	l.close()
	l.say("notify", "late")
	if got := told[len(told)-1]; got != "notify 1 line more in a minute was left out" || len(told) != 43 {
		t.Errorf("%d: %q", len(told), got)
	}
}

// A plugin's own process is started for its hook alone, and a hook is asked while a tool
// of the same plugin waits.
func TestAPluginsHookIsAskedWhileItsToolWaits(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.install("both", hooked+"tools = [\"run_shell\"]\ntargets = [\"*\"]\n", denier+
		`nod.register_tool{name = "both", description = "d", execute = function() return select(2, nod.exec("rm x")) end}`)
	s := r.open(patient)
	if err := s.Tried(t.Context()); err != nil {
		t.Fatal(err)
	}
	tool, there := r.tools.Get("both")
	if !there {
		t.Fatalf("%+v", s.Statuses())
	}
	a, err := tool.Plan(t.Context(), nil, tools.Env{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := tool.Execute(t.Context(), a, tools.Env{Effect: func(ctx context.Context, e tools.Effect) tools.Result {
		return tools.Failure("denied", r.hooks.Run(ctx, hook.Event{Event: hook.PreTool, Command: "rm x"}).Deny)
	}})
	if err != nil || got.Value != "hook plugin both: no ticket" {
		t.Errorf("%+v, %v", got, err)
	}
}
