package policy

import (
	"context"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
)

// A look with root's rights is held within sudo. It asks once for each target, user and
// conversation; whatever is more than a look asks every time, and so does all that asks for
// another reason.
func TestLooksAsRootAskOnce(t *testing.T) {
	asked, yes := 0, false
	var last Request
	s := engine(t, Options{
		Trust:    map[string]Trust{"ssh:db-*": Prod},
		Cage:     func(context.Context, string) Cage { return sham{confine.Landlock} },
		Rules:    rules(t, "[[rule]]\nname = \"r\"\nverdict = \"ask\"\nprogram = \"lsblk\"\n"),
		Approver: say(func(r Request) Answer { asked++; last = r; return Answer{Approved: yes, Typed: r.Confirm} }),
	})
	// try decides about a command and reports whether the operator was asked.
	try := func(target, conversation, text string, change func(*Proposal)) (Decision, bool) {
		p := on(target, proposed(text))
		p.Conversation = conversation
		p.Action.Claim = tools.Claim{Risk: "medium", Privesc: true}
		if change != nil {
			change(&p)
		}
		before := asked
		d, err := s.Decide(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return d, asked > before
	}
	const web, db = "ssh:web-1", "ssh:db-1"
	if d, was := try(web, "c", "sudo -n dmesg", nil); !was || d.Allowed {
		t.Fatalf("a first look that is denied: %+v", d)
	}
	if last.Action.Wall != confine.Landlock || last.Action.Grants != confine.Root || !strings.Contains(last.Why, "all such looks on "+web) || !strings.HasSuffix(Title(last), ", held by Landlock within sudo") {
		t.Errorf("the question: %q, %q, %q %q", Title(last), last.Why, last.Action.Wall, last.Action.Grants)
	}
	yes = true
	if d, was := try(web, "c", "sudo -n dmesg", nil); !was || !d.Allowed || d.How != ByOperator {
		t.Errorf("the no of before: %+v", d)
	}
	if d, was := try(web, "c", "sudo ls -l /root | sort", nil); was || !d.Allowed || d.How != ByConversation || d.Action.Wall != confine.Landlock {
		t.Errorf("another look after the yes: %v, %+v", was, d)
	}
	for _, c := range []struct {
		name, target, conversation, text string
		change                           func(*Proposal)
		wall                             confine.Wall
	}{
		{name: "another conversation", target: web, conversation: "d", text: "sudo -n dmesg", wall: "L"},
		{name: "no conversation", target: web, text: "sudo -n dmesg", wall: "L"},
		{name: "another target", target: db, conversation: "c", text: "sudo -n dmesg", wall: "L"},
		{name: "another user", target: web, conversation: "c", text: "sudo -n dmesg", wall: "L", change: func(p *Proposal) { p.Action.User = "other" }},
		{name: "a change", target: web, conversation: "c", text: "sudo -n touch /srv/x"},
		{name: "a look that needs a way that the cage has not", target: web, conversation: "c", text: "sudo -n lsof"},
		{name: "what is not understood", target: web, conversation: "c", text: "sudo -n ./check"},
		{name: "as another user", target: web, conversation: "c", text: "sudo -u postgres ls"},
		{name: "a rule asks", target: web, conversation: "c", text: "sudo -n lsblk", wall: "L"},
		{name: "out of an output", target: web, conversation: "c", text: "sudo -n dmesg", wall: "L", change: func(p *Proposal) { p.Taint = []Span{{0, 4}} }},
		{name: "the model says that it acts", target: web, conversation: "c", text: "sudo -n dmesg", wall: "L", change: func(p *Proposal) { p.Action.Claim.Mutation = true }},
		{name: "the model says that it is risky", target: web, conversation: "c", text: "sudo -n dmesg", wall: "L", change: func(p *Proposal) { p.Action.Claim.Risk = "high" }},
		{name: "in a pane", target: web, conversation: "c", text: "sudo -n dmesg", change: inPane},
		{name: "the operator's own", target: web, conversation: "c", text: "sudo -n dmesg", change: func(p *Proposal) { p.Operator = true; p.Action.Claim = tools.Claim{} }},
	} {
		d, was := try(c.target, c.conversation, c.text, c.change)
		if !was || d.Action.Wall != c.wall {
			t.Errorf("%s: asked %v, behind %q: %+v", c.name, was, d.Action.Wall, d)
		}
	}
	if _, was := try(db, "c", "sudo -n ls /root", nil); was {
		t.Error("on prod it asks again")
	}
	s.SetPosture(PostureAskAll)
	if _, was := try(web, "c", "sudo -n dmesg", nil); !was {
		t.Error("the posture ask-all does not ask")
	}
	s.SetPosture(PostureReadOnly)
	if d, _ := try(web, "c", "sudo -n dmesg", nil); d.Allowed {
		t.Error("the posture read-only lets it pass")
	}
}
