package controller

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/backends/pane"
)

// What runs in a terminal is asked about before it is closed, whoever has begun it; also
// where nod cannot know what it is.
func TestATerminalIsClosedUnaskedOnlyAtItsPrompt(t *testing.T) {
	for name, c := range map[string]struct {
		shell []string
		typed string
		want  string
	}{
		"at its prompt":   {shell: []string{"sh"}},
		"by hand":         {shell: []string{"bash", "--norc"}, typed: "cat /dev/zero >/dev/null\r", want: "cat"},
		"no shell at all": {shell: []string{"cat"}, want: "something that nod did not start"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := local.New(os.Environ())
			k, err := pane.Open(t.Context(), target, pane.Options{Agent: "test", WithoutTmux: true, Shell: c.shell})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := k.Close(); err != nil {
					t.Error(err)
				}
			}()
			p, err := k.Shared(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			changes, cancel := p.Subscribe()
			defer cancel()
			if c.typed != "" {
				if err := p.Type(t.Context(), []byte(c.typed)); err != nil {
					t.Fatal(err)
				}
			}
			for limit := time.After(time.Minute); ; {
				got := doing(p)
				if strings.Contains(got, c.want) && (got == "") == (c.want == "") {
					return
				}
				select {
				case <-changes:
				case <-limit:
					t.Fatalf("it does %q, want %q", got, c.want)
				}
			}
		})
	}
}
