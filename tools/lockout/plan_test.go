package lockout_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/lockout"
	"github.com/nod-console/nod/tools/risk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestWhatARevertCovers(t *testing.T) {
	const net, fw, ssh = "links, addresses and routes", "the firewall", "the ssh service"
	for command, want := range map[string][]string{
		"ip route del default":                           {net},
		"sudo ip link set eth0 down":                     {net},
		"bash -c 'ip route flush table main'":            {net},
		"nmcli c down eth0":                              {net, "/etc/NetworkManager"},
		"netplan apply":                                  {net, "/etc/netplan"},
		"systemctl restart networking":                   {net},
		"sudo iptables -A INPUT -p tcp -j DROP":          {fw},
		"nft flush ruleset":                              {fw},
		"ufw enable":                                     {fw, "/etc/default/ufw", "/etc/ufw"},
		"systemctl stop sshd":                            {ssh},
		"pkill sshd":                                     {ssh},
		"sed -i s/a/b/ /etc/ssh/sshd_config":             {"/etc/ssh"},
		"echo x | sudo tee /etc/ssh/sshd_config.d/a":     {"/etc/ssh"},
		"echo x >> ~/.ssh/authorized_keys":               {"~/.ssh"},
		"rm /home/bob/.ssh/authorized_keys":              {"/home/bob/.ssh"},
		"passwd -l root":                                 {"/etc/group", "/etc/gshadow", "/etc/passwd", "/etc/shadow"},
		"rm /etc/pam.d/sshd":                             {"/etc/pam.d/sshd"},
		"visudo":                                         {"/etc/sudoers", "/etc/sudoers.d"},
		"ip route del default && systemctl stop ssh":     {net, ssh},
		"rm -rf /etc/ssh/*":                              {"/etc/ssh"},
		"echo nameserver 1.1.1.1 > /etc/resolv.conf":     {"/etc/resolv.conf"},
		"cp /tmp/x /etc/network/interfaces && ifdown -a": {net, "/etc/network/interfaces"},
	} {
		p, why := lockout.For(tools.Action{Kind: tools.Run, Target: "ssh:x", Command: command}, risk.Command(command, risk.Bash), 0)
		if p == nil {
			t.Errorf("%s: %q", command, why)
			continue
		}
		if !slices.Equal(p.Covers, want) {
			t.Errorf("%s: covers %q, want %q", command, p.Covers, want)
		}
	}
}

func TestWhereThereIsNoRevert(t *testing.T) {
	for _, c := range []struct {
		action tools.Action
		why    string
	}{
		{tools.Action{Kind: tools.Exec, Command: "ls"}, ""},
		{tools.Action{Kind: tools.Exec, Command: "poweroff"}, "nothing that this touches"},
		{tools.Action{Kind: tools.Exec, Command: "sysctl -w net.ipv4.ip_forward=0"}, "nothing that this touches"},
		{tools.Action{Kind: tools.Exec, Command: "rm -rf /usr/lib"}, "nothing that this touches"},
		{tools.Action{Kind: tools.Run, Command: "ip route del default", Inside: []string{"ssh db"}}, "not on the host itself"},
	} {
		p, why := lockout.For(c.action, risk.Command(c.action.Command, risk.Bash), 0)
		if p != nil || !strings.Contains(why, c.why) || (c.why == "") != (why == "") {
			t.Errorf("%s: %v %q, want %q", c.action.Command, p, why, c.why)
		}
	}
	a := tools.Action{Kind: tools.Run, Command: "ip route del default", Inside: []string{"sudo -i"}}
	if p, why := lockout.For(a, risk.Command(a.Command, risk.Bash), 0); p == nil {
		t.Errorf("in a root shell: %s", why)
	}
}

func TestAPlanIsCompleteAndItsOwn(t *testing.T) {
	a := tools.Action{Kind: tools.Run, Target: "ssh:x", User: "bob", Pane: "%1", Command: "echo x >> ~/.ssh/o\\'y && ip route del default", Dialect: "bash"}
	p, _ := lockout.For(a, risk.Command(a.Command, risk.Bash), 0)
	q, _ := lockout.For(a, risk.Command(a.Command, risk.Bash), 0)
	if p == nil || q == nil || p.ID == q.ID || p.After != lockout.DefaultAfter && p.After != lockout.MinAfter {
		t.Fatalf("%+v %+v", p, q)
	}
	for _, act := range []tools.Action{p.Arm, p.Disarm, p.Collect} {
		if act.Target != "ssh:x" || act.User != "bob" || act.Pane != "" || act.Kind != tools.Exec || act.Wait == 0 {
			t.Errorf("%+v", act)
		}
		if !bytes.Contains(act.Stdin, []byte("id="+p.ID+"\n")) {
			t.Error("a script without the id")
		}
	}
	if p.Arm.Digest() == q.Arm.Digest() {
		t.Error("two plans are the same")
	}
}

func TestTheTimeIsBounded(t *testing.T) {
	a := tools.Action{Kind: tools.Exec, Command: "ip route del default"}
	v := risk.Command(a.Command, risk.Bash)
	for given, want := range map[time.Duration]time.Duration{0: lockout.MinAfter, time.Minute: time.Minute, 100 * time.Hour: lockout.MaxAfter} {
		if p, _ := lockout.For(a, v, given); p.After != want {
			t.Errorf("%v becomes %v", given, p.After)
		}
	}
}

func TestOnlyTheScriptsOwnWordsAreAnAnswer(t *testing.T) {
	a := tools.Action{Kind: tools.Exec, Command: "ip route del default"}
	p, _ := lockout.For(a, risk.Command(a.Command, risk.Bash), 0)
	for _, bad := range []string{"", "disarmed", "nod-revert other disarmed", "nod-revert " + p.ID + " fine", "nod-revert " + p.ID + " armed soon", "x nod-revert " + p.ID + " disarmed"} {
		if got, err := p.Read(bad); err == nil {
			t.Errorf("%q: %+v", bad, got)
		}
	}
	got, err := p.Read("welcome\nnod-revert " + p.ID + " reverted\nreverting\nroute added\n")
	if err != nil || got.State != lockout.Reverted || !slices.Equal(got.Log, []string{"reverting", "route added"}) {
		t.Errorf("%+v %v", got, err)
	}
}

// FuzzRead: whatever a host says, it is an answer of the plan's or an error.
func FuzzRead(f *testing.F) {
	a := tools.Action{Kind: tools.Exec, Command: "ip route del default"}
	p, _ := lockout.For(a, risk.Command(a.Command, risk.Bash), 0)
	f.Add("nod-revert " + p.ID + " armed 5 a shell\n")
	f.Fuzz(func(t *testing.T, output string) {
		if got, err := p.Read(output); err == nil && got.State == "" {
			t.Errorf("%q", output)
		}
	})
}

// FuzzFor: nothing in a command gets out of the quotes of the script.
func FuzzFor(f *testing.F) {
	f.Add("rm /etc/ssh/a'b")
	f.Fuzz(func(t *testing.T, command string) {
		a := tools.Action{Kind: tools.Exec, Command: command}
		p, _ := lockout.For(a, risk.Command(command, risk.Bash), 0)
		if p == nil {
			return
		}
		head, _, _ := strings.Cut(string(p.Arm.Stdin), "revert_script()")
		for _, line := range strings.Split(head, "\n") {
			if rest, ok := strings.CutPrefix(line, "\tkeep "); ok && !oneWord(rest) {
				t.Errorf("%q gives %q", command, line)
			}
		}
	})
}

// oneWord reports whether a text is one quoted word of shell, without any
// expansion but the home's.
func oneWord(s string) bool {
	s = strings.TrimPrefix(s, `"$home"/`)
	if len(s) > 0 && s[0] == '~' {
		s = s[strings.IndexByte(s, '/')+1:]
	}
	s = strings.ReplaceAll(s, `'\''`, "")
	return len(s) >= 2 && s[0] == '\'' && s[len(s)-1] == '\'' && !strings.Contains(s[1:len(s)-1], "'")
}
