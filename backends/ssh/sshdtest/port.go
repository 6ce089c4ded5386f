package sshdtest

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
)

// Free ports are taken from below those that the kernel gives to who asks for any
// (net.ipv4.ip_local_port_range begins at 32768 unless it was set): it would give one
// that has just been looked up to the next listener or connection.
const (
	firstPort = 10240
	ports     = 32768 - firstPort
)

// lastPort counts the ports that were looked at. Tests of other packages, which run beside
// these, are other processes and begin elsewhere.
var lastPort atomic.Int64

func init() { lastPort.Store(int64(os.Getpid()) * 101) }

// FreePort is a port of loopback on which nothing listens. It is not given twice.
func FreePort(t testing.TB) int {
	t.Helper()
	for range ports {
		port := firstPort + int(lastPort.Add(1)%ports)
		l, err := net.Listen("tcp", fmt.Sprintf(":%d", port))
		if err != nil {
			continue
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		return port
	}
	t.Fatal("there is no free port")
	return 0
}
