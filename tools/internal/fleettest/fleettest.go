// Package fleettest has several targets on this machine, for tests of tools that work on
// many. They differ by the environment variable LC_HOST of their commands.
package fleettest

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet"
	"github.com/nod-console/nod/tools/guard"
)

// Bench is a fleet and the mint of its guard. It is the fleet's roster, too.
type Bench struct {
	*fleet.Fleet
	Minter *tools.Minter

	t      *testing.T
	mu     sync.Mutex
	apart  []string // known and not connected
	failed map[string]error
	// Sets are the operator's groups.
	Sets map[string]string
	// Refused are targets that cannot be connected, with why.
	Refused map[string]error
}

// New makes a fleet of connected targets.
func New(t *testing.T, names ...string) *Bench {
	t.Helper()
	minter, verifier := tools.NewMint()
	b := &Bench{t: t, Minter: minter, failed: map[string]error{}}
	b.Fleet = &fleet.Fleet{Guard: guard.New(verifier), Roster: b}
	for _, name := range names {
		b.add(name)
	}
	return b
}

// Apart makes targets known that are not connected.
func (b *Bench) Apart(names ...string) *Bench {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.apart = append(b.apart, names...)
	return b
}

func (b *Bench) add(name string) {
	target := local.New([]string{"LC_HOST=" + name, "PATH=" + os.Getenv("PATH")})
	b.t.Cleanup(func() {
		if err := target.Close(); err != nil {
			b.t.Error(err)
		}
	})
	if err := b.Guard.Add(guard.Place{Target: named{target, name}, User: "ops", Shell: "sh"}); err != nil {
		b.t.Fatal(err)
	}
}

// named is this machine under another name.
type named struct {
	backends.Target
	name string
}

func (n named) Name() string { return n.name }

// Known implements [fleet.Roster].
func (b *Bench) Known() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append(b.Guard.Targets(), b.apart...)
}

// Containers implements [fleet.Roster].
func (*Bench) Containers(_ context.Context, kind string) ([]string, error) {
	if kind == "podman" {
		return nil, errors.New("no engine answers")
	}
	return []string{kind + ":api", kind + ":cache"}, nil
}

// Groups implements [fleet.Roster].
func (b *Bench) Groups() []string { return slices.Sorted(maps.Keys(b.Sets)) }

// Group implements [fleet.Roster].
func (b *Bench) Group(name string) (string, bool) {
	group, ok := b.Sets[name]
	return group, ok
}

// Connect implements [fleet.Roster].
func (b *Bench) Connect(_ context.Context, target string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.Refused[target]; err != nil {
		b.failed[target] = err
		return err
	}
	delete(b.failed, target)
	b.apart = slices.DeleteFunc(b.apart, func(name string) bool { return name == target })
	b.add(target)
	return nil
}

// Failed implements [fleet.Roster].
func (b *Bench) Failed(target string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.failed[target]
}

// Grant is an action as the policy grants it, and a grant for it and for each of its parts.
func (b *Bench) Grant(a tools.Action) (tools.Action, []tools.Grant) {
	if len(a.Parts) == 0 {
		return a, []tools.Grant{b.Minter.Mint(a)}
	}
	set := a.Digest().String()
	a.Parts = slices.Clone(a.Parts)
	grants := make([]tools.Grant, len(a.Parts))
	for i := range a.Parts {
		a.Parts[i].PartOf = set
		grants[i] = b.Minter.Mint(a.Parts[i])
	}
	return a, grants
}

// Do plans a call, executes each of its parts and folds them; a call for one target is
// executed.
func (b *Bench) Do(ctx context.Context, tool tools.Tool, args string, env tools.Env) tools.Result {
	b.t.Helper()
	a, err := tool.Plan(ctx, json.RawMessage(args), env)
	if err != nil {
		return refusal(err)
	}
	a, grants := b.Grant(a)
	if len(a.Parts) == 0 {
		env.Grant = grants[0]
		r, err := tool.Execute(ctx, a, env)
		if err != nil {
			b.t.Fatal(err)
		}
		return r
	}
	parts := make([]tools.Part, len(a.Parts))
	var running sync.WaitGroup
	for i, part := range a.Parts {
		running.Go(func() {
			r, err := tool.Execute(ctx, part, tools.Env{Call: env.Call, Target: part.Target, Grant: grants[i]})
			if err != nil {
				r = tools.Failure("", err.Error())
			}
			parts[i] = tools.Part{Action: part, Result: r, Begun: true}
		})
	}
	running.Wait()
	many, ok := tool.(tools.Many)
	if !ok {
		b.t.Fatalf("%s has parts and is for one target", tool.Name())
	}
	return many.Fold(ctx, a, parts, env)
}

// refusal is the error of a plan as a result.
func refusal(err error) tools.Result {
	var no *tools.Rejection
	if errors.As(err, &no) {
		return no.Result
	}
	return tools.Failure("invalid_args", err.Error())
}

// JSON is a result's value as the model gets it.
func JSON(t *testing.T, r tools.Result) string {
	t.Helper()
	text, err := json.Marshal(r.Value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
