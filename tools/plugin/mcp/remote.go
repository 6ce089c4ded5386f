package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/nod-console/nod/tools/plugin/harmless"
)

// headerPatience is the least time that a server has for the header of an answer.
const headerPatience = 30 * time.Second

// remote is the transport to a server of streamable HTTP. logins may be nil.
func remote(c Config, getenv func(string) string, m *meter, logins auth.OAuthHandler) (sdk.Transport, func(), error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, nil, err
	}
	headers := http.Header{}
	for _, name := range sortedKeys(c.Headers) {
		value, err := expand(c.Headers[name], getenv)
		if err != nil {
			return nil, nil, fmt.Errorf("headers.%s: %w", name, err)
		}
		headers.Set(name, value)
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.ResponseHeaderTimeout = max(headerPatience, c.timeout())
	base.MaxResponseHeaderBytes = 1 << 20
	client := &http.Client{
		Transport: &bounded{base: base, url: u, headers: headers, meter: m},
		CheckRedirect: func(r *http.Request, via []*http.Request) error {
			if r.URL.Host != u.Host || r.URL.Scheme != u.Scheme {
				fault := &FaultError{fmt.Sprintf("it leads to another server (%s), which is not followed", harmless.Line(r.URL.Host, 80))}
				m.fail(fault)
				return fault
			}
			if len(via) > 5 {
				return fmt.Errorf("it leads on and on")
			}
			return nil
		},
	}
	return &sdk.StreamableClientTransport{Endpoint: c.URL, HTTPClient: client, OAuthHandler: logins}, base.CloseIdleConnections, nil
}

// expand puts environment variables in the place of ${NAME}.
func expand(value string, getenv func(string) string) (string, error) {
	var missing string
	text := os.Expand(value, func(name string) string {
		v := getenv(name)
		if v == "" && missing == "" {
			missing = name
		}
		return v
	})
	if missing != "" {
		return "", fmt.Errorf("the environment variable %q is not set", missing)
	}
	return text, nil
}

// bounded sends the headers of the configuration, and bounds answers.
type bounded struct {
	base    http.RoundTripper
	url     *url.URL
	headers http.Header
	meter   *meter
}

// RoundTrip implements [http.RoundTripper].
func (b *bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if r.URL.String() != b.url.String() {
		r.Header.Del("Authorization") // a token is for this address alone
	}
	if r.URL.Host == b.url.Host {
		for name, values := range b.headers {
			r.Header[name] = values
		}
	}
	resp, err := b.base.RoundTrip(r)
	delivered(r, resp, err)
	if err != nil {
		return nil, err
	}
	resp.Body = &boundedBody{ReadCloser: resp.Body, meter: b.meter}
	return resp, nil
}

// boundedBody fails at a line that is too long, and where too much has come since the
// last request.
type boundedBody struct {
	io.ReadCloser
	meter *meter
	line  int // bytes of the begun line
	err   error
}

// Read implements [io.Reader].
func (b *boundedBody) Read(to []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	n, err := b.ReadCloser.Read(to)
	part := to[:n]
	if at := bytes.IndexByte(part, '\n'); at < 0 {
		b.line += n
	} else {
		b.line = n - 1 - bytes.LastIndexByte(part, '\n')
	}
	var fault error
	if b.line > MaxMessage {
		fault = tooLong()
	} else {
		fault = b.meter.unasked(n, bytes.Count(part, []byte("\n")))
	}
	if fault != nil {
		b.err = fault
		b.meter.fail(fault)
		return 0, fault
	}
	return n, err
}

// deliveryKey is the key of a context's delivery.
type deliveryKey struct{}

// withDelivery notes whether a request that is made with the context can have arrived.
func withDelivery(ctx context.Context) (context.Context, *atomic.Bool) {
	seen := &atomic.Bool{}
	return context.WithValue(ctx, deliveryKey{}, seen), seen
}

// delivered notes how a message came to the server. It has not arrived where there was no
// connection, and where the server knows no such session (the protocol's meaning of 404).
func delivered(r *http.Request, resp *http.Response, err error) {
	seen, ok := r.Context().Value(deliveryKey{}).(*atomic.Bool)
	if !ok || r.Method != http.MethodPost {
		return
	}
	var op *net.OpError
	unconnected := err != nil && errors.As(err, &op) && op.Op == "dial"
	unknown := resp != nil && resp.StatusCode == http.StatusNotFound && r.Header.Get("Mcp-Session-Id") != ""
	if unconnected || unknown {
		return
	}
	seen.Store(true)
}
