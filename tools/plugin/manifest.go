package plugin

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/nod-console/nod/tools/plugin/hook"
	"github.com/nod-console/nod/tools/plugin/lua"
)

// Limits of a plugin's folder.
const (
	MaxFiles = 100
	MaxBytes = 1 << 20 // of all files together
)

// ManifestName is the file that makes a folder a plugin.
const ManifestName = "plugin.toml"

// TestName is the file that is run by a check, behind the plugin's code.
const TestName = "test.lua"

// Manifest is plugin.toml.
type Manifest struct {
	Name        string         `toml:"name"`
	Version     string         `toml:"version"`
	Description string         `toml:"description"`
	Entry       string         `toml:"entry"` // the .lua file that is run; main.lua if it is empty
	Permissions Permissions    `toml:"permissions"`
	Config      map[string]any `toml:"config"` // nod.config in the code
}

// Permissions bound what a plugin may ask for. What it asks for is decided upon
// nevertheless. Empty means nothing.
type Permissions struct {
	Tools   []string `toml:"tools"`   // of effects
	Targets []string `toml:"targets"` // names of targets, or "*"
	Hosts   []string `toml:"hosts"`   // that it may fetch from; a leading "*." means those below
	Paths   []string `toml:"paths"`   // absolute: files, and folders with all below
	Hooks   []string `toml:"hooks"`   // events that its hooks are told of
	// Required are those of Hooks where it denies that the plugin fails, is changed or is
	// not there.
	Required []string `toml:"required_hooks"`
}

// effects are the tools that a plugin may ask to be called, by what its code calls them.
var effects = map[string]string{"exec": "run_shell", "read_file": "read_file", "write_file": "write_file", "http": "fetch_url"}

// Plugin is a plugin as its folder holds it.
type Plugin struct {
	Manifest
	Dir    string
	Digest string            // of all its files, in hexadecimal
	Files  map[string]string // by their paths within the folder
}

// Read reads a plugin's folder.
func Read(dir string) (Plugin, error) {
	p := Plugin{Dir: dir}
	var err error
	if p.Files, _, err = ReadFolder(dir, ManifestName); err != nil {
		return p, err
	}
	return p.parsed()
}

// parsed is the plugin with what its files say.
func (p Plugin) parsed() (Plugin, error) {
	text, there := p.Files[ManifestName]
	if !there {
		return p, fmt.Errorf("%q has no %s", p.Dir, ManifestName)
	}
	dec := toml.NewDecoder(strings.NewReader(text)).DisallowUnknownFields()
	if err := dec.Decode(&p.Manifest); err != nil {
		return p, fmt.Errorf("%s: %w", ManifestName, misread(err))
	}
	p.Digest = digest(p.Files)
	if err := p.check(); err != nil {
		return p, fmt.Errorf("%s: %w", ManifestName, err)
	}
	return p, nil
}

// misread is a decoder's error, with the line.
func misread(err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		row, _ := unknown.Errors[0].Position()
		return fmt.Errorf("line %d: there is no setting %q", row, strings.Join(unknown.Errors[0].Key(), "."))
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		row, _ := wrong.Position()
		return fmt.Errorf("line %d: %w", row, err)
	}
	return err
}

func (p *Plugin) check() error {
	if !lua.ValidName(p.Name) {
		return fmt.Errorf("name is %q; use small letters, digits, _ and -, a letter first", p.Name)
	}
	if p.Description == "" {
		return errors.New("description is missing")
	}
	if p.Entry == "" {
		p.Entry = "main.lua"
	}
	if _, there := p.Files[p.Entry]; !there {
		return fmt.Errorf("entry is %q, and there is no such file", p.Entry)
	}
	for _, tool := range p.Permissions.Tools {
		var known []string
		for _, k := range effects {
			known = append(known, k)
		}
		slices.Sort(known)
		if !slices.Contains(known, tool) {
			return fmt.Errorf("permissions.tools: a plugin cannot ask for %q; there are %s", tool, strings.Join(known, ", "))
		}
	}
	for _, event := range p.Permissions.Hooks {
		if err := hook.Known(event); err != nil {
			return fmt.Errorf("permissions.hooks: %w", err)
		}
	}
	for _, event := range p.Permissions.Required {
		if !slices.Contains(p.Permissions.Hooks, event) {
			return fmt.Errorf("permissions.required_hooks: %q is not in permissions.hooks", event)
		}
	}
	for _, name := range p.Permissions.Paths {
		if !path.IsAbs(name) || path.Clean(name) != name {
			return fmt.Errorf("permissions.paths: %q is not absolute and clean", name)
		}
	}
	return nil
}
