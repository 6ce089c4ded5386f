package gate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
)

// host answers a revert's scripts as one would; the scripts themselves are tried
// in tools/lockout, and on a real host in cmd/nod.
type host struct {
	*bench
	Verifier *tools.Verifier

	Mu      sync.Mutex
	did     []string // in order
	refuses bool     // to arm
	login   error
	in      int    // seconds until the revert comes
	state   string // "armed", "reverted" or empty
	told    []agent.Reverting
}

func (h *host) note(what string) {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	h.did = append(h.did, what)
}

func (h *host) Carry(_ context.Context, a tools.Action, grant tools.Grant) (string, tools.Record, error) {
	if err := h.Verifier.Redeem(a, grant); err != nil {
		return "", tools.Record{}, err
	}
	id, script := strings.TrimPrefix(strings.SplitN(string(a.Stdin), "\n", 2)[0], "id="), string(a.Stdin)
	ok := tools.Record{Outcome: backends.ExitedWith(0)}
	h.Mu.Lock()
	defer h.Mu.Unlock()
	switch {
	case strings.Contains(script, "revert_script()"):
		h.did = append(h.did, "arm")
		if h.refuses {
			return "not armed: no rights", tools.Record{Outcome: backends.ExitedWith(1)}, nil
		}
		h.state = "armed"
		return fmt.Sprintf("nod-revert %s armed %d a shell\n", id, h.in), ok, nil
	case strings.Contains(script, "ln -s disarm"):
		h.did = append(h.did, "disarm")
		if h.state != "armed" {
			return "nod-revert " + id + " gone\n", ok, nil
		}
		h.state = ""
		return "nod-revert " + id + " disarmed\n", ok, nil
	}
	h.did = append(h.did, "collect")
	return "nod-revert " + id + " reverted\nroute added: default\n", ok, nil
}

func (h *host) Reconnects(context.Context, string) error {
	h.note("login")
	h.Mu.Lock()
	defer h.Mu.Unlock()
	return h.login
}

func (h *host) Lost(string) bool { return false }

func (h *host) done() []string {
	h.Mu.Lock()
	defer h.Mu.Unlock()
	return slices.Clone(h.did)
}

// over waits for the end of a revert, and returns it.
func (h *host) over() agent.Reverting {
	h.T.Helper()
	for range 2000 {
		h.Mu.Lock()
		i := slices.IndexFunc(h.told, func(r agent.Reverting) bool { return r.Over })
		var last agent.Reverting
		if i >= 0 {
			last = h.told[i]
		}
		h.Mu.Unlock()
		if i >= 0 {
			return last
		}
		time.Sleep(10 * time.Millisecond)
	}
	h.T.Fatalf("it does not end: %v", h.done())
	return agent.Reverting{}
}

// newHost is a bench whose gate can arm reverts on "ssh:x"; wants says whether
// the operator wants one.
func newHost(t *testing.T, wants bool) *host {
	h := &host{in: 600}
	var minter *tools.Minter
	minter, h.Verifier = tools.NewMint()
	engine, err := policy.NewEngine(policy.Options{
		Minter: minter, Reverts: func(string) time.Duration { return 5 * time.Second },
		Approver: approver(func(r policy.Request) policy.Answer {
			return policy.Answer{RequestID: r.ID, Approved: true, Typed: r.Confirm, Revert: wants}
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	h.bench = newBench(t, options{Gate: func(c *gate.Config) {
		c.Policy, c.Reverts = engine, h
		c.Reverting = func(r agent.Reverting) {
			h.Mu.Lock()
			defer h.Mu.Unlock()
			h.told = append(h.told, r)
		}
	}})
	h.bench.Verifier = h.Verifier
	h.Add(&probe{ToolName: "cut", Kind: tools.Exec, Do: func(context.Context, tools.Action, tools.Env) (tools.Result, error) {
		h.note("run")
		return tools.Result{Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
	}})
	return h
}

type approver func(policy.Request) policy.Answer

func (a approver) Approve(_ context.Context, r policy.Request) (policy.Answer, error) {
	return a(r), nil
}

func (h *host) cut() gate.Answer {
	h.T.Helper()
	return h.Gate.Call(h.T.Context(), gate.Call{
		ID: "a", Tool: "cut", Arguments: []byte(`{"command":"ip route del default"}`), Conversation: h.ID, Target: "ssh:x",
	}, h.Sink)
}

func TestARevertIsArmedFirstAndTakenBackAfterALogin(t *testing.T) {
	h := newHost(t, true)
	if a := h.cut(); a.Err != nil || !a.Started {
		t.Fatalf("%+v", a)
	}
	if end := h.over(); end.Fired || !strings.Contains(end.Text, "a new login works") {
		t.Errorf("%+v", end)
	}
	if got := strings.Join(h.done(), " "); got != "arm run login disarm" {
		t.Errorf("%s", got)
	}
	// Armed, told; run; taken back, told.
	if got := h.Kinds(); got != "intent exited revert intent exited intent exited revert" && got != "intent exited revert intent intent exited exited revert" {
		t.Errorf("on record: %s", got)
	}
	var id string
	for _, r := range h.Record() {
		if i := r.Intent; i != nil {
			if id == "" {
				id = i.Revert
			}
			if i.Revert != id || id == "" || (i.Tool == "revert") != (i.For != "") {
				t.Errorf("not linked: %+v", i)
			}
		}
	}
}

func TestWithoutTheOperatorsWordNothingIsArmed(t *testing.T) {
	h := newHost(t, false)
	if a := h.cut(); a.Err != nil || !a.Started {
		t.Fatalf("%+v", a)
	}
	h.Gate.Close()
	if got := strings.Join(h.done(), " "); got != "run" {
		t.Errorf("%s", got)
	}
}

func TestIfArmingFailsNothingRuns(t *testing.T) {
	h := newHost(t, true)
	h.refuses = true
	a := h.cut()
	if a.Started || !a.Denied || a.Err == nil || !strings.Contains(a.Err.Error(), "no rights") || !a.Result.IsError {
		t.Errorf("%+v", a)
	}
	if got := strings.Join(h.done(), " "); got != "arm disarm" {
		t.Errorf("%s", got)
	}
	if got := h.Kinds(); !strings.HasSuffix(got, "denied") {
		t.Errorf("on record: %s", got)
	}
}

func TestWithoutALoginTheRevertComesAndIsTold(t *testing.T) {
	h := newHost(t, true)
	h.login, h.in = errors.New("nothing answers"), 8
	h.cut()
	for range 2000 {
		h.Mu.Lock()
		told := slices.ContainsFunc(h.told, func(r agent.Reverting) bool {
			return !r.Over && strings.Contains(r.Text, "the revert comes at") && !r.Due.IsZero()
		})
		due := len(h.told) > 0 && time.Now().After(h.told[0].Due)
		if told && due { // the revert has brought the way in back
			h.login = nil
		}
		h.Mu.Unlock()
		if told && due {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	end := h.over()
	if got := strings.Join(h.done(), " "); !strings.HasPrefix(got, "arm run login") || !strings.HasSuffix(got, "login collect") {
		t.Errorf("%s", got)
	}
	if !end.Fired || !strings.Contains(end.Text, "is back, reverted:\nroute added: default") {
		t.Errorf("%+v", end)
	}
}

func TestWithoutALoginNothingIsTakenBack(t *testing.T) {
	h := newHost(t, true)
	h.login = errors.New("nothing answers")
	h.cut()
	for begun := time.Now(); len(h.done()) < 4; time.Sleep(10 * time.Millisecond) { // arm, run, two logins
		if time.Since(begun) > 60*time.Second {
			t.Fatalf("%v", h.done())
		}
	}
	h.Gate.Close()
	if got := strings.Join(h.done(), " "); !strings.HasPrefix(got, "arm run login login") || strings.Contains(got, "disarm") {
		t.Errorf("%s", got)
	}
}

func TestAGateThatClosesLeavesTheRevertToTheHost(t *testing.T) {
	h := newHost(t, true)
	h.cut()
	begun := time.Now()
	h.Gate.Close()
	if took := time.Since(begun); took > time.Second {
		t.Errorf("it took %s", took)
	}
	if got := strings.Join(h.done(), " "); got != "arm run" {
		t.Errorf("%s", got)
	}
}
