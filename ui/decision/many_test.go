package decision_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// onForty is a command on forty hosts, ten of them prod.
func onForty(command string) policy.Request {
	var parts []tools.Action
	var places []policy.Place
	for i := 1; i <= 40; i++ {
		name := fmt.Sprintf("ssh:web%02d", i)
		place := policy.Place{Target: name}
		if i > 30 {
			place.Trust = policy.Prod
		}
		parts = append(parts, tools.Action{
			Tool: "run_shell", Kind: tools.Exec, Target: name, User: "deploy", Dir: "/srv/app", Command: command, Dialect: "bash",
			Claim: tools.Claim{Risk: "medium", Mutation: true, Why: "the agreed release"},
		})
		places = append(places, place)
	}
	return policy.Request{
		Action: tools.Join("ssh:web[01-40]", parts), Places: places, Verdict: risk.Command(command, risk.Bash), Trust: policy.Prod,
		Why: "on ssh:web31: on prod, what changes something asks", Scopes: []policy.Scope{policy.Once}, Confirm: "ssh:web[01-40]",
	}
}

// TestTheDialogShowsTheSetFolded: how many they are, how many of them prod, who they are, and
// what is to be typed; each part of it has to be seen before anything can be approved.
func TestTheDialogShowsTheSetFolded(t *testing.T) {
	for _, size := range [][2]int{{120, 30}, {80, 24}, {40, 14}} {
		s := begin(t, size[0], size[1], onForty("systemctl restart app")).armed()
		seen := s.text()
		for n := 0; n < 100 && strings.Contains(s.text(), "more below"); n++ {
			if s.press(tcell.KeyDown); !strings.Contains(s.text(), "more below") {
				seen += s.text()
			}
		}
		flat := strings.Join(strings.Fields(strings.NewReplacer("│", " ", "─", " ").Replace(seen)), " ")
		for _, want := range []string{"40 targets, 10 of them prod", "systemctl restart app", "ssh:web[01-30] as deploy", "ssh:web[31-40] (prod) as deploy"} {
			if !strings.Contains(flat, want) {
				t.Errorf("%v: %q is not shown:\n%s", size, want, seen)
			}
		}
		s.typed("y")
		if len(s.answers) > 0 {
			t.Errorf("%v: approved without the name", size)
		}
		s.typed("ssh:web[01-40]").press(tcell.KeyEnter).typed("y")
		if len(s.answers) != 1 || !s.answers[0].Approved || s.answers[0].Typed != "ssh:web[01-40]" {
			t.Errorf("%v: %+v\n%s", size, s.answers, s.text())
		}
	}
}
