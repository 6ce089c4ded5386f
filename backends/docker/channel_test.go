package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"
)

// here is an engine whose one container is this machine: what it starts are real
// shells, which cost a millisecond instead of an engine's 60, so that a race can
// be run for hundreds of times.
type here struct {
	Engine
	mu    sync.Mutex
	execs map[string]Exec
}

func (h *here) About() About { return About{Kind: Docker} }

func (h *here) Inspect(context.Context, string) (Container, error) {
	return Container{ID: "here", Name: "here", State: Running}, nil
}

func (h *here) CreateExec(_ context.Context, _ string, x Exec) (string, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	id := fmt.Sprint(len(h.execs))
	h.execs[id] = x
	return id, nil
}

func (h *here) StartExec(_ context.Context, id string, _ Exec) (Stream, error) {
	h.mu.Lock()
	x := h.execs[id]
	h.mu.Unlock()
	cmd := exec.Command(x.Argv[0], x.Argv[1:]...) //nolint:gosec // the test's own
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	r, w := io.Pipe()
	var turn sync.Mutex // of the two outputs
	cmd.Stdout, cmd.Stderr = framed{1, w, &turn}, framed{2, w, &turn}
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait() // however it ends, the stream ends
		_ = w.Close()  // never fails
	}()
	return &shellStream{PipeReader: r, in: in, cmd: cmd, ended: ended}, nil
}

type framed struct {
	which byte
	w     io.Writer
	turn  *sync.Mutex
}

func (f framed) Write(p []byte) (int, error) {
	f.turn.Lock()
	defer f.turn.Unlock()
	if _, err := f.w.Write(frame(f.which, string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

type shellStream struct {
	*io.PipeReader
	in    io.WriteCloser
	cmd   *exec.Cmd
	ended chan struct{}
}

func (s *shellStream) Write(p []byte) (int, error) { return s.in.Write(p) }
func (s *shellStream) CloseWrite() error           { return s.in.Close() }

func (s *shellStream) Close() error {
	_ = s.in.Close()
	_ = s.PipeReader.Close()                              // never fails
	_ = syscall.Kill(-s.cmd.Process.Pid, syscall.SIGKILL) // may have ended
	<-s.ended
	return nil
}

// A question that comes while another one's end closes the channel, before,
// during or after, gets its own answer: it is never sent into the closing one.
func TestAQuestionNeverMeetsAClosingChannel(t *testing.T) {
	target, err := Open(t.Context(), &here{execs: map[string]Exec{}}, "here", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	}()
	ask := func(word string) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		a, err := target.Ask(ctx, "echo", word)
		if err != nil || string(a.Stdout) != word+"\n" {
			t.Errorf("%s: %q, %v", word, a.Stdout, err)
		}
	}
	for round := 0; round < 300 && !t.Failed(); round++ {
		ctx, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		for i := range 3 { // some wait for their turn, some come while it closes
			all.Go(func() { ask(fmt.Sprint("beside ", round, " ", i)) })
		}
		all.Go(cancel)
		if _, err := target.Ask(ctx, "sleep", "1000"); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
		ask(fmt.Sprint("after ", round))
		all.Wait()
	}
}

// The same where the shell ends by itself between two questions: the next one
// gets a new shell, however little the loss has been noticed yet.
func TestAQuestionAfterALostChannel(t *testing.T) {
	target, err := Open(t.Context(), &here{execs: map[string]Exec{}}, "here", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	}()
	for round := 0; round < 300 && !t.Failed(); round++ {
		if _, err := target.Ask(t.Context(), "true"); err != nil {
			t.Fatal(err)
		}
		target.mu.Lock()
		shell := target.channel.s.(*shellStream).cmd.Process
		target.mu.Unlock()
		if err := shell.Kill(); err != nil {
			t.Fatal(err)
		}
		if a, err := target.Ask(t.Context(), "echo", "x"); err != nil || string(a.Stdout) != "x\n" {
			t.Errorf("round %d: %q, %v", round, a.Stdout, err)
		}
	}
}
