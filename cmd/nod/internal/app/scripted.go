package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/tools/plugin/jsagent"
)

// scripted are the installed agents in JavaScript, which the model can send as it sends
// sub-agents.
type scripted struct {
	agents []jsagent.Agent
	store  *history.Store
}

// findScripted reads the installed agents. What is not run is told.
func (h *Core) findScripted(store *history.Store) scripted {
	all, err := AgentStore(h.State).All()
	if err != nil {
		h.tell("agents: " + err.Error())
	}
	s := scripted{store: store}
	for _, i := range all {
		if i.Fault != "" {
			h.tell(fmt.Sprintf("the agent %s is not run: %s", i.Name, i.Fault))
			continue
		}
		s.agents = append(s.agents, i.Agent)
	}
	return s
}

// helpers are the agents as the model can send them; a type of sub-agents goes before an
// agent of its name.
func (s scripted) helpers(types []desk.Helper) []desk.Helper {
	var all []desk.Helper
	for _, a := range s.agents {
		if !slices.ContainsFunc(types, func(h desk.Helper) bool { return h.Name == a.Name }) {
			all = append(all, desk.Helper{Name: a.Name, Description: a.Description})
		}
	}
	return all
}

// sendScripted has an installed agent do an errand, on this machine. Its tools are the
// agent's alone, and gone when it has ended.
func (h *Core) sendScripted(ctx context.Context, turns *turn.Agent, kind string, e desk.Errand, as *membership) (desk.Report, error) {
	i := slices.IndexFunc(h.scripted.agents, func(a jsagent.Agent) bool { return a.Name == kind })
	if i < 0 {
		return desk.Report{}, fmt.Errorf("the type %q is gone", kind)
	}
	a := h.scripted.agents[i]
	if _, err := h.Targets.Open(ctx, local.Name); err != nil {
		return desk.Report{}, err
	}
	if err := h.NoteAgent(a); err != nil {
		return desk.Report{}, fmt.Errorf("it cannot be put on record: %w", err)
	}
	said := &printed{note: func(line string) { e.Progress(tools.Progress{Note: a.Name + ": " + line, Step: true}) }}
	options, err := AgentOptions(h.version, said.take)
	if err != nil {
		return desk.Report{}, err
	}
	var mind *turn.Model
	if a.Model != "" {
		b, err := h.modelNamed(a.Model)
		if err != nil {
			return desk.Report{}, err
		}
		defer b.Client.Close()
		own := b.ForTurn()
		mind = &own
	}
	seat := &seat{as: as}
	if as != nil {
		options.Room = seat
	}
	talk := e.Conversation
	if a.Mode == jsagent.Script { // it has a conversation of its own, as any sub-agent
		c, err := h.scripted.store.CreateUnder(ctx, e.Conversation, agentName(a), local.Name, turns.Model().Name)
		if err != nil {
			return desk.Report{}, err
		}
		talk = c.ID
		seat.sit(talk)
	}
	job := AgentJob{Agent: a, Goal: e.Task, Conversation: talk, Options: options, Model: mind, Sink: func(event agent.Event) {
		if p, ok := event.(agent.CallProgress); ok {
			e.Progress(p.Progress)
		}
	}}
	events := agent.NewSequencer(job.Sink)
	ending, run, err := h.beginAgent(ctx, turns, h.scripted.store, job, events)
	events.Close()
	if run != nil {
		defer run.Close()
	}
	report := desk.Report{Conversation: talk, Ending: ending.String(), Text: said.text()}
	if err != nil {
		report.Fault = err.Error()
	}
	if a.Mode == jsagent.Script {
		return report, h.scripted.store.End(context.WithoutCancel(ctx), talk)
	}
	if err != nil {
		return report, nil
	}
	return h.delegateTo(ctx, turns, run, job.Model, e, seat)
}

// delegateTo has a model work with an agent's tools.
func (h *Core) delegateTo(ctx context.Context, turns *turn.Agent, run *jsagent.Run, mind *turn.Model, e desk.Errand, seat *seat) (desk.Report, error) {
	names, err := h.lend(run)
	defer func() {
		for _, name := range names {
			h.Tools.Unregister(name)
		}
	}()
	if err != nil {
		return desk.Report{}, err
	}
	d := turn.Delegation{
		From: gate.From{Agent: agentName(run.Agent), Parent: e.Conversation},
		Task: e.Task, Prompt: run.SystemPrompt(), Model: mind, Tools: []string{}, Extra: slices.Clone(names), Never: desk.NotForHelpers(),
		Begun: seat.sit, MaxIterations: run.Turns(), Progress: e.Progress,
	}
	if len(run.Skills) > 0 {
		d.Extra = append(d.Extra, skillTool)
	}
	got, err := turns.Delegate(ctx, d)
	return desk.Report{
		Conversation: got.Conversation, Ending: got.Ending.String(), Text: got.Answer, Fault: got.Fault, Steps: got.Steps,
	}, err
}

// modelNamed opens a model of the configuration, or a server's.
func (h *Core) modelNamed(name string) (Model, error) {
	m, there := h.config.Models[name]
	if config.IsAddress(name) {
		m, there = config.ModelAt(name)
	}
	if !there {
		return Model{}, fmt.Errorf("there is no [model.%s]", name)
	}
	return openProfile(name, m, h.getenv)
}

// lend registers an agent's tools under names of their own, for nobody but it. The names
// are those that were registered, also after an error.
func (h *Core) lend(run *jsagent.Run) (names []string, err error) {
	for _, t := range run.Tools() {
		for n := 1; ; n++ {
			name := run.Name + "-" + t.Name()
			if n > 1 { // another one of it works at the same time
				name = fmt.Sprintf("%s-%d-%s", run.Name, n, t.Name())
			}
			err := h.Tools.Register(lent{t, name})
			if err == nil {
				names = append(names, name)
				break
			}
			if !errors.Is(err, tools.ErrNameTaken) {
				return names, err
			}
		}
	}
	return names, nil
}

// lent is a tool of an agent that works for a turn; only it is offered it.
type lent struct {
	tools.Tool
	name string
}

var _ tools.Optional = lent{}

// Name implements [tools.Tool].
func (l lent) Name() string { return l.name }

// Plan implements [tools.Tool].
func (l lent) Plan(ctx context.Context, args json.RawMessage, env tools.Env) (tools.Action, error) {
	a, err := l.Tool.Plan(ctx, args, env)
	a.Tool = l.name
	return a, err
}

// Offered implements [tools.Optional].
func (lent) Offered() bool { return false }

// printed collects what an agent prints, which is a script's report.
type printed struct {
	note func(line string)

	mu  sync.Mutex
	all strings.Builder
}

// mostPrinted bounds a report, in bytes.
const mostPrinted = 64 << 10

func (p *printed) take(stream, text string) {
	p.mu.Lock()
	if stream == "print" && p.all.Len()+len(text) <= mostPrinted {
		p.all.WriteString(text)
	}
	p.mu.Unlock()
	if line, _, _ := strings.Cut(strings.TrimSpace(text), "\n"); line != "" {
		p.note(line)
	}
}

func (p *printed) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return strings.TrimSpace(p.all.String())
}

// seat is an agent's place in a team's room.
type seat struct {
	as *membership // nil: there is no team

	mu   sync.Mutex
	talk string
}

var _ jsagent.Room = (*seat)(nil)

// sit notes which conversation the agent's is.
func (s *seat) sit(conversation string) {
	if s.as == nil {
		return
	}
	s.mu.Lock()
	s.talk = conversation
	s.mu.Unlock()
	s.as.begun(conversation)
}

// call asks for something in the room, and decodes the answer into into.
func (s *seat) call(r desk.RoomCall, into any) error {
	s.mu.Lock()
	talk := s.talk
	s.mu.Unlock()
	got, err := s.as.call(talk, r)
	if err != nil {
		return err
	}
	text, err := json.Marshal(got)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// Send implements [jsagent.Room].
func (s *seat) Send(to, text string) error {
	var sent string
	return s.call(desk.RoomCall{Do: "send", To: to, Text: text}, &sent)
}

// Receive implements [jsagent.Room].
func (s *seat) Receive() ([]jsagent.Message, error) {
	var got struct{ Messages []jsagent.Message }
	err := s.call(desk.RoomCall{Do: "read"}, &got)
	return got.Messages, err
}

// notesOfAgents is where a team's agents keep what they share.
const notesOfAgents = "agents"

// Put implements [jsagent.Room].
func (s *seat) Put(key, value string) error {
	var kept string
	return s.call(desk.RoomCall{Do: "note", Namespace: notesOfAgents, Key: key, Text: value}, &kept)
}

// Get implements [jsagent.Room].
func (s *seat) Get(key string) (value string, there bool, err error) {
	var got struct{ Notes map[string]string }
	err = s.call(desk.RoomCall{Do: "notes", Namespace: notesOfAgents}, &got)
	value, there = got.Notes[key]
	return value, there, err
}
