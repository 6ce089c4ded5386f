package web_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"code.dny.dev/ssrf"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/nod-console/nod/tools/web"
	"github.com/nod-console/nod/tools/web/internal/wire"
)

// addresses are places that a request must never reach, in all their spellings.
var addresses = []string{
	// This machine.
	"127.0.0.1", "127.1.2.3", "0.0.0.0", "[::1]", "[::]", "localhost", "LOCALHOST", "localhost.", "a.localhost", "ip6-localhost",
	// The same as numbers.
	"2130706433", "0x7f000001", "0x7f.0.0.1", "0177.0.0.1", "017700000001", "127.1", "127.0.1", "0", "0.0", "127.0.0.0x1", "1.2.3.08",
	// Wrapped in IPv6.
	"[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::127.0.0.1]", "[0:0:0:0:0:ffff:10.0.0.1]", "[64:ff9b::127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::a00:1]",
	"[2002:7f00:1::]", "[2002:a9fe:a9fe::1]", "[2001::1]", "[2001:0:7f00:1::]", "[2001:db8::1]", "[100::1]",
	// Private networks.
	"10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1", "100.64.0.1", "100.100.100.200", "198.18.0.1", "192.0.0.192",
	"[fc00::1]", "[fd00:ec2::254]", "[fec0::1]", "[fe80::1]", "[fe80::1%25eth0]", "[ff02::1]",
	// Metadata, and what else is special.
	"169.254.169.254", "[::ffff:169.254.169.254]", "metadata.google.internal", "224.0.0.1", "255.255.255.255", "240.0.0.1", "192.0.2.1", "198.51.100.7", "203.0.113.7", "192.88.99.1",
	// Names of local networks.
	"router", "printer.local", "db.internal", "nas.lan", "x.home.arpa", "intranet", "1.0.0.127.in-addr.arpa", "x.onion",
	// Other ways to say it.
	"user@127.0.0.1", "example.com@127.0.0.1", "example.com:80@127.0.0.1", "127.0.0.1:22", "example.com:22", "example.com:", "127。0。0。1", "①②⑦.0.0.1", "ⓛocalhost",
	"127.0.0.1%00.example.com", "127.0.0.1%2f.example.com", "[127.0.0.1]", "127.0.0.1.", "example..com", "-", ".", "%6c%6f%63%61%6c%68%6f%73%74",
}

func TestNoSpellingOfAPrivateAddressIsTaken(t *testing.T) {
	for _, a := range addresses {
		for _, scheme := range []string{"http://", "https://"} {
			if u, err := web.Check(scheme + a + "/x"); err == nil {
				t.Errorf("%s%s is taken: %s", scheme, a, u)
			}
		}
	}
	for _, raw := range []string{
		"", "example.com", "//example.com/", "ftp://example.com/", "file:///etc/passwd", "http:example.com", "http:///x", "http://", "javascript:alert(1)", "data:text/plain,x",
		"http://exam ple.com/", "http://example.com\\@127.0.0.1/", "http://example.com/\n", " http://example.com/", "http://example.com/⟦secret:1⟧", "http://[::1", "http://example.com:99999/",
		"http://example.com/" + strings.Repeat("x", 3000), "unix:///run/docker.sock", "http+unix://x/",
	} {
		if u, err := web.Check(raw); err == nil {
			t.Errorf("%q is taken: %s", raw, u)
		}
	}
	for raw, want := range map[string]string{
		"HTTP://EXAMPLE.com":              "http://example.com/",
		"https://example.com:443/a?b=c#d": "https://example.com/a?b=c",
		"http://example.com:443/":         "http://example.com:443/",
		"https://bücher.example.com./":    "https://xn--bcher-kva.example.com/",
		"http://1.1.1.1/":                 "http://1.1.1.1/",
		"http://[2606:4700::1111]:80/":    "http://[2606:4700::1111]/",
		"http://раураl.com/":              "http://xn--l-7sba6dbr.com/",
	} {
		if u, err := web.Check(raw); err != nil || u.String() != want {
			t.Errorf("%s: %v, %v", raw, u, err)
		}
	}
}

// FuzzCheck: whatever a model makes of a URL, what is taken has a public-looking
// host and one spelling.
func FuzzCheck(f *testing.F) {
	for _, a := range addresses {
		f.Add("http://" + a + "/")
	}
	f.Add("https://example.com:443/a?b#c")
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := web.Check(raw)
		if err != nil {
			return
		}
		if ip, err := netip.ParseAddr(u.Hostname()); err == nil && ssrf.New().SafeAddr(ip) != nil || u.User != nil || u.Fragment != "" {
			t.Errorf("%q is taken as %s", raw, u)
		}
		again, err := web.Check(u.String())
		if err != nil || again.String() != u.String() {
			t.Errorf("%q is %s, which is %v (%v)", raw, u, again, err)
		}
	})
}

// nameServer answers each question for an A record with the next of these
// addresses, and none for AAAA.
func nameServer(t *testing.T, addresses ...string) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = conn.Close(); <-done })
	var asked atomic.Int32
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			reply := dnsmessage.Message{Header: dnsmessage.Header{ID: m.ID, Response: true, RecursionAvailable: true}, Questions: m.Questions}
			if q.Type == dnsmessage.TypeA {
				at := addresses[min(int(asked.Add(1))-1, len(addresses)-1)]
				reply.Answers = []dnsmessage.Resource{{
					Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 0},
					Body:   &dnsmessage.AResource{A: netip.MustParseAddr(at).As4()},
				}}
			}
			if packed, err := reply.Pack(); err == nil {
				_, _ = conn.WriteTo(packed, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// TestANameThatResolvesDifferentlyEachTimeReachesNobody: the address is checked
// when it is dialled, so that it does not matter what the name server said
// before, and the port of the listener is allowed here, so that only the address
// can be the reason.
func TestANameThatResolvesDifferentlyEachTimeReachesNobody(t *testing.T) {
	var reached atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer s.Close()
	port := netip.MustParseAddrPort(s.Listener.Addr().String()).Port()
	for _, at := range []string{"127.0.0.1", "169.254.169.254", "10.1.2.3", "0.0.0.0", "100.64.0.1"} {
		names := nameServer(t, "93.184.215.14", at)
		// Whoever looks before he dials sees a public address.
		if seen, err := names.LookupHost(t.Context(), "rebind.example.com"); err != nil || seen[0] != "93.184.215.14" {
			t.Fatalf("%v, %v", seen, err)
		}
		conn, err := wire.Public(names, port).Dial(t.Context(), "tcp", fmt.Sprintf("rebind.example.com:%d", port))
		if !errors.Is(err, ssrf.ErrProhibitedIP) {
			t.Errorf("%s: %v", at, err)
		}
		if conn != nil {
			_ = conn.Close()
		}
	}
	// The product's own client, with the machine's resolver: ports and addresses.
	dial := wire.Public(nil).Dial
	for _, address := range []string{s.Listener.Addr().String(), "127.0.0.1:80", "[::1]:80", "localhost:80", "0.0.0.0:80", "[::ffff:127.0.0.1]:80", "169.254.169.254:80", "[64:ff9b::7f00:1]:80", "[2002:7f00:1::]:443", "127.0.0.1:443"} {
		conn, err := dial(t.Context(), "tcp", address)
		if !errors.Is(err, ssrf.ErrProhibitedIP) && !errors.Is(err, ssrf.ErrProhibitedPort) {
			t.Errorf("%s: %v", address, err)
		}
		if conn != nil {
			_ = conn.Close()
		}
	}
	if reached.Load() != 0 {
		t.Errorf("reached %d times", reached.Load())
	}
}

// TestNoProxyIsUsed: whatever the environment says.
func TestNoProxyIsUsed(t *testing.T) {
	var reached atomic.Int32
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	b := newBench(t, web.Options{}, map[string]http.HandlerFunc{"example.com": serving("text/plain", "direct")})
	if v := b.value("http://example.com/"); v.Content != "direct" || reached.Load() != 0 {
		t.Errorf("%+v, %d", v, reached.Load())
	}
}
