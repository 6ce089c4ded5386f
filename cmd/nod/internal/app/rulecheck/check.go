package rulecheck

import (
	"errors"
	"fmt"
	"os"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/agent/policy/show"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// Findings is what is wrong with a rules file, and what there is to say about one in which
// nothing is.
type Findings struct {
	Faults []string // each names the file and the line
	Notes  []string
}

// CheckFile reads a rules file, the configured one if file is empty, and runs the examples of
// its rules.
func CheckFile(c *config.Config, getenv func(string) string, file string) (Findings, error) {
	setup, err := app.NewPolicySetup(c, getenv)
	if err != nil {
		return Findings{}, err
	}
	if file == "" {
		file = setup.RulesPath()
	}
	return check(setup, file)
}

func check(setup *app.PolicySetup, file string) (found Findings, err error) {
	text, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return found, fmt.Errorf("policy test: there is no rules file %s; the README shows how one looks", file)
	}
	if err != nil {
		return found, fmt.Errorf("policy test: %w", err)
	}
	rules, faults := policy.CheckRules(text)
	for _, fault := range faults {
		found.Faults = append(found.Faults, fmt.Sprintf("%s: %s", show.Text(file), show.Lines(fault.Error())))
	}
	if len(faults) > 0 {
		return found, nil
	}
	var posture policy.Posture // it makes no rule futile
	engine, err := setup.Engine(rules, posture)
	if err != nil {
		return found, fmt.Errorf("policy test: %w", err)
	}
	examples := 0
	for _, r := range rules.All() {
		if why, needless := engine.Futile(r); needless {
			found.Notes = append(found.Notes, fmt.Sprintf("line %d: rule %q is not needed: %s", r.Line(), show.Text(r.Name), why))
		} else if why != "" {
			found.Faults = append(found.Faults, fmt.Sprintf("%s: line %d: rule \"%s\" never allows anything: %s", show.Text(file), r.Line(), show.Text(r.Name), show.Lines(why)))
		}
		n := len(r.Match) + len(r.NotMatch)
		examples += n
		if n == 0 {
			found.Notes = append(found.Notes, fmt.Sprintf("line %d: rule %q has no examples: add match and not_match", r.Line(), show.Text(r.Name)))
		}
	}
	if len(found.Faults) == 0 {
		found.Notes = append(found.Notes, fmt.Sprintf("ok: %d rules, %d examples", len(rules.All()), examples))
	}
	return found, nil
}
