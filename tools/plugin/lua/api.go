package lua

import (
	"encoding/json"
	"slices"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// api is the table nod.
func (sc *script) api(s Start) *lua.LTable {
	L := sc.state
	t := L.NewTable()
	L.SetFuncs(t, map[string]lua.LGFunction{
		"register_tool":    sc.registerTool,
		"register_hook":    sc.registerHook,
		"register_command": sc.registerCommand,
		"exec":             sc.effect("exec", "command"),
		"read_file":        sc.effect("read_file", "path"),
		"write_file":       sc.writeFile,
		"http":             sc.effect("http", "url"),
		"notify":           sc.tell("notify"),
		"log":              sc.tell("log"),
	})
	t.RawSetString("config", toLua(L, s.Config))
	t.RawSetString("json", L.SetFuncs(L.NewTable(), map[string]lua.LGFunction{"encode": encode, "decode": decode}))
	return t
}

func (sc *script) registerTool(L *lua.LState) int {
	t := sc.fields(L, "register_tool", "name", "description", "parameters", "parallelizable", "risk", "execute")
	tool := Tool{Name: text(L, t, "name", true), Description: text(L, t, "description", true), Risk: text(L, t, "risk", false), Parallelizable: lua.LVAsBool(t.RawGetString("parallelizable"))}
	execute, ok := t.RawGetString("execute").(*lua.LFunction)
	switch {
	case !ValidName(tool.Name):
		L.RaiseError("register_tool: a tool cannot be called %q; use small letters, digits, _ and -, a letter first", tool.Name)
	case sc.tools[tool.Name] != nil:
		L.RaiseError("register_tool: %q is registered twice", tool.Name)
	case len(sc.list) == MaxTools:
		L.RaiseError("register_tool %q: a plugin can have %d tools, and no more", tool.Name, MaxTools)
	case !ok:
		L.RaiseError("register_tool %q: execute is not a function", tool.Name)
	case !slices.Contains([]string{"", "low", "medium", "high"}, tool.Risk):
		L.RaiseError("register_tool %q: risk is %q, want low, medium or high", tool.Name, tool.Risk)
	}
	if tool.Risk == "" {
		tool.Risk = "medium"
	}
	schema := map[string]any{"type": "object", "properties": map[string]any{}}
	if v := t.RawGetString("parameters"); v != lua.LNil {
		given, err := fromLua(v, 0)
		object, isObject := given.(map[string]any)
		if err != nil || !isObject || object["type"] != "object" {
			L.RaiseError("register_tool %q: parameters is not a JSON Schema with type = \"object\"", tool.Name)
		}
		schema = object
	}
	encoded, err := json.Marshal(schema)
	if err != nil {
		L.RaiseError("register_tool %q: parameters: %s", tool.Name, err)
	}
	tool.Parameters = encoded
	sc.tools[tool.Name] = execute
	sc.list = append(sc.list, tool)
	return 0
}

// text is a field of a table that must be a string.
func text(L *lua.LState, t *lua.LTable, field string, needed bool) string {
	switch v := t.RawGetString(field).(type) {
	case lua.LString:
		if v != "" || !needed {
			return string(v)
		}
	case *lua.LNilType:
		if !needed {
			return ""
		}
	}
	L.RaiseError("%s is missing, or no text", field)
	return ""
}

// effect asks the parent for an effect. Its argument is a table, or a string that is the
// field named by field. In Lua, it returns the result, or nil and why there is none.
func (sc *script) effect(method, field string) lua.LGFunction {
	return func(L *lua.LState) int {
		params := map[string]any{}
		switch v := L.CheckAny(1).(type) {
		case lua.LString:
			params[field] = string(v)
		default:
			given, err := fromLua(v, 0)
			object, ok := given.(map[string]any)
			if err != nil || !ok {
				L.ArgError(1, "want a string or a table with "+field)
			}
			params = object
		}
		return sc.ask(L, method, params)
	}
}

// writeFile is write_file(path, content).
func (sc *script) writeFile(L *lua.LState) int {
	return sc.ask(L, "write_file", map[string]any{"path": L.CheckString(1), "content": L.CheckString(2)})
}

func (sc *script) ask(L *lua.LState, method string, params map[string]any) int {
	if sc.loading {
		L.RaiseError("nod.%s: not while the plugin starts; do it in a tool", method)
	}
	var result any
	if err := sc.peer.Ask(method, params, &result); err != nil {
		L.Push(lua.LNil)
		L.Push(lua.LString(err.Error()))
		return 2
	}
	L.Push(toLua(L, result))
	return 1
}

func (sc *script) tell(method string) lua.LGFunction {
	return func(L *lua.LState) int {
		if err := sc.peer.Tell(method, L.CheckString(1)); err != nil {
			L.RaiseError("nod.%s: %s", method, err)
		}
		return 0
	}
}

// print is Lua's, to the log.
func (sc *script) print(L *lua.LState) int {
	var parts []string
	for i := 1; i <= L.GetTop(); i++ {
		parts = append(parts, L.ToStringMeta(L.Get(i)).String())
	}
	if err := sc.peer.Tell("log", strings.Join(parts, "\t")); err != nil {
		L.RaiseError("print: %s", err)
	}
	return 0
}
