package ssh_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/ssh"
	"github.com/nod-console/nod/backends/ssh/sshdtest"
)

// box writes a configuration for a port without an sshd.
func (w *world) box(port int, more ...string) ssh.Options {
	w.port = port
	w.write("known_hosts", "")
	w.write("config", w.clientConfig(more...))
	return w.options()
}

func TestHostsThatAreNotThere(t *testing.T) {
	w := bare(t)
	var dial *ssh.DialError
	err := w.try(w.box(sshdtest.FreePort(t)))
	if !errors.As(err, &dial) || dial.Stage != ssh.Dialing || !errors.Is(err, syscall.ECONNREFUSED) || !strings.Contains(err.Error(), "nothing listens") {
		t.Errorf("refused: %v", err)
	}
	w.write("config", "Host box\n  HostName no-such-host.invalid\n")
	if err := w.try(w.options()); !errors.As(err, &dial) || !strings.Contains(err.Error(), "no such name") {
		t.Errorf("no name: %v", err)
	}
	w.write("config", "Host box\n  BindAddress nonsense/here\n  HostName 127.0.0.1\n")
	if err := w.try(w.options()); err == nil || !strings.Contains(err.Error(), "BindAddress") {
		t.Errorf("bind address: %v", err)
	}
}

// silent accepts connections and says what it is told to, or nothing.
func silent(t *testing.T, words string) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		var open []net.Conn
		for {
			conn, err := l.Accept()
			if err != nil {
				break
			}
			open = append(open, conn)
			_, _ = conn.Write([]byte(words)) // the client may have hung up
			if words != "" {
				_ = conn.(*net.TCPConn).CloseWrite() // the same
			}
		}
		for _, c := range open {
			_ = c.Close()
		}
	}()
	t.Cleanup(func() {
		_ = l.Close()
		<-done
	})
	return l.Addr().(*net.TCPAddr).Port
}

// full is a port whose queue is full: the kernel drops what comes, as a
// firewall does.
func full(t *testing.T) int {
	t.Helper()
	fd, err := streamSocket(syscall.AF_INET)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	port := name.(*syscall.SockaddrInet4).Port
	for range 3 {
		d := net.Dialer{Timeout: 200 * time.Millisecond}
		if conn, err := d.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			t.Cleanup(func() { _ = conn.Close() })
		}
	}
	return port
}

func TestHostsThatDoNotAnswer(t *testing.T) {
	w := bare(t)
	for _, c := range []struct {
		name string
		port int
		says string
		is   error
	}{
		{"filtered", full(t), "a firewall may drop it", nil},
		{"accepts and is silent", silent(t, ""), "something else on that port", ssh.ErrTimeout},
		{"is a web server", silent(t, "HTTP/1.1 400 Bad Request\r\n\r\n"), "HTTP/1.1 400", nil},
		{"hangs up", silent(t, "\n"), "no ssh server answers", nil},
	} {
		began := time.Now()
		err := w.try(w.box(c.port, "ConnectTimeout 1"))
		if err == nil || !strings.Contains(err.Error(), c.says) || c.is != nil && !errors.Is(err, c.is) {
			t.Errorf("%s: %v", c.name, err)
		}
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("%s: took %s", c.name, took)
		}
	}
	ctx, cancel := context.WithCancel(w.context())
	opt := w.box(silent(t, ""))
	opt.Step = func(s ssh.Step) {
		if s.Stage == ssh.Dialing {
			time.AfterFunc(50*time.Millisecond, cancel)
		}
	}
	if _, err := ssh.Dial(ctx, ssh.Host{Name: "box"}, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// Two sshd, one behind the other; each hop has its own configuration and its
// own host key.
func TestProxyJump(t *testing.T) {
	hop, w := newWorld(t), newWorld(t)
	three := strings.Replace(hop.clientConfig(), "Host box", "Host hop", 1) +
		strings.Replace(hop.clientConfig("ProxyJump hop"), "Host box", "Host second", 1)
	for name, jump := range map[string]string{
		"one":           "hop",
		"two":           "hop,second",
		"by themselves": "second",
		"with a user":   hop.user + "@hop",
		"as a URL":      "ssh://" + hop.user + "@hop:" + fmt.Sprint(hop.port),
	} {
		w.write("config", three+w.clientConfig("ProxyJump "+jump))
		var hosts []string
		opt := w.options()
		opt.Step = func(s ssh.Step) {
			if s.Stage == ssh.Authenticating {
				hosts = append(hosts, s.Host)
			}
		}
		c, err := ssh.Dial(w.context(), ssh.Host{Name: "box"}, opt)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if o, out, _ := run(t, c, "sh", "-c", "echo $HOME"); !o.OK() || out != w.home+"\n" {
			t.Errorf("%s: %s, %q", name, o, out)
		}
		if err := c.Close(); err != nil {
			t.Error(err)
		}
		if len(hosts) < 2 || hosts[len(hosts)-1] != "ssh:box" {
			t.Errorf("%s: %v", name, hosts)
		}
	}
	// The hop's key is checked as any other.
	w.write("config", strings.Replace(three, hop.path("known_hosts"), w.write("none", ""), 1)+w.clientConfig("ProxyJump hop"))
	var unknown *ssh.UnknownHostKeyError
	var dial *ssh.DialError
	if err := w.try(w.options()); !errors.As(err, &unknown) || !errors.As(err, &dial) || dial.Host != "ssh:hop" {
		t.Errorf("unknown hop: %v", err)
	}
	w.write("config", three+strings.Replace(w.clientConfig("ProxyJump hop"), fmt.Sprint(w.port), fmt.Sprint(sshdtest.FreePort(t)), 1))
	if err := w.try(w.options()); err == nil || !strings.Contains(err.Error(), "through hop") {
		t.Errorf("refused behind the hop: %v", err)
	}
	w.write("config", "Host a\n  ProxyJump b\nHost b\n  ProxyJump a\n"+w.clientConfig("ProxyJump a"))
	if err := w.try(w.options()); err == nil || !strings.Contains(err.Error(), "hops") {
		t.Errorf("in a circle: %v", err)
	}
	w.write("config", w.clientConfig("ProxyJump hop:99999"))
	if err := w.try(w.options()); err == nil {
		t.Error("a hop that makes no sense")
	}
}

func TestProxyCommand(t *testing.T) {
	need(t, "ssh")
	hop, w := newWorld(t), newWorld(t)
	t.Setenv("SHELL", "/bin/sh")
	command := "ssh -F " + hop.path("config") + " -o BatchMode=yes -W %h:%p box"
	w.write("config", w.clientConfig("ProxyCommand "+command))
	c := w.dial(w.options())
	if o, out, _ := run(t, c, "sh", "-c", "echo $HOME"); !o.OK() || out != w.home+"\n" {
		t.Errorf("%s, %q", o, out)
	}
	for name, x := range map[string]struct{ command, says string }{
		"fails":        {"echo it is broken >&2; exit 1", "it is broken"},
		"is not there": {"no-such-program-nod", "not found"},
		"is silent":    {"sleep 1000", "nothing within 1s"},
	} {
		w.write("config", w.clientConfig("ConnectTimeout 1", "ProxyCommand "+x.command))
		if err := w.try(w.options()); err == nil || !strings.Contains(err.Error(), x.says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	_ = os.Unsetenv("SHELL")
}
