package policy

import (
	"testing"
	"time"

	"github.com/nod-console/nod/tools"
)

// The window passes what /undo takes back exactly, and what leaves nothing to
// take back; nothing else, whatever it is called.
func TestTheWindowPassesOnlyWhatCanBeTakenBackExactly(t *testing.T) {
	s := engine(t, Options{Approver: no})
	if err := s.OpenWindow(time.Minute); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"mkdir releases", "docker restart web", "systemctl restart app", "systemctl stop app.service", "systemctl start app", "docker stop web db",
		"systemctl reload nginx", "podman pause web", "service nginx restart", "kubectl cordon node-1",
	} {
		if d := s.decide(t, command(text)); d.How != ByWindow {
			t.Errorf("%q: %s", text, d.How)
		}
	}
	typed := tools.Action{Tool: "send_keys", Kind: tools.Type, Target: "local", Dialect: "bash", Dir: "/srv", Literal: "mkdir releases", Enter: true, Claim: tools.Claim{Risk: "low"}}
	atPrompt := typed
	atPrompt.Prompt = true
	withInput := command("docker restart web")
	withInput.Action.Stdin = []byte("x")
	for name, p := range map[string]Proposal{"into a program": {Action: typed}, "at a prompt": {Action: atPrompt}, "with an input": withInput} {
		if d := s.decide(t, p); d.Allowed {
			t.Errorf("%s: %s", name, d.How)
		}
	}
	for _, text := range []string{
		"systemctl stop '*'", "systemctl stop \"s*d.service\"", "systemctl restart 'a?b'", "systemctl start reboot.target", "systemctl start systemd-poweroff",
		"systemctl restart multi-user.target", "systemctl start suspend", "docker restart '*'", "docker restart $(docker ps -q)", "supervisorctl restart all",
		"pkill .", "touch x", "cp /dev/null app.db", "sed -i d app.db", "tee app.db </dev/null", "mv /var/lib/mysql old", "chmod -R 000 /srv", "rmdir a",
		"psql -c 'update users set admin=true'", `psql -c '\! rm -rf x'`, "sqlite3 :memory: '.shell rm -rf x'", "tar xf a.tar", "systemctl stop ssh",
		"split -b 1G --filter='dd of=/dev/sdb' disk.img", "mkdir -p a/b", "mkdir a; mkdir b", "systemctl disable app", "ln -sf a b", "truncate -s0 x",
	} {
		if d := s.decide(t, command(text)); d.Allowed {
			t.Errorf("%q: %s", text, d.How)
		}
	}
}
