package jsagent

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/nod-console/nod/tools/plugin"
	"github.com/nod-console/nod/tools/plugin/js"
)

// ManifestName is the file that makes a folder an agent.
const ManifestName = "agent.yaml"

// The modes of an agent.
const (
	Script  = "script"  // its code does everything
	Agentic = "agentic" // a model calls the tools that its code registers
)

// DefaultTurns is how many requests a model is sent if neither agent.yaml nor main.js says.
const DefaultTurns = 10

// Manifest is agent.yaml.
type Manifest struct {
	Name        string      `yaml:"name"`
	Version     string      `yaml:"version"`
	Description string      `yaml:"description"`
	Mode        string      `yaml:"mode"`        // agentic if it is empty
	EntryPoint  string      `yaml:"entry_point"` // main.js if it is empty
	MaxTurns    int         `yaml:"max_turns"`   // 0: DefaultTurns
	Model       string      `yaml:"model"`       // a model of the configuration, or a server's URL; empty: the one that answers
	Skills      []string    `yaml:"skills"`      // that it may activate
	Permissions Permissions `yaml:"permissions"`
}

// Permissions bound what an agent may ask for. What it asks for is decided upon
// nevertheless. Empty means nothing.
type Permissions struct {
	Network    []string `yaml:"network"`    // hosts; "*.example.com": those below; "*": all
	Filesystem []string `yaml:"filesystem"` // files, and folders with all below: absolute, or "~/…", or "." for the working folder
	Shell      bool     `yaml:"shell"`      // commands, which the rules judge
}

// Agent is an agent as its folder holds it.
type Agent struct {
	Manifest
	Dir    string
	Digest string            // of all its files, in hexadecimal
	Files  map[string]string // by their paths within the folder
}

// Read reads an agent's folder.
func Read(dir string) (Agent, error) {
	a := Agent{Dir: dir}
	var err error
	if a.Files, a.Digest, err = plugin.ReadFolder(dir, ManifestName); err != nil {
		return a, err
	}
	if err := decode(a.Files[ManifestName], &a.Manifest); err != nil {
		return a, fmt.Errorf("%s: %w", ManifestName, err)
	}
	if err := a.check(); err != nil {
		return a, fmt.Errorf("%s: %w", ManifestName, err)
	}
	return a, nil
}

// fields are what agent.yaml can have, by the field that holds it.
var fields = map[string][]string{
	"":            {"name", "version", "description", "mode", "entry_point", "max_turns", "model", "skills", "permissions"},
	"permissions": {"network", "filesystem", "shell"},
}

func decode(text string, into *Manifest) error {
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(text), &document); err != nil {
		return worded(err)
	}
	if len(document.Content) == 0 {
		return errors.New("it is empty")
	}
	if err := known(document.Content[0], ""); err != nil {
		return err
	}
	return worded(document.Decode(into))
}

// known finds fields that there are not, in a mapping that is the value of in.
func known(n *yaml.Node, in string) error {
	if n.Kind != yaml.MappingNode {
		return nil // the decoder says what is wrong
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if !slices.Contains(fields[in], key.Value) {
			has := "there are"
			if in != "" {
				has = in + " has"
			}
			return fmt.Errorf("line %d: there is no field %q; %s %s", key.Line, key.Value, has, strings.Join(fields[in], ", "))
		}
		if _, more := fields[key.Value]; more {
			if err := known(n.Content[i+1], key.Value); err != nil {
				return err
			}
		}
	}
	return nil
}

// worded is a decoder's error without the decoder.
func worded(err error) error {
	if err == nil {
		return nil
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	text = strings.TrimPrefix(text, "unmarshal errors:\n  ")
	return errors.New(strings.ReplaceAll(text, "\n  ", "; "))
}

func (a *Agent) check() error {
	a.Mode = cmp.Or(a.Mode, Agentic)
	a.EntryPoint = cmp.Or(a.EntryPoint, "main.js")
	a.MaxTurns = cmp.Or(a.MaxTurns, DefaultTurns)
	switch {
	case !js.ValidName(a.Name):
		return fmt.Errorf("name is %q; use small letters, digits, _ and -, a letter first", a.Name)
	case a.Description == "":
		return errors.New("description is missing")
	case a.Mode != Script && a.Mode != Agentic:
		return fmt.Errorf("mode is %q, want %s or %s", a.Mode, Script, Agentic)
	case a.MaxTurns < 1 || a.MaxTurns > js.MaxTurns:
		return fmt.Errorf("max_turns is %d, want 1 to %d", a.MaxTurns, js.MaxTurns)
	case !strings.HasSuffix(a.EntryPoint, ".js") && !strings.HasSuffix(a.EntryPoint, ".mjs"):
		return fmt.Errorf("entry_point is %q, want a .js file", a.EntryPoint)
	}
	if _, there := a.Files[a.EntryPoint]; !there {
		return fmt.Errorf("entry_point is %q, and there is no such file", a.EntryPoint)
	}
	return a.checkPermissions()
}

func (a *Agent) checkPermissions() error {
	for _, name := range a.Permissions.Filesystem {
		atHome := name == "~" || strings.HasPrefix(name, "~/")
		if name != "." && (!atHome && !path.IsAbs(name) || path.Clean(name) != name) {
			return fmt.Errorf("permissions.filesystem: %q is not absolute and clean; %q is the working folder, and %q the home folder", name, ".", "~")
		}
	}
	for _, host := range a.Permissions.Network {
		if host == "" || strings.ContainsAny(host, "/:@ ") {
			return fmt.Errorf("permissions.network: %q is no host's name; write it as in example.com, without scheme and port", host)
		}
	}
	return nil
}
