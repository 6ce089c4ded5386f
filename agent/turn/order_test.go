package turn_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/tools"
)

// tasks is a tool for sub-agents' tasks.
type tasks struct{ *probe }

func (tasks) Delegates() bool { return true }

// TestCallsRunInTheirWrittenOrder: whatever stands in a reply, a call begins when
// all before it have ended, except for neighbours that only look, or are all tasks:
// these run at the same time.
func TestCallsRunInTheirWrittenOrder(t *testing.T) {
	const seed = 14
	random := rand.New(rand.NewPCG(seed, seed))
	for range 12 {
		names := make([]string, 12)
		for i := range names {
			names[i] = []string{"read", "grep", "write", "task"}[random.IntN(4)]
		}
		checkOrder(t, names)
	}
	checkOrder(t, []string{"write", "read", "read", "write", "task", "task", "read", "task"})
}

// kindOf is what a tool's calls may run at the same time with.
func kindOf(tool string) string {
	if tool == "grep" {
		return "read"
	}
	return tool
}

func checkOrder(t *testing.T, names []string) {
	t.Helper()
	var (
		mu     sync.Mutex
		ended  = map[string]bool{}
		begun  = map[string]int{} // by group
		full   = map[string]chan struct{}{}
		group  = make([]int, len(names)) // the first call of each one's group
		calls  []call
		single = func(i int) bool { return kindOf(names[i]) == "write" }
	)
	for i, name := range names {
		group[i] = i
		if i > 0 && !single(i) && kindOf(names[i-1]) == kindOf(name) {
			group[i] = group[i-1]
		}
		full[fmt.Sprint(i)] = make(chan struct{})
		calls = append(calls, cmd(fmt.Sprintf("c%02d", i), name, fmt.Sprint(i)))
	}
	size := map[string]int{}
	for i := range names {
		size[fmt.Sprint(group[i])]++
	}
	b := newBench(t, options{}, callsFor(calls...), says("ok"))
	do := func(ctx context.Context, a tools.Action, _ tools.Env) (tools.Result, error) {
		var i int
		if _, err := fmt.Sscan(a.Command, &i); err != nil {
			return tools.Result{}, tools.Failed("%w", err)
		}
		at := fmt.Sprint(group[i])
		mu.Lock()
		for before := range group[i] {
			if !ended[fmt.Sprint(before)] {
				t.Errorf("%v: call %d began before the end of call %d", names, i, before)
			}
		}
		if begun[at]++; begun[at] == min(size[at], 8) {
			close(full[at]) // the whole group is at work
		}
		mu.Unlock()
		select {
		case <-full[at]:
		case <-ctx.Done():
			return tools.Result{}, tools.Failed("the others of its group did not begin")
		}
		mu.Lock()
		ended[a.Command] = true
		mu.Unlock()
		return tools.Result{Value: a.Command}, nil
	}
	b.Add(&probe{ToolName: "read", Kind: tools.Pure, Parallel: true, Do: do})
	b.Add(&probe{ToolName: "grep", Kind: tools.Pure, Parallel: true, Do: do})
	b.Add(&probe{ToolName: "write", Kind: tools.Pure, Do: do})
	task := &probe{ToolName: "task", Kind: tools.Pure, Parallel: true, Do: do, Bench: b.Bench}
	b.Must(b.Registry.Register(tasks{task}))
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
}
