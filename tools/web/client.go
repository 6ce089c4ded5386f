package web

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"code.dny.dev/ssrf"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/web/internal/wire"
)

// Limits of a request.
const (
	MaxTime      = 10 * time.Second
	MaxBytes     = 5 << 20
	maxRedirects = 5
	maxHeader    = 64 << 10
)

// userAgent says who asks. It does not say which version: that is nobody's
// business.
const userAgent = "Mozilla/5.0 (compatible; nod; operations console)"

// Options of a Client.
type Options struct {
	Domains
}

// Client asks servers on the public network. Make one with New.
type Client struct {
	http    *http.Client
	domains Domains
}

// New returns a client.
func New(opt Options) *Client { return NewOn(wire.Public(nil), opt) }

// NewOn returns a client on another network: see package webtest.
func NewOn(w wire.Wire, opt Options) *Client {
	c := &Client{domains: opt.Domains}
	c.http = &http.Client{
		Transport: &http.Transport{
			Proxy:                  nil, // it would be asked for addresses that nobody checks
			DialContext:            w.Dial,
			TLSClientConfig:        w.TLS,
			DisableKeepAlives:      true, // each request is checked anew
			ForceAttemptHTTP2:      true,
			TLSHandshakeTimeout:    MaxTime,
			MaxResponseHeaderBytes: maxHeader,
		},
		CheckRedirect: c.redirected,
	}
	return c
}

// errDowngrade says that a server wants a secret way to be left.
var errDowngrade = errors.New("it redirects from https to http")

// redirected decides about a redirect: within the host it is followed, as far as
// the same rules allow.
func (c *Client) redirected(next *http.Request, via []*http.Request) error {
	last := via[len(via)-1].URL
	to, err := Check(next.URL.String())
	switch {
	case err != nil:
		return err
	case len(via) > maxRedirects:
		return tools.Reject("redirects", "not fetched: more than %d redirects", maxRedirects)
	case to.Host != last.Host && !sameSite(to.Hostname(), last.Hostname()):
		return http.ErrUseLastResponse // nobody has approved that host
	case last.Scheme == "https" && to.Scheme == "http":
		return errDowngrade
	}
	if err := c.domains.check(to.Hostname()); err != nil {
		return err
	}
	next.URL = to
	next.Header.Del("Referer")
	return nil
}

// sameSite reports whether two hosts differ in a "www." alone.
func sameSite(a, b string) bool {
	return strings.TrimPrefix(a, "www.") == strings.TrimPrefix(b, "www.")
}

// answer is what a server said.
type answer struct {
	url       *url.URL // where it came from, behind redirects
	status    int
	kind      string // its Content-Type
	body      []byte
	cut       bool   // there was more than MaxBytes
	elsewhere string // another host's URL that it leads to
}

// get asks for a URL that Check has passed; what it reads is written to read as it
// comes. The error is a rejection, or the context's.
func (c *Client) get(ctx context.Context, u *url.URL, header http.Header, read io.Writer) (answer, error) {
	if err := c.domains.check(u.Hostname()); err != nil {
		return answer{}, err
	}
	limited, cancel := context.WithTimeout(ctx, MaxTime)
	defer cancel()
	r, err := http.NewRequestWithContext(limited, http.MethodGet, u.String(), nil)
	if err != nil {
		return answer{}, tools.Reject("invalid_url", "%q is no URL: %s", u, plainly(err))
	}
	r.Header = http.Header{
		"User-Agent": {userAgent}, "Accept": {"text/html,application/xhtml+xml,text/*;q=0.9,application/json;q=0.9,*/*;q=0.1"}, "Accept-Language": {"en"},
	}
	for name, values := range header {
		r.Header[name] = values
	}
	resp, err := c.http.Do(r)
	if err != nil {
		return answer{}, failed(ctx, u, err)
	}
	defer func() { _ = resp.Body.Close() }() // it was only read
	a := answer{url: resp.Request.URL, status: resp.StatusCode, kind: resp.Header.Get("Content-Type")}
	if a.status >= 300 && a.status < 400 {
		to, err := resp.Location()
		if err == nil {
			a.elsewhere = to.String()
		}
		return a, nil
	}
	if a.body, err = io.ReadAll(io.TeeReader(io.LimitReader(resp.Body, MaxBytes+1), read)); err != nil {
		return answer{}, failed(ctx, u, err)
	}
	if a.cut = len(a.body) > MaxBytes; a.cut {
		a.body = a.body[:MaxBytes]
	}
	return a, nil
}

// failed puts the error of a request into words.
func failed(ctx context.Context, u *url.URL, err error) error {
	var rejected *tools.Rejection
	var noName *net.DNSError
	var unknown x509.UnknownAuthorityError
	var wrongName x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.As(err, &rejected):
		return rejected
	case errors.Is(err, ssrf.ErrProhibitedIP), errors.Is(err, ssrf.ErrProhibitedNetwork), errors.Is(err, ssrf.ErrProhibitedPort), errors.Is(err, ssrf.ErrInvalidHostPort):
		return tools.Reject("forbidden_address", "not fetched: %s leads to an address that is not public, or to another port than 80 and 443; what is in a private network is asked with run_shell, from a target", u.Host)
	case errors.Is(err, errDowngrade):
		return tools.Reject("downgrade", "not fetched: %s redirects from https to http", u.Host)
	case errors.Is(err, context.DeadlineExceeded):
		return tools.Reject("timeout", "%s did not answer within %v", u.Host, MaxTime)
	case errors.As(err, &noName):
		return tools.Reject("no_host", "the name %s cannot be resolved: %v", u.Hostname(), noName.Err)
	case errors.As(err, &unknown), errors.As(err, &wrongName), errors.As(err, &invalid):
		return tools.Reject("certificate", "the certificate of %s is not accepted: %s", u.Host, plainly(err))
	}
	return tools.Reject("unreachable", "%s cannot be reached: %s", u.Host, plainly(err))
}

// plainly is the cause of an error, without the path to it and the name of what found it.
func plainly(err error) string {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return "the connection was closed before the end of the answer"
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	text := err.Error()
	for _, of := range []string{"net/http: ", "http: ", "http2: ", "tls: ", "x509: ", "idna: "} {
		text = strings.TrimPrefix(text, of)
	}
	return text
}

// statusText is a status in words.
func statusText(status int) string {
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, http.StatusText(status)))
}
