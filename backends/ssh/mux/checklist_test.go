package mux

import (
	"bytes"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestCheckList runs each check with stock programs on nod's socket and on a
// stock master's, and compares what they left.
func TestCheckList(t *testing.T) {
	s := startSSHD(t)
	nod, stock := startNod(t, s), startStock(t, s)
	ran := 0
	for _, c := range checkList {
		t.Run(c.name, func(t *testing.T) {
			ran++
			need(t, c.needs...)
			var got [2]string
			for i, f := range []*fixture{nod, stock} {
				here := *f
				here.t = t
				got[i] = f.neutral(c.run(&here))
			}
			if diff := cmp.Diff(got[1], got[0]); diff != "" {
				t.Errorf("stock master -, nod +:\n%s", diff)
			}
			if c.want != "" && !strings.Contains(got[0], c.want) {
				t.Errorf("no %q in:\n%s", c.want, got[0])
			}
		})
	}
	if ran < len(checkList) {
		return // the others were not asked for
	}
	if n := strings.Count(s.log.String(), "Accepted publickey"); n != 4 {
		t.Errorf("%d logins, want one for each master and one behind each for ProxyJump", n)
	}
}

var checkList = []struct {
	name  string
	needs []string
	want  string // part of the transcript, so that both cannot fail alike
	run   func(f *fixture) string
}{
	{"-O check", nil, "Master running (pid=PID)", func(f *fixture) string { return f.ssh("", "-O", "check", "host").String() }},
	{"exec", nil, `stdout "a b\n"`, func(f *fixture) string { return f.ssh("", "host", "echo 'a b'").String() }},
	{"stderr", nil, `stderr "oops\n"`, func(f *fixture) string { return f.ssh("", "host", "echo out; echo oops >&2").String() }},
	{"exit code", nil, "code 7", func(f *fixture) string { return f.ssh("", "host", "exit 7").String() }},
	{"killed by a signal", nil, "code 255", func(f *fixture) string { return f.ssh("", "host", "kill -9 $$").String() }},
	{"no such command", nil, "code 127", func(f *fixture) string {
		r := f.ssh("", "host", "nod-no-such-command 2>/dev/null")
		return r.String()
	}},
	{"stdin", nil, `stdout "one\ntwo"`, func(f *fixture) string { return f.ssh("one\ntwo", "host", "cat").String() }},
	{"-n", nil, `stdout "end\n"`, func(f *fixture) string { return f.ssh("not read", "-n", "host", "cat; echo end").String() }},
	{"shell from stdin", nil, `stdout "42\n"`, func(f *fixture) string { return f.ssh("echo $((6*7))\nexit 3\n", "-T", "host").String() }},
	{"SendEnv and SetEnv", nil, "NOD_A=1 NOD_C=x y OTHER=no", func(f *fixture) string {
		args := f.args("-o", "SendEnv=NOD_A OTHER", "-o", "SetEnv=NOD_C=\"x y\"", "host", `echo "NOD_A=$NOD_A NOD_C=$NOD_C OTHER=${OTHER-no}"`)
		return f.run("", []string{"NOD_A=1", "NOD_B=2", "OTHER=3"}, "ssh", args...).String()
	}},
	{"unknown subsystem", nil, "code 255", func(f *fixture) string {
		r := f.ssh("", "-s", "host", "nothing")
		r.stderr = strings.TrimSuffix(r.stderr, "subsystem request failed\r\n") // a stock master often closes before it has written this
		return r.String()
	}},
	{"64 MiB down", nil, "same", checkDownload},
	{"64 MiB up", nil, "same", checkUpload},
	{"yes | head", nil, `y\n255`, func(f *fixture) string {
		return f.run("", []string{"S=" + f.socket}, "bash", "-c", `ssh -F none -S "$S" -o ProxyCommand=false host yes | head -n 1; echo "${PIPESTATUS[0]}"`).String()
	}},
	{"yes into head", nil, `y\n0`, func(f *fixture) string {
		return f.run("", []string{"S=" + f.socket}, "bash", "-c", `yes | ssh -F none -S "$S" -o ProxyCommand=false host 'head -n 1; exec 0<&-; sleep 0.1'; echo "${PIPESTATUS[1]}"`).String()
	}},
	{"scp, both protocols", []string{"scp"}, "same same same same", checkSCP},
	{"sftp", []string{"sftp"}, "same", checkSFTP},
	{"rsync", []string{"rsync"}, "same same", checkRsync},
	{"-L", nil, "pong over -L", checkLocalForward},
	{"-L refused", nil, "Port forwarding failed", checkTakenPort},
	{"-L unix sockets", nil, "pong over unix", checkUnixForward},
	{"-R", nil, "pong over -R", checkRemoteForward},
	{"-R 0", nil, "pong over -R 0", checkRemoteZero},
	{"-R refused", nil, "remote port forwarding failed for listen port", checkRemoteTaken},
	{"-R unix sockets", nil, "pong over remote unix", checkRemoteUnix},
	{"-D", nil, "4: pong over -D", checkDynamic},
	{"-R as SOCKS", nil, "5: pong over -R SOCKS", checkRemoteDynamic},
	{"cancel what is not there", nil, "port not forwarded", func(f *fixture) string {
		return f.ssh("", "-O", "cancel", "-L", "9:127.0.0.1:9", "host").String()
	}},
	{"-W", nil, "pong over -W", checkStdio},
	{"-W refused", nil, "open refused by peer", func(f *fixture) string {
		r := f.ssh("", "-W", "127.0.0.1:"+freePort(f.t), "host")
		return r.String()
	}},
	{"ProxyJump through the socket", nil, "stdout \"jumped\\n\"", checkJump},
	{"40 sessions at once", nil, "40 right", checkMany},
	{"pty: TERM and size", nil, "vt220 33 101", checkTerminal},
	{"pty: modes", nil, "intr = ^C", checkModes},
	{"pty: resize", nil, "44 122", checkResize},
	{"pty: Ctrl-C", nil, "code 130", checkInterrupt},
	{"pty: ~.", nil, "Shared connection to host closed.", checkDisconnect},
	{"pty: ~~ and ~?", nil, "Supported escape sequences", checkEscapes},
	{"pty: no stolen keystroke", nil, "[abcdefgh]", checkKeystrokes},
	{"pty: stdin from /dev/tty", nil, "<x>", func(f *fixture) string {
		s := onTerminal(f.t, []string{"S=" + f.socket}, "bash", "-c",
			`: | ssh -F none -S "$S" -o ProxyCommand=false -tt host 'echo ready; read x; echo "<$x>"; stty size' </dev/tty; read y; echo "[$y]"`)
		s.see("ready")
		s.raw()
		s.kind("x\r")
		s.see("Shared connection")
		s.kind("mine\r")
		return s.end()
	}},
	{"pty: tmux attach and detach", []string{"tmux"}, "[detached (from session here)]", checkTmux},
	{"-O proxy", nil, "stdout \"proxied\\n\"", func(f *fixture) string {
		return f.ssh("in", "-O", "proxy", "host", "echo proxied; cat >/dev/null; exit 4").String()
	}},
}

func checkDownload(f *fixture) string {
	data := random(64 << 20)
	file := filepath.Join(f.dir, "big")
	check(f.t, os.WriteFile(file, data, 0o600))
	defer func() { _ = os.Remove(file) }()
	r := f.ssh("", "host", "cat "+file)
	if sum(r.stdout) != sum(string(data)) {
		return fmt.Sprintf("%d bytes, not the same: %s", len(r.stdout), r.stderr)
	}
	return fmt.Sprintf("same, code %d", r.code)
}

func random(n int) []byte {
	data := make([]byte, n)
	_, _ = rand.Read(data) // never fails
	return data
}

func checkUpload(f *fixture) string {
	data := random(64 << 20)
	r := f.ssh(string(data), "host", "sha256sum")
	if strings.Fields(r.stdout + " -")[0] != sum(string(data)) {
		return "not the same: " + r.String()
	}
	return fmt.Sprintf("same, code %d", r.code)
}

func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:])
}

// sample makes a file of some size and its name for a copy.
func (f *fixture) sample() (from, to string) {
	from, to = filepath.Join(f.dir, "from"), filepath.Join(f.dir, "to")
	check(f.t, os.WriteFile(from, random(3<<20+17), 0o640))
	return from, to
}

// same says whether two files are, and removes the second.
func same(a, b string) string {
	x, err := os.ReadFile(a)
	if err != nil {
		return err.Error()
	}
	y, err := os.ReadFile(b)
	if err != nil {
		return err.Error()
	}
	_ = os.Remove(b)
	if !bytes.Equal(x, y) {
		return "different"
	}
	return "same"
}

func checkSCP(f *fixture) string {
	from, to := f.sample()
	var out []string
	for _, protocol := range []string{"-O", "-s"} {
		for _, way := range [][]string{{from, "host:" + to}, {"host:" + from, to}} {
			args := append([]string{"-q", protocol, "-F", "none", "-o", "ControlPath=" + f.socket, "-o", "ProxyCommand=false"}, way...)
			r := f.run("", nil, "scp", args...)
			if r.code != 0 {
				return r.String()
			}
			out = append(out, same(from, to))
		}
	}
	return strings.Join(out, " ")
}

func checkSFTP(f *fixture) string {
	from, to := f.sample()
	script := fmt.Sprintf("put %s %s.1\nget %s.1 %s\nrm %s.1\n", from, to, to, to, to)
	r := f.run(script, nil, "sftp", "-q", "-F", "none", "-o", "ControlPath="+f.socket, "-o", "ProxyCommand=false", "-b", "-", "host")
	return fmt.Sprintf("%s, code %d %s", same(from, to), r.code, r.stderr)
}

func checkRsync(f *fixture) string {
	from, to := f.sample()
	shell := "ssh -F none -o ProxyCommand=false -S " + f.socket
	var out []string
	for _, way := range [][]string{{from, "host:" + to}, {"host:" + from, to}} {
		if r := f.run("", nil, "rsync", append([]string{"-a", "-e", shell}, way...)...); r.code != 0 {
			return r.String()
		}
		out = append(out, same(from, to))
	}
	return strings.Join(out, " ")
}

// ponger answers each line with "pong over" it, and ends.
func ponger(t testing.TB, l net.Listener) {
	t.Helper()
	var work sync.WaitGroup
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			work.Go(func() {
				defer quietly(c)
				said, _ := io.ReadAll(c) // to the half close
				_, _ = fmt.Fprintf(c, "pong over %s", said)
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		work.Wait()
	})
}

func pongTCP(t testing.TB) (port string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	ponger(t, l)
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

// ping says a text, closes its half, and returns the answer.
func ping(network, address, text string) string {
	c, err := net.DialTimeout(network, address, patience)
	if err != nil {
		return "refused"
	}
	defer quietly(c)
	_ = c.SetDeadline(time.Now().Add(patience))
	_, _ = fmt.Fprint(c, text)
	_ = c.(halfCloser).CloseWrite()
	answer, err := io.ReadAll(c)
	if err != nil {
		return "refused" // or reset: a cancel is answered before the far side has closed
	}
	return string(answer)
}

func checkLocalForward(f *fixture) string {
	from, to := freePort(f.t), pongTCP(f.t)
	spec := from + ":127.0.0.1:" + to
	var b strings.Builder
	fmt.Fprint(&b, f.ssh("", "-O", "forward", "-L", spec, "host"))
	fmt.Fprint(&b, f.ssh("", "-O", "forward", "-L", spec, "host")) // again is fine
	fmt.Fprintln(&b, ping("tcp", "127.0.0.1:"+from, "-L"))
	fmt.Fprintln(&b, ping("tcp", "[::1]:"+from, "-L6"))
	fmt.Fprint(&b, f.ssh("", "-O", "cancel", "-L", spec, "host"))
	fmt.Fprintln(&b, ping("tcp", "127.0.0.1:"+from, "-L"))
	any := freePort(f.t)
	fmt.Fprint(&b, f.ssh("", "-L", "*:"+any+":127.0.0.1:"+to, "host", "echo with a session"))
	fmt.Fprintln(&b, ping("tcp", "127.0.0.2:"+any, "any"))
	fmt.Fprint(&b, f.ssh("", "-O", "cancel", "-L", "*:"+any+":127.0.0.1:"+to, "host"))
	return b.String()
}

func checkTakenPort(f *fixture) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(f.t, err)
	defer quietly(l)
	l6, err := net.Listen("tcp", "[::1]:"+portOf(l))
	if err == nil {
		defer quietly(l6)
	}
	return f.ssh("", "-O", "forward", "-L", portOf(l)+":127.0.0.1:1", "host").String()
}

func portOf(l net.Listener) string {
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func checkUnixForward(f *fixture) string {
	near, far := filepath.Join(f.dir, "near"), filepath.Join(f.dir, "far")
	l, err := net.Listen("unix", far)
	check(f.t, err)
	ponger(f.t, l)
	var b strings.Builder
	fmt.Fprint(&b, f.ssh("", "-O", "forward", "-L", near+":"+far, "host"))
	st, err := os.Stat(near)
	check(f.t, err)
	fmt.Fprintf(&b, "%v\n%s\n", st.Mode(), ping("unix", near, "unix"))
	fmt.Fprint(&b, f.ssh("", "-O", "cancel", "-L", near+":"+far, "host"))
	fmt.Fprintln(&b, ping("unix", near, "unix"))
	_ = os.Remove(near)
	return b.String()
}

func checkRemoteForward(f *fixture) string {
	from, to := freePort(f.t), pongTCP(f.t)
	spec := from + ":127.0.0.1:" + to
	var b strings.Builder
	fmt.Fprint(&b, f.ssh("", "-O", "forward", "-R", spec, "host"))
	fmt.Fprintln(&b, ping("tcp", "127.0.0.1:"+from, "-R"))
	fmt.Fprint(&b, f.ssh("", "-O", "cancel", "-R", spec, "host"))
	fmt.Fprintln(&b, ping("tcp", "127.0.0.1:"+from, "-R"))
	return b.String()
}

var number = regexp.MustCompile(`\d+`)

func checkRemoteZero(f *fixture) string {
	spec := "0:127.0.0.1:" + pongTCP(f.t)
	first := f.ssh("", "-O", "forward", "-R", spec, "host")
	again := f.ssh("", "-O", "forward", "-R", spec, "host")
	port := strings.TrimSpace(first.stdout)
	var b strings.Builder
	fmt.Fprintf(&b, "%s same %v\n", number.ReplaceAllString(first.String(), "N"), first == again)
	fmt.Fprintln(&b, ping("tcp", "127.0.0.1:"+port, "-R 0"))
	fmt.Fprint(&b, f.ssh("", "-O", "cancel", "-R", spec, "host"))
	fmt.Fprintln(&b, ping("tcp", "127.0.0.1:"+port, "-R 0"))
	return b.String()
}

func checkRemoteTaken(f *fixture) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(f.t, err)
	defer quietly(l)
	if l6, err := net.Listen("tcp", "[::1]:"+portOf(l)); err == nil {
		defer quietly(l6)
	}
	return strings.ReplaceAll(f.ssh("", "-O", "forward", "-R", portOf(l)+":127.0.0.1:1", "host").String(), portOf(l), "TAKEN")
}

func checkRemoteUnix(f *fixture) string {
	near, far := filepath.Join(f.dir, "near2"), filepath.Join(f.dir, "far2")
	l, err := net.Listen("unix", near)
	check(f.t, err)
	ponger(f.t, l)
	var b strings.Builder
	fmt.Fprint(&b, f.ssh("", "-O", "forward", "-R", far+":"+near, "host"))
	fmt.Fprintln(&b, ping("unix", far, "remote unix"))
	fmt.Fprint(&b, f.ssh("", "-O", "cancel", "-R", far+":"+near, "host"))
	fmt.Fprintln(&b, ping("unix", far, "remote unix"))
	_ = os.Remove(far)
	return b.String()
}

func checkDynamic(f *fixture) string {
	from, to := freePort(f.t), pongTCP(f.t)
	var b strings.Builder
	fmt.Fprint(&b, f.ssh("", "-O", "forward", "-D", from, "host"))
	for _, version := range []string{"4", "4a", "5", "5 name"} {
		fmt.Fprintf(&b, "%s: %s\n", version, pingSocks(f.t, from, to, version, "-D"))
	}
	fmt.Fprint(&b, f.ssh("", "-O", "cancel", "-D", from, "host"))
	fmt.Fprintln(&b, ping("tcp", "127.0.0.1:"+from, ""))
	return b.String()
}

func checkRemoteDynamic(f *fixture) string {
	from, to := freePort(f.t), pongTCP(f.t)
	var b strings.Builder
	fmt.Fprint(&b, f.ssh("", "-O", "forward", "-R", from, "host"))
	fmt.Fprintf(&b, "5: %s\n", pingSocks(f.t, from, to, "5", "-R SOCKS"))
	fmt.Fprint(&b, f.ssh("", "-O", "cancel", "-R", from, "host"))
	return b.String()
}

func checkStdio(f *fixture) string {
	return f.ssh("-W", "-W", "127.0.0.1:"+pongTCP(f.t), "host").String()
}

func checkJump(f *fixture) string {
	proxy := fmt.Sprintf("ProxyCommand=ssh -F none -o ProxyCommand=false -S %s -W 127.0.0.1:%s host", f.socket, f.server.port)
	args := []string{"-F", "none", "-i", f.server.key, "-o", "IdentitiesOnly=yes", "-o", "IdentityAgent=none", "-l", f.server.user,
		"-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "-o", proxy, "behind", "echo jumped"}
	return f.run("", nil, "ssh", args...).String()
}

func checkMany(f *fixture) string {
	const many = 40
	var sessions sync.WaitGroup
	results := make([]result, many)
	for i := range many {
		sessions.Go(func() {
			cmd := exec.Command("ssh", f.args("host", fmt.Sprintf("read x; echo $x %d; exit %d", i, i))...)
			cmd.Stdin = strings.NewReader("line\n")
			out, _ := cmd.Output()
			results[i] = result{stdout: string(out), code: cmd.ProcessState.ExitCode()}
		})
	}
	sessions.Wait()
	right := 0
	for i, r := range results {
		if r == (result{stdout: fmt.Sprintf("line %d\n", i), code: i}) {
			right++
		}
	}
	return fmt.Sprintf("%d right", right)
}
