package policy

import (
	"testing"
	"time"

	"github.com/nod-console/nod/tools"
)

// into is text for a program, entered.
func into(program, text string) Proposal {
	return Proposal{Action: tools.Action{
		Tool: "send-keys", Kind: tools.Type, Target: "local", Dialect: "bash", Busy: program, Program: program, Literal: text, Enter: true, Claim: tools.Claim{Risk: "low"},
	}}
}

// A look in a program runs like any other; nothing else that is typed passes the timed
// window, and what is not read is opaque.
func TestWhatIsTypedIntoProgramsAndTheWindow(t *testing.T) {
	s := engine(t, Options{Approver: no})
	if err := s.OpenWindow(time.Minute); err != nil {
		t.Fatal(err)
	}
	for program, lines := range map[string][]string{
		"sqlite3": {".tables", "select 1;"}, "psql": {`\dt`, "select 1;"}, "redis-cli": {"info"}, "python3": {"1+1"}, "less": {"/x"},
	} {
		for _, line := range lines {
			if d := s.decide(t, into(program, line)); !d.Allowed || d.How != ByRule {
				t.Errorf("%s: %q: %s, %+v", program, line, d.How, d.Verdict)
			}
			inside := into(program, line)
			inside.Action.Inside = []string{"ssh db-1"}
			if d := s.decide(t, inside); d.Allowed {
				t.Errorf("%s: %q in a shell that may be anywhere: %s", program, line, d.How)
			}
		}
	}
	for program, lines := range map[string][]string{
		"sqlite3": {".shell rm x", ".system ls", ".output x", "drop table t;", "insert into t values(1);"}, "psql": {`\! ls`, `\o x`, "update t set a=1;"},
		"redis-cli": {"flushall", "config set dir /tmp", "eval x 0", "set a b"}, "python3": {"import os; os.remove('x')", "x", "exit()"}, "less": {"!ls"}, "vim": {":w", ":!ls"},
		"": {"ls", "mkdir a", "docker restart web", "y", "import os; os.remove('x')"},
	} {
		for _, line := range lines {
			if d := s.decide(t, into(program, line)); d.Allowed {
				t.Errorf("%s: %q: %s", program, line, d.How)
			}
		}
	}
}
