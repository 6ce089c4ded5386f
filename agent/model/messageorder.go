package model

import (
	"crypto/sha256"
	"strings"
)

// continuing stands between a result and what the operator says behind it: many servers'
// templates want a word of the model's there.
const continuing = "[the operator says more]"

// messages is a conversation as the server takes it. It returns a fresh list.
func (as manner) messages(r Request) []Message {
	list := r.Messages
	if as.inText {
		list = textMessages(r)
	}
	list = ordered(list, as.SystemRole)
	if as.ManyCalls {
		list = singly(list)
	}
	if as.LongIDs {
		shorten(list)
	}
	return list
}

// ordered is a conversation in an order of roles that all known templates accept: nod's
// asides are a part of the result before them, a user's message never stands behind a
// result, and neighbouring messages of a user's are one. noSystem makes the system's
// message a part of the first one of a user's.
func ordered(list []Message, noSystem bool) []Message {
	var out []Message
	for _, m := range list {
		n := len(out)
		switch {
		case m.Role == System && noSystem:
			m.Role = User
		case m.Role == User && n > 0 && out[n-1].Role == ToolRole:
			if m.Aside == FromNod {
				join(&out[n-1], m.Content)
				continue
			}
			out = append(out, Message{Role: Assistant, Content: continuing})
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

// shorten gives calls that have others ids of nine letters and digits, the same ones in
// each request.
func shorten(list []Message) {
	for i, m := range list {
		list[i].CallID = shortID(m.CallID)
		calls := make([]Call, len(m.Calls))
		for n, c := range m.Calls {
			c.ID = shortID(c.ID)
			calls[n] = c
		}
		if len(calls) > 0 {
			list[i].Calls = calls
		}
	}
}

func shortID(id string) string {
	const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	sound := len(id) == 9
	for i := 0; i < len(id); i++ {
		sound = sound && strings.IndexByte(digits, id[i]) >= 0
	}
	if sound || id == "" {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	short := make([]byte, 9)
	for i := range short {
		short[i] = digits[int(sum[i])%len(digits)]
	}
	return string(short)
}
