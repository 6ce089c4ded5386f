package rulecheck

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/tools/risk/attack"
)

// Attack is how the rules are attacked.
type Attack struct {
	Starts     []string // the commands that are rewritten
	Shell, Dir string   // as in [Command]
	Seed       uint64   // what the random combinations start from
	Rounds     int      // how many of them are tried
}

// Allowed are commands to start an attack from: plain observations, and the examples of the
// rules that allow.
func (b *Bench) Allowed() []string {
	starts := attack.Plain()
	for _, r := range b.engine.Rules() {
		if r.Verdict == policy.Allow && r.Program != "" {
			starts = append(starts, r.Match...)
		}
	}
	return starts
}

// Attack rewrites those of the commands that are allowed, so that they do something else or
// hide what they do, prints what is still allowed then, and returns how many were.
func (b *Bench) Attack(w io.Writer, a Attack) (slipped int, err error) {
	if _, err := risk.ParseDialect(a.Shell); err != nil {
		return 0, fmt.Errorf("policy attack: %w", err)
	}
	out := bufio.NewWriter(w)
	var allowed []string
	for _, text := range a.Starts {
		if b.ruling(a, text).Ruling == policy.Allow {
			allowed = append(allowed, text)
		} else {
			fmt.Fprintf(out, "not allowed by itself, so not attacked: %s\n", record.Brief(show.Text(text)))
		}
	}
	tried := 0
	try := func(r attack.Rewriting) {
		tried++
		if x := b.ruling(a, r.Command); slips(r, x) {
			slipped++
			fmt.Fprintf(out, "SLIPS (%s): %s\n    %s\n", r.Trick, record.Brief(show.Text(r.Command)), show.Text(x.Why))
		}
	}
	for _, text := range allowed {
		for _, r := range attack.Rewritings(text) {
			try(r)
		}
	}
	rng := rand.New(rand.NewPCG(a.Seed, a.Seed)) //nolint:gosec // a seed that can be given again is the point
	for round := 0; round < a.Rounds && len(allowed) > 0; round++ {
		if r, ok := attack.Random(allowed[rng.IntN(len(allowed))], rng); ok {
			try(r)
		}
	}
	fmt.Fprintf(out, "%d commands, %d rewritings, %d slipped through (seed %d)\n", len(allowed), tried, slipped, a.Seed)
	return slipped, out.Flush()
}

// ruling is what the rules say of a command's text.
func (b *Bench) ruling(a Attack, text string) policy.Explanation {
	p, _ := b.proposal(Command{Text: text, Shell: a.Shell, Dir: a.Dir}) // its shell was looked at
	return b.engine.Explain(p)
}

// slips reports whether a rewriting passes that must not.
func slips(r attack.Rewriting, x policy.Explanation) bool {
	return x.Ruling == policy.Allow && (!r.Mild || x.Rule != "")
}
