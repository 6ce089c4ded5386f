package risk

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// value judges one operand or option value by its kind.
func (a *assessor) value(p param, w word, name word) {
	switch p.kind {
	case kindReads, kindTree, kindMeta:
		a.readPath(w, p.kind)
	case kindWrites:
		a.writePath(w, word{start: name.start, end: w.end})
		if a.isLog(w.text) {
			a.note(Destroy, 0, "write.log", "replaces or adds to a log", word{start: name.start, end: w.end})
		}
	case kindDeletes:
		a.deletePath(w, name)
	case kindCommand:
		a.run([]word{w})
	case kindShell:
		a.nested(w)
	case kindScript:
		a.readPath(w, kindReads)
		a.unread(Mutate, Opaque, "script.file", "runs what stands in a file", w)
	case kindAwk:
		a.awk(w)
	case kindSed:
		a.sed(w)
	case kindURL:
		a.url(w)
	case kindHost, kindServer, kindBucket:
		a.restricted(p, w)
		a.reachAll(w)
	case kindQuery:
		a.restricted(p, w)
		if !recordTypes[strings.ToUpper(w.text)] {
			a.reach(w)
		}
	case kindName:
		if strings.Contains(w.text, "/") || !w.known() {
			a.readPath(w, kindReads)
		}
	case kindRoute:
		a.restricted(p, w)
		a.reachRoute(w)
	case kindUnit:
		a.unit(w, name)
	case kindSQL:
		a.sql(w)
	case kindListing:
		if plainShape().MatchString(a.shape) && w.known() {
			return // names, and how many keys each has
		}
		a.resource(w)
	case kindResource:
		a.resource(w)
	case kindJq:
		a.jq(w)
	case kindDSN:
		a.dsn(w)
	case kindTemplate:
		if !w.known() || revealing().MatchString(quietField().ReplaceAllString(w.text, "")) {
			a.note(Observe, Secret, "template.environment", "the template may show the environment, which may hold secrets", w)
		}
	case kindRevision:
		if _, inside, ok := strings.Cut(w.text, ":"); ok {
			w.text = inside
		}
		a.readPath(w, kindReads)
	case kindMethod:
		a.method(w)
	case kindMongo:
		a.mongo(w)
	case kindProperty:
		if !w.known() || strings.Contains(strings.ToLower(w.text), "environ") || strings.Contains(strings.ToLower(w.text), "credential") {
			a.note(Observe, Secret, "property.environment", "shows a unit's environment, which may hold secrets", w)
		}
	case kindMode:
		if !w.known() || setsID().MatchString(w.text) {
			a.note(Mutate, Privesc, "mode.setid", "lets a program run with its owner's rights", w)
		}
	case kindMoves:
		a.readPath(w, kindReads)
		a.deletePath(w, name)
	case kindReplaces:
		if quietDevice(w.text) && w.text != "/dev/stdout" {
			a.note(Destroy, Lockout, "replace.device", "takes the place of "+shown(w.text)+", which programs rely on", word{start: name.start, end: w.end})
		}
		a.value(param{kind: kindWrites}, w, name)
	case kindOutput:
		if w.text != "-" {
			a.value(param{kind: kindWrites}, w, name)
		}
	case kindInet:
		a.inet(w)
	case kindSocket:
		a.socket(w)
	case kindConfig:
		a.config(w)
	case kindSetting:
		if !w.known() || strings.ContainsAny(w.text, "*?[") || secretSetting().MatchString(w.text) {
			a.note(Observe, Secret, "setting.secret", "may show a password or a key", w)
		}
	case kindShape:
		a.shaped(w)
	case kindKernel:
		if !w.known() || !kernelName().MatchString(w.text) || strings.Contains(w.text, "..") {
			a.note(Mutate, Privesc, "argument.value", shown(w.text)+" is not the name of a kernel setting, or sets one", w)
			a.mentions([]word{w})
		}
	case kindListed:
		if file, ok := strings.CutPrefix(w.text, "@"); ok {
			w.text = file
			a.unclear("argument.list", "takes further arguments from a file", w)
		}
		a.readPath(w, kindReads)
	case kindShow:
		if !w.known() || !showCommand().MatchString(w.text) {
			a.note(Mutate, Lockout, "argument.value", shown(w.text)+" is not known to only show something", w)
			if showLoss().MatchString(w.text) {
				a.note(Destroy, Lockout, "argument.loss", "resets the router or forgets its configuration: "+shown(w.text), w)
			}
		} else if strings.Contains(w.text, "conf") || strings.Contains(w.text, "run") {
			a.note(Observe, Secret, "show.configuration", "shows the configuration with its passwords", w)
		}
	case kindRaw:
		if !w.known() || !rawPath().MatchString(w.text) {
			a.unread(Mutate, 0, "argument.value", "the path "+shown(w.text)+" is not known to only show the cluster's state", w)
		}
	case kindLooked:
		if strings.ContainsAny(w.text, "@,") || !w.known() && !strings.Contains(w.text, "/") {
			a.unclear("argument.host", "may name a host that is looked up", w)
		}
		a.readPath(w, kindMeta)
	case kindChanges:
		a.writePath(w, word{start: name.start, end: w.end})
	case kindNone:
		a.unread(Mutate, 0, "option.value", "the value is not known to be harmless", w)
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
	case kindHost, kindQuery, kindLabel:
		ok = w.known() && hostName().MatchString(w.text) && len(w.text) <= maxURL && !longLabel(w.text)
	case kindServer:
		ok = w.known() && serverName().MatchString(w.text) && len(w.text) <= maxURL && !longLabel(w.text)
	case kindBucket:
		ok = w.known() && bucketName().MatchString(w.text) && len(w.text) <= maxURL
	case kindRemote:
		ok = w.known() && remoteName().MatchString(w.text)
	case kindPlain, kindRoute:
		ok = w.known() && !strings.HasPrefix(w.text, "@") && !strings.Contains(w.text, "%output") && len(w.text) <= maxURL
	case kindWord:
		ok = w.known() && !strings.HasPrefix(w.text, "@") && (!strings.Contains(w.text, "://") || strings.HasPrefix(w.text, "s3://")) && len(w.text) <= maxURL
	case kindHeader:
		ok = w.known() && quietHeader().MatchString(w.text) && len(w.text) <= maxURL
	case kindPager:
		ok = w.known() && (w.text == "" || w.text == "cat")
	case kindSSHOpt:
		ok = w.known() && quietSSHOption(w.text)
	}
	return ok
}

// recordTypes are words that dig takes for what is asked and not for a name.
var recordTypes = map[string]bool{
	"A": true, "AAAA": true, "MX": true, "NS": true, "TXT": true, "CNAME": true, "SOA": true, "PTR": true, "SRV": true, "CAA": true,
	"DS": true, "DNSKEY": true, "RRSIG": true, "NSEC": true, "NSEC3": true, "TLSA": true, "SPF": true, "HINFO": true, "NAPTR": true,
	"SVCB": true, "HTTPS": true, "SSHFP": true, "LOC": true, "ANY": true, "AXFR": true, "IN": true, "CH": true, "HS": true,
}

// restricted judges the kinds that only accept some words.
func (a *assessor) restricted(p param, w word) {
	if !p.fits(w) {
		a.unread(Mutate, 0, "argument.value", "the value "+shown(w.text)+" is not known to be harmless", w)
		if p.kind == kindHeader && !w.known() {
			a.note(Observe, Exfil, "argument.sent", "the value is put together on the way and sent to another host", w)
		}
		if p.kind == kindPager || p.kind == kindSSHOpt {
			a.note(Mutate, Opaque, "argument.runs", "the value can name a program to run", w)
		}
	}
}

var (
	revealing = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)env|json|range|with|\{\{\s*\.\s*\}|config\s*\}|args|cmd|print|index`)
	})
	quietField = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`\{\{\s*json\s+\.(State|NetworkSettings|Mounts|Created|Id|Name|Image|RestartCount|Driver|Platform)(\.[A-Za-z]+)*\s*\}\}`)
	})
	rawPath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^/(healthz|readyz|livez|metrics|version|openapi/v[23]|apis?(/[a-z0-9.]+)?(/v[0-9a-z]+)?|apis/metrics\.k8s\.io/v1beta1/(nodes|pods))(/[a-z0-9-]+)?/?(\?verbose)?$`)
	})
	showCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(show|sho|sh) [A-Za-z0-9 ./:_-]+$`) })
	showLoss    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(erase|reload|reboot|delete|format|factory-default|default-config)\b`)
	})
	setsID      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`s|^[0-7]?[2-7][0-7]{3}$|[=+]t?[ugo]*s`) })
	credentials = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`://[^/@]*:[^/@]*@`) })
	remoteName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./~-]+$`) })
	quietHeader = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(host|accept|accept-encoding|accept-language|cache-control|pragma|content-type|connection|range|if-modified-since|if-none-match|origin):`)
	})
)

var (
	serverName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z0-9+]+://)?[A-Za-z0-9_.@:,%/\[\]-]+$`) })
	bucketName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(s3|gs)://[A-Za-z0-9_.-]+(/[A-Za-z0-9_./=+-]*)?$`) })
)

var hostName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(ssh://)?[A-Za-z0-9_.@:%\[\]-]+$`) })

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
	if !w.known() && !(w.glob && !w.tree && localAddress().MatchString(w.text)) {
		a.note(Observe, Exfil, "url.dynamic", "the address is put together on the way and can carry data", w)
		return
	}
	text := w.text
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	if w.glob && !w.tree && strings.IndexByte(w.text, hole) < 0 {
		text = globbed().ReplaceAllString(text, "${1}%3F")
	}
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
		return
	case "http", "https":
		a.needs |= NeedNet
	default:
		a.note(Mutate, Exfil, "url.scheme", "the address uses a protocol that can send data", w)
		return
	}
	host := strings.ToLower(u.Hostname())
	if host == "169.254.169.254" || host == "metadata.google.internal" || strings.HasPrefix(host, "fd00:ec2") || host == "100.100.100.200" {
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
	case u.RawQuery != "" || u.Fragment != "" || len(text) > maxURL || longLabel(u.Host+u.Path):
		a.note(Observe, Exfil, "url.data", "the address can carry data to another host", w)
	}
}

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

// powerUnits change the power state of the host when they are started.
var powerUnits = []string{
	"reboot", "poweroff", "halt", "kexec", "suspend", "hibernate", "hybrid-sleep", "suspend-then-hibernate", "sleep", "shutdown", "exit",
	"soft-reboot", "ctrl-alt-del", "final", "umount", "systemd-reboot", "systemd-poweroff", "systemd-halt", "systemd-kexec", "systemd-suspend",
	"systemd-hibernate", "systemd-hybrid-sleep", "systemd-suspend-then-hibernate", "systemd-soft-reboot", "systemd-exit", "runlevel0", "runlevel6",
	"factory-reset", "systemd-factory-reset",
}

func powerUnit(unit string) bool {
	unit = strings.ToLower(unit)
	return slices.Contains(powerUnits, strings.TrimSuffix(strings.TrimSuffix(unit, ".target"), ".service"))
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
	if powerUnit(w.text) {
		a.note(Destroy, Lockout, "unit.power", "switches the host off, restarts it or puts it to sleep: "+shown(w.text), word{start: name.start, end: w.end})
	}
	if lockoutUnit(w.text) {
		a.note(Mutate, Lockout, "unit.access", "acts on "+shown(w.text)+", which may carry the operator's own way in", word{start: name.start, end: w.end})
	}
	if w.glob || strings.ContainsAny(w.text, "*?[") || !w.known() {
		a.note(Mutate, Lockout, "unit.pattern", "acts on every unit that matches a pattern", w)
	}
}

// method judges what an HTTP request asks for.
func (a *assessor) method(w word) {
	switch strings.ToUpper(w.text) {
	case "GET", "HEAD", "OPTIONS":
	case "DELETE", "PURGE":
		a.note(Destroy, 0, "method.removes", "asks the server to remove something", w)
	default:
		a.note(Mutate, 0, "method.acts", "asks the server to do something", w)
	}
}

var (
	mongoLooks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(rs\.(status|conf|config|hello|printReplicationInfo|printSecondaryReplicationInfo)|sh\.status|db\.(stats|serverStatus|hello|isMaster|version|currentOp|hostInfo|getName|getCollectionNames|getReplicationInfo|printReplicationInfo|printSecondaryReplicationInfo)|show (dbs|databases|collections))(\(\))?;?$`)
	})
	mongoReads = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^db\.[A-Za-z_][A-Za-z0-9_]*\.(find|findOne|count|countDocuments|estimatedDocumentCount|stats|getIndexes|distinct)\([^()$\x60]*\)(\.(limit|sort|skip|pretty|toArray|count|explain)\([^()$\x60]*\))*;?$`)
	})
)

// mongo judges a program for MongoDB's shell: a few calls that only look are
// known, everything else may do anything.
func (a *assessor) mongo(w word) {
	if sqlSecret().MatchString(w.text) || strings.Contains(w.text, "system.users") {
		a.note(Observe, Secret, "sql.secret", "the statement touches what looks like secrets", w)
	}
	if w.known() && (mongoLooks().MatchString(w.text) || mongoReads().MatchString(w.text)) {
		return
	}
	if sqlDestroys().MatchString(w.text) || mongoRemoves().MatchString(w.text) {
		a.note(Destroy, 0, "sql.destroys", "the statement removes data", w)
	}
	a.note(Mutate, 0, "sql.acts", "the statement is not known to only read", w)
}

var mongoRemoves = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\.(drop\w*|remove|delete\w*|findOneAndDelete|shutdownServer|fsync|compact)\(`)
})
