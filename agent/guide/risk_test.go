package guide

import (
	"testing"

	"github.com/nod-console/nod/tools/risk"
)

// TestCommandsAreObservations: the risk analyzer finds every command that a topic begins
// with to be a plain observation, so that it runs without a question in the default posture.
func TestCommandsAreObservations(t *testing.T) {
	here := mount{line: 3}.there()
	lines := []string{duLine("/srv/data", 0), duLine(here, 1e12), deletedLine(here), listLine("/srv"), "cd " + here + " && pwd && " + listLine("."), "systemctl status nginx --no-pager -n 0", "pgrep -l nginx"}
	for _, tp := range known().Topics {
		for _, c := range tp.Commands {
			if !c.Spare {
				lines = append(lines, c.Run)
			}
		}
	}
	for _, line := range lines {
		if v := risk.Command(line, risk.Bash); !v.Auto {
			t.Errorf("%q: %v, %v, %v", line, v.Effect, v.Flags, v.Findings)
		}
	}
}

// TestClaimsAreHonest: the guide never claims that a dictated command changes nothing where
// the analyzer finds that it may.
func TestClaimsAreHonest(t *testing.T) {
	for _, line := range []string{"ls", "cat /etc/hosts", "date -s 12:00", "hostname evil", "echo x", "tail -f /var/log/syslog", "grep -r x /etc",
		"cat /etc/shadow", "rm x", "sudo ls", "make install", "ls $(reboot)", "printf -v PATH x", "stat /dev/tcp"} {
		_, mutation, _ := claim(line)
		if v := risk.Command(line, risk.Bash); v.Mutation && !mutation {
			t.Errorf("%q: claimed to change nothing, found %v", line, v.Effect)
		}
	}
}
