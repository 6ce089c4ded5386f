package risk

import (
	"embed"
	"fmt"
	"strings"
	"sync"
)

//go:embed data/*.spec
var dataFiles embed.FS

// trait is what using a program, an option or a sub-command means.
type trait struct {
	effect Effect
	flags  Flags
	unread bool // nothing is known against it: its code, or its settings, are not read
	costly bool // it may take what others need
	needs  Needs
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
	apart    bool // names what would be taken from the folder otherwise
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
	builtin  bool   // belongs to the shell that reads it
	remote   bool   // its command runs somewhere else
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

// program is the program that a sub-command belongs to.
func (s *spec) program() *spec {
	for s.parent != nil {
		s = s.parent
	}
	return s
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
