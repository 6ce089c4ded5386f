package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
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

// policyBench is the policy as it is configured, without anything that could run.
type policyBench struct {
	engine *policy.Engine
	file   string // the rules file, which need not exist
}

// policyBench puts it together; target is the canonical name of what name calls.
func (a *program) policyBench(name string) (b policyBench, target string, err error) {
	c, err := a.config()
	if err != nil {
		return policyBench{}, "", err
	}
	names, err := targets.CanonicalNames(c, a.Getenv, []string{name})
	if err != nil {
		return policyBench{}, "", err
	}
	setup, err := app.NewPolicySetup(c, a.Getenv)
	if err != nil {
		return policyBench{}, "", err
	}
	rules, err := setup.Rules()
	if err != nil {
		return policyBench{}, "", err
	}
	posture, err := policy.ParsePosture(c.Policy.Posture)
	if err != nil {
		return policyBench{}, "", err
	}
	engine, err := setup.Engine(rules, posture)
	return policyBench{engine, setup.RulesPath()}, names[0], err
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
			setup, err := app.NewPolicySetup(c, a.Getenv)
			if err != nil {
				return err
			}
			file := setup.RulesPath()
			if len(args) == 1 {
				file = args[0]
			}
			return a.policyTest(setup, file)
		},
	}
}

func (a *program) policyTest(setup *app.PolicySetup, file string) error {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("policy test: there is no rules file %s; the README shows how one looks", file)
	}
	if err != nil {
		return fmt.Errorf("policy test: %w", err)
	}
	rules, faults := policy.CheckRules(text)
	for _, fault := range faults {
		a.Complain("policy test: %s: %s", show.Text(file), exactly(fault.Error()))
	}
	if len(faults) > 0 {
		return process.ExitStatus(statusFound)
	}
	var posture policy.Posture // it makes no rule futile
	engine, err := setup.Engine(rules, posture)
	if err != nil {
		return fmt.Errorf("policy test: %w", err)
	}
	examples, futile := 0, 0
	for _, r := range rules.All() {
		if why, needless := engine.Futile(r); needless {
			if err := a.Printf("line %d: rule %q is not needed: %s\n", r.Line(), show.Text(r.Name), why); err != nil {
				return err
			}
		} else if why != "" {
			futile++
			a.Complain("policy test: %s: line %d: rule \"%s\" never allows anything: %s", show.Text(file), r.Line(), show.Text(r.Name), exactly(why))
		}
		n := len(r.Match) + len(r.NotMatch)
		examples += n
		if n == 0 {
			if err := a.Printf("line %d: rule %q has no examples: add match and not_match\n", r.Line(), show.Text(r.Name)); err != nil {
				return err
			}
		}
	}
	if futile > 0 {
		return process.ExitStatus(statusFound)
	}
	return a.Printf("ok: %d rules, %d examples\n", len(rules.All()), examples)
}

func (a *program) policyExplainCommand() *cobra.Command {
	var target, shell, dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "explain -- COMMAND",
		Short: "say what would be decided about a command, by which rule and why",
		Example: `  nod policy explain -- systemctl restart nginx
  nod policy explain -t ssh:web-1 -- 'rm -rf /srv/app/releases/2024*'`,
		RunE: func(_ *cobra.Command, args []string) error {
			text, err := shellLine(args)
			if err != nil {
				return fmt.Errorf("policy explain: %w", err)
			}
			if _, err := risk.ParseDialect(shell); err != nil {
				return fmt.Errorf("policy explain: %w", err)
			}
			b, target, err := a.policyBench(target)
			if err != nil {
				return err
			}
			p := policy.Proposal{Operator: true, Action: tools.Action{
				Tool: "run_shell", Kind: tools.Run, Target: target, Dir: dir, Command: text, Dialect: shell,
			}}
			x := b.engine.Explain(p)
			if asJSON {
				return writeJSON(a.Out, explained(p, x))
			}
			return a.Printf("%s", explanation(b.file, p, x))
		},
	}
	cmd.Flags().StringVarP(&target, "target", "t", "local", "where it would run")
	cmd.Flags().StringVar(&shell, "shell", "bash", "bash, sh, zsh or fish")
	cmd.Flags().StringVar(&dir, "dir", "", "the folder it would run in; without it, none is known")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON object")
	return cmd
}

// explanationJSON is what "nod policy explain --json" prints.
type explanationJSON struct {
	Command string       `json:"command"`
	Target  string       `json:"target"`
	Ruling  string       `json:"ruling"`
	Rule    string       `json:"rule,omitempty"`
	Line    int          `json:"line,omitempty"`
	Start   int          `json:"start"`
	End     int          `json:"end"`
	Why     string       `json:"why"`
	Confirm bool         `json:"confirm"`
	Trust   string       `json:"trust,omitempty"`
	Posture string       `json:"posture"`
	Risk    risk.Verdict `json:"risk"`
}

func explained(p policy.Proposal, x policy.Explanation) explanationJSON {
	return explanationJSON{
		Command: p.Action.Command, Target: p.Action.Target, Ruling: x.Ruling.String(), Rule: x.Rule, Line: x.Line,
		Start: x.Part.Start, End: x.Part.End, Why: x.Why, Confirm: x.Confirm,
		Trust: string(x.Trust), Posture: x.Posture.String(), Risk: x.Verdict,
	}
}

// explanation is a ruling in words, with the part that decides marked.
func explanation(file string, p policy.Proposal, x policy.Explanation) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s on %s", strings.ToUpper(x.Ruling.String()), show.Text(p.Action.Target))
	if x.Trust != "" {
		fmt.Fprintf(&b, " (%s)", x.Trust)
	}
	if x.Confirm {
		b.WriteString(", and the target's name is typed to approve")
	}
	fmt.Fprintf(&b, "\nbecause %s", show.Text(x.Why))
	if x.Line > 0 {
		fmt.Fprintf(&b, " (%s:%d)", show.Text(file), x.Line)
	}
	b.WriteString("\n\n")
	marked(&b, p.Action.Command, x.Part.Start, x.Part.End, "decides")
	fmt.Fprintf(&b, "\nrisk: %s %s", strings.ToUpper(x.Verdict.Level.String()), x.Verdict.Effect)
	if flags := x.Verdict.Flags.String(); flags != "" {
		fmt.Fprintf(&b, " (%s)", flags)
	}
	fmt.Fprintf(&b, "; posture: %s\n", x.Posture)
	for _, f := range x.Verdict.Findings {
		marked(&b, p.Action.Command, f.Start, f.End, f.Why)
	}
	return b.String()
}

// marked writes the line of a text that a part begins on, the part underlined
// and said something about, by nod or with what is quoted rendered. Without a part it
// writes the text.
func marked(b *strings.Builder, text string, start, end int, what string) {
	if start < 0 || end > len(text) || start >= end {
		for _, row := range show.Rows(text, 1<<20) {
			fmt.Fprintf(b, "  %s\n", row.Text())
		}
		return
	}
	from := strings.LastIndexByte(text[:start], '\n') + 1
	to := len(text)
	if i := strings.IndexByte(text[from:], '\n'); i >= 0 {
		to = from + i
	}
	width := func(piece string) int { return len([]rune(show.Text(piece))) }
	before, under := width(text[from:start]), max(1, width(text[start:min(end, to)]))
	fmt.Fprintf(b, "  %s\n  %s%s %s\n", show.Text(text[from:to]), strings.Repeat(" ", before), strings.Repeat("^", under), what)
}
