package web

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"code.dny.dev/ssrf"
	"golang.org/x/net/idna"

	"github.com/nod-console/nod/tools"
)

// maxURL bounds a URL, in bytes.
const maxURL = 2_000

// placeholder is how stand-ins for secrets begin.
const placeholder = "⟦secret:"

// private are the ends of names that mean something in one network only.
var private = []string{
	"localhost", "localdomain", "local", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa", "onion", "in-addr.arpa", "ip6.arpa",
}

// Check says what is asked for a URL: in one spelling, without its fragment. The
// error is a rejection. Names are not resolved.
func Check(raw string) (*url.URL, error) {
	u, err := parsed(raw)
	if err != nil {
		return nil, err
	}
	refuse := func(format string, args ...any) error {
		return tools.Reject("forbidden_host", "not fetched: "+format, args...)
	}
	if u.User != nil {
		return nil, refuse("there is a user or a password before the host")
	}
	port := u.Port()
	if port != "" && port != "80" && port != "443" || strings.HasSuffix(u.Host, ":") {
		return nil, refuse("only the ports 80 and 443 are asked, not %q", u.Host)
	}
	host, err := hostname(u.Hostname())
	if err != nil {
		return nil, refuse("%v", err)
	}
	u.Host = host
	if strings.Contains(host, ":") {
		u.Host = "[" + host + "]"
	}
	if port != "" && (port == "443") != (u.Scheme == "https") {
		u.Host += ":" + port
	}
	u.Fragment, u.RawFragment = "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}

// parsed is a text that is a URL of the web for every reader. The error is a rejection.
func parsed(raw string) (*url.URL, error) {
	switch {
	case len(raw) > maxURL:
		return nil, tools.Reject("invalid_url", "the URL is longer than %d bytes", maxURL)
	case strings.Contains(raw, placeholder):
		return nil, tools.Reject("secret", "the URL holds a placeholder: a secret is never sent in one")
	case strings.ContainsAny(raw, "\\\t\r\n") || strings.TrimSpace(raw) != raw || !utf8.ValidString(raw):
		return nil, tools.Reject("invalid_url", "the URL holds a backslash, a tab or a line feed, blanks around it, or what is no text: %q", raw)
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, tools.Reject("invalid_url", "%q is no URL: %s; write it as https://HOST/PATH, with %%20 for a blank", raw, plainly(err))
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Opaque != "" {
		return nil, tools.Reject("invalid_url", "only http:// and https:// are fetched, not %q", raw)
	}
	return u, nil
}

// hostname is a host in its one spelling.
func hostname(host string) (string, error) {
	if host == "" {
		return "", fmt.Errorf("there is no host")
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		if ip.Zone() != "" || ssrf.New().SafeAddr(ip) != nil {
			return "", fmt.Errorf("%s is no public address", host)
		}
		return ip.String(), nil
	}
	if strings.ContainsAny(host, ":%[]") || !utf8.ValidString(host) {
		return "", fmt.Errorf("%q is no host", host)
	}
	ascii, err := idna.Lookup.ToASCII(strings.TrimSuffix(host, "."))
	if err != nil {
		return "", fmt.Errorf("%q is no host name: %s", host, plainly(err))
	}
	host = strings.ToLower(ascii)
	if again, err := idna.Lookup.ToASCII(host); err != nil || again != host {
		return "", fmt.Errorf("%q is no host name", host)
	}
	labels := strings.Split(host, ".")
	last := labels[len(labels)-1]
	switch {
	case numeric(last): // 127.1, 0x7f000001, 2130706433, 0177.0.0.1: some resolvers take them for addresses
		return "", fmt.Errorf("%q is an address in a spelling that is not taken", host)
	case len(labels) == 1:
		return "", fmt.Errorf("%q is a name of the local network", host)
	case slices.Contains(labels, ""):
		return "", fmt.Errorf("%q is no host name", host)
	case slices.ContainsFunc(private, func(p string) bool { return host == p || strings.HasSuffix(host, "."+p) }):
		return "", fmt.Errorf("%q is a name of the local network", host)
	}
	return host, nil
}

// numeric reports whether a label is a number, as C reads them.
func numeric(label string) bool {
	if strings.HasPrefix(label, "0x") {
		return true
	}
	_, err := strconv.ParseUint(label, 10, 64)
	return err == nil || strings.Trim(label, "0123456789") == ""
}

// Domains are the operator's lists. A domain stands for itself and all below it,
// "*.example.com" only for those below.
type Domains struct {
	Allowed []string // empty: all
	Blocked []string // wins
}

// check refuses a host that the lists do not allow.
func (d Domains) check(host string) error {
	switch in := func(list []string) bool {
		return slices.ContainsFunc(list, func(domain string) bool { return within(host, domain) })
	}; {
	case in(d.Blocked):
		return tools.Reject("forbidden_host", "not fetched: the operator has blocked %s (tools.fetch_blocked_domains)", host)
	case len(d.Allowed) > 0 && !in(d.Allowed):
		return tools.Reject("forbidden_host", "not fetched: %s is none of the domains that the operator allows (tools.fetch_allowed_domains)", host)
	}
	return nil
}

func within(host, domain string) bool {
	domain = strings.ToLower(strings.TrimSuffix(domain, "."))
	if below, ok := strings.CutPrefix(domain, "*."); ok {
		return strings.HasSuffix(host, "."+below)
	}
	return host == domain || strings.HasSuffix(host, "."+domain)
}
