package model

import (
	"regexp"
	"sync"

	"github.com/nod-console/nod/agent/contact"
)

// habits is what a client knows of its server: what it says of itself, and which parts of
// a request it rejects. Each rejection is learnt at most once, from its message.
type habits struct {
	mu    sync.Mutex
	facts contact.Facts
}

// adopt takes over what is known of the server.
func (h *habits) adopt(f contact.Facts) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.facts = f
}

func (h *habits) now() contact.Facts {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.facts
}

// manner is how one request is written.
type manner struct {
	contact.Refusal
	inText bool // calls travel as text
}

// manner is how the next request is written.
func (c *Client) manner() manner {
	as := manner{Refusal: c.habits.now().Refuses}
	as.inText = c.cfg.ToolProtocol == ProtocolText || as.Tools && c.cfg.ToolProtocol != ProtocolNative
	return as
}

// learn reports whether a rejection names something that the next try can do otherwise,
// and keeps what was learnt.
func (c *Client) learn(e *Error, r Request) bool {
	c.habits.mu.Lock()
	defer c.habits.mu.Unlock()
	f := &c.habits.facts
	again := c.mayText(e, r, f.Refuses) || refuses(e, r, &f.Refuses)
	if e.Kind == ContextLength && e.Limit > 0 && e.Limit != f.Context {
		f.Context, f.Source, f.Passing = e.Limit, "a refusal", false
		c.keep(*f)
	}
	if again {
		c.keep(*f)
	}
	return again
}

// refuses notes what a rejection names; false if that is nothing new. Roles that must
// alternate from the first message on leave no place for a system's message.
func refuses(e *Error, sent Request, r *contact.Refusal) bool {
	if e.Kind != Refused && e.Kind != Server { // some servers fail where a template refuses
		return false
	}
	for _, rule := range []struct {
		says *regexp.Regexp
		flag *bool
	}{
		{saysUsage(), &r.Usage},
		{saysReasoning(), &r.Reasoning},
		{saysMaxTokens(), &r.MaxTokens},
		{saysOneCall(), &r.ManyCalls},
		{saysNoSystem(), &r.SystemRole},
		{saysShortIDs(), &r.LongIDs},
	} {
		if !*rule.flag && rule.says.MatchString(e.said) {
			*rule.flag = true
			return true
		}
	}
	if saysRoles().MatchString(e.said) && !r.SystemRole && len(sent.Messages) > 0 && sent.Messages[0].Role == System {
		r.SystemRole = true
		return true
	}
	return false
}

// mayText notes that a server takes no tools, or no message of a tool's role, where the
// next try can have them as text.
func (c *Client) mayText(e *Error, r Request, known contact.Refusal) bool {
	if len(r.Tools) == 0 && !haveResults(r.Messages) || c.cfg.ToolProtocol == ProtocolNative || c.cfg.ToolProtocol == ProtocolText || known.Tools {
		return false
	}
	roles := (e.Kind == Refused || e.Kind == Server) && haveResults(r.Messages) && saysRoles().MatchString(e.said)
	if e.Kind != NoTools && !roles {
		return false
	}
	c.habits.facts.Refuses.Tools = true
	return true
}

func haveResults(list []Message) bool {
	for _, m := range list {
		if m.Role == ToolRole {
			return true
		}
	}
	return false
}
