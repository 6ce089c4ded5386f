package jsagent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/harmless"
	"github.com/nod-console/nod/tools/plugin/host"
	"github.com/nod-console/nod/tools/plugin/js"
)

// ask is what an agent's code asks for during one of its calls.
type ask struct {
	*Run
	env tools.Env
}

// methods answer what the code asks for, by what it calls them.
var methods = map[string]func(ask, context.Context, json.RawMessage) (any, error){
	"run_command":      typed(ask.runCommand),
	"spawn":            typed(ask.spawn),
	"fetch":            typed(ask.fetch),
	"fs.read_text":     typed(ask.readText),
	"fs.write_text":    typed(ask.writeText),
	"fs.list_dir":      typed(ask.listDir),
	"fs.is_dir":        typed(ask.isDir),
	"fs.mkdir":         typed(ask.mkdir),
	"fs.cwd":           typed(ask.cwd),
	"ask_llm":          typed(ask.askModel),
	"input":            typed(ask.input),
	"memory.get":       typed(ask.recall),
	"memory.set":       typed(ask.remember),
	"messages.send":    typed(ask.send),
	"messages.receive": typed(ask.receive),
}

// typed reads a method's parameter.
func typed[P any](f func(ask, context.Context, P) (any, error)) func(ask, context.Context, json.RawMessage) (any, error) {
	return func(q ask, ctx context.Context, params json.RawMessage) (any, error) {
		var p P
		if err := json.Unmarshal(params, &p); err != nil {
			return nil, fmt.Errorf("it cannot be asked for like that: %w", err)
		}
		return f(q, ctx, p)
	}
}

// effects answers what the code asks for.
func (r *Run) effects(env tools.Env) host.Effects {
	return func(ctx context.Context, method string, params json.RawMessage) (any, error) {
		f, known := methods[method]
		if !known {
			return nil, fmt.Errorf("an agent cannot ask for %.40q", method)
		}
		got, err := f(ask{r, env}, ctx, params)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", method, err)
		}
		return got, nil
	}
}

// errNoEffects: the agent's code runs where it may not do anything.
var errNoEffects = errors.New("not done: here, the agent's code runs without effects")

// call has one of nod's own tools called on this machine, and decodes its result.
func (q ask) call(ctx context.Context, tool string, args map[string]any, into any, permit func(tools.Action) error) error {
	if q.env.Effect == nil {
		return errNoEffects
	}
	args = maps.Clone(args)
	if slices.Contains([]string{"run_shell", "read_file", "write_file"}, tool) {
		args["target"] = local
	}
	if tool == "run_shell" || tool == "write_file" {
		// What a command does is for nod to find out; "mutation" is the code's own word.
		if _, said := args["mutation"]; !said {
			args["mutation"] = tool == "write_file"
		}
		args["risk"], args["privesc"] = "medium", false
		if args["mutation"] == false {
			args["risk"] = "low"
		}
		args["why"] = fmt.Sprintf("the agent %s asks for it", q.Name)
	}
	encoded, err := json.Marshal(args)
	if err != nil {
		return err
	}
	r := q.env.Effect(ctx, tools.Effect{By: "agent " + q.Name, Tool: tool, Arguments: encoded, Permit: permit})
	value, err := json.Marshal(r.Value)
	if err != nil {
		return err
	}
	if r.IsError {
		var problem tools.Problem
		if json.Unmarshal(value, &problem) == nil && problem.Error != "" {
			return errors.New(problem.Error)
		}
	}
	return json.Unmarshal(value, into)
}

// local is the target that agents work on.
const local = "local"

func (q ask) askModel(ctx context.Context, p struct{ Prompt, System string }) (any, error) {
	if q.o.Ask == nil {
		return nil, errors.New("there is no model to ask here")
	}
	q.mu.Lock()
	q.asked++
	asked := q.asked
	q.mu.Unlock()
	if asked > js.MaxTurns {
		return nil, fmt.Errorf("the model can be asked %d times in a run, and no more", js.MaxTurns)
	}
	return q.o.Ask(ctx, p.System, p.Prompt)
}

func (q ask) input(ctx context.Context, p struct{ Question string }) (any, error) {
	if q.o.Input == nil {
		return nil, errors.New("nobody is there who could be asked")
	}
	line, there, err := q.o.Input(ctx, harmless.Text(fmt.Sprintf("the agent %s asks: %s", q.Name, p.Question)))
	if err != nil || !there {
		return nil, err
	}
	return line, nil
}

// Bounds of an agent's memory, where there is no team.
const (
	mostNotes = 1000
	mostNote  = 64 << 10 // bytes
)

func (q ask) recall(_ context.Context, p struct{ Key string }) (any, error) {
	value, there := "", false
	if q.o.Room != nil {
		var err error
		if value, there, err = q.o.Room.Get(p.Key); err != nil {
			return nil, err
		}
	} else {
		q.mu.Lock()
		value, there = q.notes[p.Key]
		q.mu.Unlock()
	}
	if !there {
		return nil, nil
	}
	return value, nil
}

func (q ask) remember(_ context.Context, p struct{ Key, Value string }) (any, error) {
	if q.o.Room != nil {
		return nil, q.o.Room.Put(p.Key, p.Value)
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if _, there := q.notes[p.Key]; !there && len(q.notes) == mostNotes || len(p.Key)+len(p.Value) > mostNote {
		return nil, fmt.Errorf("the memory has %d keys and %d KiB for each at most", mostNotes, mostNote>>10)
	}
	q.notes[p.Key] = p.Value
	return nil, nil
}

var errAlone = errors.New("the agent works in no team: there is nobody to talk to")

func (q ask) send(_ context.Context, p struct{ To, Text string }) (any, error) {
	if q.o.Room == nil {
		return nil, errAlone
	}
	return nil, q.o.Room.Send(p.To, p.Text)
}

func (q ask) receive(context.Context, struct{}) (any, error) {
	if q.o.Room == nil {
		return []Message{}, nil
	}
	return q.o.Room.Receive()
}
