package config

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
)

// Source is what a configuration is made from. Tests fill it by hand.
type Source struct {
	Getenv func(string) string
	// Flags holds values given on the command line by setting key
	// ("display.theme"), and "config" for the file's path.
	Flags map[string]string
	// FlagNames tells by which flag a key was set, for its origin.
	FlagNames map[string]string
}

// Load reads the configuration. A missing file is no error unless its path was
// given.
func Load(src Source) (*Config, error) {
	c := &Config{
		Models:  map[string]Model{},
		Targets: map[string]Target{},
		Redact:  map[string]Redact{},
		Servers: map[string]Server{}, Commands: map[string]Command{}, Hooks: map[string]Hook{}, Groups: map[string]Group{},
		origins: map[string]Origin{},
	}
	for _, s := range settings {
		if err := s.parse(c, s.initial); err != nil {
			return nil, fmt.Errorf("config: default of %s: %w", s.key, err)
		}
		c.origins[s.key] = Default
	}
	if err := c.loadFile(src); err != nil {
		return nil, err
	}
	if err := c.loadEnvironment(src); err != nil {
		return nil, err
	}
	if err := c.loadFlags(src); err != nil {
		return nil, err
	}
	if err := c.modelAtAddress(); err != nil {
		return nil, err
	}
	return c, c.check()
}

func (c *Config) loadFile(src Source) error {
	path, given, err := filePath(src)
	if err != nil {
		return err
	}
	c.path = path
	if path == "" {
		return nil
	}
	data, err := readOwn(path)
	if errors.Is(err, fs.ErrNotExist) && !given {
		return nil
	}
	if err != nil {
		return fmt.Errorf("config: %w; check the path, or leave it out to use the defaults", err)
	}
	return c.decode(path, data)
}

// filePath is the configuration file's path and whether somebody named it.
// Without HOME and XDG_CONFIG_HOME there is none, which is fine.
func filePath(src Source) (path string, given bool, err error) {
	for _, p := range []string{src.Flags["config"], src.Getenv("NOD_CONFIG")} {
		if p == "" {
			continue
		}
		abs, err := filepath.Abs(p)
		if err != nil {
			return "", true, fmt.Errorf("config: path %q: %w", p, err)
		}
		return abs, true, nil
	}
	if dir := src.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "nod", "config.toml"), false, nil
	}
	if home := src.Getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "nod", "config.toml"), false, nil
	}
	return "", false, nil
}

func (c *Config) loadEnvironment(src Source) error {
	for _, s := range settings {
		for _, name := range s.env {
			v := src.Getenv(name)
			if v == "" {
				continue
			}
			if err := s.parse(c, v); err != nil {
				return fmt.Errorf("config: environment %s: %w", name, err)
			}
			c.origins[s.key] = Origin("environment " + name)
			break
		}
	}
	c.modelFromEnvironment(src)
	return nil
}

func (c *Config) loadFlags(src Source) error {
	for _, s := range settings {
		v, ok := src.Flags[s.key]
		if !ok {
			continue
		}
		if err := s.parse(c, v); err != nil {
			return fmt.Errorf("config: flag --%s: %w", src.FlagNames[s.key], err)
		}
		c.origins[s.key] = Origin("flag --" + src.FlagNames[s.key])
	}
	return nil
}

// check finds values that contradict each other.
func (c *Config) check() error {
	if name := c.Agent.Model; name != "" {
		if _, ok := c.Models[name]; !ok {
			return fmt.Errorf("config: agent.model is %q (%s), and there is no [model.%s]; known: %s",
				name, c.origins["agent.model"], name, orNone(sortedKeys(c.Models)))
		}
	}
	for _, name := range sortedKeys(c.Models) {
		if err := c.Models[name].check(); err != nil {
			return fmt.Errorf("config: model.%s.%w", name, err)
		}
	}
	for _, name := range sortedKeys(c.Targets) {
		switch t := c.Targets[name]; t.Trust {
		case "", "prod", "stage", "lab":
		default:
			return fmt.Errorf("config: target.%s.trust: %q is not one of prod, stage, lab", name, t.Trust)
		}
		switch t := c.Targets[name]; t.Login {
		case "", "auto", "native", "openssh":
		default:
			return fmt.Errorf("config: target.%s.login: %q is not one of auto, native, openssh", name, t.Login)
		}
	}
	if err := c.checkServers(); err != nil {
		return err
	}
	if err := c.checkHooks(); err != nil {
		return err
	}
	if err := c.checkGroups(); err != nil {
		return err
	}
	return c.checkCommands()
}

// Origin says where the value of a setting came from.
func (c *Config) Origin(key string) Origin { return c.origins[key] }

// Explain lists every setting with its value and origin, secrets masked.
func (c *Config) Explain() []Value {
	var all []Value
	for _, s := range settings {
		all = append(all, Value{s.key, s.show(c), c.origins[s.key]})
	}
	for _, name := range sortedKeys(c.Models) {
		all = append(all, c.explainModel(name)...)
	}
	for _, name := range sortedKeys(c.Targets) {
		key := "target." + name + ".trust"
		all = append(all, Value{key, c.Targets[name].Trust, c.origins[key]})
		if login := c.Targets[name].Login; login != "" {
			key := "target." + name + ".login"
			all = append(all, Value{key, login, c.origins[key]})
		}
	}
	for _, k := range c.Keys {
		key := "keys." + k.Name
		all = append(all, Value{key, strings.Join(k.Keys, ", "), c.origins[key]})
	}
	all = append(all, c.explainServers()...)
	all = append(all, c.explainCommands()...)
	all = append(all, c.explainHooks()...)
	all = append(all, c.explainGroups()...)
	for _, name := range sortedKeys(c.Redact) {
		key := "redact." + name + ".pattern"
		all = append(all, Value{key, c.Redact[name].Pattern, c.origins[key]})
	}
	return all
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}
