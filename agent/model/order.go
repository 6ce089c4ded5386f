package model

import "strings"

// continuing stands between a result and what the operator says behind it, where the
// server's template wants a word of the model's there.
const continuing = "[the operator says more]"

// ordered is a conversation in an order of roles that templates accept: nod's asides are
// a part of the result before them, neighbouring messages of a user's are one, and what
// this server has refused is avoided. It returns a fresh list.
func (h *habits) ordered(list []Message) []Message {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []Message
	for _, m := range list {
		n := len(out)
		switch {
		case m.Role == System && h.noSystem:
			m.Role = User
		case m.Role == User && n > 0 && out[n-1].Role == ToolRole:
			if m.Aside == FromNod {
				join(&out[n-1], m.Content)
				continue
			}
			if h.strictRoles {
				out = append(out, Message{Role: Assistant, Content: continuing})
			}
		case m.Role == User && m.Aside == FromNod && n > 1 && out[n-1].Aside == FromOperator:
			if at := resultBefore(out); at >= 0 {
				join(&out[at], m.Content)
				continue
			}
		}
		if n := len(out); m.Role == User && n > 0 && out[n-1].Role == User {
			join(&out[n-1], m.Content)
			continue
		}
		out = append(out, m)
	}
	if h.oneCall {
		return singly(out)
	}
	return out
}

func join(m *Message, more string) {
	m.Content = strings.TrimSpace(m.Content + "\n\n" + more)
}

// resultBefore is the result in front of what the operator says at the end; -1 if there
// is none.
func resultBefore(list []Message) int {
	for i := len(list) - 1; i >= 0; i-- {
		switch {
		case list[i].Role == ToolRole:
			return i
		case list[i].Aside != FromOperator && list[i].Content != continuing:
			return -1
		}
	}
	return -1
}

// singly gives each call a message of its own, in front of its result.
func singly(list []Message) []Message {
	var out []Message
	for i := 0; i < len(list); i++ {
		m := list[i]
		if len(m.Calls) < 2 {
			out = append(out, m)
			continue
		}
		results := map[string]Message{}
		for i+1 < len(list) && list[i+1].Role == ToolRole {
			i++
			results[list[i].CallID] = list[i]
		}
		for n, call := range m.Calls {
			one := Message{Role: Assistant, Calls: m.Calls[n : n+1]}
			if n == 0 {
				one.Content, one.Reasoning = m.Content, m.Reasoning
			}
			out = append(out, one)
			if r, ok := results[call.ID]; ok {
				out = append(out, r)
			}
		}
	}
	return out
}
