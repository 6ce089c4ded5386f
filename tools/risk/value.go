package risk

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// judgement judges a value of one kind, which the program name is given.
type judgement func(a *assessor, p param, w, name word)

// judgements are by kind; the kinds that are not among them only accept some words.
// Filled in init, because some reach back to run.
var judgements map[kind]judgement

func init() {
	alone := func(judge func(*assessor, word)) judgement {
		return func(a *assessor, _ param, w, _ word) { judge(a, w) }
	}
	of := func(judge func(a *assessor, w, name word)) judgement {
		return func(a *assessor, _ param, w, name word) { judge(a, w, name) }
	}
	path := func(a *assessor, p param, w, _ word) { a.readPath(w, p.kind) }
	host := func(a *assessor, p param, w, _ word) { a.restricted(p, w); a.reachAll(w) }
	judgements = map[kind]judgement{
		kindAny:      alone(func(*assessor, word) {}),
		kindNone:     alone((*assessor).noValue),
		kindReads:    path,
		kindTree:     path,
		kindMeta:     path,
		kindWrites:   of((*assessor).written),
		kindChanges:  of(func(a *assessor, w, name word) { a.writePath(w, word{start: name.start, end: w.end}) }),
		kindDeletes:  of((*assessor).deletePath),
		kindMoves:    of(func(a *assessor, w, name word) { a.readPath(w, kindReads); a.deletePath(w, name) }),
		kindReplaces: of((*assessor).replaced),
		kindOutput:   of((*assessor).outputFile),
		kindCommand:  alone(func(a *assessor, w word) { a.run([]word{w}) }),
		kindShell:    alone((*assessor).nested),
		kindScript:   alone((*assessor).scriptFile),
		kindAwk:      alone((*assessor).awk),
		kindSed:      alone((*assessor).sed),
		kindSQL:      alone((*assessor).sql),
		kindJq:       alone((*assessor).jq),
		kindMongo:    alone((*assessor).mongo),
		kindURL:      alone((*assessor).url),
		kindDSN:      alone((*assessor).dsn),
		kindMethod:   alone((*assessor).method),
		kindHost:     host,
		kindServer:   host,
		kindBucket:   host,
		kindStore:    host,
		kindQuery:    (*assessor).query,
		kindRoute:    func(a *assessor, p param, w, _ word) { a.restricted(p, w); a.reachRoute(w) },
		kindInet:     alone((*assessor).inet),
		kindSocket:   alone((*assessor).socket),
		kindLooked:   alone((*assessor).lookedUp),
		kindPackets:  alone((*assessor).packets),
		kindColumns:  alone((*assessor).columns),
		kindLocal:    alone((*assessor).onThisHost),
		kindUnit:     of((*assessor).unit),
		kindProperty: alone((*assessor).property),
		kindResource: alone((*assessor).resource),
		kindListing:  alone((*assessor).listing),
		kindShape:    alone((*assessor).shaped),
		kindRaw:      alone((*assessor).rawPath),
		kindTemplate: alone((*assessor).template),
		kindName:     alone((*assessor).nameOrFile),
		kindRevision: alone((*assessor).revision),
		kindListed:   alone((*assessor).listed),
		kindConfig:   alone((*assessor).config),
		kindSetting:  alone((*assessor).setting),
		kindKernel:   alone((*assessor).kernelSetting),
		kindMode:     alone((*assessor).mode),
		kindShow:     alone((*assessor).showed),

		kindProject:   alone((*assessor).project),
		kindAttribute: alone((*assessor).attribute),
		kindLine:      of((*assessor).argumentLine),
		kindFlux:      alone((*assessor).flux),
		kindMongoDB:   alone((*assessor).mongoDatabase),
		kindSettings:  alone((*assessor).settings),
	}
}

// value judges one operand or option value by its kind.
func (a *assessor) value(p param, w word, name word) {
	if judge, ok := judgements[p.kind]; ok {
		judge(a, p, w, name)
		return
	}
	a.restricted(p, w)
}

// noValue judges a value where none is allowed.
func (a *assessor) noValue(w word) {
	a.unread(Mutate, 0, "option.value", "the value is not known to be harmless", w)
}

// written judges a file that is created, replaced or appended to, even a log.
func (a *assessor) written(w, name word) {
	at := word{start: name.start, end: w.end}
	a.writePath(w, at)
	if a.isLog(w.text) {
		a.note(Destroy, 0, "write.log", "replaces or adds to a log", at)
	}
}

// replaced judges a path that something else takes the place of.
func (a *assessor) replaced(w, name word) {
	if quietDevice(w.text) && w.text != "/dev/stdout" {
		a.note(Destroy, Lockout, "replace.device", "takes the place of "+shown(w.text)+", which programs rely on", word{start: name.start, end: w.end})
	}
	a.written(w, name)
}

// outputFile judges a file that is written unless it is "-".
func (a *assessor) outputFile(w, name word) {
	if w.text != "-" {
		a.written(w, name)
	}
}

// scriptFile judges a file whose content runs.
func (a *assessor) scriptFile(w word) {
	a.readPath(w, kindReads)
	a.unread(Mutate, Opaque, "script.file", "runs what stands in a file", w)
}

// query judges a name that is looked up, or a word that says what is asked about it.
func (a *assessor) query(p param, w, _ word) {
	a.restricted(p, w)
	if !recordTypes[strings.ToUpper(w.text)] {
		a.reach(w)
	}
}

// lookedUp judges a name or a path; with an "@" or a comma it may name a host.
func (a *assessor) lookedUp(w word) {
	if strings.ContainsAny(w.text, "@,") || !w.known() && !strings.Contains(w.text, "/") {
		a.unclear("argument.host", "may name a host that is looked up", w)
	}
	a.readPath(w, kindMeta)
}

// onThisHost judges a file or a name for which programs also take PROTOCOL:PLACE and
// NAME@HOST. A path that begins in a known folder is none of these.
func (a *assessor) onThisHost(w word) {
	inFolder := strings.HasPrefix(w.text, "/") || strings.HasPrefix(w.text, "./")
	if !inFolder && (!w.known() || strings.ContainsAny(w.text, ":@,")) {
		a.unread(Mutate, Exfil, "argument.elsewhere", shown(w.text)+" may be on another host", w)
	}
	a.readPath(w, kindReads)
}

// property judges the properties of a unit that are shown.
func (a *assessor) property(w word) {
	lower := strings.ToLower(w.text)
	if !w.known() || strings.Contains(lower, "environ") || strings.Contains(lower, "credential") {
		a.note(Observe, Secret, "property.environment", "shows a unit's environment, which may hold secrets", w)
	}
}

// listing judges a kind of object that is listed. With names alone nothing of an object
// shows but how many keys it has.
func (a *assessor) listing(w word) {
	if !plainShape().MatchString(a.shape) || !w.known() {
		a.resource(w)
	}
}

// rawPath judges a path of the cluster's own state.
func (a *assessor) rawPath(w word) {
	if !w.known() || !rawPath().MatchString(w.text) {
		a.unread(Mutate, 0, "argument.value", "the path "+shown(w.text)+" is not known to only show the cluster's state", w)
	}
}

// template judges a template that picks what is shown.
func (a *assessor) template(w word) {
	if !w.known() || revealing().MatchString(quietField().ReplaceAllString(w.text, "")) {
		a.note(Observe, Secret, "template.environment", "the template may show the environment, which may hold secrets", w)
	}
}

// nameOrFile judges a name without consequence, which may be a file that is shown.
func (a *assessor) nameOrFile(w word) {
	if strings.Contains(w.text, "/") || !w.known() {
		a.readPath(w, kindReads)
	}
}

// revision judges a commit, or a path inside of one.
func (a *assessor) revision(w word) {
	if _, inside, ok := strings.Cut(w.text, ":"); ok {
		w.text = inside
	}
	a.readPath(w, kindReads)
}

// listed judges a file that is shown; of @FILE the content is more arguments.
func (a *assessor) listed(w word) {
	if file, ok := strings.CutPrefix(w.text, "@"); ok {
		w.text = file
		a.unclear("argument.list", "takes further arguments from a file", w)
	}
	a.readPath(w, kindReads)
}

// setting judges the name of a setting whose value is shown.
func (a *assessor) setting(w word) {
	if !w.known() || strings.ContainsAny(w.text, "*?[") || secretSetting().MatchString(w.text) {
		a.note(Observe, Secret, "setting.secret", "may show a password or a key", w)
	}
}

// kernelSetting judges the name of a kernel setting, which with a value sets it.
func (a *assessor) kernelSetting(w word) {
	if !w.known() || !kernelName().MatchString(w.text) || strings.Contains(w.text, "..") {
		a.note(Mutate, Privesc, "argument.value", shown(w.text)+" is not the name of a kernel setting, or sets one", w)
		a.mentions([]word{w})
	}
}

// mode judges rights as chmod takes them.
func (a *assessor) mode(w word) {
	if !w.known() || setsID().MatchString(w.text) {
		a.note(Mutate, Privesc, "mode.setid", "lets a program run with its owner's rights", w)
	}
}

// showed judges a command of a router's shell, of which only show is harmless.
func (a *assessor) showed(w word) {
	switch {
	case !w.known() || !showCommand().MatchString(w.text):
		a.note(Mutate, Lockout, "argument.value", shown(w.text)+" is not known to only show something", w)
		if showLoss().MatchString(w.text) {
			a.note(Destroy, Lockout, "argument.loss", "resets the router or forgets its configuration: "+shown(w.text), w)
		}
	case strings.Contains(w.text, "conf"), strings.Contains(w.text, "run"):
		a.note(Observe, Secret, "show.configuration", "shows the configuration with its passwords", w)
	}
}

// accepted are the kinds that only accept some words, all of them known by reading.
var accepted = map[kind]func(p param, text string) bool{
	kindNumber:  func(_ param, text string) bool { return strings.Trim(text, "0123456789.,:+-kKmMgGtTsdhB%") == "" },
	kindNoEqual: func(_ param, text string) bool { return !strings.Contains(text, "=") },
	kindSet:     func(p param, text string) bool { return slices.Contains(p.set, text) },
	kindBegins:  beginsWith,
	kindHost:    namesHost,
	kindQuery:   namesHost,
	kindLabel:   namesHost,
	kindServer: func(_ param, text string) bool {
		named := !strings.HasPrefix(text, "@") && !strings.HasPrefix(text, "file:")
		return named && serverName().MatchString(text) && len(text) <= maxURL && !longLabel(text)
	},
	kindBucket: func(_ param, text string) bool { return bucketName().MatchString(text) && len(text) <= maxURL },
	kindStore:  func(_ param, text string) bool { return storeName().MatchString(text) && len(text) <= maxURL },
	kindRemote: func(_ param, text string) bool { return remoteName().MatchString(text) },
	kindPlain:  isPlain,
	kindRoute:  isPlain,
	kindWord: func(_ param, text string) bool {
		address := strings.Contains(text, "://") && !strings.HasPrefix(text, "s3://")
		return !address && !strings.HasPrefix(text, "@") && len(text) <= maxURL
	},
	kindHeader: func(_ param, text string) bool { return quietHeader().MatchString(text) && len(text) <= maxURL },
	kindPager:  func(_ param, text string) bool { return text == "" || text == "cat" },
	kindSSHOpt: func(_ param, text string) bool { return quietSSHOption(text) },
}

// beginsWith: what follows the first word names blocks, nodes and paths, and no option that
// takes a file.
func beginsWith(p param, text string) bool {
	words := strings.Fields(text)
	return len(words) > 0 && slices.Contains(p.set, words[0]) && ownCommand().MatchString(text) && !strings.Contains(text, " -f")
}

func namesHost(_ param, text string) bool {
	return hostName().MatchString(text) && len(text) <= maxURL && !longLabel(text)
}

func isPlain(_ param, text string) bool {
	return !strings.HasPrefix(text, "@") && !strings.Contains(text, "%output") && len(text) <= maxURL
}

// fits reports whether a kind that only accepts some words accepts this one.
func (p param) fits(w word) bool {
	if p.kind == kindPlus {
		return strings.HasPrefix(w.text, "+")
	}
	accepts, limited := accepted[p.kind]
	return !limited || w.known() && accepts(p, w.text)
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
		const quiet = `\.(?:State|NetworkSettings|Mounts|Created|Id|Name|Image|RestartCount|Driver|Platform)(?:\.[A-Za-z]+)*\s*\}\}`
		return regexp.MustCompile(`\{\{\s*(?:json|range(?:\s+\$\w+\s*,\s*\$\w+\s*:=)?)\s+` + quiet)
	})
	rawPath = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^/(((healthz|readyz|livez|metrics|openapi/v[23])(/[a-z0-9-]+)?|version|api(/v1)?|apis(/[a-z0-9.]+)?(/v[0-9a-z]+)?)|apis/metrics\.k8s\.io/v1beta1/(nodes|pods)(/[a-z0-9.-]+)?|api/v1/(nodes|pods|namespaces|events|services|endpoints|componentstatuses))/?(\?verbose)?$`)
	})
	showCommand = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(show|sho|sh) [A-Za-z0-9 ./:_-]+$`) })
	showLoss    = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(erase|reload|reboot|delete|format|factory-default|default-config)\b`)
	})
	ownCommand  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z_]+( +[A-Za-z0-9<>/._,:+-]+)*$`) })
	setsID      = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`s|^[0-7]?[2-7][0-7]{3}$|[=+]t?[ugo]*s`) })
	remoteName  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./~-]+$`) })
	quietHeader = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^(host|accept|accept-encoding|accept-language|cache-control|pragma|content-type|connection|range|if-modified-since|if-none-match|origin):`)
	})
)

var (
	serverName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^([a-z0-9+]+://)?[A-Za-z0-9_.@:,%/\[\]-]+$`) })
	storeName  = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(s3://)?[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9_./=+-]*)?$`)
	})
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
		return regexp.MustCompile(`^(rs\.(status|conf|config|hello|printReplicationInfo|printSecondaryReplicationInfo)|sh\.status|db\.(stats|serverStatus|hello|isMaster|version|currentOp|hostInfo|getName|getCollectionNames|getReplicationInfo|printReplicationInfo|printSecondaryReplicationInfo)|show (dbs|databases|collections|profile))(\(\))?(\.[A-Za-z_][A-Za-z0-9_]*)*;?$`)
	})
	mongoReads = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^db(?:\.getSiblingDB\(["'][\w-]+["']\))?\.(?:[A-Za-z_][A-Za-z0-9_]*|getCollection\(["'][\w.-]+["']\))\.(aggregate|find|findOne|count|countDocuments|estimatedDocumentCount|stats|getIndexes|distinct|dataSize|storageSize|totalIndexSize|totalSize)\([^()\x60\\+=>]*\)(\.(limit|sort|skip|pretty|toArray|count|explain|itcount|hint|maxTimeMS)\([^()\x60\\+=>]*\))*;?$`)
	})
	mongoAsks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^db(?:\.getSiblingDB\(["'][\w-]+["']\))?\.(?:(?:adminCommand|runCommand)\((?:["']` + mongoCommands + `["']|\{\s*["']?` + mongoCommands + `["']?\s*:\s*["\w.]+\s*(?:,\s*["']?\w+["']?\s*:\s*["'\w.]+\s*)*\})\)|currentOp\([^()\x60\\+=>]*\)|stats\([\d*]*\)|getCollectionNames\(\))(\.[A-Za-z_]\w*)*;?$`)
	})
	mongoPrints = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:printjson|JSON\.stringify|EJSON\.stringify|print|tojson)\((.*)\);?$`)
	})
	mongoCode = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\$(where|function|accumulator|out|merge)\b`) })
)

// mongo judges a program for MongoDB's shell: a few calls that only look are
// known, everything else may do anything.
func (a *assessor) mongo(w word) {
	if sqlSecret().MatchString(w.text) || strings.Contains(w.text, "system.users") {
		a.note(Observe, Secret, "sql.secret", "the statement touches what looks like secrets", w)
	}
	if w.known() && mongoOnlyLooks(w.text) {
		return
	}
	if sqlDestroys().MatchString(w.text) || mongoRemoves().MatchString(w.text) {
		a.note(Destroy, 0, "sql.destroys", "the statement removes data", w)
	}
	a.note(Mutate, 0, "sql.acts", "the statement is not known to only read", w)
}

// mongoCommands are the commands of a server that only tell.
const mongoCommands = `(?:ping|serverStatus|listDatabases|listCollections|replSetGetStatus|replSetGetConfig|connPoolStats|connectionStatus|buildInfo|hostInfo|isMaster|hello|dbStats|collStats|top|balancerStatus|getLog|lockInfo)`

// mongoOnlyLooks reports whether a statement is a call that only looks, or prints one.
func mongoOnlyLooks(text string) bool {
	for range 2 {
		if m := mongoPrints().FindStringSubmatch(text); m != nil {
			text = m[1]
		}
	}
	return !mongoCode().MatchString(text) && (mongoLooks().MatchString(text) || mongoReads().MatchString(text) || mongoAsks().MatchString(text))
}

var mongoRemoves = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\.(drop\w*|remove|delete\w*|findOneAndDelete|shutdownServer|fsync|compact)\(`)
})
