package jsagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/harmless"
	"github.com/nod-console/nod/tools/plugin/host"
	"github.com/nod-console/nod/tools/plugin/js"
)

// Options say how an agent is run.
type Options struct {
	Program  []string // nod itself, as an agent's process
	Unsealed bool     // also where the system cannot confine it
	Version  string   // nod's own, which nod_version() returns
	Limits   host.Limits
	// Printed is told what the agent prints; stream is "print" or "eprint". It must be
	// quick. Nil: nobody listens.
	Printed func(stream, text string)
	// Ask asks a model without tools; system may be empty. Nil: there is none.
	Ask func(ctx context.Context, system, prompt string) (string, error)
	// Input asks the operator for a line; there is none at the end of the input. Nil:
	// nobody is there.
	Input func(ctx context.Context, question string) (line string, there bool, err error)
	// Room is the team that the agent works in; nil: none.
	Room Room
}

// Room is how the members of a team talk.
type Room interface {
	Send(to, text string) error
	Receive() ([]Message, error)
	Put(key, value string) error
	Get(key string) (value string, there bool, err error)
}

// Message is what a member of a team has sent to another.
type Message struct {
	From string `json:"from"`
	Text string `json:"text"`
}

// Run is one run of an agent.
type Run struct {
	Agent
	o      Options
	at     place
	host   *host.Host
	prompt string
	turns  int
	tools  []tools.Tool

	mu    sync.Mutex
	notes map[string]string // memory, where there is no team
	asked int               // how often a model was asked by the code
}

// Open starts an agent's process. None of its code is run. The end of ctx ends the start.
func Open(ctx context.Context, a Agent, o Options) (*Run, error) {
	r := &Run{Agent: a, o: o, turns: a.MaxTurns, notes: map[string]string{}}
	var err error
	if r.at.dir, err = os.Getwd(); err != nil {
		return nil, r.fault(err)
	}
	if r.at.home, err = os.UserHomeDir(); err != nil {
		r.at.home = "/" // "~" is of no use then
	}
	code := map[string]string{}
	for name, text := range a.Files {
		if strings.HasSuffix(name, ".js") || strings.HasSuffix(name, ".mjs") {
			code[name] = text
		}
	}
	r.host = host.New(host.Options{
		Program: o.Program, Env: []string{"GOMAXPROCS=1", "GOTRACEBACK=none"}, Limits: o.Limits,
		Start: func(limits host.Limits) any {
			return js.Start{
				Agent: a.Name, Version: o.Version, Files: code,
				Memory: limits.Memory, CPU: int(limits.CPU / time.Second), Unsealed: o.Unsealed,
			}
		},
		Told: func(method string, params json.RawMessage) {
			var text string
			if o.Printed != nil && json.Unmarshal(params, &text) == nil {
				o.Printed(method, harmless.Text(text))
			}
		},
	})
	stop := context.AfterFunc(ctx, r.host.Close)
	err = r.host.Start(ctx, nil)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		r.host.Close()
		return nil, r.fault(err)
	}
	return r, nil
}

// Close ends the agent's process.
func (r *Run) Close() { r.host.Close() }

// Pid is the id of the agent's process; 0 if none runs.
func (r *Run) Pid() int { return r.host.Pid() }

// fault is an error of the agent's, as it is shown.
func (r *Run) fault(err error) error {
	return fmt.Errorf("agent %s: %s", r.Name, harmless.Text(err.Error()))
}

// Main evaluates the agent's entry for a goal, and takes what it registers. Effects are asked for
// through env; without [tools.Env.Effect], each is an error in the agent's code.
func (r *Run) Main(ctx context.Context, goal string, env tools.Env) error {
	var got js.Registered
	if err := r.host.Call(ctx, "main", js.MainCall{Entry: r.EntryPoint, Goal: goal}, &got, r.effects(env)); err != nil {
		return r.fault(err)
	}
	if err := r.take(got); err != nil {
		return r.fault(err)
	}
	return nil
}

// TestName is the file that tests an agent.
const TestName = "test.js"

// Test evaluates the agent's test without effects, in a process of its own; what it
// registers is of no account. An agent without one passes.
func Test(ctx context.Context, a Agent, o Options) error {
	if _, there := a.Files[TestName]; !there {
		return nil
	}
	r, err := Open(ctx, a, o)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.host.Call(ctx, "main", js.MainCall{Entry: TestName}, &js.Registered{}, r.effects(tools.Env{})); err != nil {
		return r.fault(err)
	}
	return nil
}

// take checks once more what the process says that it has registered.
func (r *Run) take(got js.Registered) error {
	if len(got.Tools) > js.MaxTools {
		return fmt.Errorf("it has %d tools; %d are the most", len(got.Tools), js.MaxTools)
	}
	if got.MaxTurns < 0 || got.MaxTurns > js.MaxTurns {
		return fmt.Errorf("it sets %d turns; %d are the most", got.MaxTurns, js.MaxTurns)
	}
	if got.MaxTurns > 0 {
		r.turns = got.MaxTurns
	}
	r.prompt = harmless.Text(got.SystemPrompt)
	for _, t := range got.Tools {
		var schema map[string]any
		if err := json.Unmarshal(t.Parameters, &schema); err != nil || !js.ValidName(t.Name) {
			return fmt.Errorf("its tool %.80q has no name or no schema", t.Name)
		}
		t.Description = harmless.Text(t.Description)
		r.tools = append(r.tools, &tool{of: r, Tool: t})
	}
	if r.Mode == Script && len(r.tools) > 0 {
		return fmt.Errorf("it registers the tool %q, and its mode is script: no model would call it; make the mode agentic", r.tools[0].Name())
	}
	if r.Mode == Agentic && len(r.tools) == 0 && r.prompt == "" {
		return errors.New("it has registered neither a tool nor a system prompt; set one, or make its mode script")
	}
	return nil
}

// SystemPrompt is what the agent has set; empty if it has set none. It is valid after Main.
func (r *Run) SystemPrompt() string { return r.prompt }

// Turns is how many requests a model is sent: what main.js has set, or agent.yaml, or
// [DefaultTurns]. It is valid after Main.
func (r *Run) Turns() int { return r.turns }

// Tools are the tools that the agent has registered. They are valid after Main.
func (r *Run) Tools() []tools.Tool { return r.tools }
