package mux

import "golang.org/x/crypto/ssh"

// Rest is the global request by which a client in proxy mode says whether it rests: nobody
// looks at what it has open, and nothing runs there that somebody waits for. The payload is
// a boolean. There is no answer.
const Rest = "rest@nod"

// Rester is a [Conn] that wants to know whether it rests: all of its clients say so. Then it
// need not find out soon that the far side has gone.
type Rester interface{ Rest(resting bool) }

// rests takes what a client in proxy mode says of itself.
func (p *proxied) rests(payload []byte) {
	var say struct{ Resting bool }
	if ssh.Unmarshal(payload, &say) != nil {
		return
	}
	m := p.master
	m.counting.Lock()
	defer m.counting.Unlock()
	if !p.left {
		m.countResting(p, say.Resting)
		m.tellRest()
	}
}

// leave is the end of a client in proxy mode.
func (p *proxied) leave() {
	m := p.master
	m.counting.Lock()
	m.countResting(p, false)
	p.left = true
	m.counting.Unlock()
	m.count(-1)
}

// countResting counts the clients that rest. m.counting is held.
func (m *master) countResting(p *proxied, resting bool) {
	switch {
	case resting && !p.rest:
		m.resting++
	case !resting && p.rest:
		m.resting--
	}
	p.rest = resting
}

// tellRest tells the connection whether it rests. m.counting is held.
func (m *master) tellRest() {
	if r, ok := m.conn.(Rester); ok {
		r.Rest(m.active > 0 && m.active == m.resting)
	}
}
