package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/js"
	"github.com/nod-console/nod/tools/plugin/jsagent"
)

// AgentStore is where agents in JavaScript are installed.
func AgentStore(state string) jsagent.Store {
	return jsagent.Store{Dir: filepath.Join(state, "agents")}
}

// AgentOptions say how nod runs an agent in JavaScript.
func AgentOptions(version string, printed func(stream, text string)) (jsagent.Options, error) {
	o, err := PluginOptions(nil)
	if err != nil {
		return jsagent.Options{}, err
	}
	return jsagent.Options{Program: []string{o.Program[0], js.Command}, Version: version, Printed: printed}, nil
}

// AgentJob is an agent in JavaScript that the operator has started.
type AgentJob struct {
	Agent        jsagent.Agent
	Goal         string
	Conversation string // which there is; it is the agent's
	Options      jsagent.Options
	Model        *turn.Model // answers it; nil: the one that turns have
	NoModel      bool        // there is none: the guide cannot work as an agent
	// Ready is told of the agent before a model is asked; nil: nobody listens.
	Ready func(r *jsagent.Run)
	Sink  agent.Sink
}

// RunAgent runs an agent to its end. Its code is run first, as one step through the gate.
// In the mode agentic, a model then works at the goal with the tools that the code has
// registered. turns and store are those that the conversation belongs to. The last event
// is [agent.Done].
func (h *Core) RunAgent(ctx context.Context, turns *turn.Agent, store *history.Store, j AgentJob) agent.Ending {
	events := agent.NewSequencer(j.Sink)
	ending, run, err := h.beginAgent(ctx, turns, store, j, events)
	if run != nil {
		defer run.Close()
	}
	if err != nil {
		events.Send(agent.Fault{Text: err.Error()})
	}
	if err != nil || run == nil || run.Mode == jsagent.Script {
		events.Send(agent.Done{Ending: ending})
		events.Close()
		return ending
	}
	events.Close()
	if j.Ready != nil {
		j.Ready(run)
	}
	names, err := h.offerAgent(run)
	if err != nil {
		j.Sink(agent.Fault{Text: err.Error()})
		j.Sink(agent.Done{Ending: agent.Failed})
		return agent.Failed
	}
	return turns.Solo(ctx, j.Conversation, turn.Delegation{
		From: gate.From{Agent: agentName(j.Agent)}, Task: j.Goal, Prompt: run.SystemPrompt(),
		Tools: []string{}, Extra: names, Model: j.Model, MaxIterations: run.Turns(),
	}, j.Sink)
}

func agentName(a jsagent.Agent) string { return "agent " + a.Name }

// beginAgent starts an agent's process and runs its code.
func (h *Core) beginAgent(ctx context.Context, turns *turn.Agent, store *history.Store, j AgentJob, events *agent.Sequencer) (agent.Ending, *jsagent.Run, error) {
	for _, name := range j.Agent.Skills {
		if _, err := h.guidance.Catalog().Load(name); err != nil {
			return agent.Failed, nil, fmt.Errorf("agent %s: its %s names the skill %q: %w", j.Agent.Name, jsagent.ManifestName, name, err)
		}
	}
	o := j.Options
	if j.NoModel && j.Agent.Mode == jsagent.Agentic {
		return agent.Failed, nil, fmt.Errorf("agent %s needs a model; configure one (nod help models), or name one with --model", j.Agent.Name)
	}
	o.Ask = func(ctx context.Context, system, prompt string) (string, error) {
		return askAlone(ctx, turns, store, j, system, prompt)
	}
	if j.NoModel {
		o.Ask = nil
	}
	run, err := jsagent.Open(ctx, j.Agent, o)
	if err != nil {
		return agent.Failed, nil, err
	}
	action, execute := run.Begin(j.Goal)
	answer := h.Gate.Pass(ctx, gate.Step{
		Action: action, Call: "begin", Conversation: j.Conversation, From: gate.From{Agent: agentName(j.Agent)},
		Execute: execute, Outputs: store.Outputs(j.Conversation),
	}, events.Send)
	switch {
	case ctx.Err() != nil:
		return agent.Interrupted, run, errors.New(agent.InterruptedText)
	case answer.Denied:
		return agent.Denied, run, errors.New(answer.Decision.Reason)
	case answer.Err != nil:
		return agent.Failed, run, answer.Err
	case answer.Result.IsError:
		if p, ok := answer.Result.Value.(tools.Problem); ok {
			return agent.Failed, run, errors.New(p.Error)
		}
		return agent.Failed, run, fmt.Errorf("agent %s: %v", j.Agent.Name, answer.Result.Value)
	}
	return agent.Answered, run, nil
}

// offerAgent registers an agent's tools. They take the place of tools of the same name,
// which the agent's code can have called nevertheless. The names are those of the agent's
// tools, and of what it gets of nod's.
func (h *Core) offerAgent(run *jsagent.Run) ([]string, error) {
	names := []string{}
	for _, t := range run.Tools() {
		h.Tools.Unregister(t.Name())
		if err := h.Tools.Register(t); err != nil {
			return nil, err
		}
		names = append(names, t.Name())
	}
	if len(run.Skills) > 0 && !slices.Contains(names, skillTool) {
		names = append(names, skillTool)
	}
	return names, nil
}

// skillTool loads a skill.
const skillTool = "activate_skill"

// askAlone asks the model one thing, without tools, in a conversation of its own under the
// agent's.
func askAlone(ctx context.Context, turns *turn.Agent, store *history.Store, j AgentJob, system, prompt string) (string, error) {
	llm := turns.Model().Name
	if j.Model != nil {
		llm = j.Model.Name
	}
	c, err := store.CreateUnder(ctx, j.Conversation, agentName(j.Agent), local.Name, llm)
	if err != nil {
		return "", err
	}
	var said strings.Builder
	var fault string
	ending := turns.Solo(ctx, c.ID, turn.Delegation{
		From: gate.From{Agent: agentName(j.Agent), Parent: j.Conversation}, Task: prompt, Prompt: system, Model: j.Model, Tools: []string{}, MaxIterations: 1,
	}, func(e agent.Event) {
		switch e := e.(type) {
		case agent.Text:
			said.WriteString(e.Text)
		case agent.Fault:
			fault = e.Text
		case agent.Usage:
			j.Sink(e)
		}
	})
	if err := store.End(context.WithoutCancel(ctx), c.ID); err != nil {
		return "", err
	}
	if ending != agent.Answered {
		if fault == "" {
			fault = "the model gave no answer"
		}
		return "", errors.New(fault)
	}
	return strings.TrimSpace(said.String()), nil
}

// NoteAgent puts on record which agent is run.
func (h *Core) NoteAgent(a jsagent.Agent) error {
	return h.Ledger.Note(ledger.Note{Kind: "agent run", Text: a.Name + " " + a.Version + " " + a.Digest, By: process.Operator()})
}
