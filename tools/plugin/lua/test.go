package lua

import (
	"context"
	"encoding/json"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// test runs a plugin's test: a file that finds, beside nod, a table test with the functions
// tool, hook and command, which call what the plugin has registered. There are no effects;
// a test puts functions of its own into the table nod. An error in it is one of the start.
func (sc *script) test(ctx context.Context, file, code string) error {
	L := sc.state
	L.SetGlobal("test", L.SetFuncs(L.NewTable(), map[string]lua.LGFunction{
		"tool": func(L *lua.LState) int {
			return sc.tried(L, 2, func(name string, arg json.RawMessage) (any, error) {
				return sc.tool(ctx, ToolCall{Name: name, Arguments: arg})
			})
		},
		"hook": func(L *lua.LState) int {
			return sc.tried(L, 2, func(event string, arg json.RawMessage) (any, error) {
				return sc.hook(ctx, HookCall{Event: event, Told: arg})
			})
		},
		"command": func(L *lua.LState) int {
			name, args := L.CheckString(1), L.OptString(2, "")
			return sc.give(L, func() (any, error) {
				r, err := sc.command(ctx, CommandCall{Name: name, Args: args})
				if result, ok := r.(CommandResult); ok && err == nil {
					return map[string]any{"print": result.Print, "prompt": result.Prompt}, nil
				}
				return r, err
			})
		},
	}))
	_, err := sc.run(ctx, L, func() (*lua.LFunction, error) { return L.Load(strings.NewReader(code), file) })
	return err
}

// tried calls something with the name and the value that are given in Lua.
func (sc *script) tried(L *lua.LState, at int, call func(string, json.RawMessage) (any, error)) int {
	name := L.CheckString(1)
	return sc.give(L, func() (any, error) {
		value := any(map[string]any{})
		if L.GetTop() >= at {
			var err error
			if value, err = fromLua(L.Get(at), 0); err != nil {
				return nil, err
			}
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		return call(name, encoded)
	})
}

// give returns, in Lua, a value, or nil and what is wrong.
func (sc *script) give(L *lua.LState, call func() (any, error)) int {
	value, err := call()
	if err != nil {
		L.Push(lua.LNil)
		L.Push(lua.LString(err.Error()))
		return 2
	}
	L.Push(toLua(L, value))
	return 1
}
