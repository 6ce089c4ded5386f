package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/rulecheck"
)

// statusFound is the exit status of a check that found something.
const statusFound = 1

func (a *program) policyCommand() *cobra.Command {
	parent := &cobra.Command{
		Use:   "policy",
		Short: "try the rules: what may run, what asks, and why",
		Long: `policy works on the rules that decide what may run: the rules file, the trust of
targets and the posture. Nothing that is tried here runs.`,
	}
	parent.AddCommand(a.policyTestCommand(), a.policyExplainCommand(), a.policyReplayCommand(), a.policyAttackCommand())
	return parent
}

// rules are the rules as they are configured, for a target, to be asked.
func (a *program) rules(target string) (*rulecheck.Bench, error) {
	c, err := a.config()
	if err != nil {
		return nil, err
	}
	return rulecheck.Open(c, a.Getenv, target)
}

func (a *program) policyTestCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "test [FILE]",
		Short: "check the rules file and run its examples",
		Long: `test reads the rules file, or FILE, and runs each rule's examples (match,
not_match). It names everything that is wrong, by line, and exits with 1 then:
also a rule that says allow and can never allow anything, because a stricter
rule, a hard denial or the target's trust is in its way, or because it names no
folder (dir) or host where it must. nod itself does nothing at all by a file that
cannot be read.`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := a.config()
			if err != nil {
				return err
			}
			found, err := rulecheck.CheckFile(c, a.Getenv, strings.Join(args, ""))
			if err != nil {
				return err
			}
			for _, note := range found.Notes {
				if err := a.Printf("%s\n", note); err != nil {
					return err
				}
			}
			for _, fault := range found.Faults {
				a.Complain("policy test: %s", fault)
			}
			if len(found.Faults) > 0 {
				return process.ExitStatus(statusFound)
			}
			return nil
		},
	}
}

func (a *program) policyExplainCommand() *cobra.Command {
	var target string
	var c rulecheck.Command
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain -- COMMAND",
		Short: "say what would be decided about a command, by which rule and why",
		Example: `  nod policy explain -- systemctl restart nginx
  nod policy explain -t ssh:web-1 -- 'rm -rf /srv/app/releases/2024*'`,
		RunE: func(_ *cobra.Command, args []string) error {
			var err error
			if c.Text, err = shellLine(args); err != nil {
				return fmt.Errorf("policy explain: %w", err)
			}
			b, err := a.rules(target)
			if err != nil {
				return err
			}
			x, err := b.Explain(c)
			switch {
			case err != nil:
				return fmt.Errorf("policy explain: %w", err)
			case asJSON:
				return show.WriteJSON(a.Out, x)
			}
			return a.Printf("%s", x)
		},
	}
	cmd.Flags().StringVarP(&target, "target", "t", "local", "where it would run")
	cmd.Flags().StringVar(&c.Shell, "shell", "bash", "bash, sh, zsh or fish")
	cmd.Flags().StringVar(&c.Dir, "dir", "", "the folder it would run in; without it, none is known")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

func (a *program) policyAttackCommand() *cobra.Command {
	var target string
	var attack rulecheck.Attack
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
			b, err := a.rules(target)
			if err != nil {
				return err
			}
			if attack.Starts = args; len(args) == 1 && args[0] == "-" {
				text, err := io.ReadAll(a.In)
				if err != nil {
					return fmt.Errorf("policy attack: %w", err)
				}
				attack.Starts = strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
			} else if len(args) == 0 {
				attack.Starts = b.Allowed()
			}
			slipped, err := b.Attack(a.Out, attack)
			if err == nil && slipped > 0 {
				err = process.ExitStatus(statusFound)
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&target, "target", "t", "local", "where they would run")
	cmd.Flags().StringVar(&attack.Shell, "shell", "bash", "bash, sh, zsh or fish")
	cmd.Flags().StringVar(&attack.Dir, "dir", "", "the folder they would run in; without it, none is known")
	cmd.Flags().Uint64Var(&attack.Seed, "seed", 1, "what the random combinations start from")
	cmd.Flags().IntVar(&attack.Rounds, "rounds", 5000, "how many random combinations are tried")
	return cmd
}

func (a *program) policyReplayCommand() *cobra.Command {
	var last int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "replay",
		Short: "ask the present rules about everything on record",
		Long: `replay reads the record of what ran and what was denied, asks the present rules
about each, and lists what would be decided differently now. Nothing runs. It
exits with 1 if there is a difference.`,
		Args: noArgs,
		RunE: func(*cobra.Command, []string) error {
			if last < 0 {
				return fmt.Errorf("policy replay: --last %d: want how many of the newest records, or 0 for all", last)
			}
			b, err := a.rules(local.Name)
			if err != nil {
				return err
			}
			dir, err := a.ledgerFolder()
			if err != nil {
				return err
			}
			replay, err := b.Replay(a.Out, dir, last, asJSON)
			if err != nil {
				return err
			}
			if replay.Unread > 0 {
				a.Complain("policy replay: %d records do not hold enough to be judged again", replay.Unread)
			}
			if replay.Different > 0 {
				return process.ExitStatus(statusFound)
			}
			return nil
		},
	}
	cmd.Flags().IntVarP(&last, "last", "n", 0, "only the newest so many; 0 means all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object for each difference")
	return cmd
}
