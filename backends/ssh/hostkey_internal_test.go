package ssh

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"fmt"
	mrand "math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// The patterns of known_hosts match as ssh-keygen finds them.
func TestPatternsOfKnownHostsAreThoseOfSSH(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
			t.Fatal("there is no ssh-keygen: run make deps")
		}
		t.Skip("there is no ssh-keygen: run make deps")
	}
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	parts := []string{"*", "?", "web", "WEB", ".example", ".org", "web.example.org", "[", "]", "[web.example.org]", ":", ":22", ":2222", ":*", ":??22", "!", ",", "::1", "10.0.0.?"}
	seed := mrand.Uint64()
	random := mrand.New(mrand.NewPCG(seed, 0))
	lines := []string{"*", "[web.example.org]:*", "[*]:2222", "*.org,!web*", "web.example.org:*", "*,![*", "[10.0.0.?]:2222"}
	for range 2000 {
		patterns := "*"
		if random.IntN(2) == 0 {
			patterns = "?"
		}
		for range 1 + random.IntN(5) {
			part := parts[random.IntN(len(parts))]
			if random.IntN(2) == 0 {
				patterns += part
			} else {
				patterns = part + patterns
			}
		}
		lines = append(lines, patterns)
	}
	line := func(patterns string) string { return patterns + " " + string(ssh.MarshalAuthorizedKey(key)) }
	var all strings.Builder
	for _, patterns := range lines {
		all.WriteString(line(patterns))
	}
	file := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(file, []byte(all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, s := range []Settings{
		{HostName: "web.example.org", Port: 22}, {HostName: "web.example.org", Port: 2222},
		{HostName: "10.0.0.7", Port: 2222}, {HostName: "::1", Port: 22}, {HostName: "::1", Port: 2222},
		{HostName: "10.0.0.7", Port: 2222, HostKeyAlias: "web"},
	} {
		k := &hostKeys{settings: s}
		host := or(s.HostKeyAlias, s.HostName)
		names := []string{host}
		if s.Port != 22 && s.HostKeyAlias == "" {
			names = append(names, fmt.Sprintf("[%s]:%d", host, s.Port))
		}
		found := map[int]bool{}
		for _, name := range names {
			out, err := exec.Command("ssh-keygen", "-F", name, "-f", file).Output() // it exits 1 where it finds nothing
			for said := range strings.Lines(string(out)) {
				n := 0
				if _, at, ok := strings.Cut(said, " found: line "); ok {
					if _, err := fmt.Sscan(at, &n); err != nil {
						t.Fatalf("ssh-keygen says %q", said)
					}
					found[n-1] = true
				}
			}
			if len(out) == 0 {
				t.Errorf("%s: ssh-keygen finds nothing: %v", name, err)
			}
		}
		for i, patterns := range lines {
			if spelled, ok := k.spelledOut(bytes.TrimSpace([]byte(line(patterns)))); !ok || len(spelled) > 0 != found[i] {
				t.Errorf("seed %d: %+v: %q is for it: %t for ssh, %q for nod", seed, names, patterns, found[i], spelled)
			}
		}
	}
}
