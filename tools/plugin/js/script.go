package js

import (
	"context"
	_ "embed" // the prelude
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"strings"

	"modernc.org/quickjs"

	"github.com/nod-console/nod/tools/plugin/host"
)

//go:embed prelude.js
var prelude string

// deepestCalls bounds how deep functions may call each other, in frames of the engine.
const deepestCalls = 2000

// script is an agent's code.
type script struct {
	vm    *quickjs.VM
	peer  *host.Peer
	files map[string]string
	begun bool // the entry was run

	// What the prelude has made: functions for Go to call.
	begin, state, registered quickjs.Value
	calls                    int // made so far; names the one that goes on
}

// open makes an engine with the globals. No code of the agent's is run.
func open(p *host.Peer, s Start) (*script, error) {
	vm, err := quickjs.NewVM()
	if err != nil {
		return nil, err
	}
	if s.Memory > 0 {
		vm.SetMemoryLimit(uintptr(s.Memory / 2)) // the rest is for texts on their way
	}
	vm.SetMaxStackSize(deepestCalls)
	sc := &script{vm: vm, peer: p, files: s.Files}
	vm.SetModuleLoader(sc.load, sc.resolve)
	if err := watchRejections(vm); err != nil {
		return nil, err
	}
	for name, f := range map[string]quickjs.HostFunc{"__ask": sc.ask, "__tell": sc.tell} {
		if err := vm.RegisterHostFunc(name, f); err != nil {
			return nil, err
		}
	}
	made, err := vm.EvalValue(prelude, quickjs.EvalGlobal)
	if err != nil {
		return nil, fmt.Errorf("prelude.js: %w", err)
	}
	limits, err := json.Marshal(map[string]any{"version": s.Version, "tools": MaxTools, "turns": MaxTurns})
	if err != nil {
		return nil, err
	}
	object, err := made.CallValue(quickjs.UndefinedValue, string(limits))
	if err != nil {
		return nil, fmt.Errorf("prelude.js: %w", err)
	}
	for name, into := range map[string]*quickjs.Value{"begin": &sc.begin, "state": &sc.state, "registered": &sc.registered} {
		atom, err := vm.NewAtom(name)
		if err != nil {
			return nil, err
		}
		if *into, err = object.GetPropertyValue(atom); err != nil {
			return nil, err
		}
	}
	return sc, nil
}

// resolve is the name of a module within the agent's folder.
func (sc *script) resolve(_ *quickjs.VM, base, name string) (string, error) {
	file := path.Clean(name)
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		file = path.Join(path.Dir(base), name)
	}
	if _, there := sc.files[file]; !there {
		return "", fmt.Errorf("%s imports %q, and the agent has no such file", base, name)
	}
	return file, nil
}

// load is the code of a module that resolve has found.
func (sc *script) load(_ *quickjs.VM, name string) (string, error) { return sc.files[name], nil }

// ask asks the parent: a method, and its parameter as JSON. It returns the answer as JSON.
func (sc *script) ask(args []any) (any, error) {
	method, params, err := two(args)
	if err != nil {
		return nil, err
	}
	var answer json.RawMessage
	if err := sc.peer.Ask(method, json.RawMessage(params), &answer); err != nil {
		return nil, err
	}
	return string(answer), nil
}

// tell tells the parent a text.
func (sc *script) tell(args []any) (any, error) {
	method, text, err := two(args)
	if err != nil {
		return nil, err
	}
	return nil, sc.peer.Tell(method, text)
}

func two(args []any) (first, second string, err error) {
	if len(args) == 2 {
		var ok, also bool
		first, ok = args[0].(string)
		second, also = args[1].(string)
		if ok && also {
			return first, second, nil
		}
	}
	return "", "", errors.New("want two texts")
}

// main runs the entry.
func (sc *script) main(ctx context.Context, c MainCall) (Registered, error) {
	sc.begun = true
	r := Registered{Tools: []Tool{}}
	if _, there := sc.files[c.Entry]; !there {
		return r, fmt.Errorf("there is no file %q", c.Entry)
	}
	if _, err := sc.run(ctx, "main", c.Entry, c.Goal); err != nil {
		return r, err
	}
	text, err := sc.registered.Call(quickjs.UndefinedValue)
	if err != nil {
		return r, err
	}
	encoded, _ := text.(string)
	return r, json.Unmarshal([]byte(encoded), &r)
}

// tool runs a tool.
func (sc *script) tool(ctx context.Context, c ToolCall) (json.RawMessage, error) {
	return sc.run(ctx, "tool", c.Name, c.Arguments)
}

// state is how a call of the code stands.
type state struct {
	Done  bool            `json:"done"`
	Error string          `json:"error"` // with file and line
	Value json.RawMessage `json:"value"`
}

// run begins a call of the code and runs what it waits for, until it has ended.
func (sc *script) run(ctx context.Context, kind, name, args string) (json.RawMessage, error) {
	stop := context.AfterFunc(ctx, sc.vm.Interrupt)
	defer stop()
	sc.calls++
	id := sc.calls
	if _, err := sc.begin.Call(quickjs.UndefinedValue, id, kind, name, args); err != nil {
		return nil, told(ctx, err)
	}
	for {
		n, err := sc.vm.ExecutePendingJobs()
		if ctx.Err() != nil || err != nil {
			return nil, told(ctx, err)
		}
		text, err := sc.state.Call(quickjs.UndefinedValue, id)
		if err != nil {
			return nil, told(ctx, err)
		}
		encoded, _ := text.(string)
		var s state
		if err := json.Unmarshal([]byte(encoded), &s); err != nil {
			return nil, err
		}
		switch {
		case s.Error != "":
			unhandled.first()
			return nil, errors.New(s.Error)
		case s.Done:
			if lost := unhandled.first(); lost != "" {
				return nil, errors.New(lost + " (in a promise that nobody waits for: await it, or catch the error)")
			}
			return s.Value, nil
		case n == 0:
			return nil, fmt.Errorf("%s: it waits for a promise that never settles: nothing is left to run that could settle it", name)
		}
	}
}

// told is an error of the engine itself.
func told(ctx context.Context, err error) error {
	if ctx.Err() != nil || err == nil {
		return errors.New("it was cancelled")
	}
	return errors.New(strings.TrimSpace(err.Error()))
}
