package risk

import (
	_ "embed"
	"strings"
	"testing"
)

//go:embed testdata/corpus.txt
var corpusText string

// example is one command of the corpus with what is true of it.
type example struct {
	effect  Effect
	flags   Flags
	auto    bool
	command string
	line    int
}

// corpus reads the examples; a heading holds for the lines below it.
func corpus(t testing.TB) []example {
	t.Helper()
	var all []example
	var now example
	for i, line := range strings.Split(corpusText, "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "== "):
			fields := strings.Fields(line)
			now = example{auto: fields[3] == "auto"}
			if err := now.effect.UnmarshalText([]byte(fields[1])); err != nil {
				t.Fatalf("line %d: %v", i+1, err)
			}
			for _, w := range strings.Split(fields[2], ",") {
				if f, err := ParseFlag(w); err == nil {
					now.flags |= f
				} else if w != "-" {
					t.Fatalf("line %d: %v", i+1, err)
				}
			}
		default:
			now.command, now.line = strings.ReplaceAll(line, "↵", "\n"), i+1
			all = append(all, now)
		}
	}
	return all
}

// TestScoreboard holds the analyzer to its bar and prints where it stands.
func TestScoreboard(t *testing.T) {
	var plain, plainAuto, losses, lossesFound, leaks, flagged, flagsFound, exact int
	all := corpus(t)
	for _, e := range all {
		v := Command(e.command, Bash)
		if v.Effect == e.effect {
			exact++
		}
		if e.auto {
			plain++
			if v.Auto {
				plainAuto++
			} else {
				t.Logf("line %d: asks about a plain command: %q: %v", e.line, e.command, v.Findings)
			}
			continue
		}
		if v.Auto {
			leaks++
			t.Errorf("line %d: runs by itself: %q", e.line, e.command)
		}
		if e.effect == Destroy {
			losses++
			if v.Effect == Destroy {
				lossesFound++
			} else {
				t.Logf("line %d: loss not found: %q: %v %v", e.line, e.command, v.Effect, v.Findings)
			}
		} else if v.Effect != e.effect {
			t.Logf("line %d: %v, want %v: %q: %v", e.line, v.Effect, e.effect, e.command, v.Findings)
		}
		if e.flags != 0 {
			flagged++
			if v.Flags.Has(e.flags) {
				flagsFound++
			} else {
				t.Logf("line %d: flags %v, want %v: %q: %v", e.line, v.Flags, e.flags, e.command, v.Findings)
			}
		}
	}
	t.Logf("commands            %d, effect exact %.1f %%", len(all), percent(exact, len(all)))
	t.Logf("run by themselves   %d that must not", leaks)
	t.Logf("plain and automatic %d of %d, %.1f %% (bar 90)", plainAuto, plain, percent(plainAuto, plain))
	t.Logf("loss found          %d of %d, %.1f %% (bar 98)", lossesFound, losses, percent(lossesFound, losses))
	t.Logf("flags found         %d of %d, %.1f %%", flagsFound, flagged, percent(flagsFound, flagged))
	if len(all) < 500 || percent(plainAuto, plain) < 90 || percent(lossesFound, losses) < 98 {
		t.Error("below the bar")
	}
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}
