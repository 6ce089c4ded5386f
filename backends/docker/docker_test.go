package docker_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/docker/enginetest"
)

func TestMain(m *testing.M) {
	if os.Getenv("NOD_TEST_VICTIM") != "" {
		beVictim()
		return
	}
	// The tests wait for the engine, and for delays that are promised, much longer
	// than they compute.
	flag.Parse()
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	code := m.Run()
	if err := enginetest.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "the test's engine:", err)
		code = 1
	}
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// patience is how long a condition may take before a test fails.
const patience = 60 * time.Second

// onEach runs a test on a real Docker engine and, where it is installed, on
// podman.
func onEach(t *testing.T, test func(t *testing.T, e *enginetest.Engine)) {
	t.Parallel()
	onEachInTurn(t, test)
}

// onEachInTurn is onEach for a test that no other may run beside.
func onEachInTurn(t *testing.T, test func(t *testing.T, e *enginetest.Engine)) {
	t.Run("docker", func(t *testing.T) { test(t, enginetest.Docker(t)) })
	t.Run("podman", func(t *testing.T) {
		// podman 4.3 now and then loses the output or the error of a program that
		// ends at once (see doc.go), which is not for a gate to depend on.
		if os.Getenv("NOD_E2E") != "1" {
			t.Skip("podman: set NOD_E2E=1")
		}
		test(t, enginetest.Podman(t))
	})
}

// dial connects to a test's engine.
func dial(t testing.TB, e *enginetest.Engine) docker.Engine {
	t.Helper()
	engine, err := docker.Dial(limited(t), docker.Address{URL: "unix://" + e.Socket, From: "the test"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := engine.Close(); err != nil {
			t.Error(err)
		}
	})
	return engine
}

// open starts a container and opens it.
func open(t testing.TB, e *enginetest.Engine, args ...string) *docker.Target {
	t.Helper()
	return openNamed(t, e, e.Container(t, args...), docker.Options{})
}

func openNamed(t testing.TB, e *enginetest.Engine, name string, opt docker.Options) *docker.Target {
	t.Helper()
	target, err := docker.Open(limited(t), dial(t, e), name, opt)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := target.Close(); err != nil {
			t.Error(err)
		}
	})
	return target
}

// limited is cancelled when patience or the test ends.
func limited(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func sh(script string, args ...string) []string {
	return append([]string{"sh", "-c", script}, args...)
}

// run runs a command to its end.
func run(t testing.TB, target backends.Target, argv ...string) (stdout, stderr string, o backends.Outcome) {
	t.Helper()
	var out, err bytes.Buffer
	p, serr := target.Exec(limited(t), backends.Command{Argv: argv, Stdout: &out, Stderr: &err})
	if serr != nil {
		t.Fatalf("exec %q: %v", argv, serr)
	}
	o, werr := p.Wait()
	if werr != nil {
		t.Fatalf("wait for %q: %v (%s)", argv, werr, o)
	}
	return out.String(), err.String(), o
}

// until waits for a condition.
func until(t testing.TB, what string, cond func() bool) {
	t.Helper()
	if !backendtest.Soon(patience, cond) {
		t.Fatalf("%s: not within %s", what, patience)
	}
}

// buffer is a writer that can be read meanwhile.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

func (b *buffer) await(t testing.TB, s string) {
	t.Helper()
	until(t, fmt.Sprintf("%q in the output", s), func() bool { return strings.Contains(b.String(), s) })
}

func TestConformance(t *testing.T) {
	t.Setenv("NOD_TEST_SECRET", "must not be sent")
	onEachInTurn(t, func(t *testing.T, e *enginetest.Engine) {
		// Each set of tools, and each kind of user, once; all four with NOD_E2E=1.
		for name, args := range map[string][]string{
			"busybox":               {enginetest.Busybox},
			"debian, another user":  {"--user", "www-data:www-data", enginetest.Debian},
			"debian":                {enginetest.Debian},
			"busybox, another user": {"--user", "1000:1000", enginetest.Busybox},
		} {
			t.Run(name, func(t *testing.T) {
				if first := name == "busybox" || e.Kind == "docker" && name == "debian, another user"; !first && os.Getenv("NOD_E2E") != "1" {
					t.Skip("the long tests run this, too: NOD_E2E=1")
				}
				container := e.Container(t, args...)
				backendtest.Run(t, func(t *testing.T) backends.Target {
					target, err := docker.Open(limited(t), dial(t, e), container, docker.Options{})
					if err != nil {
						t.Fatal(err)
					}
					return target
				})
			})
		}
	})
}
