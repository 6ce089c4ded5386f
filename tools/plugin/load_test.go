//go:build linux && (amd64 || arm64)

package plugin

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/host"
	"github.com/nod-console/nod/tools/plugin/lua"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == lua.Command {
		lua.Main()
		return
	}
	goleak.VerifyTestMain(m)
}

// patience is how long a plugin may take to come back.
const patience = time.Minute

// patient are limits that only what never ends meets.
var patient = host.Limits{Call: time.Hour, Start: time.Hour, Grace: time.Hour, CPU: time.Hour, Memory: 1 << 30}

// loaded loads a plugin of one file.
func loaded(t *testing.T, code string, limits host.Limits) (*Loaded, error) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	l, err := Load(t.Context(), Plugin{
		Manifest: Manifest{Name: "hostile", Entry: "main.lua"}, Files: map[string]string{"main.lua": code},
	}, Options{Program: []string{self, lua.Command}, Limits: limits})
	if err == nil {
		t.Cleanup(l.Close)
	}
	return l, err
}

// does is a plugin with a tool that does something, and another one that is well.
func does(body string) string {
	return fmt.Sprintf(`
nod.register_tool{name = "bad", description = "bad", execute = function(args)
  %s
end}
nod.register_tool{name = "good", description = "good", execute = function(args) return "well" end}
`, body)
}

func run(ctx context.Context, t *testing.T, l *Loaded, name string) string {
	t.Helper()
	for _, tool := range l.Tools() {
		if tool.Name() != name {
			continue
		}
		a, err := tool.Plan(ctx, json.RawMessage("{}"), tools.Env{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := tool.Execute(ctx, a, tools.Env{})
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(r.Value)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	t.Fatalf("no tool %q", name)
	return ""
}

// What a hostile plugin does is told in a sentence, and the plugin works again afterwards.
func TestHostilePlugins(t *testing.T) {
	t.Parallel()
	short := patient
	short.Call = time.Second // what never ends has no other end
	stubborn := short
	stubborn.Grace = time.Second
	small := patient
	small.Memory = 0 // the default
	for _, c := range []struct {
		name, body, says string
		limits           host.Limits
	}{
		{"a loop without end", "while true do end", "took longer than 1s", short},
		{"a pattern without end", `return (string.find(string.rep("a", 3000), ".-.-.-.-.-.-.-b"))`, "took longer than 1s", stubborn},
		{"4 GB of text", `return string.rep(string.rep("x", 65536), 65536)`, "", small},
		{"a table that grows", `local t = {} for i = 1, 1e9 do t[i] = string.rep("x", 1000000) .. i end`, "", small},
		{"calls itself", "local function f() return 1 + f() end return f()", "stack overflow", patient},
		{"files", `return io.open("/etc/shadow")`, "main.lua:3", patient},
		{"programs", `return os.execute("id")`, "main.lua:3", patient},
		{"other code", `return loadfile("/etc/passwd")`, "main.lua:3", patient},
		{"a library", `return require("os")`, "main.lua:3", patient},
		{"more than it may write", `return string.rep("x", 5000000)`, "more than 4 MiB", patient},
		{"an error", `error("no such ticket")`, "main.lua:3: no such ticket", patient},
		{"an effect that nobody passes", `local r, why = nod.exec("id") return why`, "cannot ask for", patient},
		{"an end in the middle", `os.exit(0)`, "main.lua:3", patient},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l, err := loaded(t, does(c.body), c.limits)
			if err != nil {
				t.Fatal(err)
			}
			said := run(t.Context(), t, l, "bad")
			if !strings.Contains(said, c.says) || !strings.Contains(said, "plugin") && c.says != "cannot ask for" || strings.Count(said, "\n") > 0 {
				t.Errorf("%s", said)
			}
			// A process that was ended is started again after a pause.
			if !backendtest.Soon(patience, func() bool { said = run(t.Context(), t, l, "good"); return said == `"well"` }) {
				t.Errorf("afterwards: %s", said)
			}
		})
	}
}

// A call that is cancelled ends, and the plugin works on.
func TestACallIsCancelled(t *testing.T) {
	t.Parallel()
	l, err := loaded(t, does(`nod.log("begun") while true do end`), patient)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel) // any moment of the call
	if said := run(ctx, t, l, "bad"); !strings.Contains(said, "cancel") {
		t.Error(said)
	}
	if said := run(t.Context(), t, l, "good"); said != `"well"` {
		t.Error(said)
	}
}

// Whoever loads a plugin need not wait for one that never comes to its end.
func TestAStartIsCancelled(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Load(ctx, Plugin{
		Manifest: Manifest{Name: "hostile", Entry: "main.lua"}, Files: map[string]string{"main.lua": `nod.log("begun") while true do end`},
	}, Options{Program: []string{self, lua.Command}, Limits: patient, Told: func(string, string, string) { cancel() }})
	if err == nil {
		t.Error("it has started")
	}
}

// What a plugin says reaches the terminal as text.
func TestTextsAreHarmless(t *testing.T) {
	t.Parallel()
	l, err := loaded(t, does(`return {["k"] = "\27[2J\155" .. "a\226\128\174b"}`), patient)
	if err != nil {
		t.Fatal(err)
	}
	said := run(t.Context(), t, l, "bad")
	if strings.ContainsAny(said, "\x1b\u202e") || strings.Contains(said, `\u001b`) || !strings.Contains(said, "[2J") {
		t.Errorf("%q", said)
	}
}

// What cannot be loaded is refused with the reason.
func TestWhatIsNotLoaded(t *testing.T) {
	t.Parallel()
	tool := `nod.register_tool{name = %s, description = "d", execute = function() end}`
	for name, c := range map[string]struct{ code, says string }{
		"no code":         {`nod.register_tool(`, "main.lua"},
		"an error":        {"\nerror('not today')", "main.lua:2: not today"},
		"10,000 tools":    {`for i = 1, 10000 do ` + fmt.Sprintf(tool, `"t" .. i`) + ` end`, "can have 32 tools"},
		"a bad name":      {fmt.Sprintf(tool, `"Run Shell"`), `cannot be called \"Run Shell\"`},
		"twice":           {fmt.Sprintf(tool, `"a"`) + fmt.Sprintf(tool, `"a"`), "registered twice"},
		"a field":         {`nod.register_tool{name = "a", descripton = "d"}`, "descripton"},
		"no function":     {`nod.register_tool{name = "a", description = "d", execute = 1}`, "execute is not a function"},
		"a risk":          {`nod.register_tool{name = "a", description = "d", risk = "none", execute = function() end}`, "want low, medium or high"},
		"an early effect": {`nod.exec("id")`, "not while the plugin starts"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := loaded(t, c.code, patient)
			if err == nil || !strings.Contains(strings.ReplaceAll(err.Error(), `"`, `\"`), c.says) || !strings.HasPrefix(err.Error(), "plugin hostile: ") {
				t.Error(err)
			}
		})
	}
}
