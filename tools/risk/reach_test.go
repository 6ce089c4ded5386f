package risk

import (
	"slices"
	"testing"
)

// TestReaches: a command says which other hosts it sends bytes to, whatever way
// they are written in, and is plain but not auto where that is all there is to it.
func TestReaches(t *testing.T) {
	for command, want := range map[string][]string{
		"ping -c1 db-1":                                               {"db-1"},
		"ping -c1 127.0.0.53":                                         nil,
		"ping6 -c1 ::1":                                               nil,
		"ping -c1 ::ffff:127.0.0.1":                                   nil,
		"ping -c1 ::ffff:192.0.2.1":                                   {"::ffff:192.0.2.1"},
		"curl -s http://localhost:9200/_cat/health":                   nil,
		"curl -s http://127.0.0.1/":                                   nil,
		"curl -s 'http://[::1]:8080/'":                                nil,
		"curl -s http://127.0.0.1.example.com/":                       {"127.0.0.1.example.com"},
		"curl -s http://localhost.example.com/":                       {"localhost.example.com"},
		"curl -s http://2130706433/":                                  {"2130706433"},
		"curl -s http://0/":                                           {"0"},
		"curl -s EXAMPLE.com.":                                        {"example.com"},
		"curl -s http://localhost/ http://Example.com:8080/x":         {"example.com"},
		"curl -s --resolve a.test:80:192.0.2.7 http://localhost/":     {"a.test", "192.0.2.7"},
		"curl -s --connect-to ::192.0.2.7:80 http://localhost/":       {"192.0.2.7"},
		"curl -s --connect-to '::[2001:db8::7]:80' http://localhost/": {"2001:db8::7"},
		"dig @192.0.2.53 example.com MX":                              {"192.0.2.53", "example.com"},
		"dig -x 192.0.2.1":                                            {"192.0.2.1"},
		"host -t txt a.test 192.0.2.53":                               {"a.test", "192.0.2.53"},
		"getent ahosts a.test":                                        {"a.test"},
		"getent passwd root":                                          nil,
		"resolvectl query a.test":                                     {"a.test"},
		"ssh -J hop deploy@web-1 uptime":                              {"hop", "web-1"},
		"ssh -p 2222 web-1 'curl -s http://localhost/; ping -c1 db'":  {"web-1", "db"},
		"ssh localhost uptime":                                        nil,
		"systemctl -H root@web-1 status nginx":                        {"web-1"},
		"psql -h /run/postgresql -c 'select 1'":                       nil,
		"psql -h db-1 -c 'select 1'":                                  {"db-1"},
		"psql 'host=db-1,db-2 dbname=app' -c 'select 1'":              {"db-1", "db-2"},
		"psql postgresql://app@db-1:5432/app -c 'select 1'":           {"db-1"},
		"mysql --host=db-1 -e 'select 1'":                             {"db-1"},
		"redis-cli -h cache-1 dbsize":                                 {"cache-1"},
		"etcdctl --endpoints=https://e-1:2379,e-2:2379 member list":   {"e-1", "e-2"},
		"openssl s_client -connect '[2001:db8::1]:443' </dev/null":    {"2001:db8::1"},
		"nc -zv db-1 5432":                                            {"db-1"},
		"aws s3 ls s3://backups/db/":                                  {"s3://backups"},
		"aws s3 ls":                                                   nil,
		"wget --max-redirect=0 -qO- https://a.test/x":                 {"a.test"},
		"bash -c 'ping -c1 a.test'":                                   {"a.test"},
		"for h in a b; do ping -c1 $h; done":                          {"a", "b"},
		"hostnamectl -H root@web-1":                                   {"web-1"},
		"restic -r sftp:b@web-1:/srv --no-lock snapshots":             {"web-1"},
		"restic -r rest:http://a.test/x --no-lock snapshots":          {"a.test"},
		"restic -r /srv/backup --no-lock snapshots":                   nil,
		"borg list --bypass-lock b@web-1:/srv/x":                      {"web-1"},
		"borg list --bypass-lock /srv/x":                              nil,
		"crictl -r unix:///run/containerd.sock ps":                    nil,
		"df -h": nil,
	} {
		v := Command(command, Bash)
		var got []string
		for _, r := range v.Reaches {
			got = append(got, r.Host)
			if r.Start < 0 || r.End > len(command) || r.Start >= r.End {
				t.Errorf("%q: %q stands nowhere: %d to %d", command, r.Host, r.Start, r.End)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q reaches %q, want %q", command, got, want)
		}
		if !v.Plain || v.Auto != (len(want) == 0) {
			t.Errorf("%q: plain %t, auto %t: %v", command, v.Plain, v.Auto, v.Findings)
		}
	}
}

// TestWhatCanCarryDataIsNotPlain: not even where every host is known.
func TestWhatCanCarryDataIsNotPlain(t *testing.T) {
	for _, command := range []string{
		`dig "$(hostname).a.test"`,
		"ping -c1 $x",
		"dig aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.a.test",
		"curl -s 'https://a.test/?q=1'",
		`curl -s "https://a.test/$(id -u)"`,
		`curl -s http://localhost\@a.test/`,
		"psql service=x -c 'select 1'",
		"psql 'postgres://a.test/app?sslkey=/etc/x' -c 'select 1'",
		"tar cz /srv | ssh web-1 cat",
		"ssh web-1 cat < /etc/hosts",
		"rclone lsf ':http,url=a.test:x'",
		"curl -s -x a.test:3128 http://localhost/",
		"curl -s -d x http://localhost/",
	} {
		if v := Command(command, Bash); v.Plain || v.Auto {
			t.Errorf("%q would run by itself where its hosts are known: %v", command, v.Findings)
		}
	}
}
