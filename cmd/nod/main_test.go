package main

import (
	"crypto/rand"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/docker/enginetest"
	"github.com/nod-console/nod/tools/plugin/js"
	"github.com/nod-console/nod/tools/plugin/lua"
)

// raceReports is where a nod that was built with the race detector says what it has
// found, by the name of this and its process id; empty in such a nod itself.
var raceReports string

// detector are the settings of the race detector in a nod that a test starts: it
// reports where nothing is drawn over it, and ends when nod ends; by itself it would
// sleep for a second first.
func detector() string { return "GORACE=atexit_sleep_ms=0 log_path=" + raceReports }

// suite runs the tests and ends their container engines. It fails where a nod that
// they started had a data race. A story waits for terminals and for the pauses of a
// hand far more than it computes, so several are told for each processor.
type suite struct{ *testing.M }

func (s suite) Run() int {
	dir, err := os.MkdirTemp("", "nod-races")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir) //nolint:errcheck // a folder for temporary files
	raceReports = filepath.Join(dir, "race")
	flag.Parse()
	if most := flag.Lookup("test.parallel"); most.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		if err := most.Value.Set(strconv.Itoa(3 * runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	status := s.M.Run()
	if err := enginetest.Stop(); err != nil {
		fmt.Println("the tests' engine:", err)
		status = max(status, 1)
	}
	reports, err := filepath.Glob(raceReports + ".*")
	if err != nil {
		panic(err)
	}
	for _, name := range reports {
		text, err := os.ReadFile(name)
		fmt.Printf("a nod that a test started had a data race: %s %v\n", text, err)
		status = max(status, 1)
	}
	return status
}

// TestMain lets the test binary be nod: under the name "nod" in scripts, and
// with NOD_TEST_MAIN set when a test starts it in a terminal.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == js.Command {
		js.Main()
		return
	}
	if len(os.Args) == 2 && os.Args[1] == lua.Command {
		lua.Main()
		return
	}
	if os.Getenv("NOD_TEST_MAIN") == "1" {
		if err := os.Unsetenv("NOD_TEST_MAIN"); err != nil {
			panic(err)
		}
		if path := os.Getenv("NOD_TEST_PANIC"); path != "" {
			go panicOnce(path)
		}
		os.Exit(mainStatus())
	}
	// nod has started itself. Whatever the command is called: the test binary that is
	// taken for nod must never run the tests again, each of which would start more of it.
	if len(os.Args) > 1 && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(mainStatus())
	}
	testscript.Main(suite{m}, map[string]func(){"nod": main})
}

// panicOnce panics, in a goroutine that nobody recovers, when there is a file at path.
func panicOnce(path string) {
	for {
		if _, err := os.Stat(path); err == nil {
			panic("once")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestScripts drives the program without a screen; each file in
// testdata/script is a story.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			home := env.WorkDir + "/home"
			if err := os.Mkdir(home, 0o700); err != nil {
				return err
			}
			env.Setenv("HOME", home)
			env.Setenv("SHELL", "/bin/bash")
			env.Vars = append(env.Vars, noCopy)
			env.Vars = append(env.Vars, detector())
			// With this configuration, panes are on a tmux server of the story's own.
			socket := "nod-test-" + strings.ToLower(rand.Text()[:12])
			config := "[tmux]\nsocket = \"" + socket + "\"\n"
			if err := os.WriteFile(env.WorkDir+"/panes.toml", []byte(config), 0o600); err != nil {
				return err
			}
			env.Defer(func() {
				_ = exec.Command("tmux", "-L", socket, "kill-server").Run() // there may be none
				forgetSocket(socket)
				if err := backendtest.Deserted(home); err != nil {
					t.Error(err)
				}
			})
			env.Setenv("PANES_SOCKET", socket)
			env.Setenv("LONG", "echo "+strings.Repeat("x", 500)+" the end")
			return nil
		},
	})
}
