package policy

import (
	"slices"
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

// A new file is taken back exactly by its removal; a file that was there is not,
// nor what nobody knows.
func TestTheWindowPassesATouchOnlyWhereNothingIsThere(t *testing.T) {
	there := map[string]bool{"/srv/old": true}
	var asked []string
	s := engine(t, Options{Approver: no, Absent: func(target, name string) bool {
		asked = append(asked, target+":"+name)
		return !there[name]
	}})
	passes := func(text, dir string) bool {
		p := command(text)
		p.Action.Dir = dir
		return s.decide(t, p).How == ByWindow
	}
	if passes("touch new", "/srv") || len(asked) > 0 {
		t.Error("the window is closed")
	}
	if err := s.OpenWindow(time.Minute); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text, dir string
		want      bool
	}{
		{"touch new", "/srv", true}, {"touch -- new /var/other", "/srv", true}, {"touch /srv/new", "", true}, {"touch x", "/", true},
		{"touch old", "/srv", false}, {"touch new old", "/srv", false}, {"touch new", "", false}, {"touch link/../new", "/srv", false},
		{"touch -d yesterday new", "/srv", false}, {"touch -r old new", "/srv", false}, {"touch *", "/srv", false}, {"touch new; touch new", "/srv", false},
	} {
		if got := passes(c.text, c.dir); got != c.want {
			t.Errorf("%q in %q: %t", c.text, c.dir, got)
		}
	}
	if !slices.Contains(asked, "local:/srv/new") || !slices.Contains(asked, "local:/x") {
		t.Errorf("looked for %q", asked)
	}
}
