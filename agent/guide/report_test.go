package guide

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/nod-console/nod/agent/model"
)

// answerTo asks a question and answers each command whose text begins with a key of
// outputs; the others are not installed.
func answerTo(t *testing.T, question string, outputs map[string]string) string {
	t.Helper()
	k := newTalk(t)
	answer := k.ask(question, allTools, func(c model.Call) string {
		line, _ := arguments(t, c)["command"].(string)
		best := ""
		for prefix := range outputs {
			if strings.HasPrefix(line, prefix) && len(prefix) > len(best) {
				best = prefix
			}
		}
		if best == "" {
			return envelope(t, map[string]any{"exit_code": 127, "stdout": "", "stderr": "sh: 1: not found"})
		}
		return envelope(t, map[string]any{"exit_code": 0, "stdout": outputs[best], "stderr": "", "notices": nil})
	})
	body, _, _ := strings.Cut(answer, signature)
	return body
}

// TestReports reads real outputs of the tools and gives the sentences that they lead to.
func TestReports(t *testing.T) {
	for _, tc := range []struct {
		name, question string
		outputs        map[string]string
		want           string
	}{
		{"load", "load?", map[string]string{
			"uptime": " 14:04:10 up 23 min,  0 user,  load average: 4.72, 0.66, 0.35\n",
			"nproc":  "2\n",
			"ps": "    PID USER     %CPU %MEM COMMAND\n   4711 postgres 97.3 12.4 postgres\n    812 www-data  3.1  0.4 php-fpm8.2\n" +
				"   9999 root      2.0  0.0 ps\n      1 root      0.0  0.1 systemd\n"},
			"The load is **4.72** over one minute, 0.66 over five and 0.35 over fifteen, on 2 cores: 2.36 per core, which is far more than it can do at once. " +
				"It is rising. By CPU over their lifetime the busiest are `postgres` (97.3 %, pid 4711, `postgres`) and `php-fpm8.2` (3.1 %, pid 812, `www-data`)."},
		{"load with commas", "load?", map[string]string{
			"uptime": " 14:04:10 up 2 days,  3:04,  2 users,  load average: 0,12, 0,16, 0,35\n", "nproc": "1\n"},
			"The load is **0.12** over one minute, 0.16 over five and 0.35 over fifteen, on 1 core: 0.12 per core, so there is room. " +
				"\n\n`ps` cannot say anything here: it is not installed."},
		{"memory", "memory?", map[string]string{
			"free": "               total        used        free      shared  buff/cache   available\n" +
				"Mem:            7941        6900         118         312         922         430\nSwap:           2047        1536         511\n",
			"ps": "    PID USER     %MEM   RSS COMMAND\n    733 mysql    61.0 4960320 mariadbd\n"},
			"**430 MiB of 7.8 GiB** memory is available (5 %), which is getting tight. Of the swap, 1.5 GiB of 2.0 GiB is in use (75 %). " +
				"The largest processes are `mariadbd` (4.7 GiB, pid 733)."},
		{"memory from the kernel", "memory?", map[string]string{
			"cat /proc/meminfo": "MemTotal:        4030000 kB\nMemFree:          200000 kB\nMemAvailable:    3000000 kB\nSwapTotal:             0 kB\nSwapFree:              0 kB\n",
			"ps":                ""},
			"**2.9 GiB of 3.8 GiB** memory is available (74 %). There is no swap."},
		{"listeners", "which ports are open?", map[string]string{
			"ss": "Netid State  Recv-Q Send-Q       Local Address:Port  Peer Address:Port Process\n" +
				"udp   UNCONN 0      0          127.0.0.53%lo:53         0.0.0.0:*    users:((\"systemd-resolve\",pid=512,fd=13))\n" +
				"udp   UNCONN 0      0      [fe80::1]%eth0:546              *:*    users:((\"dhclient\",pid=600,fd=20))\n" +
				"tcp   LISTEN 0      128               0.0.0.0:22         0.0.0.0:*    users:((\"sshd\",pid=700,fd=3))\n" +
				"tcp   LISTEN 0      128                  [::]:22            [::]:*    users:((\"sshd\",pid=700,fd=4))\n" +
				"tcp   LISTEN 0      511                     *:80               *:*    users:((\"nginx\",pid=802,fd=6),(\"nginx\",pid=801,fd=6))\n" +
				"tcp   LISTEN 0      80              127.0.0.1:3306       0.0.0.0:*   \n\t users:((\"mariadbd\",pid=733,fd=22))\n" +
				"tcp   LISTEN 0      80                  [::1]:3306          [::]:*\n"},
			"**5 ports** are listening; 3 can be reached from other machines, as far as no firewall is in between:\n\n" +
				"- **22/tcp**: `sshd`, on all addresses\n" +
				"- **53/udp**: `systemd-resolve`, only from this machine\n" +
				"- **80/tcp**: `nginx`, on all addresses\n" +
				"- **546/udp**: `dhclient`, on `[fe80::1]%eth0`\n" +
				"- **3306/tcp**: `mariadbd`, only from this machine"},
		{"failed services", "failed services?", map[string]string{
			"systemctl": "\x1b[0;1;31m●\x1b[0m nginx.service loaded failed failed A high performance web server and a reverse proxy server\n" +
				"certbot.service loaded failed failed Certbot\n"},
			"**2 units** have failed: `nginx.service` (A high performance web server and a reverse proxy server) and `certbot.service` (Certbot). " +
				"`journalctl -u NAME -n 50` shows what one of them said."},
		{"no failed services", "failed services?", map[string]string{"systemctl": ""}, "No systemd unit has failed."},
		{"openrc", "failed services?", map[string]string{"rc-status": " nginx                  [  crashed  ]\n"}, "**1 service** has crashed: `nginx`."},
		{"errors", "recent errors?", map[string]string{
			"journalctl -p 3 --since=-24h --no-pager -q": "     17 sshd[812]:\n      4 sshd[901]:\n      9 kernel:\n      1 systemd[1]:\n",
			"journalctl -p 3 --since=-24h --no-pager -o": "Hint: You are currently not seeing messages from other users and the system.\n" +
				"2026-11-20T13:00:01+0000 web-1 kernel: I/O error, dev sdb, sector 1234\n2026-11-20T13:05:00+0000 web-1 sshd[901]: error: kex_exchange_identification\n"},
			"The journal has **31 errors** in the last 24 hours, most of them from `sshd` (21), `kernel` (9) and `systemd` (1). The newest are:\n\n" +
				"```\n2026-11-20T13:00:01+0000 web-1 kernel: I/O error, dev sdb, sector 1234\n2026-11-20T13:05:00+0000 web-1 sshd[901]: error: kex_exchange_identification\n```"},
		{"no errors", "recent errors?", map[string]string{"journalctl": "-- No entries --\n"},
			"The journal has no errors of the last 24 hours, as far as this user may read it."},
		{"no journal", "recent errors?", map[string]string{"journalctl -p 3 --since=-24h --no-pager -q": "", "journalctl": "No journal files were found.\n-- No entries --\n",
			"dmesg": "[    1.2] ata1: link is slow\n"},
			"There is no journal to read. The kernel's newest errors are:\n\n```\n[    1.2] ata1: link is slow\n```"},
		{"no log at all", "recent errors?", nil, "`journalctl` cannot say anything here: it is not installed. `dmesg` cannot say anything here: it is not installed."},
		{"logins", "who is logged in?", map[string]string{
			"who": "alice    pts/0        2026-11-20 09:12 (203.0.113.7)\nbob      tty1         2026-11-19 22:40\nalice    pts/1        2026-11-20 10:01 (tmux(811).%0)\n",
			"last": "alice    pts/0        203.0.113.7      Fri Nov 20 09:12   still logged in\nreboot   system boot  6.1.0-26-amd64   Thu Nov 19 22:38   still running\n" +
				"bob      tty1                          Thu Nov 19 22:40   still logged in\n\nwtmp begins Sat Nov  1 06:25:04 2026\n"},
			"**2 users** are logged in with 3 sessions: **alice** on `pts/0` since 2026-11-20 09:12 from `203.0.113.7`, **bob** on `tty1` since 2026-11-19 22:40 " +
				"and **alice** on `pts/1` since 2026-11-20 10:01 from `tmux(811).%0`. The latest entries in the login record: `alice` at Fri Nov 20 09:12 from `203.0.113.7`, " +
				"a start of the system at Thu Nov 19 22:38 and `bob` at Thu Nov 19 22:40."},
		{"logins of busybox", "who is logged in?", map[string]string{
			"who": "USER\t\tTTY\t\tIDLE\tTIME\t\tHOST\nroot            pts/0           00:02   Nov 20 14:01:33 192.0.2.9\n"},
			"**1 user** is logged in with 1 session: **root** on `pts/0` since Nov 20 14:01:33 from `192.0.2.9`."},
		{"updates", "updates?", map[string]string{
			"apt list --upgradable 2>/dev/null | cut": "Listing...\nopenssl/stable-security\nvim/stable\n",
			"apt list --upgradable 2>/dev/null | wc":  "3\n",
			"ls /run/reboot-required":                 "/run/reboot-required\n"},
			"**2 packages** have a newer version in the lists that were fetched last, at least 1 of them for security: `openssl` and `vim`. **A restart is needed** to finish an earlier update."},
		{"no updates", "updates?", map[string]string{"apt list --upgradable 2>/dev/null | cut": "Listing...\n", "apt list --upgradable 2>/dev/null | wc": "1\n"},
			"No package has a newer version in the lists that were fetched last."},
		{"containers", "containers?", map[string]string{
			"docker": "api|registry.example.com/api:1.4|Up 3 days (healthy)\nworker|worker:2|Restarting (1) 5 seconds ago\nold|alpine|Exited (0) 2 weeks ago\n"},
			"Docker has **3 containers**. **In trouble**: `worker` (`worker:2`, restarting (1) 5 seconds ago). " +
				"Running: `api` (`registry.example.com/api:1.4`, up 3 days (healthy)). Not running: `old` (`alpine`, exited (0) 2 weeks ago)."},
		{"system", "what machine is this?", map[string]string{
			"uname": "Linux web-1 6.1.0-26-amd64 x86_64\n", "cat /etc/os-release": "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\n",
			"uptime": " 14:04:10 up 41 days, 12:23,  2 users,  load average: 0.00, 0.01, 0.00\n"},
			"This is **web-1**, Debian GNU/Linux 12 (bookworm), with Linux `6.1.0-26-amd64` on x86_64. It has been up for 41 days, 12:23."},
		{"network", "ip addresses?", map[string]string{
			"ip -br": "lo               UNKNOWN        127.0.0.1/8 ::1/128 \neth0@if12        UP             192.0.2.2/24 \ndocker0          DOWN           \n",
			"ip ro":  "default via 192.0.2.1 dev eth0 proto dhcp metric 100\n192.0.2.0/24 dev eth0\n", "cat /etc/resolv.conf": "# made by hand\nnameserver 192.0.2.53\n"},
			"**lo** has `127.0.0.1/8` and `::1/128` and **eth0** has `192.0.2.2/24`. Without an address: `docker0`. Packets to elsewhere leave through `192.0.2.1` on `eth0`. Names are asked of `192.0.2.53`."},
		{"processes", "processes?", map[string]string{"ps -eo": "    PID USER     %CPU %MEM COMMAND\n      1 root      0.0  0.1 systemd\n", "ps -e |": "94\n"},
			"93 processes run. No process has used a noticeable share of the CPU over its lifetime."},
		{"processes of busybox", "processes?", map[string]string{"ps -eo": "ps: bad -o argument 'pcpu', supported arguments: user,group,comm\n",
			"ps": "PID   USER     TIME  COMMAND\n    1 root      0:00 init\n    7 root      0:00 sh\n"}, "`ps` lists 2 processes."},
		{"disk of a container", "disk?", map[string]string{
			"df -kPT": "Filesystem     Type     1024-blocks  Used Available Capacity Mounted on\noverlay        overlay  264241152 236978176 27262976  90% /\ntmpfs          tmpfs     65536     0   65536   0% /dev\n",
			"df -iP":  "Filesystem     Inodes IUsed IFree IUse% Mounted on\noverlay        16M 1M 15M 7% /\n",
			"stat":    "device 12\n",
			"du":      "236978176\t/\n225443840\t/srv\n225000000\t/srv/images\n125829120\t/srv/images/a.img\n98566144\t/srv/images/old\n97517568\t/srv/images/old/b.img\n9437184\t/usr\n"},
			"The fullest file system is `/` (`overlay`, overlay): **90 %** of 252.0 GiB used, 26.0 GiB free. That needs room soon. " +
				"Of the 226.0 GiB used under `/`, **98 %** is in `/srv/images/a.img` (120.0 GiB), `/srv/images/old/b.img` (93.0 GiB) and `/usr` (9.0 GiB)."},
		{"disk, one mount out of reach", "df?", map[string]string{
			"df -kPT": "df: /run/user/1000/doc: Operation not permitted\nFilesystem Type 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 ext4 52428800 47185920 5242880 85% /\n",
			"df -iP":  "", "du": "du: cannot access '/': Permission denied\n", "stat": "device 12\n"},
			"The fullest file system is `/` (`/dev/sda1`, ext4): **85 %** of 50.0 GiB used, 5.0 GiB free. That is worth watching. " +
				"`du` cannot say anything here: du: cannot access '/': Permission denied."},
		{"listeners of a netstat that knows no such option", "listeners?", map[string]string{
			"ss": "ss: invalid option -- 'p'\nUsage: ss\n", "netstat": "tcp        0      0 127.0.0.1:25            0.0.0.0:*               LISTEN\n"},
			"**1 port** is listening; 0 can be reached from other machines, as far as no firewall is in between:\n\n" +
				"- **25/tcp**: a process that is not named here, only from this machine\n\nProcesses of other users are only named to root."},
		{"disk, a folder by name", "what fills /srv/my-data?", map[string]string{"df": "", "du -xak -- /srv/my-data ": "1048576\t/srv/my-data\n"},
			"`df` shows no file system. `/srv/my-data` holds 1.0 GiB."},
		{"service", "is nginx running?", map[string]string{"systemctl status nginx": "● nginx.service - A high performance web server\n" +
			"     Loaded: loaded (/lib/systemd/system/nginx.service; enabled)\n     Active: active (running) since Fri 2026-11-20 09:00:01 UTC; 5h 4min ago\n   Main PID: 801 (nginx)\n"},
			"The service `nginx` is **active (running)** since Fri 2026-11-20 09:00:01 UTC; 5h 4min ago."},
		{"service that is down", "is nginx running?", map[string]string{"systemctl status nginx": "○ nginx.service - web\n     Active: inactive (dead)\n"},
			"The service `nginx` is **inactive (dead)**."},
		{"service without a manager", "is nginx running?", map[string]string{
			"systemctl": "System has not been booted with systemd as init system (PID 1). Can't operate.\n", "pgrep -l nginx": "801 nginx\n802 nginx\n"},
			"2 processes of that name run. The service manager cannot tell more: System has not been booted with systemd as init system (PID 1). Can't operate."},
		{"markup in names", "containers?", map[string]string{"docker": "**x**|[red]`y`|Up\n"},
			"Docker has **1 container**. Running: `**x**` (`` [red]`y` ``, up)."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(strings.ReplaceAll(tc.want, ". \n\n", ".\n\n"), answerTo(t, tc.question, tc.outputs)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestCertificates(t *testing.T) {
	end := func(days int) string {
		return time.Now().Add(time.Duration(days)*24*time.Hour + time.Hour).UTC().Format("Jan _2 15:04:05 2006 GMT")
	}
	got := answerTo(t, "certificates?", map[string]string{
		"find": "/etc/letsencrypt/live/a/cert.pem\n/etc/letsencrypt/live/a/privkey.pem\n/etc/letsencrypt/live/a/fullchain.pem\n/etc/nginx/b.crt\n/etc/nginx/c.crt\n/etc/nginx/my cert.pem\n",
		"openssl x509 -noout -subject -enddate -in /etc/letsencrypt/live/a/cert.pem": "subject=CN = a.example.com\nnotAfter=" + end(61) + "\n",
		"openssl x509 -noout -subject -enddate -in /etc/nginx/b.crt":                 "subject=CN = b.example.com\nnotAfter=" + end(-9) + "\n",
		"openssl x509 -noout -subject -enddate -in /etc/nginx/c.crt":                 "subject=CN = c.example.com\nnotAfter=" + end(3) + "\n",
	})
	day := func(days int) string {
		return time.Now().Add(time.Duration(days)*24*time.Hour + time.Hour).UTC().Format("2006-01-02")
	}
	want := "**`CN = b.example.com` has expired** on " + day(-9) + ". **`CN = c.example.com` ends in 3 days**, on " + day(3) +
		". `CN = a.example.com` is valid for another 61 days, until " + day(61) + "."
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// FuzzOutcome gives every report anything: it never fails.
func FuzzOutcome(f *testing.F) {
	f.Add(`{"result":{"exit_code":0,"stdout":"a b c d e f g\n"}}`)
	f.Add(`{"result":{"error":{"message":"x"}}}`)
	f.Add("tcp LISTEN 0 1 :: : :\nsubject=\nnotAfter=\n1 | 2 | 3")
	f.Fuzz(func(t *testing.T, content string) {
		var all []*topic
		for i := range known().Topics {
			all = append(all, &known().Topics[i])
		}
		s := survey{topics: all}
		tn := turn{req: &request{}, done: map[string]outcome{}}
		for range 3 {
			for _, st := range tn.missing(s.steps(tn)) {
				tn.done[st.key()] = readOutcome(content)
			}
			if s.report(tn) == "" {
				t.Fatal("nothing to say")
			}
		}
	})
}

// FuzzQuestion asks anything.
func FuzzQuestion(f *testing.F) {
	f.Add("create a file `a b` with: ```\nx\n```")
	f.Add("run `")
	f.Add("what fills /a/../b?")
	f.Fuzz(func(t *testing.T, question string) {
		p := understand(question)
		tn := turn{req: &request{}, question: question, done: map[string]outcome{}}
		for _, st := range p.steps(tn) {
			line, _ := st.args["command"].(string)
			if _, topic := p.(survey); topic && strings.ContainsAny(line, "\n;") {
				t.Fatalf("a topic's command became %q", line)
			}
		}
		p.report(tn)
	})
}
