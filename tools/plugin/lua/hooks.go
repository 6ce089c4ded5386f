package lua

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/nod-console/nod/tools/plugin/hook"
)

// fields checks that a registration has only fields that are known, while the plugin
// starts.
func (sc *script) fields(L *lua.LState, call string, known ...string) *lua.LTable {
	t := L.CheckTable(1)
	if !sc.loading {
		L.RaiseError("%s: this is done while the plugin starts, not later", call)
	}
	t.ForEach(func(k, _ lua.LValue) {
		if !slices.Contains(known, k.String()) {
			L.RaiseError("%s: there is no field %q; there are %s", call, k.String(), strings.Join(known, ", "))
		}
	})
	return t
}

// registerHook is register_hook{event, run}.
func (sc *script) registerHook(L *lua.LState) int {
	t := sc.fields(L, "register_hook", "event", "run")
	event := text(L, t, "event", true)
	run, ok := t.RawGetString("run").(*lua.LFunction)
	err := hook.Known(event)
	switch {
	case err != nil:
		L.RaiseError("register_hook: %s", err)
	case sc.hooks[event] != nil:
		L.RaiseError("register_hook: %q is registered twice", event)
	case !ok:
		L.RaiseError("register_hook %q: run is not a function", event)
	}
	sc.hooks[event] = run
	return 0
}

// registerCommand is register_command{name, description, args, run}.
func (sc *script) registerCommand(L *lua.LState) int {
	t := sc.fields(L, "register_command", "name", "description", "args", "run")
	c := OwnCommand{Name: text(L, t, "name", true), Description: text(L, t, "description", true), Args: text(L, t, "args", false)}
	run, ok := t.RawGetString("run").(*lua.LFunction)
	switch {
	case !ValidCommand(c.Name):
		L.RaiseError("register_command: a command cannot be called %q; use small letters and -, a letter first", c.Name)
	case sc.commands[c.Name] != nil:
		L.RaiseError("register_command: %q is registered twice", c.Name)
	case len(sc.commands) == MaxCommands:
		L.RaiseError("register_command %q: a plugin can have %d commands, and no more", c.Name, MaxCommands)
	case !ok:
		L.RaiseError("register_command %q: run is not a function", c.Name)
	}
	sc.commands[c.Name] = run
	sc.commandList = append(sc.commandList, c)
	return 0
}

// hook runs a registered hook. Its answer is a table with deny and note, or nil.
func (sc *script) hook(ctx context.Context, c HookCall) (any, error) {
	f, there := sc.hooks[c.Event]
	if !there {
		return nil, fmt.Errorf("it has no hook for %q any more", c.Event)
	}
	answer, err := sc.callWith(ctx, f, c.Told)
	if answer == nil {
		answer = map[string]any{}
	}
	return answer, err
}

// command runs a registered command. It returns a text to print, or a table with print or
// prompt.
func (sc *script) command(ctx context.Context, c CommandCall) (any, error) {
	f, there := sc.commands[c.Name]
	if !there {
		return nil, fmt.Errorf("it has no command %q any more", c.Name)
	}
	encoded, err := json.Marshal(c.Args)
	if err != nil {
		return nil, err
	}
	v, err := sc.callWith(ctx, f, encoded)
	if err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case nil:
		return CommandResult{}, nil
	case string:
		return CommandResult{Print: v}, nil
	case map[string]any:
		var r CommandResult
		for k, value := range v {
			said, ok := value.(string)
			switch {
			case !ok:
				return nil, fmt.Errorf("its command %q returned a %q that is no text", c.Name, k)
			case k == "print":
				r.Print = said
			case k == "prompt":
				r.Prompt = said
			default:
				return nil, fmt.Errorf("its command %q returned %q; there are print and prompt", c.Name, k)
			}
		}
		return r, nil
	}
	return nil, fmt.Errorf("its command %q returned neither a text nor a table with print or prompt", c.Name)
}

// callWith calls a function with a value of JSON. A second value that it returns is an
// error.
func (sc *script) callWith(ctx context.Context, f *lua.LFunction, value json.RawMessage) (any, error) {
	var arg any
	if err := json.Unmarshal(value, &arg); err != nil {
		return nil, err
	}
	thread, _ := sc.state.NewThread()
	values, err := sc.run(ctx, thread, func() (*lua.LFunction, error) { return f, nil }, toLua(thread, arg))
	if err != nil {
		return nil, err
	}
	if values[1] != lua.LNil {
		return nil, errors.New(lua.LVAsString(thread.ToStringMeta(values[1])))
	}
	return fromLua(values[0], 0)
}

// events are the events for which hooks are registered, in order.
func (sc *script) events() []string {
	var all []string
	for _, e := range hook.Events() {
		if sc.hooks[e] != nil {
			all = append(all, e)
		}
	}
	return all
}
