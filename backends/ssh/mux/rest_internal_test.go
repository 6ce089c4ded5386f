package mux

import (
	"testing"

	"golang.org/x/crypto/ssh"
)

// resting is a connection that hears how deep it rests.
type resting struct {
	Conn  // nil: nothing else is called
	depth uint32
}

func (r *resting) Rest(depth uint32) { r.depth = depth }

// A connection rests as deep as all of its clients say, and not at all while anything else is
// open on it.
func TestAConnectionRestsAsItsClientsDo(t *testing.T) {
	conn := &resting{}
	m := &master{conn: conn, proxies: map[*proxied]bool{}}
	one, other := &proxied{master: m}, &proxied{master: m}
	say := func(p *proxied, depth uint32) func() {
		return func() { p.rests(ssh.Marshal(struct{ Depth uint32 }{depth})) }
	}
	for i, step := range []struct {
		do   func()
		want uint32
	}{
		{one.enter, 0},
		{say(one, 2), 2},
		{other.enter, 0},
		{say(other, 1), 1},
		{say(one, 0), 0},
		{say(one, 2), 1},
		{func() { m.count(1) }, 0}, // a session of the operator's ssh
		{func() { m.count(-1) }, 1},
		{func() { other.rests([]byte("x")) }, 1},
		{other.leave, 2},
		{say(other, 0), 2}, // it has left
		{one.leave, 0},     // nobody says so any more
	} {
		step.do()
		if conn.depth != step.want {
			t.Errorf("step %d: rests %d deep", i, conn.depth)
		}
	}
	if m.active != 0 || len(m.proxies) != 0 {
		t.Errorf("%d open, of which %d in proxy mode, in the end", m.active, len(m.proxies))
	}
}
