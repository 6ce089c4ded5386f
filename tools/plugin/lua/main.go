package lua

import (
	"context"
	"encoding/json"
	"fmt"
	"os"

	"github.com/nod-console/nod/tools/plugin/host"
)

// Main is a plugin's process. It ends when its standard input does.
func Main() {
	out := os.Stdout
	os.Stdout = os.Stderr // what is printed by mistake is no message
	e := &engine{}
	host.Serve(os.Stdin, out, e.handle, func() { os.Exit(0) })
}

// engine handles the calls of the parent.
type engine struct {
	script *script
}

func (e *engine) handle(ctx context.Context, p *host.Peer, method string, params json.RawMessage) (any, error) {
	switch {
	case method == "start" && e.script == nil:
		var s Start
		if err := json.Unmarshal(params, &s); err != nil {
			return nil, err
		}
		if err := host.Seal(s.Memory, s.CPU, s.Unsealed); err != nil {
			return nil, fmt.Errorf("its process cannot be confined: %w", err)
		}
		var err error
		e.script, err = load(ctx, p, s)
		if err != nil {
			return nil, err
		}
		return Registered{Tools: e.script.list, Hooks: e.script.events(), Commands: e.script.commandList}, nil
	case method == "tool" && e.script != nil:
		var c ToolCall
		if err := json.Unmarshal(params, &c); err != nil {
			return nil, err
		}
		return e.script.tool(ctx, c)
	}
	return e.more(ctx, method, params)
}

// more handles the calls that not every plugin gets.
func (e *engine) more(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch {
	case method == "hook" && e.script != nil:
		var c HookCall
		if err := json.Unmarshal(params, &c); err != nil {
			return nil, err
		}
		return e.script.hook(ctx, c)
	case method == "command" && e.script != nil:
		var c CommandCall
		if err := json.Unmarshal(params, &c); err != nil {
			return nil, err
		}
		return e.script.command(ctx, c)
	}
	return nil, fmt.Errorf("there is no call %q", method)
}
