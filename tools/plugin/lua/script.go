package lua

import (
	"context"
	"errors"
	"fmt"
	"strings"

	lua "github.com/yuin/gopher-lua"

	"github.com/nod-console/nod/tools/plugin/host"
)

// script is a plugin's code that has run once, and what it has registered.
type script struct {
	state  *lua.LState
	peer   *host.Peer
	plugin string
	tools  map[string]*lua.LFunction
	list   []Tool
	hooks  map[string]*lua.LFunction // by event

	commands    map[string]*lua.LFunction
	commandList []OwnCommand
	loading     bool
}

// load runs a plugin's entry.
func load(ctx context.Context, p *host.Peer, s Start) (*script, error) {
	sc := &script{
		state: lua.NewState(lua.Options{SkipOpenLibs: true, CallStackSize: 200, RegistrySize: 1 << 12, RegistryMaxSize: 1 << 18}),
		peer:  p, plugin: s.Plugin, tools: map[string]*lua.LFunction{}, list: []Tool{}, loading: true,
		hooks: map[string]*lua.LFunction{}, commands: map[string]*lua.LFunction{},
	}
	L := sc.state
	for _, lib := range []struct {
		name string
		open lua.LGFunction
	}{{lua.BaseLibName, lua.OpenBase}, {lua.TabLibName, lua.OpenTable}, {lua.StringLibName, lua.OpenString}, {lua.MathLibName, lua.OpenMath}, {lua.CoroutineLibName, lua.OpenCoroutine}, {lua.OsLibName, lua.OpenOs}} {
		L.Push(L.NewFunction(lib.open))
		L.Push(lua.LString(lib.name))
		L.Call(1, 0)
	}
	for _, gone := range []string{"dofile", "loadfile", "module", "newproxy", "collectgarbage", "_printregs"} {
		L.SetGlobal(gone, lua.LNil)
	}
	full, _ := L.GetGlobal("os").(*lua.LTable)
	some := L.NewTable()
	for _, kept := range []string{"clock", "date", "difftime", "time"} {
		some.RawSetString(kept, full.RawGetString(kept))
	}
	L.SetGlobal("os", some)
	L.SetGlobal("print", L.NewFunction(sc.print))
	L.SetGlobal("require", L.NewFunction(sc.require(s.Files)))
	L.SetGlobal("nod", sc.api(s))
	code, there := s.Files[s.Entry]
	if !there {
		return nil, fmt.Errorf("there is no file %q", s.Entry)
	}
	_, err := sc.run(ctx, L, func() (*lua.LFunction, error) { return L.Load(strings.NewReader(code), s.Entry) })
	sc.loading = false
	if err == nil && s.Test != "" {
		err = sc.test(ctx, s.Test, s.Files[s.Test])
	}
	return sc, err
}

// run calls what get returns with args, on the thread L, and returns its first two values.
func (sc *script) run(ctx context.Context, L *lua.LState, get func() (*lua.LFunction, error), args ...lua.LValue) ([2]lua.LValue, error) {
	none := [2]lua.LValue{lua.LNil, lua.LNil}
	f, err := get()
	if err != nil {
		return none, told(err)
	}
	before := L.Context()
	L.SetContext(ctx)
	defer func() {
		if before == nil {
			L.RemoveContext()
		} else {
			L.SetContext(before)
		}
	}()
	if err := L.CallByParam(lua.P{Fn: f, NRet: 2, Protect: true}, args...); err != nil {
		if ctx.Err() != nil {
			return none, errors.New("it was cancelled")
		}
		return none, told(err)
	}
	values := [2]lua.LValue{L.Get(-2), L.Get(-1)}
	L.Pop(2)
	return values, nil
}

// told is an error as the operator reads it: what is wrong, with file and line, without
// the interpreter's own stack.
func told(err error) error {
	var api *lua.ApiError
	if !errors.As(err, &api) {
		return err
	}
	text := api.Object.String()
	if api.Object.Type() == lua.LTNil && api.Cause != nil {
		text = api.Cause.Error()
	}
	return errors.New(strings.TrimSpace(text))
}

// tool runs a registered tool. A second value that it returns is an error for the model.
func (sc *script) tool(ctx context.Context, c ToolCall) (any, error) {
	f, there := sc.tools[c.Name]
	if !there {
		return nil, fmt.Errorf("it has no tool %q any more", c.Name)
	}
	return sc.callWith(ctx, f, c.Arguments)
}

// require is Lua's, for the plugin's own files.
func (sc *script) require(files map[string]string) lua.LGFunction {
	loaded := map[string]lua.LValue{}
	return func(L *lua.LState) int {
		module := L.CheckString(1)
		if v, there := loaded[module]; there {
			L.Push(v)
			return 1
		}
		file := strings.ReplaceAll(module, ".", "/") + ".lua"
		code, there := files[file]
		if !there {
			L.RaiseError("module %q: the plugin has no file %q", module, file)
		}
		f, err := L.Load(strings.NewReader(code), file)
		if err != nil {
			L.RaiseError("%s", told(err))
		}
		L.Push(f)
		L.Call(0, 1)
		v := L.Get(-1)
		if v == lua.LNil {
			v = lua.LTrue
		}
		loaded[module] = v
		return 1
	}
}
