// Package webtest lets tests of other packages give package web a network that
// is on this machine. The program never imports it, and a test sees to that.
package webtest

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/nod-console/nod/tools/web"
	"github.com/nod-console/nod/tools/web/internal/wire"
)

// Client returns a client whose whole network are these servers, by host. What
// else is dialled is an error.
func Client(_ testing.TB, opt web.Options, hosts map[string]*httptest.Server) *web.Client {
	w := wire.Wire{TLS: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // the servers of tests have no other certificates
	w.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return nil, err
		}
		s := hosts[host]
		if s == nil {
			return nil, fmt.Errorf("there is no %s in this test", address)
		}
		var d net.Dialer
		return d.DialContext(ctx, network, s.Listener.Addr().String())
	}
	return web.NewOn(w, opt)
}
