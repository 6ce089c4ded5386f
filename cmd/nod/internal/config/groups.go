package config

import (
	"fmt"
	"strings"

	"github.com/nod-console/nod/tools/fleet/nodeset"
)

// Group is one [group.NAME] section: targets that @NAME means in an expression.
type Group struct {
	Targets []string `toml:"targets"` // names, or expressions such as "web[01-40]"
}

// checkGroups finds the first group that cannot be read.
func (c *Config) checkGroups() error {
	u := nodeset.Universe{Group: func(name string) (string, bool) {
		group, ok := c.Groups[name]
		return strings.Join(group.Targets, ","), ok
	}}
	for _, name := range sortedKeys(c.Groups) {
		for _, expression := range c.Groups[name].Targets {
			if strings.ContainsAny(expression, "*?") {
				continue // what it finds is not known here
			}
			if _, err := nodeset.Expand(expression, u); err != nil {
				return c.Located("group."+name, "targets", fmt.Errorf("group.%s.targets: %w; want names of targets such as \"ssh:web-1\", or \"web[01-40]\"", name, err))
			}
		}
	}
	return nil
}

func (c *Config) explainGroups() []Value {
	var all []Value
	for _, name := range sortedKeys(c.Groups) {
		key := "group." + name + ".targets"
		all = append(all, Value{key, strings.Join(c.Groups[name].Targets, ", "), c.origins[key]})
	}
	return all
}
