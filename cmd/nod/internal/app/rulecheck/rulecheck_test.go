package rulecheck

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools/risk"
)

// configured is the configuration of a home with these rules.
func configured(t *testing.T, rules string) (c *config.Config, getenv func(string) string) {
	t.Helper()
	home := t.TempDir()
	file := filepath.Join(home, ".config", "nod", "rules.toml")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(rules), 0o600); err != nil {
		t.Fatal(err)
	}
	getenv = func(name string) string { return map[string]string{"HOME": home}[name] }
	c, err := config.Load(config.Source{Getenv: getenv})
	if err != nil {
		t.Fatal(err)
	}
	return c, getenv
}

const (
	nginx  = "[[rule]]\nname = \"nginx\"\nverdict = \"allow\"\nprogram = \"systemctl\"\nargv = [\"restart\", \"nginx\"]\nexact = true\nmatch = [\"systemctl restart nginx\"]\n"
	noDF   = "[[rule]]\nname = \"no df\"\nverdict = \"deny\"\nprogram = \"df\"\n"
	aKey   = "[[rule]]\nname = \"key\"\nverdict = \"allow\"\nprogram = \"cat\"\nargv = [\"/home/ada/.ssh/id_rsa\"]\nmatch = [\"cat /home/ada/.ssh/id_rsa\"]\n"
	wide   = "[[rule]]\nverdict = \"allow\"\nlevel = [\"low\", \"medium\"]\n"
	broken = "[[rule]]\nname = \"ls\"\nverdict = \"allow\"\nprogram = \"ls\"\nmatch = [\"rm x\"]\n"
)

func TestARulesFileIsChecked(t *testing.T) {
	for name, c := range map[string]struct{ rules, fault, note string }{
		"good":            {nginx, "", "ok: 1 rules, 1 examples"},
		"without example": {noDF, "", `line 1: rule "no df" has no examples`},
		"futile":          {aKey, "never allows anything", ""},
		"false example":   {broken, `line 1: rule "ls": the example "rm x"`, ""},
	} {
		conf, getenv := configured(t, c.rules)
		found, err := CheckFile(conf, getenv, "")
		if err != nil || (len(found.Faults) > 0) != (c.fault != "") || !strings.Contains(strings.Join(found.Faults, "\n"), c.fault) ||
			!strings.Contains(strings.Join(found.Notes, "\n"), c.note) {
			t.Errorf("%s: %+v, %v", name, found, err)
		}
	}
	conf, getenv := configured(t, "")
	if _, err := CheckFile(conf, getenv, "/no/such.toml"); err == nil || !strings.Contains(err.Error(), "/no/such.toml") {
		t.Errorf("no file: %v", err)
	}
}

func open(t *testing.T, rules string) *Bench {
	t.Helper()
	c, getenv := configured(t, rules)
	b, err := Open(c, getenv, local.Name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestExplainMarksWhatDecides(t *testing.T) {
	x, err := open(t, noDF).Explain(Command{Text: "uptime; df -h", Shell: "bash"})
	if err != nil || x.Ruling != "deny" || x.Rule != "no df" || x.Line != 1 {
		t.Fatalf("%+v, %v", x, err)
	}
	if words := x.String(); !strings.HasPrefix(words, "DENY on local\n") || !strings.Contains(words, "\n          ^^^^^ decides\n") {
		t.Errorf("%s", words)
	}
	if _, err := open(t, noDF).Explain(Command{Text: "df", Shell: "csh"}); err == nil || !strings.Contains(err.Error(), "csh") {
		t.Errorf("a shell that is not known: %v", err)
	}
}

func TestAttackFindsARuleThatLetsTooMuchPass(t *testing.T) {
	attack := Attack{Starts: []string{"df -h", "touch x"}, Shell: "bash", Seed: 1, Rounds: 20}
	var out bytes.Buffer
	if n, err := open(t, nginx).Attack(&out, attack); n != 0 || err != nil || !strings.Contains(out.String(), "so not attacked: touch x\n") {
		t.Errorf("%d, %v\n%s", n, err, &out)
	}
	if n, err := open(t, wide).Attack(&out, attack); n == 0 || err != nil || !strings.Contains(out.String(), "SLIPS (") {
		t.Errorf("%d, %v", n, err)
	}
}

// TestReplayFindsWhatIsDecidedDifferently and counts what cannot be judged.
func TestReplayFindsWhatIsDecidedDifferently(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ledger")
	l, err := ledger.Open(dir, ledger.Options{})
	if err != nil {
		t.Fatal(err)
	}
	intent := ledger.Intent{ID: "1", Target: local.Name, Tool: "run_shell", Kind: "run", Command: "df -h", Dialect: "bash", Decision: string(policy.ByRule), Rule: "looks"}
	if _, err := l.Intend(t.Context(), intent); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	n, err := open(t, noDF).Replay(&out, dir, 0, false)
	if err != nil || n.Different != 1 || !strings.Contains(out.String(), `then: allowed by "looks"  now: denied by "no df"`) {
		t.Errorf("%+v, %v\n%s", n, err, &out)
	}
	out.Reset()
	if n, err = open(t, nginx).Replay(&out, dir, 1, false); err != nil || n.Different != 0 || out.String() != "0 of 1 would be decided differently\n" {
		t.Errorf("%+v, %v\n%s", n, err, &out)
	}
}

func TestJudge(t *testing.T) {
	for command, want := range map[string]string{"df -h": "free", "rm -r /srv/app": "asks"} {
		judge, err := Judge("none", "/root", risk.Bash)
		if err != nil {
			t.Fatal(err)
		}
		text, err := json.Marshal(judge(command))
		if err != nil || !strings.HasSuffix(string(text), `,"runs":"`+want+`"}`) {
			t.Errorf("%q: %s, %v", command, text, err)
		}
	}
	if _, err := Judge("X", "/root", risk.Bash); err == nil || !strings.Contains(err.Error(), `"X"`) {
		t.Errorf("a wall that there is not: %v", err)
	}
}
