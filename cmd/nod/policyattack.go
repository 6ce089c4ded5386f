package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
	"github.com/nod-console/nod/tools/risk/attack"
)

func (a *program) policyAttackCommand() *cobra.Command {
	var target, shell, dir string
	var seed uint64
	var rounds int
	cmd := &cobra.Command{
		Use:   "attack [COMMAND...]",
		Short: "try to slip something past the rules",
		Long: `attack rewrites commands that the rules allow, so that they do something else or
hide what they do: chaining, redirection, substitution, wrappers, quoting,
comments, heredocs, environment, look-alikes. What is still allowed then is
listed, and the exit status is 1. Nothing runs.

It starts from each COMMAND; without one, from the examples (match) of the rules
that allow, and from a list of plain observations. "-" reads commands from
standard input, one a line.`,
		Example: `  nod policy attack
  nod policy attack 'systemctl restart nginx'
  nod policy attack --seed 7 --rounds 100000`,
		RunE: func(_ *cobra.Command, args []string) error {
			if _, err := risk.ParseDialect(shell); err != nil {
				return fmt.Errorf("policy attack: %w", err)
			}
			b, target, err := a.policyBench(target)
			if err != nil {
				return err
			}
			starts, err := a.attackStarts(args, b)
			if err != nil {
				return err
			}
			return a.policyAttack(attacker{bench: b, target: target, shell: shell, dir: dir}, starts, seed, rounds)
		},
	}
	cmd.Flags().StringVarP(&target, "target", "t", "local", "where they would run")
	cmd.Flags().StringVar(&shell, "shell", "bash", "bash, sh, zsh or fish")
	cmd.Flags().StringVar(&dir, "dir", "", "the folder they would run in; without it, none is known")
	cmd.Flags().Uint64Var(&seed, "seed", 1, "what the random combinations start from")
	cmd.Flags().IntVar(&rounds, "rounds", 5000, "how many random combinations are tried")
	return cmd
}

// attackStarts are the commands that are rewritten.
func (a *program) attackStarts(args []string, b policyBench) ([]string, error) {
	switch {
	case len(args) == 1 && args[0] == "-":
		text, err := io.ReadAll(a.In)
		if err != nil {
			return nil, fmt.Errorf("policy attack: %w", err)
		}
		return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' }), nil
	case len(args) > 0:
		return args, nil
	}
	starts := attack.Plain()
	for _, r := range b.engine.Rules() {
		if r.Verdict == policy.Allow && r.Program != "" {
			starts = append(starts, r.Match...)
		}
	}
	return starts, nil
}

// attacker asks the policy about rewritings.
type attacker struct {
	bench              policyBench
	target, shell, dir string
}

func (t attacker) explain(command string) policy.Explanation {
	return t.bench.engine.Explain(policy.Proposal{Operator: true, Action: tools.Action{
		Tool: "run_shell", Kind: tools.Run, Target: t.target, Dir: t.dir, Command: command, Dialect: t.shell,
	}})
}

// slips reports whether a rewriting passes that must not.
func (t attacker) slips(r attack.Rewriting) (policy.Explanation, bool) {
	x := t.explain(r.Command)
	return x, x.Ruling == policy.Allow && (!r.Mild || x.Rule != "")
}

func (a *program) policyAttack(t attacker, starts []string, seed uint64, rounds int) error {
	var allowed []string
	for _, command := range starts {
		if x := t.explain(command); x.Ruling == policy.Allow {
			allowed = append(allowed, command)
		} else if err := a.Printf("not allowed by itself, so not attacked: %s\n", record.Brief(show.Text(command))); err != nil {
			return err
		}
	}
	tried, slipped := 0, 0
	try := func(r attack.Rewriting) error {
		tried++
		x, slips := t.slips(r)
		if !slips {
			return nil
		}
		slipped++
		return a.Printf("SLIPS (%s): %s\n    %s\n", r.Trick, record.Brief(show.Text(r.Command)), show.Text(x.Why))
	}
	for _, command := range allowed {
		for _, r := range attack.Rewritings(command) {
			if err := try(r); err != nil {
				return err
			}
		}
	}
	rng := rand.New(rand.NewPCG(seed, seed)) //nolint:gosec // a seed that can be given again is the point
	for range rounds {
		if len(allowed) == 0 {
			break
		}
		if r, ok := attack.Random(allowed[rng.IntN(len(allowed))], rng); ok {
			if err := try(r); err != nil {
				return err
			}
		}
	}
	if err := a.Printf("%d commands, %d rewritings, %d slipped through (seed %d)\n", len(allowed), tried, slipped, seed); err != nil {
		return err
	}
	if slipped > 0 {
		return process.ExitStatus(statusFound)
	}
	return nil
}
