package risk

import "testing"

// TestCost tells looks that take a whole machine from those that end.
func TestCost(t *testing.T) {
	t.Parallel()
	for _, command := range []string{
		"sort /dev/zero", "sort < /dev/zero", "sha256sum /dev/urandom", "wc -c /dev/zero", "grep x /dev/zero",
		"sort /dev/zero | head", "dd if=/dev/zero of=/dev/null", "yes", "yes | grep n", "while :; do :; done",
		"while true; do date; done", "until false; do ls; done", "redis-cli keys '*'", "redis-cli -n 2 KEYS 'session:*'",
		"hdparm -tT /dev/sda", "cat /dev/zero | tr a b",
	} {
		v := Command(command, Bash)
		if v.Auto || !v.Costly || v.Unread || v.Plain {
			t.Errorf("%q: auto %v, costly %v, unread %v, plain %v: %v", command, v.Auto, v.Costly, v.Unread, v.Plain, v.Findings)
		}
	}
	for _, command := range []string{
		"head -c 16 /dev/urandom", "head -c 16 /dev/urandom | base64", "cat /dev/urandom | tr -dc a-z | head -c 16", "od -N 8 /dev/random",
		"dd if=/dev/zero of=/dev/null bs=1M count=10", "while true; do date; sleep 1; done", "timeout 5 yes", "yes | head -3",
		"redis-cli --scan --pattern 'x*'", "sort /etc/hosts", "hdparm -I /dev/sda", "ls -l /dev/zero", "while read l; do echo $l; done < f",
	} {
		if v := Command(command, Bash); !v.Auto || v.Costly {
			t.Errorf("%q: auto %v, costly %v: %v", command, v.Auto, v.Costly, v.Findings)
		}
	}
	if v := Command("sort /dev/zero; rm x", Bash); v.Costly {
		t.Error("what deletes is not merely costly")
	}
}
