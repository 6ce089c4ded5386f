package controller

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/turn"
)

func TestAMeterInLines(t *testing.T) {
	t.Parallel()
	m := turn.Meter{
		Limit: 128_000, System: 900, Tools: 7100, Said: 60_000, Thought: 500, Reserve: 4096, Messages: 44, Left: 120, Percent: 56,
		Cost: 0.1234, Priced: true, Limits: model.Limits{Requests: model.Limit{Left: 3, Of: 60, Known: true}},
	}
	lines := strings.Join(meterLines(turn.Model{Name: "work"}, m), "\n")
	for _, want := range []string{
		"context of work: 72,596 tokens of 128,000, 56 %", "44 messages", "60,000", "kept free for the answer", "4,096",
		"a summary stands for the first 120 messages", "$0.1234", "3 of 60 requests left",
	} {
		if !strings.Contains(lines, want) {
			t.Errorf("%q is not in\n%s", want, lines)
		}
	}
	if lines := strings.Join(meterLines(turn.Model{}, turn.Meter{System: 10}), "\n"); !strings.Contains(lines, "set context_limit") {
		t.Error(lines)
	}
}
