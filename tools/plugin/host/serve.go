package host

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
)

// mostSent bounds a message from the parent, in bytes. A plugin's whole code is in one.
const mostSent = 8 << 20

// Peer is the process's end. Its methods are for the goroutine that handles a call.
type Peer struct {
	out     io.Writer
	in      chan message
	handle  Handler
	next    int64
	current int64             // the call that is handled
	early   map[int64]message // answers to questions further down
	stops   chan stop
}

type stop struct {
	id     int64
	cancel context.CancelFunc // nil: the call is over
}

// Handler handles a call. Its context ends when the parent cancels the call.
type Handler func(ctx context.Context, p *Peer, method string, params json.RawMessage) (any, error)

// Serve handles calls, one by one, until the input ends. Then it calls gone, which may
// come while a call is handled, and must end the process.
func Serve(in io.Reader, out io.Writer, handle Handler, gone func()) {
	p := &Peer{out: out, in: make(chan message), handle: handle, early: map[int64]message{}, stops: make(chan stop)}
	cancels := make(chan int64)
	go watch(p.stops, cancels)
	go func() {
		r := bufio.NewReader(in)
		for {
			m, _, err := readMessage(r, mostSent)
			if err != nil {
				gone()
				return
			}
			if m.Method == "cancel" {
				cancels <- m.Call
				continue
			}
			p.in <- m
		}
	}()
	for m := range p.in {
		p.serve(m)
	}
}

// watch ends the contexts of calls that are cancelled.
func watch(stops <-chan stop, cancels <-chan int64) {
	running := map[int64]context.CancelFunc{}
	for {
		select {
		case s := <-stops:
			if s.cancel == nil {
				delete(running, s.id)
			} else {
				running[s.id] = s.cancel
			}
		case id := <-cancels:
			if cancel := running[id]; cancel != nil {
				cancel()
			}
		}
	}
}

func (p *Peer) serve(m message) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	p.stops <- stop{m.ID, cancel}
	below := p.current
	p.current = m.ID
	result, err := p.handle(ctx, p, m.Method, m.Params)
	p.current = below
	p.stops <- stop{m.ID, nil}
	p.send(answer(m.ID, result, err))
}

// send writes to the parent. If the parent is gone, so is the process, soon.
func (p *Peer) send(m message) { _ = writeMessage(p.out, m) }

// Ask asks the parent for something and waits for the answer. Other calls may be handled
// meanwhile. An error is a [*Fault].
func (p *Peer) Ask(method string, params, into any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return &Fault{err.Error()}
	}
	p.next++
	id := p.next
	p.send(message{ID: id, Call: p.current, Method: method, Params: text})
	for {
		m, there := p.early[id]
		if !there {
			m = <-p.in
		}
		switch {
		case m.Method != "":
			p.serve(m)
		case m.ID != id:
			p.early[m.ID] = m
		case m.Error != nil:
			delete(p.early, id)
			return &Fault{m.Error.Message}
		default:
			delete(p.early, id)
			if err := json.Unmarshal(m.Result, into); err != nil {
				return &Fault{fmt.Sprintf("%s: %v", method, err)}
			}
			return nil
		}
	}
}

// Tell tells the parent something that has no answer.
func (p *Peer) Tell(method string, params any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	p.send(message{Method: method, Call: p.current, Params: text})
	return nil
}
