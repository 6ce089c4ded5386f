package preview_test

import (
	"bufio"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/tools/preview"
	"github.com/nod-console/nod/tools/risk"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestProbes(t *testing.T) {
	for command, want := range map[string][]string{
		"rm -rf /srv/app/releases/2024*":     {"find /srv/app/releases/2024* | wc -l", "du -shc -- /srv/app/releases/2024*"},
		"sudo rm -r 'a b'":                   {"find 'a b' | wc -l", "du -shc -- 'a b'"},
		"rm x y":                             {"ls -ld -- x y"},
		"find /var/log -name '*.gz' -delete": {"find /var/log -name '*.gz' | wc -l", "find /var/log -name '*.gz' | head -n 20"},
		`find . -mtime +7 -exec rm {} \;`:    {"find . -mtime +7 | wc -l", "find . -mtime +7 | head -n 20"},
		"rsync -a --delete /srv/a/ /srv/b/":  {"rsync -n --itemize-changes -a --delete /srv/a/ /srv/b/"},
		"systemctl restart nginx":            {"systemctl list-dependencies --reverse --no-pager nginx", "systemctl status --no-pager -n 0 nginx"},
		"service nginx stop":                 {"systemctl list-dependencies --reverse --no-pager nginx", "systemctl status --no-pager -n 0 nginx"},
		"apt-get install -y nginx":           {"apt-get -s install nginx"},
		"apt remove nginx":                   {"apt-get -s remove nginx"},
		"kubectl delete pod web-1 -n shop":   {"kubectl get pod web-1 -n shop"},
		"git clean -fd":                      nil, // looking would run what the repository names
		"sed -i s/a/b/ /etc/hosts.x":         {"sed -e s/a/b/ /etc/hosts.x | diff -u -- /etc/hosts.x -"},
		"sed -E -i.bak -e 's/a/b/' f":        {"sed -E -e 's/a/b/' f | diff -u -- f -"},
		"mv a b":                             {"ls -ld -- b", "ls -ld -- b/a"},
		"cp -r a b c":                        {"ls -ld -- c"},
		"docker rm -f web":                   {"docker ps -a --size --filter name=web"},
		"docker volume prune -f":             {"docker volume ls --filter dangling=true"},
		"docker system prune -af":            {"docker system df"},
		"kill -9 123 45":                     {"ps -o pid,user,stat,etime,args -p 123,45"},
		"pkill -9 -f 'java -jar'":            {"pgrep -a -f 'java -jar'"},
		"killall nginx":                      {"pgrep -a -x nginx"},
		"ip route del default":               {"ip route show"},
		"mkfs.ext4 /dev/sdb1":                {"lsblk -f /dev/sdb1", "findmnt -S /dev/sdb1"},
		"dd if=/dev/zero of=/dev/sdb":        {"lsblk -f /dev/sdb", "findmnt -S /dev/sdb"},
		"reboot":                             {"who", "uptime"},
		"chown -R www: /srv/app":             {"find /srv/app | wc -l"},
		"rm -r a && systemctl stop x":        {"find a | wc -l", "du -shc -- a", "systemctl list-dependencies --reverse --no-pager x", "systemctl status --no-pager -n 0 x"},
		"crontab -r":                         {"crontab -l"},
	} {
		var got []string
		for _, p := range preview.Of(command, risk.Bash) {
			got = append(got, p.Command)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n got  %q\n want %q", command, got, want)
			for _, w := range want {
				if v := risk.Command(w, risk.Bash); !v.Auto {
					t.Logf("%s is not auto: %+v", w, v.Findings)
				}
			}
		}
	}
}

func TestWhereNothingIsLookedAt(t *testing.T) {
	for _, command := range []string{
		"", "ls", "rm -rf $DIR", "rm -rf $(cat list)", "cd /x && rm -rf y", "for f in a; do rm -r $f; done", "rm -rf ~bob/x", "X=1 rm -rf y",
		"echo 'unclosed", "rm -r {a,b}", "rm -rf -- -x", "'rm' -rf x", "cat x | xargs rm -r", "kill $(pidof x)", "sed -i 'w /etc/passwd' f", "sed -i 's/a/b/e' f",
		"find . -delete -fprintf /tmp/x %p",
	} {
		if got := preview.Of(command, risk.Bash); len(got) > 0 {
			t.Errorf("%s: %q", command, got)
		}
	}
	if got := preview.Of("rm -rf x", risk.Fish); len(got) > 0 {
		t.Errorf("fish: %q", got)
	}
}

// Nothing that is derived from any command of the corpus does more than look.
func TestEveryProbeOfTheCorpusOnlyLooks(t *testing.T) {
	files, err := filepath.Glob("../risk/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	probes := 0
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			for _, part := range append(strings.Split(lines.Text(), "\t"), lines.Text()) {
				for _, p := range preview.Of(part, risk.Bash) {
					probes++
					if v := risk.Command(p.Command, risk.Bash); !v.Auto {
						t.Errorf("%s: %s: %+v", part, p.Command, v)
					}
				}
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if probes < 50 {
		t.Errorf("only %d probes", probes)
	}
	t.Logf("%d probes", probes)
}

// FuzzOf: whatever the command, a probe only looks.
func FuzzOf(f *testing.F) {
	for _, seed := range []string{"rm -rf 'a;b'", `find . -exec rm {} \; -delete`, "sed -i -e s/a/b/ -e 'w x' f", "pkill -9 a", "docker rm -f a", "mv a b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, command string) {
		for _, d := range []risk.Dialect{risk.Bash, risk.POSIX, risk.Zsh} {
			for _, p := range preview.Of(command, d) {
				if v := risk.Command(p.Command, risk.POSIX); !v.Auto || v.Effect != risk.Observe || v.Flags != 0 {
					t.Errorf("%q: %q: %+v", command, p.Command, v)
				}
			}
		}
	})
}
