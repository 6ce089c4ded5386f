package contact

import (
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// Facts are what is known of one model on one server. The zero value is nothing.
type Facts struct {
	// Server is the program or the service: "vLLM", "llama.cpp", "Ollama", …
	Server string `json:"server,omitempty"`
	// Context is how many tokens a request and its answer may have together; 0 if that is
	// not known.
	Context int `json:"context,omitempty"`
	// Source says where Context stands: "max_model_len".
	Source string `json:"source,omitempty"`
	// Passing says that Context is what the server starts with where it is told nothing
	// else. It knows better once the model is loaded.
	Passing bool    `json:"passing,omitempty"`
	Refuses Refusal `json:"refuses"`
	// Learnt is when the server was asked.
	Learnt time.Time `json:"learnt"`
}

// Refusal is what a server rejects. The zero value is nothing.
type Refusal struct {
	Tools      bool `json:"tools,omitempty"`       // tools in a request: calls are text
	ManyCalls  bool `json:"many_calls,omitempty"`  // a message with several calls
	SystemRole bool `json:"system_role,omitempty"` // a message of the system's role
	LongIDs    bool `json:"long_ids,omitempty"`    // ids of calls that are not nine letters and digits
	Usage      bool `json:"usage,omitempty"`       // stream_options
	Reasoning  bool `json:"reasoning,omitempty"`   // reasoning_content in messages
	MaxTokens  bool `json:"max_tokens,omitempty"`  // max_tokens; it wants max_completion_tokens
}

// With is what either of two refuses.
func (r Refusal) With(o Refusal) Refusal {
	return Refusal{
		Tools: r.Tools || o.Tools, ManyCalls: r.ManyCalls || o.ManyCalls, SystemRole: r.SystemRole || o.SystemRole,
		LongIDs: r.LongIDs || o.LongIDs, Usage: r.Usage || o.Usage, Reasoning: r.Reasoning || o.Reasoning,
		MaxTokens: r.MaxTokens || o.MaxTokens,
	}
}

// Assumed is the context, in tokens, of a model on a local address whose server does not
// say it: what small machines run.
const Assumed = 8192

// Local reports whether an address is of this machine or of a private network, where
// people run models themselves.
func Local(base string) bool {
	u, err := url.Parse(base)
	if err != nil {
		return false
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified()
	}
	if host == "" || net.ParseIP(host) != nil {
		return false
	}
	_, domain, dots := strings.Cut(host, ".")
	if !dots {
		return true // a name of the own network, or localhost
	}
	for _, own := range []string{"local", "localhost", "localdomain", "lan", "internal", "home.arpa"} {
		if domain == own || strings.HasSuffix(domain, "."+own) {
			return true
		}
	}
	return false
}

// Lines say the facts in words, for the operator. limit is the context that is worked
// with, in tokens, 0 if it is not known; inText says that calls travel as text.
func (f Facts) Lines(limit int, inText bool) []string {
	size := "its context is not known: nothing is left out until it refuses"
	switch {
	case f.Context > 0 && limit == f.Context && f.Passing:
		size = fmt.Sprintf("%d tokens of context (%s), until the model is loaded", limit, f.Source)
	case f.Context > 0 && limit == f.Context:
		size = fmt.Sprintf("%d tokens of context (%s)", limit, f.Source)
	case f.Context > 0:
		size = fmt.Sprintf("%d tokens of context (configured; the server says %d: %s)", limit, f.Context, f.Source)
	case limit == Assumed:
		size = fmt.Sprintf("%d tokens of context are assumed, as it says none: set context_limit if it has more", limit)
	case limit > 0:
		size = fmt.Sprintf("%d tokens of context (configured)", limit)
	}
	if f.Server != "" {
		size = f.Server + ": " + size
	}
	lines := []string{size}
	say := func(refused bool, no, yes string) {
		if refused {
			yes = no
		}
		lines = append(lines, yes)
	}
	say(inText, "calls as text", "tools in the request; calls in its text count, too")
	say(f.Refuses.ManyCalls, "one call a message", "several calls a message")
	say(f.Refuses.SystemRole, "no system role: nod's prompt opens the first message", "a system role")
	if f.Refuses.LongIDs {
		lines = append(lines, "ids of nine letters and digits")
	}
	return lines
}
