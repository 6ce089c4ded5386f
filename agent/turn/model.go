package turn

import (
	"github.com/nod-console/nod/agent/model"
)

// Model is a language model that answers, and what the loop has to know of it.
type Model struct {
	Client Streamer
	// Name is what the operator calls it. What a server wants back with a call
	// goes only to the model of the same name.
	Name string
	// ContextLimit is its context in tokens; 0 if it is not known. A Client that is an
	// Acquaintance may know better.
	ContextLimit int
	// Price is what its tokens cost; the zero value means that it is not known.
	Price Price
	// Plain says that it is no language model: it is not asked for summaries and
	// gets no snapshots.
	Plain bool
}

// Price is what a million tokens cost, in one currency.
type Price struct {
	Input, Output float64
	// Cached is for the part of a prompt that came out of the server's cache; 0
	// means that it costs what other input does.
	Cached float64
}

// known reports whether there is a price at all.
func (p Price) recalled() bool { return p != Price{} }

// cost is what a request has cost.
func (p Price) cost(u model.Usage) float64 {
	cached := p.Cached
	if cached == 0 {
		cached = p.Input
	}
	fresh := max(u.Prompt-u.Cached, 0)
	return (float64(fresh)*p.Input + float64(min(u.Cached, u.Prompt))*cached + float64(answered(u))*p.Output) / 1e6
}

// answered are the tokens of a reply with its reasoning: some servers count that
// apart, and only the total says so.
func answered(u model.Usage) int { return max(u.Completion, u.Total-u.Prompt) }

// Use makes another model answer, in the middle of conversations as well: from
// the next request on. A request that is under way is not touched.
func (a *Agent) Use(llm Model) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.model = llm
}

// Model is the one that answers the next request.
func (a *Agent) Model() Model {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.model
	if c, ok := m.Client.(Acquaintance); ok && !m.Plain {
		if l := c.ContextLimit(); l > 0 {
			m.ContextLimit = l
		}
	}
	if l := a.limits[m.Name]; l > 0 && (m.ContextLimit == 0 || l < m.ContextLimit) {
		m.ContextLimit = l
	}
	return m
}

// noteLimit notes the context that a model's server has named, and reports whether it is
// smaller than what was known when it was asked.
func (a *Agent) noteLimit(name string, limit, known int) bool {
	if limit <= 0 || known > 0 && limit >= known {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.limits[name] = limit
	return true
}
