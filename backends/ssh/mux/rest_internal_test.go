package mux

import (
	"testing"

	"golang.org/x/crypto/ssh"
)

// resting is a connection that hears whether it rests.
type resting struct {
	Conn  // nil: nothing else is called
	rests bool
}

func (r *resting) Rest(resting bool) { r.rests = resting }

// A connection rests when all that is open on it belongs to clients that rest.
func TestAConnectionRestsWhenAllItsClientsDo(t *testing.T) {
	conn := &resting{}
	m := &master{conn: conn}
	one, other := &proxied{master: m}, &proxied{master: m}
	say := func(p *proxied, rests bool) func() {
		return func() { p.rests(ssh.Marshal(struct{ Resting bool }{rests})) }
	}
	enter := func() { m.count(1) }
	for i, step := range []struct {
		do   func()
		want bool
	}{
		{enter, false}, // one
		{say(one, true), true},
		{say(one, true), true},
		{enter, false}, // the other
		{say(other, true), true},
		{say(one, false), false},
		{say(one, true), true},
		{enter, false}, // a session of the operator's ssh
		{func() { m.count(-1) }, true},
		{func() { other.rests([]byte("x")) }, true},
		{one.leave, true},
		{say(one, false), true}, // it has left
		{other.leave, false},    // nobody says so any more
	} {
		step.do()
		if conn.rests != step.want {
			t.Errorf("step %d: rests %t", i, conn.rests)
		}
	}
	if m.active != 0 || m.resting != 0 {
		t.Errorf("%d open, %d at rest in the end", m.active, m.resting)
	}
}
