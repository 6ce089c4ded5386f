package attack_test

import (
	"math/rand/v2"
	"testing"

	"github.com/nod-console/nod/tools/risk/attack"
)

func TestEveryTrickIsTriedOnAPlainCommand(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range attack.Rewritings("cat /etc/hosts") {
		if r.Command == "cat /etc/hosts" || r.Trick == "" {
			t.Errorf("%q does nothing: %q", r.Trick, r.Command)
		}
		if seen[r.Command] {
			t.Errorf("%q says what another one says: %q", r.Trick, r.Command)
		}
		seen[r.Command] = true
	}
	if len(seen) < 100 {
		t.Errorf("only %d tricks work on a plain command", len(seen))
	}
}

func TestWhatACommentSwallowsIsNoRewriting(t *testing.T) {
	for _, r := range attack.Rewritings("df -h # how full?") {
		if r.Trick == "semicolon" || r.Trick == "output to a file" {
			t.Errorf("%q is still only df: %q", r.Trick, r.Command)
		}
	}
}

func TestASeedGivesTheSameAgain(t *testing.T) {
	const command = "ps aux | grep nginx"
	a, b := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(1, 2))
	for range 500 {
		one, ok := attack.Random(command, a)
		two, again := attack.Random(command, b)
		if one != two || ok != again {
			t.Fatalf("%+v and %+v", one, two)
		}
	}
}

func FuzzRewritings(f *testing.F) {
	for _, command := range attack.Plain() {
		f.Add(command, uint64(1))
	}
	f.Add("a='", uint64(2))
	f.Fuzz(func(t *testing.T, command string, seed uint64) {
		for _, r := range attack.Rewritings(command) {
			if r.Command == command {
				t.Errorf("%s does nothing to %q", r.Trick, command)
			}
		}
		rng := rand.New(rand.NewPCG(seed, seed))
		for range 8 {
			attack.Random(command, rng)
		}
	})
}
