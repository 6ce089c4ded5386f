package docker_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/docker"
	"github.com/nod-console/nod/backends/docker/enginetest"
	"github.com/nod-console/nod/backends/local"
)

// environment is an environment of a test.
type environment map[string]string

func (e environment) get(name string) string { return e[name] }

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// writeContext writes a context as the docker command does.
func writeContext(t *testing.T, config, name, host string) {
	t.Helper()
	sum := sha256.Sum256([]byte(name))
	write(t, filepath.Join(config, "contexts/meta", hex.EncodeToString(sum[:]), "meta.json"),
		fmt.Sprintf(`{"Name":%q,"Metadata":{},"Endpoints":{"docker":{"Host":%q,"SkipTLSVerify":false}}}`, name, host))
}

func TestDiscovery(t *testing.T) {
	home := t.TempDir()
	config := filepath.Join(home, ".docker")
	write(t, config+"/config.json", `{"auths":{},"currentContext":"prod"}`)
	writeContext(t, config, "prod", "unix:///prod.sock")
	writeContext(t, config, "far", "ssh://root@far")
	other := t.TempDir()
	write(t, other+"/config.json", `{"currentContext":"gone"}`)
	usual := "unix:///var/run/docker.sock unix:///x/docker.sock unix:///x/podman/podman.sock unix:///run/podman/podman.sock"
	for name, c := range map[string]struct {
		env  environment
		s    docker.Settings
		want string
		err  error
	}{
		"nothing":             {environment{"HOME": t.TempDir(), "XDG_RUNTIME_DIR": "/x"}, docker.Settings{}, usual, nil},
		"the current context": {environment{"HOME": home}, docker.Settings{}, "unix:///prod.sock", nil},
		"DOCKER_CONFIG":       {environment{"HOME": "/none", "DOCKER_CONFIG": config}, docker.Settings{}, "unix:///prod.sock", nil},
		"DOCKER_CONTEXT":      {environment{"HOME": home, "DOCKER_CONTEXT": "far"}, docker.Settings{}, "ssh://root@far", nil},
		"default":             {environment{"HOME": home, "DOCKER_CONTEXT": "default", "XDG_RUNTIME_DIR": "/x"}, docker.Settings{}, usual, nil},
		"DOCKER_HOST":         {environment{"HOME": home, "DOCKER_HOST": "tcp://h:1", "DOCKER_CONTEXT": "far"}, docker.Settings{}, "tcp://h:1", nil},
		"configured context":  {environment{"HOME": home, "DOCKER_HOST": "tcp://h:1"}, docker.Settings{Context: "far"}, "ssh://root@far", nil},
		"configured host":     {environment{"HOME": home}, docker.Settings{Host: "/s", Context: "far"}, "unix:///s", nil},
		"no such context":     {environment{"HOME": home, "DOCKER_CONTEXT": "nope"}, docker.Settings{}, "", docker.ErrNoContext},
		"a context that went": {environment{"DOCKER_CONFIG": other}, docker.Settings{}, "", docker.ErrNoContext},
		"podman":              {environment{"XDG_RUNTIME_DIR": "/x"}, docker.Settings{Kind: docker.Podman}, "unix:///x/podman/podman.sock unix:///run/podman/podman.sock", nil},
		"CONTAINER_HOST":      {environment{"CONTAINER_HOST": "unix:///c"}, docker.Settings{Kind: docker.Podman}, "unix:///c", nil},
	} {
		c.s.Getenv = c.env.get
		all, err := docker.Discover(c.s)
		var urls []string
		for _, a := range all {
			urls = append(urls, a.URL)
		}
		if got := strings.Join(urls, " "); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v; want %q, %v", name, got, err, c.want, c.err)
		}
	}
	write(t, other+"/config.json", `{"currentContext":`)
	if _, err := docker.Discover(docker.Settings{Getenv: environment{"DOCKER_CONFIG": other}.get}); err == nil || !strings.Contains(err.Error(), other) {
		t.Errorf("a broken file: %v", err)
	}
}

func TestFindByContext(t *testing.T) {
	onEach(t, func(t *testing.T, e *enginetest.Engine) {
		config := t.TempDir()
		write(t, config+"/config.json", `{"currentContext":"mine"}`)
		writeContext(t, config, "mine", "unix://"+e.Socket)
		engine, err := docker.Find(limited(t), docker.Settings{Getenv: environment{"DOCKER_CONFIG": config}.get})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = engine.Close() }() // idle connections only
		about := engine.About()
		if string(about.Kind) != e.Kind || about.Version == "" || about.API == "" || about.Address.From != `context "mine"` {
			t.Errorf("%+v", about)
		}
	})
}

// What is wrong and what to do, for each way in which there is no engine.
func TestNoEngine(t *testing.T) {
	e := enginetest.Docker(t)
	dir, err := os.MkdirTemp("/tmp", "nod-") // short enough for a socket, and open to another user
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	old := oldEngine(t, dir+"/old")
	deaf, err := net.Listen("unix", dir+"/dead")
	if err != nil {
		t.Fatal(err)
	}
	deaf.(*net.UnixListener).SetUnlinkOnClose(false)
	if err := deaf.Close(); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		url  string
		want error
		hint string
	}{
		"no socket":  {"unix://" + dir + "/none", docker.ErrNoEngine, "systemctl start docker"},
		"a dead one": {"unix://" + dir + "/dead", docker.ErrNoEngine, "systemctl start docker"},
		"nobody":     {"tcp://127.0.0.1:1", docker.ErrNoEngine, "check the address"},
		"too old":    {"unix://" + old, docker.ErrTooOld, "upgrade"},
		"ssh":        {"ssh://host", nil, "ssh:HOST"},
	} {
		_, err := docker.Find(limited(t), docker.Settings{Host: c.url, Getenv: environment{}.get})
		var engine *docker.EngineError
		if err == nil || c.want != nil && !errors.Is(err, c.want) || !errors.As(err, &engine) || !strings.Contains(err.Error(), c.hint) || !strings.Contains(err.Error(), c.url) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if os.Geteuid() == 0 {
		asNobody(t, dir, e.Socket)
	}
}

// asNobody connects to the engine as a user who may not.
func asNobody(t *testing.T, dir, socket string) {
	t.Helper()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	program := dir + "/test" // where another user may go
	backendtest.WriteProgram(t, program, string(self))
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Dir(socket), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(socket, 0o660); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", program)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "NOD_TEST_VICTIM=stranger", "NOD_TEST_SOCKET=" + socket}
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), docker.ErrDenied.Error()) || !strings.Contains(string(out), "usermod -aG docker") {
		t.Errorf("as another user: %v: %s", err, out)
	}
}

// oldEngine answers as an engine from 2018 does.
func oldEngine(t *testing.T, socket string) string {
	t.Helper()
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	s := &http.Server{ReadHeaderTimeout: time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("API-Version", "1.38")
		w.Header().Set("Ostype", "linux")
	})}
	go func() { _ = s.Serve(l) }() // ends with Close
	t.Cleanup(func() { _ = s.Close() })
	return socket
}

// An engine behind another target, as behind a host over ssh: the same programs
// on either side, only the way in between is the local target's.
func TestAnEngineBehindATarget(t *testing.T) {
	e := enginetest.Docker(t)
	host := local.New(os.Environ())
	defer func() { _ = host.Close() }() // nothing runs any more
	engine, err := docker.Find(limited(t), docker.Settings{
		Host: "ssh://box" + e.Socket, Getenv: environment{}.get,
		DialSSH: func(_ context.Context, address string) docker.Dialer {
			dial, err := docker.Stdio(host, address)
			if err != nil {
				t.Error(err)
			}
			return dial
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	container := e.Container(t, enginetest.Busybox)
	target, err := docker.Open(limited(t), engine, container, docker.Options{})
	if err != nil {
		t.Fatal(err)
	}
	stdout, stderr, o := run(t, target, sh("echo out; echo err >&2; exit 7")...)
	if stdout != "out\n" || stderr != "err\n" || o.Code != 7 {
		t.Errorf("%q, %q, %s", stdout, stderr, o)
	}
	if err := target.Close(); err != nil {
		t.Error(err)
	}
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
	broken, err := docker.Stdio(host, "ssh://box/none.sock")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := docker.Dial(limited(t), docker.Address{URL: "ssh://box/none.sock"}, broken); err == nil || !strings.Contains(err.Error(), "dial-stdio") {
		t.Errorf("nothing behind it: %v", err)
	}
}

func TestParse(t *testing.T) {
	for name, want := range map[string]string{"docker:api": "docker/api", "podman:a_b.c-1": "podman/a_b.c-1"} {
		if k, n, err := docker.Parse(name); err != nil || string(k)+"/"+n != want {
			t.Errorf("%s: %s, %s, %v", name, k, n, err)
		}
	}
	for _, name := range []string{"", "api", "docker:", "ssh:x", "docker:a b", "docker:../x", "docker:a/b"} {
		if _, _, err := docker.Parse(name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
