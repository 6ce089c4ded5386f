package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/briefing"
	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/agent/model"
)

// When the context gets scarce, in percent of the limit.
const (
	warnAt    = 80
	compactAt = 90
	compactTo = 60
	// rearmAt is below what share the operator is warned anew.
	rearmAt = 70
)

// reserveMost bounds what is kept free for an answer, in tokens.
const reserveMost = 4096

// reserve is what is kept free for an answer, of a context of limit tokens.
func reserve(limit int) int { return min(limit/16, reserveMost) }

// Meter says how full a model's context is, in tokens. Parts are estimates that
// are put right by what the server counted last.
type Meter struct {
	Limit   int // of the model; 0 if it is not known
	System  int // nod's prompt
	Tools   int // their descriptions
	Said    int // prompts, answers, calls and results, without the reasoning
	Thought int // reasoning that goes back to the model
	Reserve int // kept free for the answer
	// Messages is how many are sent, Left how many a summary stands for.
	Messages, Left int
	Percent        int // of the limit; 0 if that is not known
	Cost           float64
	Priced         bool // the cost is known
	Limits         model.Limits
}

// Used is all of it.
func (m Meter) Used() int { return m.System + m.Tools + m.Said + m.Thought + m.Reserve }

func share(used, limit int) int {
	if limit <= 0 {
		return 0
	}
	return int(int64(used) * 100 / int64(limit))
}

// gauge is what is known of a conversation's size beyond its text.
type gauge struct {
	mu     sync.Mutex
	ratio  float64 // counted tokens for each that was estimated; 0: not known
	warned bool
	futile int // messages there were when there was nothing to compact
	cost   float64
	priced bool
	limits model.Limits
}

// tokensOf estimates the tokens of a text: four bytes each, as English has it.
func tokensOf(text string) int { return (len(text) + 3) / 4 }

// perMessage is what a message costs beside its text.
const perMessage = 4

func sizeOf(m model.Message) (said, thought int) {
	said = perMessage + tokensOf(m.Content)
	for _, c := range m.Calls {
		said += perMessage + tokensOf(c.Name) + tokensOf(c.Raw) + tokensOf(string(c.Extra))
		if c.Raw == "" {
			said += tokensOf(string(c.Arguments))
		}
	}
	return said, tokensOf(m.Reasoning)
}

// estimate sizes a request, before the server has counted it.
func estimate(r model.Request) Meter {
	var m Meter
	turn := model.TurnOf(r.Messages)
	for i, message := range r.Messages {
		said, thought := sizeOf(message)
		if message.Role == model.System {
			m.System += said
			continue
		}
		m.Messages++
		m.Said += said
		if i >= turn && len(message.Calls) > 0 { // see model's messages: only there it is sent
			m.Thought += thought
		}
	}
	for _, t := range r.Tools {
		text, err := json.Marshal(t.Parameters)
		if err != nil {
			text = nil // the request will fail, and say so
		}
		m.Tools += perMessage + tokensOf(t.Name) + tokensOf(t.Description) + tokensOf(string(text))
	}
	return m
}

// read sizes a request by what the server has counted before.
func (g *gauge) read(r model.Request, limit int) Meter {
	m := estimate(r)
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ratio > 0 {
		for _, part := range []*int{&m.System, &m.Tools, &m.Said, &m.Thought} {
			*part = int(float64(*part) * g.ratio)
		}
	}
	m.Limit, m.Reserve = limit, reserve(limit)
	m.Percent = share(m.Used(), limit)
	m.Cost, m.Priced, m.Limits = g.cost, g.priced, g.limits
	return m
}

// account takes in what a server has counted for a request, and its limits.
func (g *gauge) account(r model.Request, got model.Reply, p Price) (cost, total float64, limits string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !got.Limits.Empty() {
		g.limits = got.Limits
	}
	m, u := estimate(r), got.Usage
	if guess := m.Used(); u.Prompt > 0 && guess > 0 {
		// A server that leaves its cache out must not make the meter blind.
		g.ratio = min(max(float64(u.Prompt)/float64(guess), 0.5), 100)
	}
	if p.recalled() {
		cost = p.cost(u)
		g.cost, g.priced = g.cost+cost, true
	}
	return cost, g.cost, g.limits.String()
}

// crossed reports whether the operator is to be warned: once, and again only
// after the context was not scarce.
func (g *gauge) crossed(percent int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case percent >= warnAt && !g.warned:
		g.warned = true
		return true
	case percent > 0 && percent < rearmAt:
		g.warned = false
	}
	return false
}

// gauge is the one of a conversation.
func (a *Agent) gauge(conversation string) *gauge {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.gauges[conversation]
	if g == nil {
		g = &gauge{}
		a.gauges[conversation] = g
	}
	return g
}

// Measure says how full the context is that a conversation would be sent in. An
// error is the history's.
func (a *Agent) Measure(ctx context.Context, conversation string) (Meter, error) {
	var said []history.Message
	if conversation != "" {
		var err error
		if said, err = a.cfg.History.Load(ctx, conversation); err != nil {
			return Meter{}, fmt.Errorf("the conversation could not be loaded: %w", err)
		}
	}
	llm := a.Model()
	t := &turn{Agent: a, id: conversation, situation: a.cfg.Situation(), messages: said}
	m := a.gauge(conversation).read(t.request(llm, false), llm.ContextLimit)
	_, m.Left = briefing.Standing(said)
	return m, nil
}

// used tells what a request has used, and what all of them have cost.
func (t *turn) used(r model.Request, llm Model, got model.Reply) {
	u := got.Usage
	cost, total, limits := t.gauge(t.id).account(r, got, llm.Price)
	if u == (model.Usage{}) {
		return
	}
	all := u.Prompt + answered(u)
	t.spend(all)
	percent := share(all+reserve(llm.ContextLimit), llm.ContextLimit)
	t.notify(agent.Usage{
		Prompt: u.Prompt, Completion: u.Completion, Reasoning: u.Reasoning, Cached: u.Cached,
		Model: llm.Name, Limit: llm.ContextLimit, Context: percent, Cost: cost, Total: total, Limits: limits,
	})
	t.warn(percent)
}

// spend counts tokens of the turn, those of its sub-agents as well.
func (t *turn) spend(tokens int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tokens += tokens
}

func (t *turn) spent() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.tokens
}

// charge adds what a sub-agent's request has cost, and returns what all of them have.
func (g *gauge) charge(cost float64) (total float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if cost > 0 {
		g.cost, g.priced = g.cost+cost, true
	}
	return g.cost
}

func (t *turn) warn(percent int) {
	if t.gauge(t.id).crossed(percent) {
		t.notify(agent.Notice{Text: fmt.Sprintf("the conversation takes %d %% of the model's context; at %d %% it is compacted (/compact does it now)", percent, compactAt)})
	}
}
