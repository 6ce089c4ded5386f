package docker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Address is where an engine is, and who says so.
type Address struct {
	URL  string // "unix:///run/docker.sock", "tcp://…", "ssh://…"
	From string // `DOCKER_HOST`, `context "prod"`, "default socket", …

	CA, Cert, Key string // files for TLS, or ""
	SkipVerify    bool   // the server's certificate is not checked, as the context says
}

// String implements fmt.Stringer.
func (a Address) String() string {
	if a.From == "" {
		return a.URL
	}
	return a.URL + " (" + a.From + ")"
}

// Settings say which engine is wanted. The zero value finds the one that the
// docker command would use.
type Settings struct {
	Kind    Kind   // Docker or Podman; "" is Docker, and podman where there is no Docker
	Host    string // an address, as DOCKER_HOST has it
	Context string // a context of Docker's configuration

	// Getenv is os.Getenv if nil.
	Getenv func(string) string
	// DialSSH connects to an engine behind ssh, over nod's own connection. It
	// gets the whole address, "ssh://USER@HOST:PORT". See [Stdio].
	DialSSH func(ctx context.Context, address string) Dialer
}

// Find connects to the engine that is wanted. Where an address is given in any
// way, it is that or an error; else the usual sockets are tried in turn.
func Find(ctx context.Context, s Settings) (Engine, error) {
	candidates, err := Discover(s)
	if err != nil {
		return nil, err
	}
	var all []error
	for _, a := range candidates {
		var dial Dialer
		if strings.HasPrefix(a.URL, "ssh://") && s.DialSSH != nil {
			dial = s.DialSSH(ctx, a.URL)
		}
		e, err := Dial(ctx, a, dial)
		if err == nil {
			return e, nil
		}
		all = append(all, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, worst(all)
}

// worst is the error that tells most: one engine that is there and cannot be
// used says more than sockets that nobody answers at.
func worst(all []error) error {
	for _, is := range []error{ErrDenied, ErrTooOld} {
		for _, err := range all {
			if errors.Is(err, is) {
				return err
			}
		}
	}
	for _, err := range all {
		if !errors.Is(err, ErrNoEngine) {
			return err
		}
	}
	if len(all) == 1 {
		return all[0]
	}
	var tried []string
	for _, err := range all[1:] {
		var e *EngineError
		if errors.As(err, &e) {
			tried = append(tried, e.Address.URL)
		}
	}
	return fmt.Errorf("%w; nothing answers at %s either", all[0], strings.Join(tried, ", "))
}

// Discover tells where the engine that is wanted may be, in the order in which
// to try. The order of precedence is that of the docker command.
func Discover(s Settings) ([]Address, error) {
	if s.Getenv == nil {
		s.Getenv = os.Getenv
	}
	if s.Kind == Podman {
		return s.podman(), nil
	}
	switch {
	case s.Host != "":
		return []Address{s.given(s.Host, "configuration")}, nil
	case s.Context != "":
		return s.context(s.Context, "configuration")
	}
	if host := s.Getenv("DOCKER_HOST"); host != "" {
		return []Address{s.given(host, "DOCKER_HOST")}, nil
	}
	if name := s.Getenv("DOCKER_CONTEXT"); name != "" {
		return s.context(name, "DOCKER_CONTEXT")
	}
	name, err := s.currentContext()
	if err != nil {
		return nil, err
	}
	if name != "" {
		return s.context(name, "the current context")
	}
	return s.usual(), nil
}

// given is an address that somebody wrote down, with the certificates that the
// environment has.
func (s Settings) given(url, from string) Address {
	if strings.HasPrefix(url, "/") {
		url = "unix://" + url
	}
	a := Address{URL: url, From: from}
	if !strings.HasPrefix(url, "tcp://") {
		return a
	}
	dir := s.Getenv("DOCKER_CERT_PATH")
	verify := s.Getenv("DOCKER_TLS_VERIFY") != ""
	if dir == "" && verify {
		dir = s.dockerConfig()
	}
	if dir != "" {
		a.CA, a.Cert, a.Key = filepath.Join(dir, "ca.pem"), filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
		a.SkipVerify = !verify
	}
	return a
}

// usual are the sockets where engines are without any configuration.
func (s Settings) usual() []Address {
	all := []Address{{URL: "unix:///var/run/docker.sock", From: "the default socket"}}
	if dir := s.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		all = append(all, Address{URL: "unix://" + dir + "/docker.sock", From: "rootless Docker"})
	}
	if s.Kind == "" {
		all = append(all, s.podmanSockets()...)
	}
	return all
}

func (s Settings) podman() []Address {
	if s.Host != "" {
		return []Address{s.given(s.Host, "configuration")}
	}
	if host := s.Getenv("CONTAINER_HOST"); host != "" {
		return []Address{s.given(host, "CONTAINER_HOST")}
	}
	return s.podmanSockets()
}

func (s Settings) podmanSockets() []Address {
	var all []Address
	if dir := s.Getenv("XDG_RUNTIME_DIR"); dir != "" {
		all = append(all, Address{URL: "unix://" + dir + "/podman/podman.sock", From: "rootless podman"})
	}
	return append(all, Address{URL: "unix:///run/podman/podman.sock", From: "podman's socket"})
}

func (s Settings) dockerConfig() string {
	if dir := s.Getenv("DOCKER_CONFIG"); dir != "" {
		return dir
	}
	return filepath.Join(s.Getenv("HOME"), ".docker")
}

// currentContext reads the name of the context in use; "" is none.
func (s Settings) currentContext() (string, error) {
	file := filepath.Join(s.dockerConfig(), "config.json")
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("docker: its configuration: %w", err)
	}
	var config struct {
		CurrentContext string `json:"currentContext"`
	}
	if err := json.Unmarshal(data, &config); err != nil {
		return "", fmt.Errorf("docker: its configuration %s: %w: correct it, or set DOCKER_HOST", file, err)
	}
	return config.CurrentContext, nil
}

// context reads a context. "default" has no file: it is what there is without
// contexts.
func (s Settings) context(name, from string) ([]Address, error) {
	if name == "default" {
		return s.usual(), nil
	}
	sum := sha256.Sum256([]byte(name))
	id := hex.EncodeToString(sum[:])
	dir := s.dockerConfig()
	file := filepath.Join(dir, "contexts", "meta", id, "meta.json")
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf(`docker: %w: %q, which %s names; "docker context ls" lists them`, ErrNoContext, name, from)
	}
	if err != nil {
		return nil, fmt.Errorf("docker: context %q: %w", name, err)
	}
	var meta struct {
		Endpoints map[string]struct {
			Host          string
			SkipTLSVerify bool
		}
	}
	if err := json.Unmarshal(data, &meta); err != nil {
		return nil, fmt.Errorf("docker: context %q: %s: %w", name, file, err)
	}
	end, ok := meta.Endpoints["docker"]
	if !ok || end.Host == "" {
		return nil, fmt.Errorf("docker: context %q has no docker endpoint in %s: make it anew", name, file)
	}
	a := Address{URL: end.Host, From: fmt.Sprintf("context %q", name), SkipVerify: end.SkipTLSVerify}
	tls := filepath.Join(dir, "contexts", "tls", id, "docker")
	for name, to := range map[string]*string{"ca.pem": &a.CA, "cert.pem": &a.Cert, "key.pem": &a.Key} {
		if _, err := os.Stat(filepath.Join(tls, name)); err == nil {
			*to = filepath.Join(tls, name)
		}
	}
	return []Address{a}, nil
}
