package risk

import (
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// Limits for an address that counts as plain: what fits in it is too little to
// carry a file away.
const (
	maxURL   = 120
	maxLabel = 32
)

// localAddress is the whole beginning of an address on this host: what a wildcard
// behind it stands for begins with it, too.
var (
	localAddress = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(https?://)?(localhost|127\.0\.0\.1)(:[0-9]+)?/[A-Za-z0-9_./?=&,*-]*$`)
	})
	globbed = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`()[*?]`) })
)

// url judges an address that a program fetches. Only a short, fixed http(s)
// address without a query or credentials is plain: anything longer can carry
// data in itself.
func (a *assessor) url(w word) {
	local := w.glob && !w.tree && localAddress().MatchString(w.text)
	if !w.known() && !local {
		a.note(Observe, Exfil, "url.dynamic", "the address is put together on the way and can carry data", w)
		return
	}
	text := spelled(w)
	u, err := url.Parse(text)
	if err != nil || strings.Contains(w.text, `\`) || strings.ContainsAny(w.text, "{}[]") && !strings.HasPrefix(u.Host, "[::1]") {
		a.note(Mutate, Exfil, "url.unreadable", "the address cannot be read", w)
		return
	}
	switch u.Scheme {
	case "file":
		path := w
		path.text = u.Path
		a.readPath(path, kindReads)
	case "http", "https":
		a.needs |= NeedNet
		a.fetched(u, len(text), w)
	default:
		a.note(Mutate, Exfil, "url.scheme", "the address uses a protocol that can send data", w)
	}
}

// spelled is an address with its scheme, and with wildcards as they are asked for where
// none of them finds a file.
func spelled(w word) string {
	text := w.text
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	if w.glob && !w.tree && strings.IndexByte(w.text, hole) < 0 {
		text = globbed().ReplaceAllString(text, "${1}%3F")
	}
	return text
}

// fetched judges an http(s) address of so many bytes.
func (a *assessor) fetched(u *url.URL, length int, w word) {
	host := strings.ToLower(u.Hostname())
	if metadataHost(host) {
		a.note(Observe, Secret, "url.metadata", "asks the cloud's metadata service, which hands out credentials", w)
		return
	}
	local := thisHost(host)
	if !local {
		other := w
		other.text = u.Scheme + "://" + u.Host
		a.reach(other)
	}
	switch {
	case u.User != nil:
		a.note(Observe, Secret, "url.credentials", "the address holds credentials", w)
	case local:
		localPath(a, u, w)
	case u.RawQuery != "" || u.Fragment != "" || length > maxURL || longLabel(u.Host+u.Path):
		a.note(Observe, Exfil, "url.data", "the address can carry data to another host", w)
	}
}

// metadataHost reports whether a host is a cloud's service that tells a machine about
// itself.
func metadataHost(host string) bool {
	switch host {
	case "169.254.169.254", "metadata.google.internal", "100.100.100.200":
		return true
	}
	return strings.HasPrefix(host, "fd00:ec2")
}

var credentials = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`://[^/@]*:[^/@]*@`) })

// dsn judges where a database is: a name, an address with a scheme, or libpq's
// list of settings, in which service and the like stand for settings of a file.
func (a *assessor) dsn(w word) {
	if strings.Contains(w.text, "password") || credentials().MatchString(w.text) {
		a.note(Observe, Secret, "dsn.credentials", "a password stands on the line", w)
	}
	switch {
	case !w.known():
		a.note(Observe, Exfil, "host.dynamic", "where the database is gets put together on the way and can carry data", w)
	case strings.Contains(w.text, "://"):
		u, err := url.Parse(w.text)
		if err != nil || u.RawQuery != "" {
			a.unclear("dsn.settings", "the settings of the connection are not read", w)
			return
		}
		a.reachAll(w)
	case strings.Contains(w.text, "="):
		for _, setting := range strings.Fields(w.text) {
			name, value, _ := strings.Cut(setting, "=")
			part := w
			part.text = value
			switch name {
			case "host", "hostaddr":
				a.reachAll(part)
			case "dbname", "user", "port", "connect_timeout", "application_name", "sslmode":
			default:
				a.unclear("dsn.settings", "the setting "+shown(name)+" of the connection is not read", w)
			}
		}
	}
}

// localPath marks the paths of local services whose GET does something.
func localPath(a *assessor, u *url.URL, w word) {
	if strings.HasPrefix(u.Path, "/_cat/") && !strings.Contains(u.Path, "..") {
		return // Elasticsearch's tables: thread_pool/write is one
	}
	for _, verb := range []string{"shutdown", "quit", "stop", "delete", "restart", "reload", "flush", "reset", "exec", "kill", "drop", "purge", "remove", "write", "refresh", "trigger"} {
		if strings.Contains(strings.ToLower(u.Path+"?"+u.RawQuery), verb) {
			a.note(Mutate, 0, "url.action", "the address looks like it does something", w)
			return
		}
	}
}

func longLabel(s string) bool {
	for _, label := range strings.FieldsFunc(s, func(r rune) bool { return r == '.' || r == '/' }) {
		if len(label) > maxLabel {
			return true
		}
	}
	return false
}
