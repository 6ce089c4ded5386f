package policy

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/confine"
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
