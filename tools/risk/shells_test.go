package risk

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestWhatIsAutomaticWritesNothingInRealShells puts texts together at random
// from what shells read in surprising ways, and has real shells run those that
// are automatic. A parser that reads a text differently from a shell is found
// here. NOD_E2E=1 tries more; NOD_SEED tries others.
func TestWhatIsAutomaticWritesNothingInRealShells(t *testing.T) {
	pieces := []string{
		"ls", "echo a", "true", "cat", "touch x", "touch x", "touch x", "\n", "\n", " ", " ", ";", "&", "|", "#", " #", " # \\\n", "\\", "\\\n", "'", "\"",
		"`", "$(", ")", "(", "{ ", "}", "<<E\n", "<<'E'\n", "<<-E\n", "\nE\n", "<<< ", "$'", "${x:-", "$((", "))", "[[ ", " ]]", "if ", "then ", "fi", "do ", "done",
		"for i in a; ", "case a in a) ", ";; esac", "!", "&&", "||", ">/dev/null", "2>&1", "\t", "x=1 ", "$x", "*", "~", "\r", "--", "-l", "time ", "\\#", "''",
	}
	seed := uint64(1)
	if s, err := strconv.ParseUint(os.Getenv("NOD_SEED"), 10, 64); err == nil {
		seed = s
	}
	most := 40
	switch {
	case os.Getenv("NOD_E2E") == "1":
		most = 400
	case raced:
		most = 10
	}
	rng := rand.New(rand.NewPCG(seed, seed))
	total := 0
	for name, dialect := range map[string]Dialect{"bash": Bash, "dash": POSIX, "busybox": POSIX, "zsh": Zsh, "fish": Fish} {
		path, err := exec.LookPath(name)
		if err != nil {
			if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
				t.Errorf("%s is missing", name)
			}
			t.Logf("%s is missing", name)
			continue
		}
		dir := t.TempDir()
		for ran, tried := 0, 0; ran < most && tried < 3000*most; tried++ {
			var b strings.Builder
			for range 2 + rng.IntN(9) {
				b.WriteString(pieces[rng.IntN(len(pieces))])
			}
			text := b.String()
			if !strings.Contains(text, "touch x") || !Command(text, dialect).Auto {
				continue
			}
			ran++
			total++
			args := []string{"-c", text}
			if name == "busybox" {
				args = append([]string{"sh"}, args...)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			cmd := exec.CommandContext(ctx, path, args...)
			cmd.Dir, cmd.Env, cmd.WaitDelay = dir, []string{"PATH=/usr/bin:/bin", "HOME=" + dir}, time.Second
			_ = cmd.Run() // most of them fail
			cancel()
			made, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range made {
				if f.IsDir() {
					continue // what a shell keeps for itself at home
				}
				t.Errorf("seed %d: %s made %q of %q, which is automatic", seed, name, f.Name(), text)
				if err := os.Remove(dir + "/" + f.Name()); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	t.Logf("seed %d: %d automatic texts run", seed, total)
}
