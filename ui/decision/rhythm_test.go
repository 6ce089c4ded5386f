package decision_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/ui/decision"
)

// deliver delivers the keys that one read of the terminal returns.
func (s *story) deliver(text string) {
	for _, r := range text {
		ev := letter(r)
		s.Hear(ev, len(text) > 1)
		s.event(ev)
	}
}

// sentences begin with, hold and end with letters that answer.
var sentences = []string{
	"you should look at the log first", "yes but only later", "y", "can you check the disk first", "could you stop",
	"are you sure", "remove that file later", "a y c r", "careful, that is prod", "why", "y y y", "really", "no wait",
	"explain that", "do not do that", "reboot it? y", "yy", "yes\ry", "a\r", "try it by hand\ry",
}

// delivery is text as the dialog gets it: reads, and how long before each one nothing
// came.
type delivery struct {
	text  string
	after time.Duration
}

// rhythms are ways in which a text that is no answer arrives.
var rhythms = map[string]func(r *rand.Rand, text string) []delivery{
	"typing": func(r *rand.Rand, text string) (all []delivery) {
		for _, c := range text {
			all = append(all, delivery{string(c), 40*time.Millisecond + time.Duration(r.Int64N(int64(360*time.Millisecond)+1))})
		}
		return all
	},
	"bursts": func(r *rand.Rand, text string) (all []delivery) {
		for text != "" {
			n := 2 + r.IntN(5)
			if len(text) < n+2 { // one letter alone is an answer
				n = len(text)
			}
			for i, c := range text[:n] {
				after := time.Duration(r.Int64N(int64(60 * time.Millisecond)))
				if i == 0 {
					after = time.Duration(r.Int64N(int64(2 * time.Second)))
				}
				all = append(all, delivery{string(c), after})
			}
			text = text[n:]
		}
		return all
	},
	"a paste without brackets": func(r *rand.Rand, text string) (all []delivery) {
		for text != "" {
			n := min(len(text), 2+r.IntN(40))
			all = append(all, delivery{text[:n], time.Duration(r.Int64N(int64(300 * time.Millisecond)))})
			text = text[n:]
		}
		return all
	},
	"a key that is held": func(r *rand.Rand, text string) (all []delivery) {
		c := text[:1]
		every := time.Second / time.Duration(10+r.IntN(40))
		all = append(all, delivery{c, 0}, delivery{c, time.Duration(r.Int64N(int64(400 * time.Millisecond)))})
		for range 30 {
			all = append(all, delivery{c, every})
		}
		return all
	},
	"a slow link": func(r *rand.Rand, text string) (all []delivery) { // a read for each lump
		lump := 200*time.Millisecond + time.Duration(r.Int64N(int64(200*time.Millisecond)))
		gap := 40*time.Millisecond + time.Duration(r.Int64N(int64(lump-40*time.Millisecond)))
		var at, sent time.Duration
		piece := ""
		for _, c := range text {
			if at += gap; at >= sent+lump {
				if piece != "" {
					all = append(all, delivery{piece, lump})
				}
				sent, piece = sent+lump, ""
			}
			piece += string(c)
		}
		return append(all, delivery{piece, lump})
	},
}

// A sentence is not an answer, in whatever rhythm it arrives. Single letters are
// written as the last ones of a sentence.
func TestSentencesApproveNothing(t *testing.T) {
	request := run("touch x")
	request.Scopes, request.Keep = []policy.Scope{policy.Once, policy.Conversation, policy.Always}, "[[rule]]\n"
	request.Verdict.Findings = nil
	display := begin(t, 40, 12, request).screen
	for seed := range 4 * streams() { // 2,000 and more with NOD_E2E=1
		r := rand.New(rand.NewPCG(seed, 6))
		text := sentences[r.IntN(len(sentences))]
		if len(text) < 3 {
			text = "so " + text
		}
		s := beginOn(t, display, 40, 12, request)
		s.every = 40
		names := []string{"typing", "bursts", "a paste without brackets", "a key that is held", "a slow link"}
		name := names[seed%uint64(len(names))]
		s.wait(decision.Shown + decision.Quiet + time.Duration(r.Int64N(int64(2*time.Second))))
		if r.IntN(2) == 0 {
			s.press(tcell.KeyDown) // the operator has seen it
			s.wait(time.Second)
		}
		for i, d := range rhythms[name](r, text) {
			if i > 0 {
				for left := d.after; left > 0; left -= 50 * time.Millisecond { // as the console does while a key waits
					s.wait(min(left, 50*time.Millisecond))
				}
			}
			s.deliver(d.text)
		}
		s.wait(5 * time.Second)
		if s.approved() {
			t.Fatalf("stream %d: %q approved by %s", seed, text, name)
		}
	}
}

// A key that shared a read decides nothing, however far from the others the clock has it.
func TestAKeyThatSharedAReadDecidesNothing(t *testing.T) {
	s := ready(t, run("touch x"))
	s.wait(time.Minute)
	ev := letter('y')
	s.Hear(ev, true)
	s.event(ev).wait(time.Minute)
	s.waits("it shared a read")
	s.sees(decision.NoAnswer)
	s.typed("y")
	if !s.answer().Approved {
		t.Error("y by itself does not approve afterwards")
	}
}

// A key that was pressed before the dialog could do what the last one decided cancels
// that: the program had stood still.
func TestALateKeyCancels(t *testing.T) {
	s := ready(t, run("touch x"))
	s.burst("y")
	s.now = s.now.Add(10 * decision.Alone) // and nobody has looked
	s.event(letter('o')).wait(time.Minute)
	s.waits("a second key came")
}

// The time that a key takes is drawn, and what cancels it.
func TestAnAnswerIsDrawnAsItFills(t *testing.T) {
	s := ready(t, run("touch x"))
	s.burst("y")
	for i := range 9 {
		want := fmt.Sprintf("y approve %s any other key cancels", decision.Bar(float64(i)/9))
		if !strings.Contains(s.text(), want) {
			t.Errorf("step %d: no %q\n%s", i, want, s.text())
		}
		if w := s.Wake(); w <= 0 || w > decision.Alone/9+time.Millisecond {
			t.Errorf("drawn again in %v", w)
		}
		s.wait(decision.Alone / 9)
	}
	s.wait(time.Millisecond)
	if !s.answer().Approved {
		t.Error("not approved")
	}
}
