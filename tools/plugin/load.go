package plugin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/harmless"
	"github.com/nod-console/nod/tools/plugin/host"
	"github.com/nod-console/nod/tools/plugin/lua"
)

// Options say how plugins are run.
type Options struct {
	Program  []string // nod itself, as a plugin's process
	Unsealed bool     // also where the system cannot confine it
	Test     bool     // run the plugin's test, too, if it has one
	// Told is told what a plugin has for the operator ("notify") or the log ("log"). It
	// must be quick.
	Told   func(plugin, method, text string)
	Limits host.Limits
}

// Loaded is a plugin whose process has started.
type Loaded struct {
	Plugin
	tools    []tools.Tool
	hooks    []string // events
	commands []lua.OwnCommand
	host     *host.Host
	lines    *lines
}

// Tools are the tools that it has registered.
func (l *Loaded) Tools() []tools.Tool { return l.tools }

// Close ends its process.
func (l *Loaded) Close() {
	l.host.Close()
	l.lines.close()
}

// Load starts a plugin and takes what it registers. The end of ctx ends the start, too.
// Nothing is left behind after an error.
func Load(ctx context.Context, p Plugin, o Options) (*Loaded, error) {
	l := &Loaded{Plugin: p, lines: newLines(func(method, text string) {
		if o.Told != nil {
			o.Told(p.Name, method, text)
		}
	})}
	code := map[string]string{}
	for name, text := range p.Files {
		if strings.HasSuffix(name, ".lua") {
			code[name] = text
		}
	}
	test := ""
	if _, there := code[TestName]; there && o.Test {
		test = TestName
	}
	l.host = host.New(host.Options{
		Program: o.Program, Env: []string{"GOMAXPROCS=1", "GOTRACEBACK=none"}, Limits: o.Limits,
		Start: func(limits host.Limits) any {
			return lua.Start{
				Plugin: p.Name, Entry: p.Entry, Files: code, Config: p.Config, Test: test,
				Memory: limits.Memory, CPU: int(limits.CPU / time.Second), Unsealed: o.Unsealed,
			}
		},
		Told: func(method string, params json.RawMessage) {
			var text string
			if json.Unmarshal(params, &text) == nil {
				l.lines.say(method, text)
			}
		},
	})
	var got lua.Registered
	stop := context.AfterFunc(ctx, l.host.Close) // its code may never come to an end
	err := l.host.Start(ctx, &got)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err == nil {
		err = l.take(got)
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("plugin %s: %s", p.Name, harmless.Text(err.Error()))
	}
	return l, nil
}

// take checks once more what the process says that it has registered.
func (l *Loaded) take(got lua.Registered) error {
	if len(got.Tools) > lua.MaxTools {
		return fmt.Errorf("it has %d tools; %d are the most", len(got.Tools), lua.MaxTools)
	}
	for _, t := range got.Tools {
		var schema map[string]any
		if err := json.Unmarshal(t.Parameters, &schema); err != nil || !lua.ValidName(t.Name) {
			return fmt.Errorf("its tool %.80q has no name or no schema", t.Name)
		}
		t.Description = harmless.Text(t.Description)
		l.tools = append(l.tools, &tool{of: l, Tool: t})
	}
	return errors.Join(l.takeHooks(got.Hooks), l.takeCommands(got.Commands))
}

// tool is a tool of a plugin.
type tool struct {
	of *Loaded
	lua.Tool
}

var (
	_ tools.Tool  = (*tool)(nil)
	_ tools.Added = (*tool)(nil)
)

// Name implements [tools.Tool].
func (t *tool) Name() string { return t.Tool.Name }

// Description implements [tools.Tool].
func (t *tool) Description() string {
	return fmt.Sprintf("%s (plugin %s)", t.Tool.Description, t.of.Name)
}

// Added implements [tools.Added].
func (*tool) Added() bool { return true }

// InputSchema implements [tools.Tool].
func (t *tool) InputSchema() map[string]any {
	var schema map[string]any
	_ = json.Unmarshal(t.Parameters, &schema) // take has done it once
	return schema
}

// Parallelizable implements [tools.Tool].
func (t *tool) Parallelizable() bool { return t.Tool.Parallelizable }

// waitForOperator bounds a call of a plugin's tool. The plugin's own computing has a limit
// of its own; the rest is what it waits for others.
const waitForOperator = time.Hour

// Plan implements [tools.Tool]. The code has not run yet: the arguments are all there is.
func (t *tool) Plan(_ context.Context, args json.RawMessage, _ tools.Env) (tools.Action, error) {
	var object map[string]any
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	if err := json.Unmarshal(args, &object); err != nil {
		return tools.Action{}, tools.Invalid("the arguments are not a JSON object: %.80q", args)
	}
	return tools.Action{Tool: t.Name(), Kind: tools.Pure, Command: string(args), Wait: waitForOperator}, nil
}

// Execute implements [tools.Tool].
func (t *tool) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	var value any
	err := t.of.host.Call(ctx, "tool", lua.ToolCall{Name: t.Name(), Arguments: json.RawMessage(a.Command)}, &value,
		func(ctx context.Context, method string, params json.RawMessage) (any, error) {
			return t.effect(ctx, env, method, params)
		})
	if err != nil {
		return tools.Failure("plugin", harmless.Text(fmt.Sprintf("plugin %s: %v", t.of.Name, err))), nil
	}
	return tools.Result{Value: harmless.Value(value), Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
}

// effect has one of nod's own tools called.
func (t *tool) effect(ctx context.Context, env tools.Env, method string, params json.RawMessage) (any, error) {
	name, known := effects[method]
	if !known || env.Effect == nil {
		return nil, fmt.Errorf("a plugin cannot ask for %.40q", method)
	}
	args := map[string]any{}
	if err := json.Unmarshal(params, &args); err != nil {
		return nil, errors.New("the arguments are not an object")
	}
	if name == "run_shell" || name == "write_file" {
		args["risk"], args["mutation"], args["privesc"] = t.Risk, t.Risk != "low", false
		args["why"] = fmt.Sprintf("the plugin %s asks for it, in its tool %s", t.of.Name, t.Name())
	}
	encoded, err := json.Marshal(args)
	if err != nil {
		return nil, err
	}
	r := env.Effect(ctx, tools.Effect{By: "plugin " + t.of.Name, Tool: name, Arguments: encoded, Permit: t.of.Permissions.permit})
	if r.IsError {
		if p, ok := r.Value.(tools.Problem); ok {
			return nil, errors.New(p.Error)
		}
	}
	return r.Value, nil
}
