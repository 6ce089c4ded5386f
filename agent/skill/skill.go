package skill

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"unicode"

	"golang.org/x/sys/unix"
)

// Limits.
const (
	MaxText        = 64 << 10 // bytes of SKILL.md
	MaxDescription = 1024     // bytes, of which the catalogue shows the first
	MaxTools       = 64
	maxShown       = 200 // bytes of a description in the catalogue
	maxSkills      = 200 // in a place
)

// ErrNone: there is no skill of that name.
var ErrNone = errors.New("there is no such skill")

// file is what makes a folder a skill.
const file = "SKILL.md"

// Place is a folder of skills.
type Place struct {
	Dir  string
	Name string // how the operator is told of it: "nod", "~/.claude/skills"
}

// Skill is one of them.
type Skill struct {
	Name        string
	Description string // in one line
	Version     string
	Tags        []string
	Tools       []string // the only ones that may be called; nil: it says nothing
	Dir         string
	Place       Place
	Body        string
	// Fault says why it cannot be used; empty if it can.
	Fault string

	fixed bool // its text is the one that was given, whatever its file holds now
}

var (
	nameForm    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,63}$`) })
	versionForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z.+_-]{0,31}$`) })
	toolForm    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z][a-z0-9_-]{0,63}$`) })
)

// unversioned is the version of a skill that names none, as those of other
// programs often do.
const unversioned = "0"

// Parse reads a SKILL.md.
func Parse(text string) (Skill, error) {
	keys, body, err := front(strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return Skill{}, err
	}
	s := Skill{Name: keys["name"].text, Description: oneLine(keys["description"].text), Version: keys["version"].text, Body: body}
	if _, ok := keys["version"]; !ok {
		keys["version"] = value{text: unversioned}
		s.Version = unversioned
	}
	for _, key := range []string{"name", "description", "version"} {
		if v, ok := keys[key]; !ok || v.isList || v.text == "" {
			return s, fmt.Errorf("the front matter has no %s", key)
		}
	}
	switch {
	case !nameForm().MatchString(s.Name):
		return s, fmt.Errorf("name: %q: want small letters, digits and dashes, 64 at most", s.Name)
	case !versionForm().MatchString(s.Version):
		return s, fmt.Errorf("version: %q: want something such as 1.2.0", s.Version)
	case len(s.Description) > MaxDescription:
		return s, fmt.Errorf("description: %d bytes, and it may have %d", len(s.Description), MaxDescription)
	case body == "":
		return s, errors.New("there are no instructions below the front matter")
	}
	for _, tag := range lists(keys["tags"]) {
		s.Tags = append(s.Tags, oneLine(tag))
	}
	if v, ok := keys["tools"]; ok {
		s.Tools, err = toolsOf(v)
	}
	return s, err
}

// toolsOf are the names of tools in a list, never nil. After an error they are those
// before the fault.
func toolsOf(v value) ([]string, error) {
	named := []string{}
	for _, tool := range lists(v) {
		if !toolForm().MatchString(tool) {
			return named, fmt.Errorf("tools: %q is no name of a tool", tool)
		}
		named = append(named, tool)
	}
	if len(named) > MaxTools {
		return named, fmt.Errorf("tools: %d, and there may be %d", len(named), MaxTools)
	}
	return named, nil
}

// lists is a list, also one that is written as a text with commas.
func lists(v value) []string {
	if v.isList {
		return v.list
	}
	var all []string
	for _, part := range strings.Split(v.text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// oneLine makes one line of a text, without what a terminal would obey.
func oneLine(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		if unicode.Is(unicode.Bidi_Control, r) {
			return -1
		}
		return r
	}, text)), " ")
}

// Read reads the skill in a folder.
func Read(dir string) (Skill, error) {
	text, err := read(dir)
	if err != nil {
		return Skill{Dir: dir}, err
	}
	s, err := Parse(text)
	s.Dir = dir
	return s, err
}

// read returns a SKILL.md that nobody else can have written: a regular file in a
// folder of this user's (or root's), reached through no link.
func read(dir string) (string, error) {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ELOOP) {
		return "", fmt.Errorf("%s is a symbolic link, which is not followed", file)
	}
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }() // opened for reading
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no regular file", file)
	}
	for _, i := range []func() (fs.FileInfo, error){f.Stat, func() (fs.FileInfo, error) { return os.Lstat(dir) }} {
		info, err := i()
		if err != nil {
			return "", err
		}
		if why := others(info); why != "" {
			return "", errors.New(why)
		}
	}
	if info.Size() > MaxText {
		return "", fmt.Errorf("%s has %d bytes, and it may have %d", file, info.Size(), MaxText)
	}
	text, err := io.ReadAll(io.LimitReader(f, MaxText))
	return string(text), err
}

// others says who else can write something; empty if nobody can.
func others(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Sprintf("%s is a symbolic link, which is not followed", info.Name())
	case ok && int(st.Uid) != os.Geteuid() && st.Uid != 0:
		return fmt.Sprintf("%s belongs to user %d", info.Name(), st.Uid)
	case info.Mode().Perm()&0o022 != 0:
		return fmt.Sprintf("others can write %s (mode %04o)", info.Name(), info.Mode().Perm())
	}
	return ""
}

// Catalog is what was found.
type Catalog struct{ all []Skill }

// Find looks for skills. A place that is not there has none.
func Find(places ...Place) *Catalog {
	c := &Catalog{}
	taken := map[string]bool{}
	for _, p := range places {
		found, err := os.ReadDir(p.Dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			c.all = append(c.all, Skill{Name: filepath.Base(p.Dir), Dir: p.Dir, Place: p, Fault: err.Error()})
			continue
		}
		for _, d := range found[:min(len(found), maxSkills)] {
			dir := filepath.Join(p.Dir, d.Name())
			if strings.HasPrefix(d.Name(), ".") || !d.IsDir() && d.Type()&fs.ModeSymlink == 0 {
				continue
			}
			s, err := Read(dir)
			s.Place = p
			switch {
			case errors.Is(err, fs.ErrNotExist) && d.IsDir():
				continue // no skill
			case err != nil:
				s.Fault = err.Error()
			case taken[s.Name]:
				s.Fault = "another skill of that name comes first"
			}
			if s.Name == "" {
				s.Name = oneLine(d.Name())
			}
			if s.Fault == "" {
				taken[s.Name] = true
			}
			c.all = append(c.all, s)
		}
	}
	return c
}

// Add adds a skill whose text is known already, behind all others.
func (c *Catalog) Add(p Place, dir, text string) {
	s, err := Parse(text)
	s.Place, s.Dir, s.fixed = p, dir, true
	switch {
	case err != nil:
		s.Fault = err.Error()
	case slices.ContainsFunc(c.all, func(o Skill) bool { return o.Name == s.Name && o.Fault == "" }):
		s.Fault = "another skill of that name comes first"
	}
	if s.Name == "" {
		s.Name = oneLine(filepath.Base(dir))
	}
	c.all = append(c.all, s)
}

// All returns what was found, also what cannot be used.
func (c *Catalog) All() []Skill { return slices.Clone(c.all) }

// Load returns a skill that can be used, as it is now.
func (c *Catalog) Load(name string) (Skill, error) {
	for _, s := range c.all {
		if s.Name != name || s.Fault != "" {
			continue
		}
		if s.fixed {
			return s, nil
		}
		now, err := Read(s.Dir)
		if err != nil {
			return Skill{}, fmt.Errorf("the skill %q cannot be read any more: %w", name, err)
		}
		if now.Name != name {
			return Skill{}, fmt.Errorf("%w: %q; it is called %q now", ErrNone, name, now.Name)
		}
		now.Place = s.Place
		return now, nil
	}
	return Skill{}, fmt.Errorf("%w: %q", ErrNone, name)
}

// Lines is the catalogue for a model: a line each, budget bytes at most; what does
// not fit is counted in a last line.
func (c *Catalog) Lines(budget int) []string {
	var lines []string
	left := 0
	for _, s := range c.all {
		if s.Fault != "" {
			continue
		}
		text := s.Description
		if len(text) > maxShown {
			text = strings.ToValidUTF8(text[:maxShown], "") + "…"
		}
		line := fmt.Sprintf("%s (%s): %s", s.Name, s.Version, text)
		if len(line) > budget {
			left++
			continue
		}
		budget -= len(line)
		lines = append(lines, line)
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("and %d more, which do not fit here", left))
	}
	return lines
}

// Files are the regular files beside the instructions, by their paths within the
// folder, 50 at most.
func (s Skill) Files() []string {
	var all []string
	// What cannot be read is not listed: the list is a help, and reading says why not.
	_ = filepath.WalkDir(s.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || len(all) == 50 {
			return fs.SkipAll
		}
		if rel, err := filepath.Rel(s.Dir, path); err == nil && d.Type().IsRegular() && rel != file {
			all = append(all, rel)
		}
		return nil
	})
	return all
}
