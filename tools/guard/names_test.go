package guard_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
)

// named is a target that has a name and nothing else.
type named struct {
	backends.Target
	name string
}

func (n named) Name() string { return n.name }

// TestABareHostNameIsItsOneTarget: and never one of several, or one that is not connected.
func TestABareHostNameIsItsOneTarget(t *testing.T) {
	_, verifier := tools.NewMint()
	g := guard.New(verifier)
	for _, name := range []string{"local", "ssh:web-1", "ssh:ops@db-1:2222", "docker:api", "ssh:api", "docker:cache"} {
		if err := g.Add(guard.Place{Target: named{name: name}, User: "ops", Shell: "sh"}); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"local": "local", "ssh:web-1": "ssh:web-1", "web-1": "ssh:web-1", "WEB-1": "ssh:web-1", "db-1": "ssh:ops@db-1:2222",
		"ops@db-1:2222": "ssh:ops@db-1:2222", "cache": "docker:cache", "docker:api": "docker:api",
		"api": "", "web": "", "root@db-1": "", "docker:web-1": "", "ssh": "", "": "",
	} {
		about, err := g.About(name)
		if about.Target != want || (err == nil) != (want != "") || err != nil && !errors.Is(err, guard.ErrNoTarget) {
			t.Errorf("%q: %q, %v", name, about.Target, err)
		}
	}
	if _, err := g.About("api"); err == nil || !strings.Contains(err.Error(), "docker:api, ssh:api") {
		t.Errorf("%v", err)
	}
}
