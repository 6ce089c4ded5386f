package policy

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/nod-console/nod/tools/risk/attack"
)

// attacked are rules as operators write them.
const attacked = `
[[rule]]
name = "nginx"
verdict = "allow"
program = "systemctl"
argv = ["restart", "nginx"]
exact = true
match = ["systemctl restart nginx"]
[[rule]]
name = "fetch"
verdict = "allow"
program = "git"
argv = ["fetch"]
dir = ["/srv"]
match = ["git fetch origin"]
[[rule]]
name = "maintenance"
verdict = "allow"
program = "touch"
path = ["/srv/app/**"]
match = ["touch /srv/app/MAINTENANCE"]
[[rule]]
name = "deploy"
verdict = "allow"
program = "deploy"
argv = ["--dry-run"]
exact = true
match = ["deploy --dry-run"]
[[rule]]
name = "health"
verdict = "allow"
program = "curl"
argv = ["-s", "https://status.example.com/health"]
match = ["curl -s https://status.example.com/health"]
`

// Nothing that is made of an allowed command passes: neither as a plain
// observation nor by a rule. NOD_SEED tries other combinations.
func TestNoRewritingPasses(t *testing.T) {
	seed := uint64(1)
	if s, err := strconv.ParseUint(os.Getenv("NOD_SEED"), 10, 64); err == nil {
		seed = s
	}
	all := rules(t, attacked)
	s := engine(t, Options{Rules: all})
	starts := attack.Plain()
	for _, r := range all.All() {
		starts = append(starts, r.Match...)
	}
	try := func(r attack.Rewriting) {
		if x := s.Explain(command(r.Command)); x.Ruling == Allow && (!r.Mild || x.Rule != "") {
			t.Errorf("seed %d: %s: %q passes: %s", seed, r.Trick, r.Command, x.Why)
		}
	}
	tried := 0
	for _, start := range starts {
		if x := s.Explain(command(start)); x.Ruling != Allow {
			t.Errorf("%q is not allowed: %s", start, x.Why)
		}
		for _, r := range attack.Rewritings(start) {
			tried++
			try(r)
		}
	}
	rng := rand.New(rand.NewPCG(seed, seed))
	for range 1500 {
		if r, ok := attack.Random(starts[rng.IntN(len(starts))], rng); ok {
			tried++
			try(r)
		}
	}
	t.Logf("seed %d: %d rewritings, none may pass", seed, tried)
}

// The attack finds what it is there to find: a rule that lets too much pass.
func TestTheAttackFindsAHole(t *testing.T) {
	s := engine(t, Options{Rules: rules(t, "[[rule]]\nverdict = \"allow\"\neffect = [\"observe\", \"mutate\", \"destroy\"]\nflags = [\"opaque\"]\n[[rule]]\nverdict = \"allow\"\nlevel = [\"medium\"]\n")})
	found := false
	for _, r := range attack.Rewritings("df -h") {
		found = found || s.Explain(command(r.Command)).Ruling == Allow
	}
	if !found {
		t.Error("nothing slipped past rules that allow nearly everything")
	}
}
