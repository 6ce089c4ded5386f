package lockout

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// Bounds of the time after which a revert comes.
const (
	MinAfter     = 5 * time.Second
	DefaultAfter = 2 * time.Minute
	MaxAfter     = time.Hour
)

// carryTime bounds each of a plan's actions.
const carryTime = 40 * time.Second

// Plan is a revert that can be armed before an action. Its three actions are
// complete: they can be shown, allowed and recorded before anything happens.
type Plan struct {
	ID     string        // unique; names the folder on the host
	After  time.Duration // from arming to the revert
	Covers []string      // what the revert brings back, in words
	Lacks  []string      // what the action touches and the revert does not bring back

	Arm     tools.Action // saves and arms; answers Armed
	Disarm  tools.Action // takes the revert back; answers Disarmed, Fired or Gone
	Collect tools.Action // fetches what the revert did; answers Reverted, Armed, Running or Gone
}

// Delay is After in words: "90 s", "2 min", "2 min 30 s".
func (p *Plan) Delay() string {
	minutes, seconds := int(p.After/time.Minute), int(p.After%time.Minute/time.Second)
	switch {
	case p.After < 2*time.Minute:
		return fmt.Sprintf("%d s", int(p.After/time.Second))
	case seconds == 0:
		return fmt.Sprintf("%d min", minutes)
	}
	return fmt.Sprintf("%d min %d s", minutes, seconds)
}

// For returns the revert that fits an action, or says why there is none. Both are
// empty for an action that no finding calls a danger for the way in.
func For(a tools.Action, v risk.Verdict, after time.Duration) (p *Plan, why string) {
	if !v.Flags.Has(risk.Lockout) {
		return nil, ""
	}
	if !sameHost(a.Inside) {
		return nil, "the shell in the pane is not on the host itself"
	}
	if slices.ContainsFunc(a.Inside, func(string) bool { return a.Kind == tools.Write }) {
		return nil, "a file is not written within a shell"
	}
	t := touchedBy(textOf(a), v.Findings)
	if t.none() {
		return nil, "nothing that this touches can be saved and brought back"
	}
	after = min(max(after, MinAfter), MaxAfter).Round(time.Second)
	p = &Plan{ID: strings.ToLower(rand.Text()[:16]), After: after, Covers: t.words(), Lacks: t.lacks}
	head := fmt.Sprintf("id=%s\nafter=%d\n", p.ID, int(after/time.Second))
	act := func(script string) tools.Action {
		return tools.Action{
			Tool: "revert", Kind: tools.Exec, Target: a.Target, User: a.User,
			Command: t.command(), Dialect: "sh", Stdin: []byte(head + script), Wait: carryTime,
		}
	}
	p.Arm, p.Disarm, p.Collect = act(t.armScript()), act(find+disarmScript), act(find+collectScript)
	return p, ""
}

// textOf is what the offsets of an action's findings count in.
func textOf(a tools.Action) string {
	switch a.Kind {
	case tools.Exec, tools.Run:
		return a.Command
	case tools.Type:
		return a.Pending + a.Literal
	case tools.Write:
		return a.Path
	}
	return ""
}

// rootShells open a shell with other rights on the same host.
var rootShells = []string{
	"sudo -i", "sudo -s", "sudo su", "sudo su -", "sudo bash", "sudo -i bash", "sudo sh", "su", "su -", "su root", "su - root", "doas -s", "doas sh",
}

func sameHost(inside []string) bool {
	return !slices.ContainsFunc(inside, func(opened string) bool {
		return !slices.Contains(rootShells, strings.Join(strings.Fields(opened), " "))
	})
}
