package rulecheck

import (
	"bufio"
	"fmt"
	"io"

	"github.com/nod-console/nod/agent/gate"
	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
)

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

// Replayed counts what is on record.
type Replayed struct {
	Different int // would be decided differently now
	Unread    int // do not hold enough to be judged again
}

// Replay asks the rules about everything in the ledger of a folder, or its newest records if
// last is not 0, and prints what would be decided differently now.
func (b *Bench) Replay(w io.Writer, dir string, last int, asJSON bool) (n Replayed, err error) {
	var records []ledger.Record
	err = ledger.Read(dir, func(r ledger.Record) error {
		if i := proposed(r); i != nil && (r.Intent == nil || len(i.Targets) == 0) { // those of its targets follow
			records = append(records, r)
		}
		if last > 0 && len(records) > last {
			records = records[1:]
		}
		return nil
	})
	if err != nil {
		return n, record.Explain(dir, err)
	}
	out := bufio.NewWriter(w)
	for _, r := range records {
		i := proposed(r)
		p, err := gate.ProposalOf(*i)
		if err != nil {
			n.Unread++
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
		n.Different++
		d := difference{
			Seq: r.Seq, Time: r.Time.Local().Format("2006-01-02 15:04:05"), Target: i.Target, Command: whatWas(*i),
			Then: then, ByThen: i.Rule, Now: outcomeNow(x), ByNow: x.Rule, Why: x.Why,
		}
		if asJSON {
			err = show.WriteJSON(out, d)
		} else {
			_, err = fmt.Fprintf(out, "%d  %s  %s  %s\n    then: %s  now: %s, because %s\n", d.Seq, d.Time, show.Text(d.Target),
				record.Brief(show.Text(d.Command)), said(d.Then, d.ByThen), said(d.Now, d.ByNow), show.Text(d.Why))
		}
		if err != nil {
			return n, err
		}
	}
	if !asJSON {
		fmt.Fprintf(out, "%d of %d would be decided differently\n", n.Different, len(records))
	}
	return n, out.Flush()
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
