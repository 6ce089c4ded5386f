package inverse_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools/inverse"
)

func TestOpposites(t *testing.T) {
	for command, want := range map[string]string{
		"systemctl stop nginx":                          "systemctl start nginx",
		"sudo systemctl disable --now nginx.service":    "sudo systemctl enable --now nginx.service",
		"sudo -n systemctl mask a b":                    "sudo -n systemctl unmask a b",
		"/usr/bin/systemctl --user start x":             "/usr/bin/systemctl --user stop x",
		"ip link set dev eth1 down":                     "ip link set dev eth1 up",
		"ip link set eth1 up":                           "ip link set eth1 down",
		"ip addr add 10.0.0.2/24 dev eth0":              "ip addr del 10.0.0.2/24 dev eth0",
		"ip -6 route del fd00::/8 via fd01::1 dev eth0": "ip -6 route add fd00::/8 via fd01::1 dev eth0",
		"mkdir a b":                           "rmdir -- b a",
		"mkdir -m 700 'a b'":                  "rmdir -- 'a b'",
		"touch a":                             "test -f a && test '!' -L a && test '!' -s a && rm -- a",
		"sudo touch -- 'a b' 'a b'":           "sudo test -f 'a b' && sudo test '!' -L 'a b' && sudo test '!' -s 'a b' && sudo rm -- 'a b'",
		"rmdir a":                             "mkdir -- a",
		"mv a b":                              "test '!' -d b && mv -nT -- b a",
		"mv -T a b":                           "mv -nT -- b a",
		"sudo mv /etc/x.conf /etc/x.conf.off": "sudo test '!' -d /etc/x.conf.off && sudo mv -nT -- /etc/x.conf.off /etc/x.conf",
		"docker stop web db":                  "docker start web db",
		"kubectl cordon node1":                "kubectl uncordon node1",
		"iptables -A INPUT -p tcp --dport 22 -j DROP":        "iptables -D INPUT -p tcp --dport 22 -j DROP",
		"iptables -t nat -I PREROUTING 3 -p tcp -j REDIRECT": "iptables -t nat -D PREROUTING -p tcp -j REDIRECT",
		"ufw allow 22/tcp":  "ufw delete allow 22/tcp",
		"swapoff /dev/sdb2": "swapon /dev/sdb2",
	} {
		got, ok := inverse.Of(command)
		if !ok || got.Command != want {
			t.Errorf("%s: %q %v, want %q", command, got.Command, ok, want)
		}
	}
}

func TestWhatHasNoOpposite(t *testing.T) {
	for _, command := range []string{
		"", "ls", "rm x", "systemctl restart nginx", "systemctl stop", "systemctl stop nginx; ls", "systemctl stop nginx &",
		"systemctl stop $UNIT", "systemctl stop nginx*", "systemctl stop --force nginx", "systemctl --host=x stop nginx",
		"chmod 600 x", "chown root x", "sysctl -w a=b", "mkdir -p a/b", "mv a b c", "mv a b/", "mv a .", "mv -t d a", "mv -b a b",
		"ip route del default", "ip route flush table main", "ip addr flush dev eth0", "ip addr add 10.0.0.2 dev eth0", "ip link del eth0", "ip link set eth0 mtu 900",
		"ip link set eth0", "iptables -F", "iptables -P INPUT DROP", "iptables -A INPUT", "iptables -D INPUT 3", "ufw enable", "ufw allow",
		"X=1 systemctl stop nginx", "systemctl stop nginx > /dev/null", "sudo", "sudo -u bob systemctl stop nginx", "swapoff -a", "docker stop -t 5 web",
		"`systemctl` stop nginx", "! systemctl stop nginx", "mkdir ~/x",
		"touch", "touch -a x", "touch -d now x", "touch -t 202001010000 x", "touch -r y x", "touch -c x", "touch x/", "touch ''", "touch x*", "touch x > y", "touch -",
		// What the program itself expands, and what stands for more than a unit.
		"systemctl stop '*'", "systemctl stop \"s*d.service\"", "systemctl stop 'ngin?'", "docker stop 'web[0-9]'", "systemctl start reboot.target",
		"systemctl start poweroff", "systemctl start systemd-reboot.service", "systemctl stop multi-user.target", "systemctl start a suspend.target",
	} {
		if got, ok := inverse.Of(command); ok {
			t.Errorf("%s: %q", command, got.Command)
		}
	}
}

// Exact opposites leave nothing of a command; what may have been lost is not one.
func TestExactOpposites(t *testing.T) {
	for command, want := range map[string]bool{
		"mkdir a b": true, "systemctl stop nginx": true, "systemctl enable x": true, "docker pause web": true, "kubectl cordon n": true, "systemctl mask x": true,
		"mv a b": false, "rmdir a": false, "systemctl disable x": false, "ip link set eth1 down": false, "ufw allow 22/tcp": false, "touch a": false, "iptables -A INPUT -j DROP": false,
	} {
		if back, ok := inverse.Of(command); !ok || back.Exact != want {
			t.Errorf("%s: exact %t, %t", command, back.Exact, ok)
		}
	}
}

func TestRestarts(t *testing.T) {
	for command, want := range map[string]bool{
		"systemctl restart nginx": true, "systemctl reload-or-restart a b.service": true, "docker restart web db": true, "service nginx reload": true, "supervisorctl restart web": true,
		"systemctl restart '*'": false, "systemctl restart multi-user.target": false, "systemctl restart reboot": false, "docker restart": false, "docker restart $x": false,
		"docker restart -t 0 web": false, "supervisorctl restart all": false, "service nginx stop": false, "sudo systemctl restart nginx": false, "systemctl restart nginx; ls": false,
		"systemctl --no-block restart nginx": false, "docker stop web": false, "systemctl restart systemd-logind": false,
	} {
		if got := inverse.Restarts(command); got != want {
			t.Errorf("%s: %t", command, got)
		}
	}
}

// What is a matter of files is tried: command, then its opposite, and all is as
// it was.
func TestOppositesGiveBackWhatWasThere(t *testing.T) {
	for _, command := range []string{"mkdir d e", "touch new", "touch new 'and this'", "rmdir empty", "mv file other", "mv -T folder moved", "mv file 'with space'", "mv -n file other"} {
		dir := t.TempDir()
		run := func(line string) error {
			cmd := exec.Command("sh", "-c", line)
			cmd.Dir = dir
			return cmd.Run()
		}
		list := func() string {
			var all []string
			err := filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
				all = append(all, strings.TrimPrefix(p, dir)+info.Mode().String())
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			return strings.Join(all, "\n")
		}
		if err := run("mkdir empty folder; echo x > file; echo y > folder/in"); err != nil {
			t.Fatal(err)
		}
		was := list()
		back, ok := inverse.Of(command)
		if err := run(command); err != nil || !ok || list() == was {
			t.Fatalf("%s: %v %v", command, err, ok)
		}
		if err := run(back.Command); err != nil || list() != was {
			t.Errorf("%s, then %s: %v: %s", command, back.Command, err, list())
		}
	}
	// Moved into a folder that was there: its opposite must not move the folder.
	dir := t.TempDir()
	back, _ := inverse.Of("mv file folder")
	cmd := exec.Command("sh", "-c", "mkdir folder; echo x > file; mv file folder; "+back.Command)
	cmd.Dir = dir
	if err := cmd.Run(); err == nil {
		t.Error("it did something")
	}
	if _, err := os.Stat(filepath.Join(dir, "folder", "file")); err != nil {
		t.Error(err)
	}
}

// What a touch has made goes only while all of it is as the touch left it.
func TestATouchedFileThatIsInUseStays(t *testing.T) {
	for name, change := range map[string]string{
		"written": "echo x > b", "a link": "rm b; ln -s /dev/null b", "a link that leads nowhere": "rm b; ln -s nowhere b", "a folder": "rm b; mkdir b", "gone": "rm b",
	} {
		dir := t.TempDir()
		back, ok := inverse.Of("touch a b")
		if !ok || !slices.Equal(back.New, []string{"a", "b"}) {
			t.Fatalf("%v %v", back, ok)
		}
		cmd := exec.Command("sh", "-c", "touch a b; "+change+"; "+back.Command)
		cmd.Dir = dir
		if err := cmd.Run(); err == nil {
			t.Errorf("%s: it did something", name)
		}
		if _, err := os.Stat(filepath.Join(dir, "a")); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzOf: an opposite is one command of the same program, whatever the text.
func FuzzOf(f *testing.F) {
	f.Add("systemctl stop 'a;b'")
	f.Add("mv a b")
	f.Fuzz(func(t *testing.T, command string) {
		back, ok := inverse.Of(command)
		if !ok {
			return
		}
		if again, ok := inverse.Of(back.Command); ok && !strings.Contains(back.Command, "mv ") {
			if third, ok := inverse.Of(again.Command); !ok || third.Command != back.Command {
				t.Errorf("%q, %q, %q, %q", command, back.Command, again.Command, third.Command)
			}
		}
	})
}
