package risk

import (
	"net/netip"
	"path"
	"slices"
	"strings"
)

// Reach is another place that an action sends bytes to: a host that it talks to,
// a name that it has looked up, a bucket in a cloud. Even a question carries what
// is asked: the path of an address, the labels of a name. Offsets are as in a
// Finding.
type Reach struct {
	// Host is the host in lower case, without a user, a port and brackets; a
	// bucket is written with its scheme, "s3://backups".
	Host  string `json:"host"`
	Start int    `json:"start"`
	End   int    `json:"end"`
}

// maxReaches bounds how many places are listed. An action with more is not plain.
const maxReaches = 64

// reach counts another host that w names. This host is none.
func (a *assessor) reach(w word) {
	host := hostOf(w.text)
	a.lookalike(w, host)
	if strings.HasPrefix(host, "/") {
		a.needs |= NeedUnix
	} else if host != "" {
		a.needs |= NeedNet
	}
	switch {
	case host == "" || thisHost(host) || host[0] == '/' || host == "." || host == "..":
	case !w.known() || w.glob:
		a.note(Observe, Exfil, "host.dynamic", "the host's name is put together on the way and can carry data", w)
	case a.foreignHost(host, w):
		a.list(host, w)
	case len(host) > maxURL || longLabel(host):
		a.note(Observe, Exfil, "host.data", "the name is long enough to carry data to whoever answers for it", w)
	case len(a.reaches) >= maxReaches:
		a.unclear("host.many", "asks more hosts than are listed", w)
	default:
		a.list(host, w)
	}
}

// list adds a host to those that the action is known to talk to.
func (a *assessor) list(host string, w word) {
	start, end := w.start, w.end
	if a.fixed != nil {
		start, end = a.fixed.start, a.fixed.end
	}
	r := Reach{host, min(start, end), max(start, end)}
	if slices.Contains(a.reaches, r) {
		return
	}
	a.reaches = append(a.reaches, r)
	a.note(Observe, 0, "host.other", "sends what is asked to "+shown(host)+", which is not this host", w)
}

// lookalike marks a host's name with letters that only look like others: beyond
// ASCII, or in the code that stands for such.
func (a *assessor) lookalike(w word, host string) {
	if strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }) || strings.HasPrefix(host, "xn--") || strings.Contains(host, ".xn--") {
		a.note(Observe, Opaque, "host.lookalike", "the name of the host holds letters that only look familiar", w)
	}
}

// places looks for hosts' names in words whatever the program makes of them:
// SCHEME://HOST, USER@HOST and HOST:PATH.
func (a *assessor) places(words []word) {
	copies := copiers[path.Base(words[0].text)]
	for _, w := range words[1:] {
		if !strings.ContainsFunc(w.text, func(r rune) bool { return r >= 0x80 }) && !strings.Contains(strings.ToLower(w.text), "xn--") {
			continue
		}
		switch before, _, ok := strings.Cut(w.text, ":"); {
		case strings.Contains(w.text, "://") || strings.Contains(w.text, "@"):
			a.lookalike(w, hostOf(w.text))
		case copies && ok && !strings.ContainsAny(before, " /"):
			a.lookalike(w, strings.ToLower(before))
		}
	}
}

// copiers take HOST:PATH for a place on another host.
var copiers = map[string]bool{"scp": true, "rsync": true, "sftp": true, "rcp": true, "git": true, "borg": true, "sshfs": true, "mount": true, "unison": true}

// reachAll counts the hosts in a list: HOST[:PORT][,HOST…], addresses with a
// scheme and a path included.
func (a *assessor) reachAll(w word) {
	for _, one := range strings.Split(w.text, ",") {
		if one != "" {
			part := w
			part.text = one
			a.reach(part)
		}
	}
}

// reachRoute counts the hosts in what curl takes for --resolve and --connect-to:
// parts between colons, addresses in brackets among them.
func (a *assessor) reachRoute(w word) {
	rest := strings.NewReplacer("[", ",[", "]", "],").Replace(w.text)
	for _, piece := range strings.Split(rest, ",") {
		parts := []string{piece}
		if !strings.HasPrefix(piece, "[") {
			parts = strings.Split(piece, ":")
		}
		for _, one := range parts {
			if strings.Trim(one, "0123456789+*") != "" {
				part := w
				part.text = one
				a.reach(part)
			}
		}
	}
}

// hostOf is the host that a text names: HOST, USER@HOST, HOST:PORT, [ADDRESS]:PORT
// or any of them within SCHEME://…/…
func hostOf(text string) string {
	host := strings.ToLower(text)
	scheme, rest, ok := strings.Cut(host, "://")
	if ok {
		host = rest
	}
	if i := strings.IndexAny(host, "/?#"); i > 0 || ok && i == 0 {
		host = host[:i]
	}
	host = host[strings.LastIndexByte(host, '@')+1:]
	if ok && bucketScheme(scheme) {
		return scheme + "://" + host
	}
	if inside, _, bracketed := strings.Cut(strings.TrimPrefix(host, "["), "]"); strings.HasPrefix(host, "[") && bracketed {
		host = inside
	} else if strings.Count(host, ":") == 1 {
		host, _, _ = strings.Cut(host, ":")
	}
	host, _, _ = strings.Cut(host, "%")
	return strings.TrimRight(host, ".")
}

// bucketScheme reports whether what follows a scheme is the name of somebody's
// storage and no host.
func bucketScheme(scheme string) bool {
	switch scheme {
	case "s3", "gs", "az", "b2", "oss", "cos":
		return true
	}
	return false
}

// thisHost reports whether a host is the one that the command runs on.
func thisHost(host string) bool {
	switch host {
	case "localhost", "localhost.localdomain", "localhost4", "localhost6", "ip6-localhost", "ip6-loopback":
		return true
	}
	address, err := netip.ParseAddr(host)
	return err == nil && address.Unmap().IsLoopback()
}
