package targets_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
)

// TestWhatTheModelMayName: the hosts of ssh_config, of the configuration and of its groups, and this machine;
// no patterns, and nothing else.
func TestWhatTheModelMayName(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("ssh_config", "Host web01 web02\nHost *.example.com\nHost *\n")
	write("c/nod/config.toml", "[target.\"ssh:db-1\"]\ntrust = \"prod\"\n[target.\"ssh:web*\"]\ntrust = \"lab\"\n[group.web]\ntargets = [\"web[01-02]\", \"db-1\", \"ops@new-9\"]\n")
	env := map[string]string{"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "c"), "XDG_STATE_HOME": filepath.Join(home, "s"), "NOD_SSH_CONFIG": filepath.Join(home, "ssh_config")}
	getenv := func(name string) string { return env[name] }
	c, err := config.Load(config.Source{Getenv: getenv})
	if err != nil {
		t.Fatal(err)
	}
	lines, err := targets.NewConnections(c, getenv)
	if err != nil {
		t.Fatal(err)
	}
	_, verifier := tools.NewMint()
	r := &targets.Roster{Targets: targets.New(guard.New(verifier), lines, c, targets.Options{})}
	if got, want := r.Known(), []string{"local", "ssh:db-1", "ssh:ops@new-9", "ssh:web01", "ssh:web02"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if in := r.Memberships(r.Known()); !slices.Equal(in["ssh:ops@new-9"], []string{"web"}) || in["local"] != nil {
		t.Errorf("%v", in)
	}
	group, ok := r.Group("web")
	if _, none := r.Group("db"); !ok || none || group != "web[01-02],db-1,ops@new-9" || !slices.Equal(r.Groups(), []string{"web"}) {
		t.Errorf("%q, %t; %q", group, ok, r.Groups())
	}
	// Why a connection came to nothing is kept until one is made, or it was given up.
	if err := r.Connect(t.Context(), "docker:"); err == nil {
		t.Error("connected to nothing")
	}
	given, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Connect(given, "ssh:web01"); err == nil || r.Failed("ssh:web01") != nil {
		t.Errorf("given up: %v, %v", err, r.Failed("ssh:web01"))
	}
	refused := errors.New("not today")
	r.Open = func(context.Context, string) error { return refused }
	if err := r.Connect(t.Context(), "ssh:web01"); !errors.Is(err, refused) {
		t.Error(err)
	}
}
