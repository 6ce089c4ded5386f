package jsagent

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// place is where an agent runs.
type place struct {
	dir  string // the working folder
	home string
}

// abs is a path as the agent's code names it, from the root.
func (w place) abs(name string) string {
	switch {
	case name == "~":
		name = w.home
	case strings.HasPrefix(name, "~/"):
		name = filepath.Join(w.home, name[2:])
	case !filepath.IsAbs(name):
		name = filepath.Join(w.dir, name)
	}
	return filepath.Clean(name)
}

// path reports that a path is not within what the agent has asked for. Both are compared
// as they are, and with their links followed.
func (p Permissions) path(w place, name string) error {
	real := followed(name)
	if !slices.ContainsFunc(p.Filesystem, func(dir string) bool {
		dir = w.abs(dir)
		return (within(dir, name) || within(followed(dir), name)) && within(followed(dir), real)
	}) {
		return notAsked("filesystem", name)
	}
	return nil
}

func within(dir, name string) bool {
	return name == dir || strings.HasPrefix(name, strings.TrimSuffix(dir, "/")+"/")
}

// followed is a path with the links followed of as much of it as there is.
func followed(name string) string {
	rest := ""
	for at := name; ; at = filepath.Dir(at) {
		if real, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(real, rest)
		}
		if at == filepath.Dir(at) {
			return name
		}
		rest = filepath.Join(filepath.Base(at), rest)
	}
}

// host reports that the agent has not asked for a host.
func (p Permissions) host(name string) error {
	name = strings.ToLower(name)
	if !slices.ContainsFunc(p.Network, func(pattern string) bool {
		pattern = strings.ToLower(pattern)
		below, star := strings.CutPrefix(pattern, "*.")
		return pattern == "*" || pattern == name || star && strings.HasSuffix(name, "."+below)
	}) {
		return notAsked("network", name)
	}
	return nil
}

// command reports that the agent has not asked for commands.
func (p Permissions) command() error {
	if !p.Shell {
		return fmt.Errorf("the agent has not asked for it: permissions.shell in its %s is not true", ManifestName)
	}
	return nil
}

func notAsked(what, value string) error {
	return fmt.Errorf("the agent has not asked for it: permissions.%s in its %s lacks %q", what, ManifestName, value)
}
