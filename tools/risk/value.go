package risk

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// value judges one operand or option value by its kind.
func (a *assessor) value(p param, w word, name word) {
	switch p.kind {
	case kindReads, kindTree, kindMeta:
		a.readPath(w, p.kind)
	case kindWrites:
		a.writePath(w, word{start: name.start, end: w.end})
		if isLog(w.text) {
			a.note(Destroy, 0, "write.log", "replaces or adds to a log", word{start: name.start, end: w.end})
		}
	case kindDeletes:
		a.deletePath(w, name)
	case kindCommand:
		a.run([]word{w})
	case kindShell:
		a.nested(w)
	case kindScript:
		a.note(Mutate, Opaque, "script.file", "runs what stands in a file", w)
	case kindAwk:
		a.awk(w)
	case kindSed:
		a.sed(w)
	case kindURL:
		a.url(w)
	case kindUnit:
		a.unit(w, name)
	case kindSQL:
		a.sql(w)
	case kindResource:
		a.resource(w)
	case kindJq:
		a.jq(w)
	case kindDSN:
		if strings.Contains(w.text, "password") || credentials.MatchString(w.text) {
			a.note(Observe, Secret, "dsn.credentials", "a password stands on the line", w)
		}
	case kindTemplate:
		if !w.known() || revealing.MatchString(w.text) {
			a.note(Observe, Secret, "template.environment", "the template may show the environment, which may hold secrets", w)
		}
	case kindRevision:
		if _, inside, ok := strings.Cut(w.text, ":"); ok {
			w.text = inside
		}
		a.readPath(w, kindReads)
	case kindNone:
		a.note(Mutate, 0, "option.value", "the value is not known to be harmless", w)
	case kindAny:
	default:
		a.restricted(p, w)
	}
}

// fits reports whether a kind that only accepts some words accepts this one.
func (p param) fits(w word) bool {
	ok := true
	switch p.kind {
	case kindNumber:
		ok = w.known() && strings.Trim(w.text, "0123456789.,:+-kKmMgGtTsdhB%") == ""
	case kindPlus:
		ok = strings.HasPrefix(w.text, "+")
	case kindNoEqual:
		ok = w.known() && !strings.Contains(w.text, "=")
	case kindSet:
		ok = w.known() && slices.Contains(p.set, w.text)
	case kindHost:
		ok = w.known() && hostName.MatchString(w.text) && len(w.text) <= maxURL && !longLabel(w.text)
	case kindRemote:
		ok = w.known() && remoteName.MatchString(w.text)
	case kindPlain:
		ok = w.known() && !strings.HasPrefix(w.text, "@") && !strings.Contains(w.text, "%output") && len(w.text) <= maxURL
	case kindHeader:
		ok = w.known() && quietHeader.MatchString(w.text) && len(w.text) <= maxURL
	case kindPager:
		ok = w.known() && (w.text == "" || w.text == "cat")
	case kindSSHOpt:
		ok = w.known() && quietSSHOption(w.text)
	}
	return ok
}

// restricted judges the kinds that only accept some words.
func (a *assessor) restricted(p param, w word) {
	if !p.fits(w) {
		a.note(Mutate, 0, "argument.value", "the value "+shown(w.text)+" is not known to be harmless", w)
		if p.kind == kindPager || p.kind == kindSSHOpt {
			a.note(Mutate, Opaque, "argument.runs", "the value can name a program to run", w)
		}
	}
}

var (
	revealing   = regexp.MustCompile(`(?i)env|json|range|with|\{\{\s*\.\s*\}|config\s*\}|args|cmd|print|index`)
	credentials = regexp.MustCompile(`://[^/@]*:[^/@]*@`)
	remoteName  = regexp.MustCompile(`^[A-Za-z0-9_./~-]+$`)
	quietHeader = regexp.MustCompile(`(?i)^(host|accept|accept-encoding|accept-language|cache-control|pragma|content-type|connection|range|if-modified-since|if-none-match|origin):`)
)

var hostName = regexp.MustCompile(`^(ssh://)?[A-Za-z0-9_.@:%\[\]-]+$`)

func quietSSHOption(text string) bool {
	name, value, _ := strings.Cut(strings.ToLower(text), "=")
	switch strings.TrimSpace(name) {
	case "batchmode", "connecttimeout", "connectionattempts", "serveraliveinterval", "serveralivecountmax",
		"loglevel", "port", "user", "identitiesonly", "passwordauthentication", "numberofpasswordprompts",
		"addressfamily", "compression", "requesttty", "logverbose", "preferredauthentications", "controlmaster":
		return name != "controlmaster" || value == "no"
	case "stricthostkeychecking":
		return value == "yes" || value == "accept-new" || value == "ask"
	}
	return false
}

// Limits for an address that counts as plain: what fits in it is too little to
// carry a file away.
const (
	maxURL   = 120
	maxLabel = 32
)

// url judges an address that a program fetches. Only a short, fixed http(s)
// address without a query or credentials is plain: anything longer can carry
// data in itself.
func (a *assessor) url(w word) {
	if !w.known() {
		a.note(Observe, Exfil, "url.dynamic", "the address is put together on the way and can carry data", w)
		return
	}
	text := w.text
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || strings.ContainsAny(w.text, "{}[]") && !strings.HasPrefix(u.Host, "[::1]") {
		a.note(Mutate, Exfil, "url.unreadable", "the address cannot be read", w)
		return
	}
	switch u.Scheme {
	case "file":
		path := w
		path.text = u.Path
		a.readPath(path, kindReads)
		return
	case "http", "https":
	default:
		a.note(Mutate, Exfil, "url.scheme", "the address uses a protocol that can send data", w)
		return
	}
	host := strings.ToLower(u.Hostname())
	if host == "169.254.169.254" || host == "metadata.google.internal" || strings.HasPrefix(host, "fd00:ec2") || host == "100.100.100.200" {
		a.note(Observe, Secret, "url.metadata", "asks the cloud's metadata service, which hands out credentials", w)
		return
	}
	local := host == "localhost" || host == "127.0.0.1" || host == "::1"
	switch {
	case u.User != nil:
		a.note(Observe, Secret, "url.credentials", "the address holds credentials", w)
	case local:
		localPath(a, u, w)
	case u.RawQuery != "" || u.Fragment != "" || len(text) > maxURL || longLabel(u.Host+u.Path):
		a.note(Observe, Exfil, "url.data", "the address can carry data to another host", w)
	}
}

// localPath marks the paths of local services whose GET does something.
func localPath(a *assessor, u *url.URL, w word) {
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

// lockoutUnits keep the operator's way in open.
var lockoutUnits = []string{
	"ssh", "sshd", "sshd@", "network", "networking", "networkmanager", "systemd-networkd", "systemd-resolved", "wpa_supplicant",
	"firewalld", "ufw", "nftables", "iptables", "ip6tables", "netfilter-persistent", "shorewall", "systemd-logind", "dbus", "dropbear", "wg-quick@",
	"openvpn", "openvpn@", "tailscaled", "sssd", "systemd", "init", "login", "tmux", "bash", "network-manager", "netplan", "getty@", "systemd-user-sessions", "cloudflared",
	"multi-user.target", "rescue.target", "emergency.target", "network.target", "network-online.target", "graphical.target",
}

func lockoutUnit(unit string) bool {
	unit = strings.ToLower(strings.TrimSuffix(strings.TrimSuffix(unit, ".service"), ".socket"))
	if at := strings.IndexByte(unit, '@'); at >= 0 {
		unit = unit[:at+1]
	}
	return slices.Contains(lockoutUnits, unit)
}

// resource judges what a cluster is asked for.
func (a *assessor) resource(w word) {
	switch {
	case strings.Contains(strings.ToLower(w.text), "secret"):
		a.note(Observe, Secret, "resource.secret", "shows secrets of the cluster", w)
	case strings.IndexByte(w.text, hole) >= 0:
		a.unclear("argument.dynamic", "what is asked for is not known", w)
	}
}

// unit judges a unit that is acted upon.
func (a *assessor) unit(w word, name word) {
	if lockoutUnit(w.text) {
		a.note(Mutate, Lockout, "unit.access", "acts on "+shown(w.text)+", which may carry the operator's own way in", word{start: name.start, end: w.end})
	}
	if w.glob {
		a.note(Mutate, Lockout, "unit.pattern", "acts on every unit that matches a pattern", w)
	}
}
