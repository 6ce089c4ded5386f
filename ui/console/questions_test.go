package console_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/decision"
)

type reply struct {
	answer decision.Answer
	err    error
}

// asks asks in the background.
func (s *story) asks(ctx context.Context, q decision.Question) <-chan reply {
	replies := make(chan reply, 1)
	go func() {
		a, err := s.console.Ask(ctx, q)
		replies <- reply{a, err}
	}()
	return replies
}

func replied(t *testing.T, replies <-chan reply) reply {
	t.Helper()
	select {
	case r := <-replies:
		return r
	case <-time.After(time.Minute):
		t.Fatal("no reply")
		return reply{}
	}
}

func TestAHostKeyIsTakenOnlyByAYThatWasMeant(t *testing.T) {
	s := begin(t, 80, 24, nil)
	s.Type("a draft with y")
	replies := s.asks(t.Context(), decision.Question{Title: "ssh:web-1", Text: "The host key is not known.\nSHA256:abc"})
	s.See("ssh:web-1").See("SHA256:abc").See("read first")
	s.Press("y", "Enter").See("SHA256:abc") // typed before it could be read
	s.clock.Advance(5 * time.Second)
	s.Idle().See("y yes")
	s.decide("y").Gone("SHA256:abc").See("> a draft with y")
	if r := replied(t, replies); !r.answer.Given || r.err != nil {
		t.Errorf("%+v", r)
	}
	replies = s.asks(t.Context(), decision.Question{Title: "ssh:web-1", Text: "again?"})
	s.See("again?")
	s.clock.Advance(5 * time.Second)
	s.decide("Enter").Gone("again?")
	if r := replied(t, replies); r.answer.Given {
		t.Errorf("Enter said yes: %+v", r)
	}
}

func TestASecretIsNeverOnTheScreen(t *testing.T) {
	s := begin(t, 80, 24, nil)
	replies := s.asks(t.Context(), decision.Question{Kind: decision.Secret, Title: "ssh:web-1", Text: "Passphrase for id_ed25519"})
	s.See("Passphrase").Type("draft")
	s.clock.Advance(5 * time.Second)
	s.Idle().Type("hunter").Paste("2!\nrest").See("••••••••").Gone("hunter").Gone("2!")
	s.Press("Backspace").Type("?").Press("Enter").Gone("Passphrase").Gone("•")
	if r := replied(t, replies); !r.answer.Given || r.answer.Text != "hunter2?" {
		t.Errorf("%+v", r)
	}
	s.Type("x").See("> x")
}

func TestQuestionsWaitForEachOtherAndStandOverAnApproval(t *testing.T) {
	s := begin(t, 120, 40, nil)
	approval := s.ask(t.Context(), request("1", "touch /tmp/one"))
	s.See("touch /tmp/one")
	s.clock.Advance(5 * time.Second)
	choice := s.asks(t.Context(), decision.Question{Kind: decision.Choice, Title: "nod", Text: "Which way?", Options: []string{"left", "right"}})
	s.See("Which way?")
	line := s.asks(t.Context(), decision.Question{Kind: decision.Line, Title: "nod", Text: "Which code?"})
	s.clock.Advance(5 * time.Second)
	s.Idle().See("1  left").See("2  right")
	s.decide("3").See("Which way?")
	s.decide("2").Gone("Which way?")
	if r := replied(t, choice); !r.answer.Given || r.answer.Option != 1 {
		t.Errorf("%+v", r)
	}
	s.See("Which code?")
	s.clock.Advance(5 * time.Second)
	s.Idle().Type("12y").See("> 12y").Press("Enter").Gone("Which code?")
	if r := replied(t, line); r.answer.Text != "12y" {
		t.Errorf("%+v", r)
	}
	// What was covered wants to be read again.
	s.See("touch /tmp/one").Press("y").See("touch /tmp/one")
	s.clock.Advance(5 * time.Second)
	s.decide("y")
	if a := answer(t, approval); !a.Approved {
		t.Errorf("%+v", a)
	}
}

func TestAQuestionThatNobodyWaitsForDisappears(t *testing.T) {
	s := begin(t, 40, 10, nil)
	ctx, cancel := context.WithCancelCause(t.Context())
	replies := s.asks(ctx, decision.Question{Title: "ssh:web-1", Text: "Really?"})
	s.See("Really?")
	gone := errors.New("the host is gone")
	cancel(gone)
	if r := replied(t, replies); r.answer.Given || !errors.Is(r.err, gone) {
		t.Errorf("%+v", r)
	}
	s.Gone("Really?")
	replies = s.asks(t.Context(), decision.Question{Title: "ssh:web-1", Text: "And now?"})
	s.See("And now?").Cancel(errors.New("over"))
	if r := replied(t, replies); r.answer.Given || !errors.Is(r.err, console.ErrEnded) {
		t.Errorf("%+v", r)
	}
	if r := replied(t, s.asks(t.Context(), decision.Question{})); r.answer.Given || !errors.Is(r.err, console.ErrEnded) {
		t.Errorf("after the end: %+v", r)
	}
}

func TestALongQuestionIsReadToItsEnd(t *testing.T) {
	s := begin(t, 40, 10, nil)
	text := "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n\x1b[31mten"
	replies := s.asks(t.Context(), decision.Question{Title: "ssh:web-1", Text: text})
	s.See("more below")
	s.clock.Advance(5 * time.Second)
	s.decide("y").See("scroll to the last line").Press("PgDn", "PgDn", "PgDn").See("[31mten").See("y yes")
	s.decide("y")
	if r := replied(t, replies); !r.answer.Given {
		t.Errorf("%+v", r)
	}
}

// Besides the options, a question takes an answer in the operator's own words; Esc goes
// back to the options, and nothing that is written answers before Enter.
func TestAChoiceTakesAnAnswerOfTheOperatorsOwn(t *testing.T) {
	s := begin(t, 60, 24, nil)
	replies := s.asks(t.Context(), decision.Question{Kind: decision.Choice, Title: "the model asks", Text: "Which way?", Options: []string{"left", "right"}, Free: true})
	s.See("w  something else")
	s.clock.Advance(5 * time.Second)
	s.Idle()
	s.decide("w").See("Esc back to the options")
	s.Type("1 of them").See("> 1 of them").Press("Esc").Gone("1 of them").See("a digit chooses")
	s.clock.Advance(5 * time.Second)
	s.Idle()
	s.decide("w").See("Esc back").Press("Enter").See("Esc back").Type("neither, y").Press("Enter").Gone("Which way?")
	if r := replied(t, replies); !r.answer.Given || r.answer.Text != "neither, y" {
		t.Errorf("%+v", r)
	}
}
