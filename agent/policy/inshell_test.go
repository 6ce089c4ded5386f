package policy

import (
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/risk"
)

// A command that is about the shell that reads it is told from one that any shell
// answers alike.
func TestInShell(t *testing.T) {
	for text, want := range map[string]bool{
		"df -h | sort": false, "ls $HOME": false, "for f in a b; do cat $f; done": false, "x=1; ls $x": true, "(x=1; ls $x)": false,
		"jobs": true, "cd /srv": true, "export A=1": true, "echo $?": true, "ls $mine": true, "type ls": true, "sleep 9 &": true,
		"f() { ls; }; f": true, "echo ${a[0]}": true, "x=1": true, "$x -l": true, "if": true, "umask": true, "cd /srv && ls": true,
	} {
		if got := inShell(tools.Action{Command: text, Dialect: "bash"}, risk.Command(text, risk.Bash)); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	for text, want := range map[string]bool{"df -h": false, "df -h | sort": false, "ls $HOME": true, "ls *.txt": true} {
		if got := inShell(tools.Action{Command: text, Dialect: "fish"}, risk.Command(text, risk.Fish)); got != want {
			t.Errorf("fish: %s: %v, want %v", text, got, want)
		}
	}
}
