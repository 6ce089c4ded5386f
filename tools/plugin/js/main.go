package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/nod-console/nod/tools/plugin/host"
)

// Main is an agent's process. It ends when its standard input does.
func Main() {
	out := os.Stdout
	os.Stdout = os.Stderr // what is printed by mistake is no message
	e := &engine{}
	host.Serve(os.Stdin, out, e.handle, func() { os.Exit(0) })
}

// engine handles the calls of the parent.
type engine struct {
	script *script // nil before "start"
}

// errLost: the process is not the one that has run the agent's entry.
var errLost = errors.New("its process was ended and started again, and what it had registered is gone; run the agent again")

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
		sc, err := open(p, s)
		if err != nil {
			return nil, err
		}
		e.script = sc
		return struct{}{}, nil
	case method == "main" && e.script != nil && !e.script.begun:
		var c MainCall
		if err := json.Unmarshal(params, &c); err != nil {
			return nil, err
		}
		return e.script.main(ctx, c)
	case method == "tool" && e.script != nil:
		if !e.script.begun {
			return nil, errLost
		}
		var c ToolCall
		if err := json.Unmarshal(params, &c); err != nil {
			return nil, err
		}
		return e.script.tool(ctx, c)
	}
	return nil, fmt.Errorf("there is no call %q", method)
}
