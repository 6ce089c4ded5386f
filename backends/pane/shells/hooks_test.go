package shells

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/pane/marks"
)

// hookTexts are all hooks as their shells get them, by the shell that reads them.
func hookTexts() map[string][]string {
	n := marks.NewNonce()
	texts := map[string][]string{}
	for _, c := range []struct {
		shell  string
		family Family
	}{{"bash", Bash}, {"dash", Posix}, {"zsh", Zsh}, {"fish", Fish}} {
		hook := Hook(c.shell, n, `\033[A`)
		texts[c.shell] = []string{
			hook, hook + Refetch(n.Buffer(), c.shell), Guest(c.shell, hook, "'/tmp/s'"),
			Unhook(c.family, n, "x"), Fetch(n.Buffer(), c.shell), Probe("n"),
		}
	}
	return texts
}

// TestEveryHookIsValidInItsShell has each shell read its texts without running
// them, and looks for a word that was not filled in.
func TestEveryHookIsValidInItsShell(t *testing.T) {
	for shell, texts := range hookTexts() {
		needs(t, shell)
		for _, text := range texts {
			for _, word := range []string{"NONCE", "SECOND", "nod-NAME", "FIRST", "KEPT", "ENTRIES", "NAMES", "FAREWELL", "HOOK", "BASH'", "STTY", "FAILED"} {
				if strings.Contains(text, word) {
					t.Errorf("%s: %s is not filled in:\n%s", shell, word, text)
				}
			}
			cmd := exec.Command(shell, "-n") // #nosec G204 -- one of four
			cmd.Stdin, cmd.Env = strings.NewReader(text), append(os.Environ(), "HOME="+t.TempDir())
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s\n%s", shell, err, out, text)
			}
		}
	}
}

// unchecked are shellcheck's checks that do not fit: texts share their variables
// (SC2034, SC2154); words are filled in (SC2050, SC2194); a prompt expands what
// stands in single quotes (SC2016); formats are variables (SC2059); PROMPT_COMMAND
// and what is made of it is an array or not, by bash's version (SC2128, SC2178);
// $? is that of the command before the function (SC2319); posix.sh is read by bash,
// too (SC3044).
const unchecked = "SC2034,SC2154,SC2050,SC2194,SC2016,SC2059,SC2128,SC2178,SC2319,SC3044"

func TestTheHooksPassShellcheck(t *testing.T) {
	needs(t, "shellcheck")
	for shell, pattern := range map[string]string{"bash": "hooks/*.bash", "dash": "hooks/*.sh"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		args := append([]string{"-s", shell, "-S", "warning", "-e", unchecked}, files...)
		if out, err := exec.Command("shellcheck", args...).CombinedOutput(); err != nil { // #nosec G204
			t.Errorf("%v\n%s", err, out)
		}
	}
}

// needs skips a test where a program is missing, but not where all are to be there.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err == nil {
		return
	}
	if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
		t.Fatalf("%s is missing", program)
	}
	t.Skipf("%s is missing", program)
}
