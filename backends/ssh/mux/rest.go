package mux

import "golang.org/x/crypto/ssh"

// Rest is the global request by which a client in proxy mode says how deep its connection
// rests: how little matters there that a loss of it is noticed soon. The payload is a uint32:
// 0 if something runs or somebody looks, as long as nothing else was said, and more the less
// goes on. There is no answer.
const Rest = "rest@nod"

// Rester is a [Conn] that wants to know how deep it rests: as deep as all of its clients say;
// not at all while anything else is open on it.
type Rester interface{ Rest(depth uint32) }

// rests takes what a client in proxy mode says of itself.
func (p *proxied) rests(payload []byte) {
	var say struct{ Depth uint32 }
	if ssh.Unmarshal(payload, &say) != nil {
		return
	}
	m := p.master
	m.counting.Lock()
	defer m.counting.Unlock()
	if m.proxies[p] {
		p.depth = say.Depth
		m.tellRest()
	}
}

// enter is the beginning of a client in proxy mode.
func (p *proxied) enter() {
	m := p.master
	m.counting.Lock()
	defer m.counting.Unlock()
	m.proxies[p] = true
	m.active++
	m.tellActive()
}

// leave is its end.
func (p *proxied) leave() {
	m := p.master
	m.counting.Lock()
	defer m.counting.Unlock()
	delete(m.proxies, p)
	m.active--
	m.tellActive()
}

// tellRest tells the connection how deep it rests. m.counting is held.
func (m *master) tellRest() {
	r, ok := m.conn.(Rester)
	if !ok {
		return
	}
	var depth uint32
	if m.active == len(m.proxies) {
		first := true
		for p := range m.proxies {
			if first || p.depth < depth {
				depth, first = p.depth, false
			}
		}
	}
	r.Rest(depth)
}
