// Package wire is how package web reaches the network.
package wire

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	"code.dny.dev/ssrf"
)

// connectTime bounds one try to connect.
const connectTime = 5 * time.Second

// Wire makes connections. The zero value makes none.
type Wire struct {
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
	TLS  *tls.Config // nil: the machine's own authorities
}

// Public connects to public addresses alone. Ports are those allowed; none means
// 80 and 443. A nil resolver is the machine's own.
func Public(resolver *net.Resolver, ports ...uint16) Wire {
	options := []ssrf.Option{}
	if len(ports) > 0 {
		options = append(options, ssrf.WithPorts(ports...))
	}
	d := &net.Dialer{Timeout: connectTime, KeepAlive: -1, Resolver: resolver, Control: ssrf.New(options...).Safe}
	return Wire{Dial: d.DialContext}
}
