package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Several targets are connected at once: each of these logins waits for the others. One that
// cannot be reached stops none of them, and the terminals stand in the order in which the
// targets were named.
func TestSeveralTargetsAreConnectedAtOnce(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	names := []string{"zoo", "box", "ape"}
	var config strings.Builder
	for _, name := range names {
		config.WriteString(strings.Replace(r.section(), "Host box\n", "Host "+name+"\n", 1))
	}
	config.WriteString("Host gone\n  HostName 127.0.0.1\n  Port 1\n")
	r.write("config", config.String())
	if err := os.Mkdir(r.path("logins"), 0o700); err != nil {
		t.Fatal(err)
	}
	// The parent of a login's shells is sshd's process for that connection.
	r.write("home/.bashrc", fmt.Sprintf("PS1='box$ '\nHISTFILE=/dev/null\n[ -n \"$TMUX\" ] || {\n: >%[1]s/$PPID\nwhile set -- %[1]s/*; [ $# -lt %[2]d ]; do sleep 0.1; done\n}\n", r.path("logins"), len(names)))
	s := w.console(200, 60, "gone", "zoo", "box", "ape")
	s.see("connect to ", "gone", "ssh:zoo · ", "ssh:box · ", "ssh:ape · ")
	if all, err := os.ReadDir(r.path("logins")); err != nil || len(all) < len(names) {
		t.Errorf("%d logins have waited: %v", len(all), err)
	}
	screen := s.text()
	at := -1
	for _, name := range names {
		next := strings.Index(screen, "ssh:"+name+" · ")
		if next < at {
			t.Errorf("%s does not stand behind the one before:\n%s", name, screen)
		}
		at = next
	}
	quit(s)
}
