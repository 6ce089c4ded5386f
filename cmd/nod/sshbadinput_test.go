package main

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nod-console/nod/cmd/nod/internal/app/oneshot"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
)

// sshd puts lines in front of the server's configuration, where they count.
func (r *remote) sshd(lines ...string) {
	r.t.Helper()
	r.write("sshd_config", strings.Join(lines, "\n")+"\n"+r.read("sshd_config"))
}

// soon is how long a refusal may take that needs no time-out, on a machine that
// does other things too.
const soon = 15 * time.Second

// TestBadHosts has what is wrong with a host, and wants one clear sentence with
// what to do, from each command that goes there, in time.
func TestBadHosts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *world, *remote)
		words []string
		limit time.Duration
	}{
		{"too many keys", func(_ *testing.T, _ *world, r *remote) {
			r.sshd("MaxAuthTries 2")
			var keys []string
			for i := range 4 {
				name := fmt.Sprint("wrong", i)
				r.newKey(name, "")
				keys = append(keys, "IdentityFile "+r.path(name))
			}
			r.write("config", strings.Replace(r.section(), "IdentityFile", strings.Join(keys, "\n  ")+"\n  IdentityFile", 1))
		}, []string{"does not let", "counts every key", "IdentitiesOnly yes"}, soon},
		{"a passphrase that nobody can answer", func(_ *testing.T, _ *world, r *remote) {
			r.write("authorized", string(marshalled(r.newKey("id", "open sesame"))))
		}, []string{"does not let", "not answered", "ssh-add the key"}, soon},
		{"a filtered port", func(_ *testing.T, _ *world, r *remote) {
			r.write("config", r.section("ConnectTimeout 2"))
			r.wire.silent(true)
		}, []string{"nothing answers", "firewall"}, 2*time.Second + soon},
		{"a port that swallows all", func(_ *testing.T, _ *world, r *remote) {
			r.write("config", r.section("ConnectTimeout 2"))
			r.wire.set(func(l *leg) { l.hole = true }, toHost, fromHost)
		}, []string{"nothing within 2s", "does not answer"}, 2*time.Second + soon},
		{"another service", func(t *testing.T, _ *world, r *remote) {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				for {
					conn, err := l.Accept()
					if err != nil {
						return
					}
					_, _ = conn.Write([]byte("220 mail ready\r\n"))
					_ = conn.Close()
				}
			}()
			t.Cleanup(func() { _ = l.Close(); <-done })
			r.write("config", strings.Replace(r.section(), fmt.Sprint("Port ", r.wire.port()), fmt.Sprint("Port ", l.Addr().(*net.TCPAddr).Port), 1))
		}, []string{"no ssh server answers", "220 mail ready", "look at the port"}, soon},
		{"an account without a shell", func(_ *testing.T, _ *world, r *remote) {
			r.sshd("ForceCommand echo This account is currently not available.; exit 1")
		}, []string{"does not run commands for this user", "not available", "ForceCommand"}, soon},
		{"a forced command", func(_ *testing.T, _ *world, r *remote) {
			r.sshd("ForceCommand internal-sftp")
		}, []string{"does not run commands for this user", "ForceCommand"}, soon},
		{"sockets in somebody else's folder", func(t *testing.T, _ *world, r *remote) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			folder := filepath.Join(r.path("state"), "ssh")
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chown(folder, 65534, 65534); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.Chown(folder, 0, 0) })
		}, []string{"somebody else's"}, soon},
		{"sockets that others may use", func(t *testing.T, _ *world, r *remote) {
			folder := filepath.Join(r.path("state"), "ssh")
			if err := os.MkdirAll(folder, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(folder, 0o770); err != nil { //nolint:gosec // that is what is wrong
				t.Fatal(err)
			}
		}, []string{"others may use", "chmod 700"}, soon},
		{"a hop that is not there", func(_ *testing.T, _ *world, r *remote) {
			r.write("config", r.section("ProxyJump nobody@no-such-host.invalid"))
		}, []string{"no-such-host.invalid", "no such name"}, soon},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, r := newRemote(t)
			c.spoil(t, w, r)
			for _, args := range [][]string{
				{"ssh", "start", "box"},
				{"run", "-t", "box", "--dangerously-approve-all", "--", "true"},
			} {
				begun := time.Now()
				out, errs, status := w.do(args...)
				took := time.Since(begun)
				if args[0] == "ssh" && strings.Contains(c.words[0], "does not run commands") {
					w.must("ssh", "stop", "box") // a connection without a shell can be held
					continue
				}
				if status != process.StatusFailed || out != "" || took > c.limit && thorough() {
					t.Errorf("nod %s: %d after %s\n%s", strings.Join(args, " "), status, took, out)
				}
				t.Logf("after %s: %s", took.Round(100*time.Millisecond), errs)
				for _, word := range c.words {
					if !strings.Contains(errs, word) {
						t.Errorf("nod %s says %q, want %q", strings.Join(args, " "), errs, word)
					}
				}
				if lines := strings.Count(errs, "\n"); lines != 1 {
					t.Errorf("nod %s says it in %d lines: %s", strings.Join(args, " "), lines, errs)
				}
			}
		})
	}
}

// Login shells that greet, or are no POSIX shells, and forced commands that let
// one through, make no difference.
func TestStrangeLoginShells(t *testing.T) {
	t.Parallel()
	for name, forced := range map[string]string{
		"banners": `echo Welcome; echo careful >&2; printf 'no newline'; exec sh -c "$SSH_ORIGINAL_COMMAND"`,
		"csh":     `exec csh -c "$SSH_ORIGINAL_COMMAND"`,
		"fish":    `exec fish -c "$SSH_ORIGINAL_COMMAND"`,
		"forced":  `sh -c "$SSH_ORIGINAL_COMMAND"; exit $?`,
	} {
		t.Run(name, func(t *testing.T) {
			if name == "csh" || name == "fish" {
				needs(t, name)
			}
			w, r := newRemote(t)
			r.sshd("ForceCommand " + forced)
			for _, pane := range [][]string{nil, {"--pane"}} {
				args := append(append([]string{"run", "-t", "box", "--json", "--dangerously-approve-all"}, pane...), "--", `printf '%s|' "a'b" '!c' "d\\e"; (exit 7)`)
				out, errs, status := w.do(args...)
				var report oneshot.Report
				if err := json.Unmarshal([]byte(out), &report); err != nil || status != 7 || report.Stdout != `a'b|!c|d\e|` || report.Stderr != "" {
					t.Errorf("%v: %d %s%s", pane, status, out, errs)
				}
			}
		})
	}
}

// A socket that is left of a dead master, the operator's or nod's, is in nobody's
// way.
func TestStaleSockets(t *testing.T) {
	t.Parallel()
	w, r := newRemote(t)
	r.write("config", r.section("ControlPath "+r.path("own")))
	l, err := net.Listen("unix", r.path("own"))
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = l.Close() // what stays is stale
	w.must("run", "-t", "box", "--dangerously-approve-all", "--", "true")
	held := r.held()
	if len(held) != 1 {
		t.Fatalf("held: %v", held)
	}
	if err := syscall.Kill(held[0].Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	w.must("run", "-t", "box", "--dangerously-approve-all", "--", "true")
	if again := r.held(); len(again) != 1 || again[0].Pid == held[0].Pid || r.logins() != 2 {
		t.Errorf("held: %v, %d logins", again, r.logins())
	}
}

// What is wrong with files at the other end is told to the model, with what to
// do: it goes into the chat.
func TestBadFilesOnAHost(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		spoil func(*testing.T, *remote)
		call  func(*remote) call
		want  string
	}{
		{"a full disk", func(t *testing.T, r *remote) {
			if os.Geteuid() != 0 {
				t.Skip("a small file system needs root")
			}
			if err := os.Mkdir(r.path("small"), 0o700); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64k", "nod-test", r.path("small")).CombinedOutput(); err != nil {
				t.Skipf("no small file system: %v: %s", err, out)
			}
			t.Cleanup(func() {
				if out, err := exec.Command("umount", "-l", r.path("small")).CombinedOutput(); err != nil {
					t.Errorf("umount: %v: %s", err, out)
				}
			})
		}, func(r *remote) call {
			return call{"a", "write_file", map[string]any{"path": r.path("small/big"), "content": strings.Repeat("x", 200_000), "risk": "medium", "mutation": true, "privesc": false, "why": "the story wants it"}}
		}, "the disk there is full"},
		{"no sftp", func(_ *testing.T, r *remote) {
			r.write("sshd_config", strings.Replace(r.read("sshd_config"), "Subsystem sftp internal-sftp\n", "", 1))
			r.write("notes", "as it was")
		}, func(r *remote) call {
			return call{"a", "read_file", map[string]any{"path": r.path("notes")}}
		}, "as it was"}, // by the sftp server that is looked for
		{"no such file", func(*testing.T, *remote) {}, func(r *remote) call {
			return call{"a", "read_file", map[string]any{"path": r.path("nothing")}}
		}, "there is no "},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, r := newRemote(t)
			c.spoil(t, r)
			m := serveModel(t, calls(c.call(r)), says("I see."))
			w.extra = append(w.extra, "NOD_BASE_URL="+m.URL+"/v1", "NOD_MODEL=scripted")
			out, errs, status := w.do("ask", "-t", "box", "--dangerously-approve-all", "go on")
			if status != 0 || !strings.Contains(out, "I see.") {
				t.Fatalf("%d %s%s", status, out, errs)
			}
			asked := m.asked()
			if text := asked[len(asked)-1].result(); !strings.Contains(strings.ToLower(text), c.want) {
				t.Errorf("the model was told %.500s", text)
			}
		})
	}
}
