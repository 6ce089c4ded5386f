package risk

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"github.com/nod-console/nod/tools/risk/attack"
)

// TestNoRewritingRunsByItself tries every trick on every automatic command of
// the corpus; without NOD_E2E=1, on every sixth.
func TestNoRewritingRunsByItself(t *testing.T) {
	tried := 0
	for i, e := range corpus(t) {
		if !e.auto || os.Getenv("NOD_E2E") != "1" && i%6 != 0 || raced && i%24 != 0 {
			continue
		}
		for _, r := range attack.Rewritings(e.command) {
			if r.Mild {
				continue
			}
			tried++
			if v := Command(r.Command, Bash); v.Auto {
				t.Errorf("%s:%d: %s: %q runs by itself", e.file, e.line, r.Trick, r.Command)
			}
		}
	}
	t.Logf("%d rewritings, none may run by itself", tried)
}

// TestNoRandomRewritingRunsByItself combines tricks, by seeds. NOD_SEED tries
// another one.
func TestNoRandomRewritingRunsByItself(t *testing.T) {
	seed := uint64(1)
	if s, err := strconv.ParseUint(os.Getenv("NOD_SEED"), 10, 64); err == nil {
		seed = s
	}
	rng := rand.New(rand.NewPCG(seed, seed))
	var plain []example
	for _, e := range corpus(t) {
		if e.auto {
			plain = append(plain, e)
		}
	}
	tried := 0
	rounds := 10000
	switch {
	case raced:
		rounds = 2000
	case os.Getenv("NOD_E2E") == "1":
		rounds = 200000
	}
	for range rounds {
		e := plain[rng.IntN(len(plain))]
		r, ok := attack.Random(e.command, rng)
		if !ok || r.Mild {
			continue
		}
		tried++
		for _, d := range []Dialect{Bash, POSIX, Zsh, Fish} {
			if v := Command(r.Command, d); v.Auto {
				t.Errorf("seed %d: %s in %v: %q runs by itself", seed, r.Trick, d, r.Command)
			}
			if !raced && tried%8 != 0 {
				break
			}
		}
	}
	t.Logf("seed %d: %d rewritings, none may run by itself", seed, tried)
}

func TestTheBuiltInStartsAreAutomatic(t *testing.T) {
	for _, command := range attack.Plain() {
		if v := Command(command, Bash); !v.Auto {
			t.Errorf("%q: %v", command, v.Findings)
		}
	}
}
