package local_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
)

// nod's own keys reach no command, however it is started: programs see what env
// prints, and what /proc has of the shell that runs it.
func TestNodsOwnSecretsReachNoCommand(t *testing.T) {
	secrets := []string{"OPENAI_API_KEY", "NOD_API_KEY", "NOD_BASE_URL", "WORK_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "LD_PRELOAD", "DBUS_SECRET"}
	environ := os.Environ()
	for _, name := range secrets {
		environ = append(environ, name+"=hidden-value")
	}
	target := local.New(environ)
	t.Cleanup(func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	})
	const look = "env; tr '\\0' '\\n' </proc/$$/environ; echo 'the '\"end\""
	check := func(how, out string) {
		t.Helper()
		if strings.Contains(out, "hidden-value") || !strings.Contains(out, "PATH=") || !strings.Contains(out, "the end") {
			t.Errorf("%s:\n%s", how, out)
		}
	}
	var out bytes.Buffer
	p, err := target.Exec(t.Context(), backends.Command{Argv: []string{"sh", "-c", look}, Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	if o, err := p.Wait(); err != nil || o.Code != 0 {
		t.Fatal(o, err)
	}
	check("a program", out.String())

	var seen bytes.Buffer
	term, err := target.Terminal(t.Context(), backends.Command{Argv: []string{"sh", "-c", look}, Stdout: &seen}, backends.Size{Cols: 200, Rows: 50})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := term.Wait(); err != nil {
		t.Error(err)
	}
	check("a terminal", seen.String())
}
