package decision_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/ui/decision"
)

// ready is a dialog that only wants one key more: it has been read, and the
// operator has pressed something.
func ready(t *testing.T, r policy.Request) *story {
	t.Helper()
	s := begin(t, 60, 20, r).armed()
	return s.press(tcell.KeyDown).wait(decision.Quiet)
}

// Keys that come in one piece decide nothing, wherever among them the one is that
// would, and however short the piece is.
func TestABurstOfKeysDecidesNothing(t *testing.T) {
	for _, text := range []string{
		"y\n", "yes\n", "ay", "yy", "hello y world", "y\x1b", "\x1by", "ny", "yn", "dy\n", "n\n", "a\na", "cy", "rr", "e;reboot\n",
		"rm -rf /\ny\n", "y" + strings.Repeat("x", 512), strings.Repeat("x", 512) + "y", " y", "y ",
	} {
		s := ready(t, run("touch x"))
		s.burst(text).wait(decision.Alone)
		s.waits(text)
		s.sees("a sentence is not an answer")
		s.wait(time.Minute)
		s.waits(text + ", later")
		s.typed("y")
		if !s.answer().Approved {
			t.Errorf("%q: y by itself does not approve afterwards", text)
		}
	}
}

// A burst needs a pause after it: what comes in several pieces over a slow link
// is thrown away in all of them.
func TestTheNextPieceOfABurstDecidesNothing(t *testing.T) {
	for _, pause := range []time.Duration{decision.Alone, 100 * time.Millisecond, decision.Quiet - 1} {
		s := ready(t, run("touch x"))
		for range 20 {
			s.burst("xx").wait(pause).burst("y").wait(pause)
		}
		s.waits(pause.String())
	}
}

// A key by itself decides, and soon: what comes on top of the time by the clock has
// room within 450 ms.
func TestAKeyByItselfDecidesSoon(t *testing.T) {
	if decision.Alone <= 400*time.Millisecond || decision.Alone > 410*time.Millisecond {
		t.Errorf("%v: hands that write take up to 400 ms from key to key", decision.Alone)
	}
	s := ready(t, run("touch x"))
	s.burst("y").wait(decision.Alone - 1)
	s.waits("not known yet")
	if w := s.Wake(); w <= 0 || w > decision.Alone {
		t.Errorf("looks again in %v", w)
	}
	s.wait(1)
	if !s.answer().Approved {
		t.Error("not approved")
	}
	s = ready(t, run("touch x"))
	s.burst("y").wait(decision.Alone + time.Second) // the console was busy meanwhile
	if !s.answer().Approved {
		t.Error("not approved")
	}
	s = ready(t, run("touch x"))
	s.burst("y").now = s.now.Add(decision.Alone)
	s.Tick(true)
	s.wait(time.Minute)
	s.waits("there was more in the terminal")
	s = ready(t, run("touch x"))
	s.burst("y")
	s.size(61, 20)
	s.wait(time.Minute)
	s.waits("what was asked about looked different before it was known")
}

// A key that went elsewhere, or a paste, is a part of a burst.
func TestABurstThatGoesElsewhereDecidesNothing(t *testing.T) {
	for name, other := range map[string]func(*story){
		"a key":            func(s *story) { s.Hear(tcell.NewEventKey(tcell.KeyF1, 0, tcell.ModNone), false) },
		"the end of one":   func(s *story) { s.HearPaste() },
		"a paste":          func(s *story) { s.paste("x") },
		"a key to scroll":  func(s *story) { s.event(tcell.NewEventKey(tcell.KeyDown, 0, tcell.ModNone)) },
		"a key as ever":    func(s *story) { s.burst("q") },
		"a key of another": func(s *story) { s.Hear(letter('q'), false) },
	} {
		s := ready(t, run("touch x"))
		s.burst("y")
		other(s)
		s.wait(time.Minute)
		s.waits(name + " after it")
		s = ready(t, run("touch x"))
		other(s)
		s.burst("y").wait(time.Minute)
		s.waits(name + " before it")
	}
}

// A key that is held down scrolls all the while.
func TestScrollingByAHeldKeyIsNoBurst(t *testing.T) {
	s := begin(t, 60, 20, run(strings.Repeat("echo a line\n", 200))).armed()
	for range 300 {
		s.event(tcell.NewEventKey(tcell.KeyDown, 0, tcell.ModNone)).wait(30 * time.Millisecond)
	}
	if strings.Contains(s.text(), "burst") {
		t.Errorf("called a burst\n%s", s.text())
	}
	s.wait(decision.Alone).typed("y")
	if !s.answer().Approved {
		t.Error("not approved")
	}
}

// In what is written, an Enter within a burst is a part of the text, as in a paste.
func TestEnterWithinABurstDoesNotEndWhatIsWritten(t *testing.T) {
	s := ready(t, run("touch x"))
	s.typed("e").burst("\nrm -rf /\nls\n")
	s.waits("more could follow")
	s.wait(decision.Alone)
	if a := s.answer(); a.Approved || a.Edited == nil || *a.Edited != "touch x\nrm -rf /\nls" {
		t.Errorf("%+v", a)
	}
	s = ready(t, run("touch x"))
	s.typed("d").burst("not\nnow\n").wait(decision.Alone)
	if a := s.answer(); a.Approved || a.Reason != "not now" {
		t.Errorf("%+v", a)
	}
	s = ready(t, confirming("rm -r /srv"))
	s.typed("y").burst("ssh:web-1\ny\n").wait(time.Minute)
	s.waits("the name and the answer in one piece")
	s.typed("y")
	if !s.answer().Approved {
		t.Errorf("not approved\n%s", s.text())
	}
}

// Whatever comes in bursts, at whatever time, with whatever else between, it
// approves nothing.
func TestBurstsApproveNothing(t *testing.T) {
	alphabet := []rune("yyyyyycarpndex \n\x1b1Yq;")
	request := cutting(t, false)
	request.Scopes, request.Keep = []policy.Scope{policy.Once, policy.Conversation, policy.Always}, "[[rule]]\n"
	request.Verdict.Findings = nil
	screen := begin(t, 60, 20, request).screen
	for seed := range streams() {
		r := rand.New(rand.NewPCG(seed, 11))
		s := beginOn(t, screen, 60, 20, request)
		s.OnPreview(func() {})
		s.every = 50
		if seed%2 == 0 {
			s.armed().press(tcell.KeyDown)
		}
		for range 20 {
			for n := 2 + r.IntN(12); n > 0; n-- {
				if r.IntN(8) == 0 {
					s.event(tcell.NewEventKey([]tcell.Key{tcell.KeyDown, tcell.KeyPgDn, tcell.KeyEnd}[r.IntN(3)], 0, tcell.ModNone))
				} else {
					s.event(letter(alphabet[r.IntN(len(alphabet))]))
				}
				s.wait(time.Duration(r.Int64N(int64(decision.Alone) - 1)))
			}
			s.wait(time.Duration(r.Int64N(int64(2 * time.Second))))
		}
		if s.approved() {
			t.Fatalf("stream %d approved", seed)
		}
		s.waits("bursts neither approve nor deny")
		if t.Failed() {
			t.Fatalf("stream %d", seed)
		}
	}
}
