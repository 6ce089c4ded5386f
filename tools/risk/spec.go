package risk

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
)

//go:embed data/*.spec
var dataFiles embed.FS

// kind says what an operand or an option's value is to the program.
type kind uint8

const (
	kindAny      kind = iota // text without consequence
	kindNone                 // not allowed here
	kindReads                // a file whose content is shown
	kindTree                 // a folder whose files' contents are shown, recursively
	kindMeta                 // a path of which names, sizes and times are shown
	kindWrites               // a file that is created, replaced or appended to
	kindDeletes              // a path that is removed
	kindCommand              // this and all following words are a command
	kindShell                // a shell text; as an operand, all following words joined
	kindScript               // a file whose content is executed
	kindAwk                  // an awk program
	kindSed                  // a sed script
	kindNumber               // digits, with sign, unit or colon
	kindPlus                 // starts with "+"
	kindNoEqual              // holds no "="
	kindSSHOpt               // an OpenSSH option, as after -o
	kindURL                  // an address that is fetched
	kindPager                // a pager, harmless only when it is cat or empty
	kindSet                  // one of the words in the spec
	kindSQL                  // a statement for a database
	kindUnit                 // a systemd unit or a process, by name
	kindResource             // a kind of object in a cluster
	kindHost                 // a host by name or address
	kindJq                   // a jq program
	kindRevision             // a commit, or a path inside of one
	kindRemote               // a repository that git knows by name, or a folder
	kindPlain                // a short fixed text that names no file
	kindDSN                  // where a database is
	kindTemplate             // a template that picks what is shown
	kindHeader               // a harmless HTTP header
	kindMethod               // an HTTP method
	kindMongo                // a statement for MongoDB's shell
	kindProperty             // a unit's properties, by name
	kindPsArgs               // this and all following words are arguments of ps
	kindWord                 // a short fixed text that names no file and no address
	kindMode                 // rights, as chmod takes them
	kindMoves                // a file that is no longer there afterwards
	kindReplaces             // a path that is replaced, even one that programs write to without consequence
	kindOutput               // a file that is written, or "-" for the output
	kindServer               // hosts by name or address with a port, or a socket's path
	kindRoute                // another way to a host: HOST:PORT:ADDRESS
	kindQuery                // a name that is looked up, or what is asked about it
	kindName                 // a name without consequence, or a file that is shown
	kindLabel                // a name of letters, digits, dots and dashes
	kindBucket               // somebody's storage in a cloud
	kindChanges              // a file whose content is kept: renamed in place, packed, given other rights
	kindInet                 // connections, as lsof selects them: [46][PROTOCOL][@HOST][:SERVICE]
	kindSocket               // a word of a filter for sockets, as ss reads it
	kindConfig               // the system's own configuration, by its full name
	kindSetting              // the name of a setting, whose value is shown
	kindShape                // the form of a cluster's answer
	kindKernel               // the name of a kernel setting
	kindListed               // a file whose content is shown, or @FILE with more arguments
	kindListing              // a kind of object in a cluster, or an object, that is listed
	kindShow                 // a command of a router's shell, of which only show is harmless
	kindRaw                  // a path of the cluster's own state
	kindLooked               // a name or a path; with an "@" or a comma it may name a host
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
	"server": kindServer, "route": kindRoute, "bucket": kindBucket, "label": kindLabel, "query": kindQuery, "name": kindName,
}

// trait is what using a program, an option or a sub-command means.
type trait struct {
	effect Effect
	flags  Flags
	why    string
}

// param is the kind of one operand or value, with its set when it has one.
type param struct {
	kind kind
	set  []string
}

// option is one permitted option.
type option struct {
	trait
	name     string // as it is written
	rule     string
	takes    bool // requires a value; with optional, unless it stands last
	optional bool // may have a value attached
	unless   bool // requires a value unless the next word begins with - or +
	value    param
	fills    bool // stands in for the first operand
	operands kind // turns reading operands into this kind
	turns    bool // operands is set
	ends     bool // nothing else counts: --help, --version
}

// spec is one program or sub-command.
type spec struct {
	trait
	name     string // dotted: "git.remote.show"
	inert    bool   // no option does more than the program itself
	posix    bool   // options end at the first operand
	oneDash  bool   // long options with one dash
	bsd      bool   // the first operand may be a cluster of options
	inherit  bool   // the parent's options are allowed too
	assigns  bool   // NAME=value operands come before the command
	abbrev   bool   // sub-commands may be shortened
	plus     bool   // knows options that start with "+"
	reader   bool   // without a statement it reads statements from its input
	sends    bool   // carries its input to another host
	feeds    bool   // its input is a script that runs
	hands    bool   // hands its operands to other hosts or processes, as commands
	carries  bool   // hands its input on to the host it talks to, if it has any
	folder   bool   // runs what the configuration in its folder names, unless a sub-command is apart
	apart    bool   // runs nothing that its folder names
	least    int    // with fewer operands it opens a session
	options  map[string]*option
	operands []param
	repeat   bool // the last operand's kind holds for all that follow
	subs     map[string]*spec
	fallback string // sub-command when none is given
	other    *trait // what an operand or sub-command that is not permitted means
	parent   *spec
}

// stanza is one program's part of a data file.
type stanza struct {
	file string
	line int // of the heading, from 1
	text string
}

// catalog knows where each program's stanzas stand. It is made on first use, and
// a program's stanzas are read when that program is first asked about.
type catalog struct {
	stanzas map[string][]stanza
	read    sync.Map // name: *spec
}

var programs = sync.OnceValue(func() *catalog {
	c, err := loadCatalog()
	if err != nil {
		panic(err) // a fault of the build, found by the tests
	}
	return c
})

// specOf returns what the data files say of a program; nil if nothing.
func specOf(name string) *spec { return programs().spec(name) }

// loadCatalog finds the stanzas of all programs without reading them.
func loadCatalog() (*catalog, error) {
	entries, err := dataFiles.ReadDir("data")
	if err != nil {
		return nil, fmt.Errorf("risk: %w", err)
	}
	c := &catalog{stanzas: map[string][]stanza{}}
	for _, entry := range entries {
		body, err := dataFiles.ReadFile("data/" + entry.Name())
		if err != nil {
			return nil, fmt.Errorf("risk: %w", err)
		}
		if err := c.add(entry.Name(), string(body)); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// add cuts a data file into stanzas.
func (c *catalog) add(file, body string) error {
	begin, beginLine, names := 0, 0, []string(nil)
	keep := func(end int) error {
		for _, name := range names {
			old := c.stanzas[name]
			if len(old) > 0 && old[0].file != file {
				return fmt.Errorf("risk: %s:%d: %q is described in %s already", file, beginLine, name, old[0].file)
			}
			c.stanzas[name] = append(old, stanza{file, beginLine, body[begin:end]})
		}
		return nil
	}
	at, line := 0, 0
	for text := range strings.Lines(body) {
		line++
		if c := text[0]; c != ' ' && c != '\t' && c != '#' && c != '\n' {
			if err := keep(at); err != nil {
				return err
			}
			first, _, _ := strings.Cut(text, " ")
			begin, beginLine, names = at, line, strings.Split(strings.TrimSuffix(first, ":"), "|")
		}
		at += len(text)
	}
	return keep(len(body))
}

// spec reads a program's stanzas, once.
func (c *catalog) spec(name string) *spec {
	if found, ok := c.read.Load(name); ok {
		return found.(*spec)
	}
	if c.stanzas[name] == nil {
		return nil
	}
	s, err := c.parse(name)
	if err != nil {
		panic(err) // a fault of the build, found by the tests
	}
	found, _ := c.read.LoadOrStore(name, s)
	return found.(*spec)
}

func (c *catalog) parse(name string) (*spec, error) {
	r := specReader{root: &spec{subs: map[string]*spec{}}, only: name, heads: map[*spec]bool{}}
	for _, part := range c.stanzas[name] {
		line := part.line - 1
		for text := range strings.Lines(part.text) {
			line++
			if err := r.line(strings.TrimSuffix(text, "\n")); err != nil {
				return nil, fmt.Errorf("risk: %s:%d: %w", part.file, line, err)
			}
		}
	}
	return r.root.subs[name], nil
}

// specReader reads one data file line by line. README.md beside the data says
// how a line is written.
type specReader struct {
	root    *spec
	only    string         // the program that is read
	current []*spec        // the stanza's programs
	heads   map[*spec]bool // what a stanza has described
}

func (r *specReader) line(line string) error {
	text, _, _ := strings.Cut(line, "\t#")
	text = strings.TrimRight(text, " \t")
	if text == "" || text[0] == '#' {
		return nil
	}
	body, why, _ := strings.Cut(text, " ; ")
	if text[0] != ' ' && text[0] != '\t' {
		return r.heading(body, strings.TrimSpace(why))
	}
	if len(r.current) == 0 {
		return fmt.Errorf("no program stands above %q", text)
	}
	fields := strings.Fields(body)
	var err error
	switch fields[0] {
	case "args":
		err = r.args(fields[1:])
	case "else":
		err = r.otherwise(fields[1:], strings.TrimSpace(why))
	default:
		err = r.options(fields, strings.TrimSpace(why))
	}
	return err
}

// heading reads "name|name sub|sub: traits".
func (r *specReader) heading(body, why string) error {
	names, traits, ok := strings.Cut(body+" ", ": ")
	if !ok {
		return fmt.Errorf("%q has no colon", body)
	}
	level := []*spec{r.root}
	for i, alternatives := range strings.Fields(names) {
		var next []*spec
		if i == 0 {
			alternatives = r.only
		}
		for _, parent := range level {
			for _, name := range strings.Split(alternatives, "|") {
				next = append(next, parent.sub(name))
			}
		}
		level = next
	}
	words := strings.Fields(traits)
	again := slices.Contains(words, "again")
	for _, s := range level {
		if r.heads[s] && !again {
			return fmt.Errorf("%q is described above already: add to it with the trait again", s.name)
		}
		r.heads[s] = true
		s.trait = trait{why: why}
		if err := s.readTraits(words); err != nil {
			return err
		}
	}
	r.current = level
	return nil
}

func (s *spec) sub(name string) *spec {
	if found, ok := s.subs[name]; ok {
		return found
	}
	child := &spec{name: name, options: map[string]*option{}}
	if s.name != "" {
		child.name, child.parent = s.name+"."+name, s
	}
	if s.subs == nil {
		s.subs = map[string]*spec{}
	}
	s.subs[name] = child
	return child
}

func (s *spec) readTraits(words []string) error {
	for _, word := range words {
		switch word {
		case "again": // said by a stanza that adds to an earlier one
		case "inert":
			s.inert = true
		case "posix":
			s.posix = true
		case "onedash":
			s.oneDash = true
		case "bsd":
			s.bsd = true
		case "inherit":
			s.inherit = true
		case "assigns":
			s.assigns = true
		case "abbrev":
			s.abbrev = true
		case "reader":
			s.reader = true
		case "sends":
			s.sends = true
		case "feeds":
			s.feeds = true
		case "hands":
			s.hands = true
		case "carries":
			s.carries = true
		case "folder":
			s.folder = true
		case "apart":
			s.apart = true
		default:
			if n, ok := strings.CutPrefix(word, "least="); ok && len(n) == 1 && n >= "1" && n <= "9" {
				s.least = int(n[0] - '0')
				continue
			}
			if sub, ok := strings.CutPrefix(word, "default="); ok {
				s.fallback = sub
				continue
			}
			if !s.trait.read(word) {
				return fmt.Errorf("unknown trait %q of %q", word, s.name)
			}
		}
	}
	if s.effect == Unassessed {
		return fmt.Errorf("%q has no effect", s.name)
	}
	return nil
}

func (t *trait) read(word string) bool {
	if flag, err := ParseFlag(word); err == nil {
		t.flags |= flag
		return true
	}
	return t.effect.UnmarshalText([]byte(word)) == nil
}

func parseParam(word string) (param, error) {
	if set, ok := strings.CutPrefix(word, "="); ok {
		return param{kind: kindSet, set: strings.Split(set, ",")}, nil
	}
	k, ok := kindWords[word]
	if !ok {
		return param{}, fmt.Errorf("unknown kind %q", word)
	}
	return param{kind: k}, nil
}

func (r *specReader) args(words []string) error {
	var params []param
	repeat := false
	for _, word := range words {
		if repeat {
			return fmt.Errorf("%q follows the operand that repeats", word)
		}
		word, repeat = strings.CutSuffix(word, "...")
		p, err := parseParam(word)
		if err != nil {
			return err
		}
		params = append(params, p)
	}
	for _, s := range r.current {
		s.operands, s.repeat = params, repeat
	}
	return nil
}

func (r *specReader) otherwise(words []string, why string) error {
	t := trait{why: why}
	for _, word := range words {
		if !t.read(word) {
			return fmt.Errorf("unknown trait %q", word)
		}
	}
	for _, s := range r.current {
		s.other = &t
	}
	return nil
}

// options reads "-abc -k: --key= traits ; why".
func (r *specReader) options(words []string, why string) error {
	base := option{trait: trait{why: why}}
	var names []string
	for _, word := range words {
		if word[0] == '-' || word[0] == '+' {
			names = append(names, word)
			continue
		}
		if err := base.readTrait(word); err != nil {
			return err
		}
	}
	if len(names) == 0 {
		return fmt.Errorf("%q names no option", strings.Join(words, " "))
	}
	rule := ""
	for _, name := range names {
		if n := strings.Trim(name, "-+=:?~"); len(n) > len(rule) || strings.HasPrefix(name, "--") && !strings.HasPrefix(rule, "--") {
			rule = n
		}
	}
	for _, s := range r.current {
		for _, name := range names {
			s.addOption(name, base, s.name+"."+rule)
		}
	}
	return nil
}

func (o *option) readTrait(word string) error {
	switch word {
	case "fills":
		o.fills = true
		return nil
	case "ends":
		o.ends = true
		return nil
	}
	if to, ok := strings.CutPrefix(word, "operands="); ok {
		k, known := kindWords[to]
		if !known {
			return fmt.Errorf("unknown kind %q", to)
		}
		o.operands, o.turns = k, true
		return nil
	}
	if o.trait.read(word) {
		return nil
	}
	p, err := parseParam(word)
	o.value = p
	return err
}

func (s *spec) addOption(name string, o option, rule string) {
	o.rule = rule
	s.plus = s.plus || name[0] == '+'
	long := strings.HasPrefix(name, "--") || s.oneDash
	body := strings.TrimRight(name, ":=?~")
	switch strings.TrimPrefix(name, body) {
	case ":~":
		o.takes, o.optional, o.unless = true, true, true
	case ":?":
		o.takes, o.optional = true, true
	case ":", "=":
		o.takes = true
	case "?":
		o.optional = true
	}
	if long || body == "-#" || body == "+#" || len(body) <= 2 {
		one := o
		one.name = body
		s.options[body] = &one
		return
	}
	for _, letter := range body[1:] {
		one := o
		one.name = body[:1] + string(letter)
		s.options[one.name] = &one
	}
}

// readsByOption reports whether an option names a file that is read.
func (s *spec) readsByOption() bool {
	for _, o := range s.options {
		switch o.value.kind {
		case kindReads, kindTree, kindScript, kindListed:
			return true
		}
	}
	return false
}

// inFolder reports whether the folder that the program runs in, or is given, can
// name programs for it to run.
func (s *spec) inFolder() bool {
	for at := s; at != nil; at = at.parent {
		if at.apart || at.folder {
			return !at.apart
		}
	}
	return false
}

// option finds a permitted option by its exact name, here or, where the
// program allows it, at a parent.
func (s *spec) option(name string) *option {
	for at := s; at != nil; at = at.parent {
		if o, ok := at.options[name]; ok {
			return o
		}
		if at.parent == nil || !at.parent.inherit {
			return nil
		}
	}
	return nil
}
