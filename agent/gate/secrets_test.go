package gate_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nod-console/nod/agent"
	"github.com/nod-console/nod/agent/policy"
	"github.com/nod-console/nod/tools"
)

// secretive is a bench whose commands get their secrets as the guard gives them.
func secretive(t *testing.T, script ...reply) *bench {
	b := newBench(t, options{}, script...)
	b.Registry.Unregister("sh")
	b.Add(&probe{ToolName: "sh", Kind: tools.Exec, Do: func(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
		a, err := b.Gate.Fill(a)
		if err != nil {
			return tools.Result{}, tools.Failed("%w", err)
		}
		if env.Outputs != nil {
			if _, err := env.Outputs.Keep(ctx, env.Call, "stdout", "kept password=hunter22x\n"); err != nil {
				return tools.Result{}, tools.Failed("%w", err)
			}
		}
		return b.Sh(ctx, a, env)
	}})
	return b
}

const hushed = "hunter22x"

func TestASecretIsAPlaceholderToTheModelAndFilledInOnlyForTheTarget(t *testing.T) {
	b := secretive(t,
		callsFor(cmd("a", "sh", "cat app.conf; cat key")),
		callsFor(cmd("b", "sh", "grep -c ⟦secret:2⟧ app.conf && echo it is ⟦secret:2⟧")),
		callsFor(cmd("c", "look", "plain ⟦secret:1⟧"), cmd("d", "sh", "echo ⟦secret⟧"), cmd("e", "sh", "echo ⟦secret:77⟧")),
		says("done"))
	b.Must(os.WriteFile(filepath.Join(b.Dir, "app.conf"), []byte("USER=app\nDB_PASSWORD="+hushed+"\n"), 0o600))
	b.Must(os.WriteFile(filepath.Join(b.Dir, "key"), []byte("-----BEGIN RSA "+"PRIVATE KEY-----\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB\n-----END RSA "+"PRIVATE KEY-----\n"), 0o600))
	b.Answer = approve
	if ending := b.Run(t.Context(), "use the password "+"password: "+"operators0wn"+" if you must"); ending != agent.Answered {
		t.Fatal(ending)
	}
	got := b.Results()
	if !strings.Contains(got[0], `DB_PASSWORD=⟦secret:2⟧`) || strings.Contains(got[0], "MIIE") {
		t.Errorf("%s", got[0])
	}
	for _, r := range b.Server.Asked() {
		for _, m := range r.Messages {
			if strings.Contains(m.Content, hushed) || strings.Contains(m.Content, "operators0wn") || strings.Contains(m.Content, "MIIEpAIB") {
				t.Errorf("the model was sent %q", m.Content)
			}
		}
	}
	for _, want := range []string{"⟦secret:77⟧", "nothing is known"} {
		if !strings.Contains(got[4], want) {
			t.Errorf("an unknown placeholder: %s", got[4])
		}
	}
	if !strings.Contains(got[1], `"1\nit is ⟦secret:2⟧\n"`) || !strings.Contains(got[2], "plain ⟦secret:1⟧") {
		t.Errorf("%q", got)
	}
	// Neither file of the store holds any of it.
	b.Must(filepath.WalkDir(filepath.Join(b.Dir, "history"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(hushed)) || bytes.Contains(data, []byte("operators0wn")) {
			t.Errorf("%s holds a secret", path)
		}
		return err
	}))
}

func TestASecretIsNotFilledInWithoutTheOperator(t *testing.T) {
	b := secretive(t,
		callsFor(cmd("a", "sh", "cat app.conf")),
		callsFor(cmd("b", "sh", "echo ⟦secret:1⟧")),
		callsFor(cmd("c", "sh", "echo ⟦secret:1⟧")),
		says("done"))
	b.Must(os.WriteFile(filepath.Join(b.Dir, "app.conf"), []byte("DB_PASSWORD="+hushed+"\n"), 0o600))
	no := false
	b.Answer = func(ctx context.Context, r policy.Request) (policy.Answer, error) {
		if strings.Contains(r.Action.Command, "⟦") && !no {
			no = true
			return policy.Answer{RequestID: r.ID}, nil
		}
		return approve(ctx, r)
	}
	if ending := b.Run(t.Context(), "go"); ending != agent.Answered {
		t.Fatal(ending)
	}
	var asked []string
	for _, r := range b.Asked {
		if strings.Contains(r.Action.Command, "⟦") {
			asked = append(asked, r.Why)
		}
	}
	// "echo" alone would run by itself.
	if len(asked) != 2 || !strings.Contains(asked[0], "⟦secret:1⟧ (password)") {
		t.Errorf("asked: %q", asked)
	}
	ran := slices.DeleteFunc(b.Executed(), func(c string) bool { return !strings.Contains(c, "⟦") })
	if len(ran) != 1 || !strings.Contains(b.Results()[2], `"⟦secret:1⟧\n"`) {
		t.Errorf("ran %q: %q", ran, b.Results())
	}
	b.Must(filepath.WalkDir(filepath.Join(b.Dir, "ledger"), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(hushed)) {
			t.Errorf("%s holds the secret", path)
		}
		return err
	}))
	// What was allowed is over now.
	for _, a := range b.Runs {
		if !strings.Contains(a.Command, "⟦") {
			continue
		}
		if _, err := b.Gate.Fill(a); err == nil {
			t.Errorf("%q is filled in once more", a.Command)
		}
	}
	// The guard fills in nothing on its own.
	a := tools.Action{Command: "echo ⟦secret:1⟧"}
	if filled, err := b.Gate.Fill(a); err != nil || filled.Command != a.Command {
		t.Errorf("%q, %v", filled.Command, err)
	}
}

// TestPlaceholdersOfAnEarlierProcessStandForNothing: they are not given again,
// and nothing is filled in for them.
func TestPlaceholdersOfAnEarlierProcessStandForNothing(t *testing.T) {
	b := secretive(t, says("The password was ⟦secret:9⟧."),
		callsFor(cmd("a", "sh", "cat app.conf"), cmd("b", "sh", "echo ⟦secret:9⟧")), says("done"))
	b.Must(os.WriteFile(filepath.Join(b.Dir, "app.conf"), []byte("DB_PASSWORD="+hushed+"\n"), 0o600))
	b.Answer = approve
	b.Run(t.Context(), "what was it?")
	b.Forget()
	if ending := b.Run(t.Context(), "and now?"); ending != agent.Answered {
		t.Fatal(ending)
	}
	if got := b.Results(); !strings.Contains(got[0], "DB_PASSWORD=⟦secret:10⟧") || !strings.Contains(got[1], "nothing is known") {
		t.Errorf("%q", got)
	}
}
