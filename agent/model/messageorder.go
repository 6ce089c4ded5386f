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
		switch at := resultOf(m, out); {
		case m.Role == System && noSystem:
			m.Role = User
		case m.Role == User && at >= 0:
			join(&out[at], m.Content)
			continue
		case m.Role == User && endsWith(ToolRole, out):
			out = append(out, Message{Role: Assistant, Content: continuing})
		}
		if m.Role == User && endsWith(User, out) {
			join(&out[len(out)-1], m.Content)
			continue
		}
		out = append(out, m)
	}
	return out
}

// endsWith reports whether the last message is of a role.
func endsWith(role Role, list []Message) bool {
	return len(list) > 0 && list[len(list)-1].Role == role
}

// resultOf is the result of which a message is a part that stands behind a list: an aside of
// nod's, right behind the result or behind what the operator says there; -1 if there is none.
func resultOf(m Message, list []Message) int {
	n := len(list)
	switch {
	case m.Aside != FromNod:
		return -1
	case endsWith(ToolRole, list):
		return n - 1
	case n > 1 && list[n-1].Aside == FromOperator:
		return resultBefore(list)
	}
	return -1
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
