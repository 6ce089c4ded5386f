package risk

import (
	"embed"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mvdan.cc/sh/v3/syntax"
)

// The corpus: a sysadmin's day, and two nights on call. What stands in night.txt
// and relief.txt was written before the analyzer had been tried on it.
//
//go:embed testdata/corpus.txt testdata/night.txt testdata/relief.txt testdata/dawn.txt testdata/siege.txt testdata/beyond.txt testdata/market.txt testdata/trades.txt testdata/machines.txt testdata/clients.txt testdata/shorthand.txt
var corpusFiles embed.FS

var corpusNames = []string{"corpus.txt", "night.txt", "relief.txt", "dawn.txt", "siege.txt", "beyond.txt", "market.txt", "trades.txt", "machines.txt", "clients.txt", "shorthand.txt"}

// example is one command of the corpus with what is true of it.
type example struct {
	effect  Effect
	flags   Flags
	auto    bool
	reach   bool // auto but for the hosts that it asks
	command string
	file    string
	line    int
}

// corpus reads all examples.
func corpus(t testing.TB) []example {
	t.Helper()
	var all []example
	for _, name := range corpusNames {
		all = append(all, examples(t, name)...)
	}
	return all
}

// examples reads one file; a heading holds for the lines below it.
func examples(t testing.TB, name string) []example {
	t.Helper()
	body, err := corpusFiles.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var all []example
	var now example
	for i, line := range strings.Split(string(body), "\n") {
		switch {
		case line == "" || strings.HasPrefix(line, "# "):
		case strings.HasPrefix(line, "== "):
			fields := strings.Fields(line)
			now = example{auto: fields[3] == "auto", reach: fields[3] == "reach", file: name}
			if err := now.effect.UnmarshalText([]byte(fields[1])); err != nil {
				t.Fatalf("%s:%d: %v", name, i+1, err)
			}
			for _, w := range strings.Split(fields[2], ",") {
				if f, err := ParseFlag(w); err == nil {
					now.flags |= f
				} else if w != "-" {
					t.Fatalf("%s:%d: %v", name, i+1, err)
				}
			}
		default:
			now.command, now.line = strings.ReplaceAll(line, "↵", "\n"), i+1
			all = append(all, now)
		}
	}
	return all
}

// score is what a file's commands come to.
type score struct {
	all, exact, leaks, plain, plainAuto, reaches, reachesFound, losses, lossesFound, flagged, flagsFound int
}

// TestScoreboard holds the analyzer to its bar, file by file, and prints where
// it stands.
func TestScoreboard(t *testing.T) {
	for _, name := range corpusNames {
		var s score
		for _, e := range examples(t, name) {
			s.count(t, e)
		}
		t.Logf("%-11s %4d commands; run by themselves: %d that must not; plain and automatic: %d of %d, %.1f %% (bar 90); plain but for the host: %d of %d; loss found: %d of %d, %.1f %% (bar 98); flags found: %d of %d, %.1f %%; effect exact: %.1f %%",
			name, s.all, s.leaks, s.plainAuto, s.plain, percent(s.plainAuto, s.plain), s.reachesFound, s.reaches, s.lossesFound, s.losses, percent(s.lossesFound, s.losses),
			s.flagsFound, s.flagged, percent(s.flagsFound, s.flagged), percent(s.exact, s.all))
		if s.leaks > 0 || s.plain > 0 && percent(s.plainAuto, s.plain) < 90 || s.reaches > 0 && percent(s.reachesFound, s.reaches) < 90 || s.losses > 0 && percent(s.lossesFound, s.losses) < 98 {
			t.Errorf("%s: below the bar", name)
		}
	}
	if n := len(corpus(t)); n < 500 {
		t.Errorf("the corpus has only %d commands", n)
	}
}

func (s *score) count(t *testing.T, e example) {
	v := Command(e.command, Bash)
	s.all++
	if v.Effect == e.effect {
		s.exact++
	}
	if e.auto {
		s.plain++
		if v.Auto {
			s.plainAuto++
		} else {
			t.Logf("%s:%d: asks about a plain command: %q: %v", e.file, e.line, e.command, v.Findings)
		}
		return
	}
	if v.Auto || v.Plain && !e.reach {
		s.leaks++
		t.Errorf("%s:%d: runs by itself, or where its hosts are known: %q", e.file, e.line, e.command)
	}
	if e.reach {
		s.reaches++
		if v.Plain {
			s.reachesFound++
		} else {
			t.Logf("%s:%d: asks even where the host is known: %q: %v", e.file, e.line, e.command, v.Findings)
		}
	}
	if e.effect == Destroy {
		s.losses++
		if v.Effect == Destroy {
			s.lossesFound++
		} else {
			t.Logf("%s:%d: loss not found: %q: %v %v", e.file, e.line, e.command, v.Effect, v.Findings)
		}
	} else if v.Effect != e.effect {
		t.Logf("%s:%d: %v, want %v: %q: %v", e.file, e.line, v.Effect, e.effect, e.command, v.Findings)
	}
	if e.flags != 0 {
		s.flagged++
		if v.Flags.Has(e.flags) {
			s.flagsFound++
		} else {
			t.Logf("%s:%d: flags %v, want %v: %q: %v", e.file, e.line, v.Flags, e.flags, e.command, v.Findings)
		}
	}
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return 100 * float64(part) / float64(whole)
}

// TestFiftyMicroseconds: 99 of 100 commands of the corpus are assessed in less of the
// processor's time. What counts is the time of the thread, so other programs do not: where
// the system tells (see threadTime). The best of several runs of each counts, since the
// thread shares caches with them, and has them collect garbage for it. A slower machine has
// as much longer as it takes for the parser alone. The bar holds for a build without the race
// detector, which is some ten times slower and says nothing about time: it runs everything
// once.
func TestFiftyMicroseconds(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	all := corpus(t)
	best, rounds := make([]time.Duration, len(all)), 60
	if raced {
		rounds = 1
	}
	slower := max(1, float64(parserTime(t))/float64(parsedIn))
	bar := time.Duration(slower * float64(50*time.Microsecond))
	var took []time.Duration
	at := func(p float64) time.Duration { return took[int(p*float64(len(took)-1))] }
	for round := range rounds {
		for i, e := range all {
			start := threadTime(t)
			Command(e.command, Bash)
			if d := threadTime(t) - start; round == 0 || d < best[i] {
				best[i] = d
			}
		}
		if took = slices.Sorted(slices.Values(best)); round >= 11 && at(0.99) < bar {
			break
		}
	}
	t.Logf("per command: median %v, p99 %v, longest %v; the parser takes %.2f of its time", at(0.5), at(0.99), took[len(took)-1], slower)
	if p99 := at(0.99); p99 >= bar && !raced {
		t.Errorf("p99 is %v, want less than %v", p99, bar)
	}
}

// parsedIn is how long the parser takes for parserTime's text on the machine on which
// TestFiftyMicroseconds got its bar.
const parsedIn = 97 * time.Microsecond

// parserTime is how long the shell's parser takes for a text, the best of many times.
func parserTime(t *testing.T) time.Duration {
	t.Helper()
	text := strings.Repeat("for f in /var/log/*.log; do grep -c \"error $f\" \"$f\" | awk '{print $1}' || true; done\n", 64)
	best := time.Duration(0)
	for i := range 400 {
		start := threadTime(t)
		if _, err := syntax.NewParser().Parse(strings.NewReader(text), ""); err != nil {
			t.Fatal(err)
		}
		if d := threadTime(t) - start; i == 0 || d < best {
			best = d
		}
	}
	return best
}
