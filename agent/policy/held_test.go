package policy

import (
	"context"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// A held command of the operator's runs unasked, whatever it is, in the posture ask and
// read-only; a rule, a hard denial and the posture ask-all stand above that.
func TestWhatIsHeldRunsUnasked(t *testing.T) {
	held := func(text string) Proposal {
		p := command(text)
		p.Operator, p.Action.Wall = true, confine.Landlock
		return p
	}
	const line = "rm -rf /srv/app; ./unknown"
	asking := rules(t, "[[rule]]\nname = \"r\"\nverdict = \"ask\"\nprogram = \"rm\"\n")
	for _, c := range []struct {
		name string
		opt  Options
		p    Proposal
		want Ruling
	}{
		{"ask", Options{}, held(line), Allow},
		{"prod", Options{Trust: map[string]Trust{"*": Prod}}, held(line), Allow},
		{"read-only", Options{Posture: PostureReadOnly}, held(line), Allow},
		{"ask-all", Options{Posture: PostureAskAll}, held(line), Ask},
		{"a rule that asks", Options{Rules: asking}, held("rm x"), Type},
		{"a secret file", Options{}, held("cat /home/op/.ssh/id_rsa"), Deny},
	} {
		x := engine(t, c.opt).Explain(c.p)
		if x.Ruling != c.want {
			t.Errorf("%s: %s: %s, want %s", c.name, x.Ruling, x.Why, c.want)
		}
		if c.want == Allow && x.How != ByWall {
			t.Errorf("%s: by %s", c.name, x.How)
		}
	}
	if title := Title(Request{Action: held(line).Action}); !strings.HasSuffix(title, ", held by Landlock") {
		t.Errorf("the question says %q", title)
	}
	model := held(line)
	model.Operator = false
	if x := engine(t, Options{}).Explain(model); x.Ruling == Allow {
		t.Errorf("a model's: %s", x.Why)
	}
}

// sham is a cage with a wall for everything but looking into processes.
type sham struct{ confine.Wall }

func (s sham) For(grants string) confine.Wall {
	if strings.Contains(grants, confine.Processes) {
		return confine.None
	}
	return s.Wall
}

func (s sham) Prefix(string) string { return "/x/ro " }

// What only looks runs behind the wall with the grants that it needs; what is not
// understood runs in a closed cage; everything else asks as before.
func TestTheTableOfConfinement(t *testing.T) {
	const unread, look, acts = "./check --all", "df -h", "touch x"
	asking := rules(t, "[[rule]]\nname = \"r\"\nverdict = \"ask\"\ntarget = [\"*\"]\neffect = [\"mutate\"]\n")
	for _, c := range []struct {
		name, text string
		opt        Options
		change     func(*Proposal)
		ruling     Ruling
		wall       confine.Wall
		grants     string
	}{
		{name: "a look", text: look, ruling: Allow, wall: "L"},
		{name: "a look with grants", text: "docker ps", ruling: Allow, wall: "L", grants: "U"},
		{name: "a look whose answer would shrink", text: "ss -tlnp", ruling: Allow},
		{name: "a change", text: acts, ruling: Ask},
		{name: "loss", text: "rm -rf /srv/x", ruling: Type},
		{name: "not understood", text: unread, ruling: Allow, wall: "L", grants: "C"},
		{name: "code", text: "python3 -m json.tool f", ruling: Allow, wall: "L", grants: "C"},
		{name: "code that needs the network", text: "curl -s http://127.0.0.1/ | ./check", ruling: Ask},
		{name: "not understood, and it writes", text: unread + " > f", ruling: Ask},
		{name: "not understood, as root", text: "sudo " + unread, ruling: Ask},
		{name: "the model says that it acts", text: unread, ruling: Ask, change: func(p *Proposal) { p.Action.Claim.Mutation = true }},
		{name: "the model says that it is risky", text: unread, ruling: Ask, change: func(p *Proposal) { p.Action.Claim.Risk = "high" }},
		{name: "out of an output", text: unread, ruling: Ask, change: func(p *Proposal) { p.Taint = []Span{{0, 3}} }},
		{name: "with a secret", text: unread, ruling: Ask, change: func(p *Proposal) { p.Must = "it takes a secret" }},
		{name: "on prod", text: unread, opt: Options{Trust: map[string]Trust{"*": Prod}}, ruling: Ask},
		{name: "a look on prod", text: look, opt: Options{Trust: map[string]Trust{"*": Prod}}, ruling: Allow, wall: "L"},
		{name: "on prod, as the operator wants", text: unread, opt: Options{Trust: map[string]Trust{"*": Prod}, Confinement: Confinement{Held: "prod"}}, ruling: Allow, wall: "L", grants: "C"},
		{name: "off there", text: unread, opt: Options{Confinements: map[string]Confinement{"ssh:*": {Held: "off"}}}, ruling: Ask},
		{name: "off elsewhere", text: unread, opt: Options{Confinements: map[string]Confinement{"db-*": {Held: "off"}}}, ruling: Allow, wall: "L", grants: "C"},
		{name: "no cages wanted", text: look, opt: Options{Confinement: Confinement{Cage: "off"}}, ruling: Allow},
		{name: "no cages wanted, not understood", text: unread, opt: Options{Confinement: Confinement{Cage: "off"}}, ruling: Ask},
		{name: "a rule asks", text: unread, opt: Options{Rules: asking}, ruling: Ask},
		{name: "ask-all", text: unread, opt: Options{Posture: PostureAskAll}, ruling: Ask},
		{name: "read-only", text: unread, opt: Options{Posture: PostureReadOnly}, ruling: Allow, wall: "L", grants: "C"},
		{name: "in a pane", text: look, ruling: Allow, change: inPane},
		{name: "in a pane, not understood", text: unread, ruling: Ask, change: inPane},
		{name: "in a pane, required", text: look, opt: Options{Confinement: Confinement{Cage: "require"}}, ruling: Allow, wall: "L", change: inPane},
		{name: "in a pane, not understood, required", text: unread, opt: Options{Confinement: Confinement{Cage: "require"}}, ruling: Allow, wall: "L", grants: "C", change: inPane},
		{name: "about the pane's shell", text: "jobs", opt: Options{Confinement: Confinement{Cage: "require"}}, ruling: Allow, change: inPane},
		{name: "the pane's variable", text: "ls $x | wc -l", opt: Options{Confinement: Confinement{Cage: "require"}}, ruling: Allow, change: inPane},
		{name: "a shell within the pane's", text: unread, ruling: Ask, change: func(p *Proposal) { inPane(p); p.Action.Inside = []string{"ssh db"} }},
		{name: "a secret file", text: "./check ~/.ssh/id_rsa", ruling: Deny},
	} {
		t.Run(c.name, func(t *testing.T) {
			opt := c.opt
			opt.Cage = func(context.Context, string) Cage { return sham{confine.Landlock} }
			p := proposed(c.text)
			if c.change != nil {
				c.change(&p)
			}
			x := engine(t, opt).confine(t.Context(), &p)
			if x.Ruling != c.ruling || p.Action.Wall != c.wall || p.Action.Grants != c.grants {
				t.Errorf("%s behind %q with %q (%s), want %s behind %q with %q", x.Ruling, p.Action.Wall, p.Action.Grants, x.Why, c.ruling, c.wall, c.grants)
			}
		})
	}
}

// proposed is what a model proposes that says it only looks.
func proposed(text string) Proposal {
	p := on("ssh:web-1", command(text))
	p.Action.Kind, p.Action.Pane = tools.Exec, ""
	if v := risk.Command(text, risk.Bash); v.Unread || v.Auto {
		p.Action.Claim = tools.Claim{Risk: "low", Why: "a test"}
	}
	return p
}

// silent is an approver that never answers.
type silent struct{}

func (silent) Approve(ctx context.Context, _ Request) (Answer, error) {
	<-ctx.Done()
	return Answer{}, ctx.Err()
}

func inPane(p *Proposal) { p.Action.Kind, p.Action.Pane = tools.Run, "%1" }

// Behind read-only mounts a look at what is mounted would say that all is read-only.
func TestLooksAtMountsRunWithoutReadOnlyMounts(t *testing.T) {
	for text, want := range map[string]confine.Wall{"df -h": "M", "mount": "", "findmnt -l": "", "cat /proc/mounts": "", "test -w /srv": "", "./check": ""} {
		p := proposed(text)
		x := engine(t, Options{Cage: func(context.Context, string) Cage { return mounted{} }}).confine(t.Context(), &p)
		if p.Action.Wall != want || (x.Ruling == Allow) != (text != "./check") {
			t.Errorf("%s: %s behind %q: %s", text, x.Ruling, p.Action.Wall, x.Why)
		}
	}
}

// mounted is a cage that read-only mounts hold.
type mounted struct{}

func (mounted) For(grants string) confine.Wall {
	if strings.Contains(grants, confine.Closed) {
		return confine.None
	}
	return confine.ReadOnlyMounts
}

func (mounted) Prefix(string) string { return "/x/ro " }

// Where nothing holds commands, looks run as before unless the operator wants them held,
// and what is not understood asks.
func TestWithoutACage(t *testing.T) {
	for _, c := range []struct {
		text, cage string
		want       Ruling
	}{{"df -h", "prefer", Allow}, {"df -h", "require", Ask}, {"./check", "prefer", Ask}, {"./check", "require", Ask}} {
		p := proposed(c.text)
		x := engine(t, Options{Confinement: Confinement{Cage: c.cage}, Cage: func(context.Context, string) Cage { return nil }}).confine(t.Context(), &p)
		if x.Ruling != c.want || p.Action.Wall != confine.None {
			t.Errorf("%s, %s: %s behind %q: %s", c.text, c.cage, x.Ruling, p.Action.Wall, x.Why)
		}
	}
	for _, bad := range []Options{{Confinement: Confinement{Cage: "yes"}}, {Confinements: map[string]Confinement{"x": {Held: "maybe"}}}} {
		bad.Minter, _ = tools.NewMint()
		if _, err := NewEngine(bad); err == nil {
			t.Errorf("%+v is taken", bad)
		}
	}
}

// The operator is asked about what they type on a terminal; where nobody can be asked, it
// runs held.
func TestAnOperatorsCommandThatIsNotUnderstood(t *testing.T) {
	cage := func(context.Context, string) Cage { return sham{confine.Landlock} }
	p := proposed("./check")
	p.Operator, p.Action.Claim = true, tools.Claim{}
	if x := engine(t, Options{Cage: cage, Approver: silent{}}).confine(t.Context(), &p); x.Ruling == Allow {
		t.Errorf("on a terminal: %s", x.Why)
	}
	if x := engine(t, Options{Cage: cage}).confine(t.Context(), &p); x.Ruling != Allow || p.Action.Grants != confine.Closed {
		t.Errorf("without one: %s: %s", x.Ruling, x.Why)
	}
}
