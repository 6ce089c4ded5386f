package shells_test

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/pane/marks"
	"github.com/nod-console/nod/backends/pane/shells"
)

// What a terminal gives a shell line by line can lose its first line to an interrupt. So a
// command of several lines is typed as one, which does the same.
func TestACommandOfSeveralLinesIsOneForATerminalThatEditsLines(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("dash"); err != nil {
		if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
			t.Fatal(err)
		}
		t.Skip("dash is not installed")
	}
	for _, command := range []string{
		"echo one\necho two",
		"echo 'it'\\''s' \"100%\" %s\nprintf '%s\\n' 'a\\\\nb' \"$0\"",
		"cat <<'E'\n\\t $x `y` %d\nE\necho \"\\\\\"",
		"- x\necho ä €",
		"echo a \\\n b; sh -c 'exit 3'",
		"echo $?\nfalse\necho $?",
	} {
		typing := shells.Type(command, shells.Posix, shells.Terminal{}, marks.NewNonce())
		typed := strings.TrimLeft(string(typing.Keys), "\x15")
		if strings.Count(typed, "\n") != 1 || typing.Lines != 1 || typing.Stash != "" {
			t.Errorf("%q is typed as %q", command, typed)
		}
		want, wantErr := output("dash", command)
		if got, err := output("dash", typed); got != want || (err == nil) != (wantErr == nil) {
			t.Errorf("%q: %q (%v), want %q (%v)", typed, got, err, want, wantErr)
		}
	}
}

// output is what a shell writes for a command that follows one that has failed.
func output(shell, command string) (string, error) {
	var out bytes.Buffer
	cmd := exec.Command(shell, "-c", "(exit 5)\n"+command)
	cmd.Stdout = &out
	err := cmd.Run()
	return out.String(), err
}
