package shellcompletion

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// here finds what there is in a home of its own.
func here(t *testing.T, conf string) *Candidates {
	t.Helper()
	home := t.TempDir()
	file := filepath.Join(home, "config.toml")
	if err := os.WriteFile(file, []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	hosts := filepath.Join(home, "ssh_config")
	if err := os.WriteFile(hosts, []byte("Host web-1 web-2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	getenv := func(name string) string {
		return map[string]string{"HOME": home, "NOD_STATE_DIR": home, "NOD_SSH_CONFIG": hosts, "NOD_CONFIG": file, "XDG_RUNTIME_DIR": home}[name]
	}
	return &Candidates{Getenv: getenv, Config: func() (*config.Config, error) { return config.Load(config.Source{Getenv: getenv}) }}
}

func TestTargetsAndModels(t *testing.T) {
	c := here(t, "[model.work]\nbase_url = \"http://127.0.0.1:1/v1\"\nmodel = \"m$(reboot)\"\n")
	offer := func(find Finder, args []string, word string) []cobra.Completion {
		cmd := &cobra.Command{}
		cmd.SetContext(t.Context())
		all, directive := Only(find)(cmd, args, word)
		if directive&cobra.ShellCompDirectiveNoFileComp == 0 {
			t.Error("files are offered, too")
		}
		return all
	}
	if got := offer(c.Targets, nil, ""); !slices.Equal(got, []string{"local\tthis machine", "ssh:web-1", "ssh:web-2"}) {
		t.Errorf("targets: %q", got)
	}
	if got := offer(c.Targets, []string{"web-1"}, "w"); !slices.Equal(got, []string{"web-2"}) {
		t.Errorf("hosts behind one that is named: %q", got)
	}
	if got := offer(c.Models, nil, ""); !slices.Equal(got, []string{"work\tm reboot"}) {
		t.Errorf("models: %q", got)
	}
	for _, find := range []Finder{c.Conversations, c.Patterns, c.Runs, c.Recordings} {
		if got, err := find(t.Context(), ""); len(got) > 0 || err != nil {
			t.Errorf("in an empty state: %q, %v", got, err)
		}
	}
	if left, err := os.ReadDir(c.Getenv("NOD_STATE_DIR")); err != nil || len(left) != 2 {
		t.Errorf("something was written: %v, %v", left, err)
	}
}

// TestNothingOfferedMeansSomethingToAShell: names that do are left out, and what is said about
// one is cleaned and short.
func TestNothingOfferedMeansSomethingToAShell(t *testing.T) {
	find := func(context.Context, string) ([]cobra.Completion, error) {
		return []cobra.Completion{described("good", "a\x1b[2J `id` "+strings.Repeat("long ", 30)), "$(reboot)", "two words", "good2"}, nil
	}
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	all, directive := OrFiles(find)(cmd, nil, "")
	if len(all) != 2 || all[1] != "good2" || directive&cobra.ShellCompDirectiveNoFileComp != 0 {
		t.Fatalf("%q", all)
	}
	_, about, _ := strings.Cut(all[0], "\t")
	if strings.ContainsAny(about, "\x1b`$") || len([]rune(about)) > mostAbout || !strings.HasSuffix(about, "…") {
		t.Errorf("%q", about)
	}
}

func TestFlagsAreCompletedAtOneCommandOrAll(t *testing.T) {
	root, sub := &cobra.Command{Use: "nod"}, &cobra.Command{Use: "audit"}
	root.AddCommand(sub)
	root.Flags().String("format", "", "")
	sub.Flags().String("format", "", "")
	Flags(root, map[string]cobra.CompletionFunc{"format": Words("any"), "nod audit --format": Words("json")})
	for cmd, want := range map[*cobra.Command]string{root: "any", sub: "json"} {
		f, there := cmd.GetFlagCompletionFunc("format")
		if !there {
			t.Fatalf("%s: not completed", cmd.Name())
		}
		if got, _ := f(cmd, nil, ""); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q", cmd.Name(), got)
		}
	}
}
