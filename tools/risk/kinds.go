package risk

// kind says what an operand or an option's value is to the program.
type kind uint8

const (
	kindAny       kind = iota // text without consequence
	kindNone                  // not allowed here
	kindReads                 // a file whose content is shown
	kindTree                  // a folder whose files' contents are shown, recursively
	kindMeta                  // a path of which names, sizes and times are shown
	kindWrites                // a file that is created, replaced or appended to
	kindDeletes               // a path that is removed
	kindCommand               // this and all following words are a command
	kindShell                 // a shell text; as an operand, all following words joined
	kindScript                // a file whose content is executed
	kindAwk                   // an awk program
	kindSed                   // a sed script
	kindNumber                // digits, with sign, unit or colon
	kindPlus                  // starts with "+"
	kindNoEqual               // holds no "="
	kindSSHOpt                // an OpenSSH option, as after -o
	kindURL                   // an address that is fetched
	kindPager                 // a pager, harmless only when it is cat or empty
	kindSet                   // one of the words in the spec
	kindSQL                   // a statement for a database
	kindUnit                  // a systemd unit or a process, by name
	kindResource              // a kind of object in a cluster
	kindHost                  // a host by name or address
	kindJq                    // a jq program
	kindRevision              // a commit, or a path inside of one
	kindRemote                // a repository that git knows by name, or a folder
	kindPlain                 // a short fixed text that names no file
	kindDSN                   // where a database is
	kindTemplate              // a template that picks what is shown
	kindHeader                // a harmless HTTP header
	kindMethod                // an HTTP method
	kindMongo                 // a statement for MongoDB's shell
	kindProperty              // a unit's properties, by name
	kindPsArgs                // this and all following words are arguments of ps
	kindWord                  // a short fixed text that names no file and no address
	kindMode                  // rights, as chmod takes them
	kindMoves                 // a file that is no longer there afterwards
	kindReplaces              // a path that is replaced, even one that programs write to without consequence
	kindOutput                // a file that is written, or "-" for the output
	kindServer                // hosts by name or address with a port, or a socket's path
	kindRoute                 // another way to a host: HOST:PORT:ADDRESS
	kindQuery                 // a name that is looked up, or what is asked about it
	kindName                  // a name without consequence, or a file that is shown
	kindLabel                 // a name of letters, digits, dots and dashes
	kindBucket                // somebody's storage in a cloud
	kindChanges               // a file whose content is kept: renamed in place, packed, given other rights
	kindInet                  // connections, as lsof selects them: [46][PROTOCOL][@HOST][:SERVICE]
	kindSocket                // a word of a filter for sockets, as ss reads it
	kindConfig                // the system's own configuration, by its full name
	kindSetting               // the name of a setting, whose value is shown
	kindShape                 // the form of a cluster's answer
	kindKernel                // the name of a kernel setting
	kindListed                // a file whose content is shown, or @FILE with more arguments
	kindListing               // a kind of object in a cluster, or an object, that is listed
	kindShow                  // a command of a router's shell, of which only show is harmless
	kindRaw                   // a path of the cluster's own state
	kindLooked                // a name or a path; with an "@" or a comma it may name a host
	kindProject               // a project of a forge: OWNER/NAME, or HOST/OWNER/NAME
	kindAttribute             // a filter or an attribute of a directory's entries
	kindLine                  // the program's own arguments, in one text
	kindFlux                  // a query of InfluxDB 2
	kindMongoDB               // a database of MongoDB: NAME, HOST/NAME or an address
	kindSettings              // as config, where nothing of its content is shown
	kindStore                 // as bucket; the scheme may be left out, and no file is meant
	kindPackets               // a filter for packets, or a part of one, as tcpdump reads it
	kindColumns               // what a cloud's client shows of each thing: table(name,zone)
	kindBegins                // a command of the program's own: one of the words in the spec, and what it looks at
	kindLocal                 // a name or a path of this host; with a colon, an "@" or a comma it may be elsewhere
)

var kindWords = map[string]kind{
	"any": kindAny, "none": kindNone, "reads": kindReads, "tree": kindTree, "meta": kindMeta,
	"writes": kindWrites, "deletes": kindDeletes, "command": kindCommand, "shell": kindShell,
	"script": kindScript, "awk": kindAwk, "sed": kindSed, "number": kindNumber, "plus": kindPlus,
	"noequal": kindNoEqual, "sshopt": kindSSHOpt, "url": kindURL, "pager": kindPager, "sql": kindSQL,
	"unit": kindUnit, "resource": kindResource,
	"host": kindHost, "jq": kindJq, "revision": kindRevision, "remote": kindRemote, "plain": kindPlain, "header": kindHeader, "dsn": kindDSN, "template": kindTemplate,
	"method": kindMethod, "mongo": kindMongo, "property": kindProperty, "psargs": kindPsArgs, "word": kindWord,
	"mode": kindMode, "moves": kindMoves, "replaces": kindReplaces, "output": kindOutput, "changes": kindChanges,
	"inet": kindInet, "socket": kindSocket, "config": kindConfig, "setting": kindSetting, "shape": kindShape, "kernel": kindKernel, "listed": kindListed, "looked": kindLooked, "raw": kindRaw, "show": kindShow, "listing": kindListing,
	"project": kindProject, "attribute": kindAttribute, "line": kindLine, "packets": kindPackets, "columns": kindColumns, "flux": kindFlux, "mongodb": kindMongoDB, "settings": kindSettings, "local": kindLocal,
	"server": kindServer, "route": kindRoute, "bucket": kindBucket, "store": kindStore, "label": kindLabel, "query": kindQuery, "name": kindName,
}
