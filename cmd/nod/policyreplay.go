package main

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
)

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
			b, _, err := a.policyBench(local.Name)
			if err != nil {
				return err
			}
			dir, err := a.ledgerFolder()
			if err != nil {
				return err
			}
			return a.policyReplay(b, dir, last, asJSON)
		},
	}
	cmd.Flags().IntVarP(&last, "last", "n", 0, "only the newest so many; 0 means all")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print a JSON object for each difference")
	return cmd
}

// difference is a record that would be decided differently now.
type difference struct {
	Seq     uint64 `json:"seq"`
	Time    string `json:"time"`
	Target  string `json:"target"`
	Command string `json:"command"`
	Then    string `json:"then"`
	ByThen  string `json:"rule_then,omitempty"`
	Now     string `json:"now"`
	ByNow   string `json:"rule_now,omitempty"`
	Why     string `json:"why"`
}

func (a *program) policyReplay(b policyBench, dir string, last int, asJSON bool) error {
	var records []ledger.Record
	err := ledger.Read(dir, func(r ledger.Record) error {
		if i := proposed(r); i != nil && (r.Intent == nil || len(i.Targets) == 0) { // those of its targets follow
			records = append(records, r)
		}
		if last > 0 && len(records) > last {
			records = records[1:]
		}
		return nil
	})
	if err != nil {
		return record.Explain(dir, err)
	}
	out := bufio.NewWriter(a.Out)
	found, unread := 0, 0
	for _, r := range records {
		i := proposed(r)
		p, err := gate.ProposalOf(*i)
		if err != nil {
			unread++
			continue
		}
		then, ok := outcomeThen(i.Decision)
		if i.Decision == string(policy.ByRule) { // whoever was asked then was known then
			p.Named = func(string) bool { return true }
		}
		x := b.engine.Explain(p)
		if now := outcomeNow(x); !ok || now == then {
			continue
		}
		found++
		d := difference{
			Seq: r.Seq, Time: r.Time.Local().Format("2006-01-02 15:04:05"), Target: i.Target, Command: whatWas(*i),
			Then: then, ByThen: i.Rule, Now: outcomeNow(x), ByNow: x.Rule, Why: x.Why,
		}
		if asJSON {
			err = writeJSON(out, d)
		} else {
			_, err = fmt.Fprintf(out, "%d  %s  %s  %s\n    then: %s  now: %s, because %s\n", d.Seq, d.Time, show.Text(d.Target),
				record.Brief(show.Text(d.Command)), said(d.Then, d.ByThen), said(d.Now, d.ByNow), show.Text(d.Why))
		}
		if err != nil {
			return err
		}
	}
	if !asJSON {
		fmt.Fprintf(out, "%d of %d would be decided differently\n", found, len(records))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	if unread > 0 {
		a.Complain("policy replay: %d records do not hold enough to be judged again", unread)
	}
	if found > 0 {
		return process.ExitStatus(statusFound)
	}
	return nil
}

// proposed is what a record says was to run; nil if it says nothing of that.
func proposed(r ledger.Record) *ledger.Intent {
	switch {
	case r.Intent != nil:
		return r.Intent
	case r.Note != nil:
		return r.Note.Proposal
	}
	return nil
}

// outcomeThen is what a decision on record came to, in the words of outcomeNow;
// false for what no rule decides.
func outcomeThen(how string) (string, bool) {
	switch policy.How(how) {
	case policy.ByRule, policy.ByWall:
		return "allowed", true
	case policy.DeniedByRule:
		return "denied", true
	case policy.ByOperator, policy.ByAlways, policy.ByConversation, policy.ByWindow, policy.ByApproveAll,
		policy.DeniedByAnswer, policy.DeniedByEdit, policy.DeniedByCancel, policy.DeniedByChange:
		return "asked", true
	}
	return "", false
}

func outcomeNow(x policy.Explanation) string {
	switch x.Ruling {
	case policy.Allow:
		return "allowed"
	case policy.Deny:
		return "denied"
	}
	return "asked"
}

func said(what, rule string) string {
	if rule == "" {
		return what
	}
	return fmt.Sprintf("%s by %q", what, show.Text(rule))
}

func whatWas(i ledger.Intent) string {
	if i.Path != "" {
		return i.Path
	}
	return i.Command
}
