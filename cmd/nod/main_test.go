package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the test binary be nod: under the name "nod" in scripts, and
// with NOD_TEST_MAIN set when a test starts it in a terminal.
func TestMain(m *testing.M) {
	if os.Getenv("NOD_TEST_MAIN") == "1" {
		if err := os.Unsetenv("NOD_TEST_MAIN"); err != nil {
			panic(err)
		}
		os.Exit(mainStatus())
	}
	testscript.Main(m, map[string]func(){"nod": main})
}

// TestScripts drives the program without a screen; each file in
// testdata/script is a story.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			home := env.WorkDir + "/home"
			if err := os.Mkdir(home, 0o700); err != nil {
				return err
			}
			env.Setenv("HOME", home)
			env.Setenv("SHELL", "/bin/bash")
			env.Setenv("TMUX_TMPDIR", env.WorkDir)
			return nil
		},
	})
}
