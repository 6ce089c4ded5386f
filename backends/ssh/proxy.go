package ssh

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nod-console/nod/backends/posix"
)

// proxyConn is the byte stream of a ProxyCommand.
type proxyConn struct {
	net.Conn
	cmd    *exec.Cmd
	stderr *posix.Tail
	ended  chan struct{}
	once   sync.Once
}

// startProxy runs a ProxyCommand as ssh does: with the operator's shell, its
// standard input and output as the connection. It has no terminal, so that it
// cannot draw over the console; what it says on standard error is kept for the
// error message.
func startProxy(command string, opt Options) (*proxyConn, error) {
	pair, err := socketpair()
	if err != nil {
		return nil, err
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "proxy"), os.NewFile(uintptr(pair[1]), "proxy")
	defer func() { _ = ours.Close() }()   // FileConn has its own copy
	defer func() { _ = theirs.Close() }() // the command has its own copy
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, err
	}
	p := &proxyConn{Conn: conn, stderr: &posix.Tail{}, ended: make(chan struct{})}
	p.cmd = exec.Command(opt.shell(), "-c", "exec "+command)
	p.cmd.Env, p.cmd.Dir = opt.Env, opt.Dir
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs, theirs, p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p.cmd.WaitDelay = proxyGrace
	if err := p.cmd.Start(); err != nil {
		_ = conn.Close() // unused
		return nil, err
	}
	go func() {
		_ = p.cmd.Wait() // how it ended shows in the connection
		close(p.ended)
	}()
	return p, nil
}

// proxyGrace is how long a ProxyCommand may take to end.
const proxyGrace = time.Second

// Close ends the command: at the end of its input, or else by signals.
func (p *proxyConn) Close() error {
	err := p.Conn.Close()
	p.once.Do(func() {
		go func() {
			for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGKILL} {
				select {
				case <-p.ended:
					return
				case <-time.After(proxyGrace / 4):
				}
				_ = syscall.Kill(-p.cmd.Process.Pid, sig) // its own session; it may just have ended
			}
			<-p.ended
		}()
	})
	return err
}

// RemoteAddr implements [net.Conn]; the operator is shown it.
func (p *proxyConn) RemoteAddr() net.Addr { return proxyAddr(strings.Join(p.cmd.Args[2:], " ")) }

type proxyAddr string

func (proxyAddr) Network() string  { return "proxy" }
func (a proxyAddr) String() string { return fmt.Sprintf("ProxyCommand %s", string(a)) }

// complaint is the end of what a command that fails has said on standard error.
func (p *proxyConn) complaint() string {
	select {
	case <-p.ended: // all of it is here
	case <-time.After(proxyGrace / 4):
	}
	return p.stderr.LastWords()
}
