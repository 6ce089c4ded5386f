package controller

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/ui/keys"
)

// BoundKeys are the console's keys as the configuration has them. The error quotes
// the line that is wrong.
func BoundKeys(c *config.Config) (*keys.Table, error) {
	wanted := make([]keys.Binding, 0, len(c.Keys))
	for _, k := range c.Keys {
		wanted = append(wanted, keys.Binding{Name: k.Name, Keys: k.Keys})
	}
	table, err := keys.Bind(wanted)
	var bad *keys.BindError
	if errors.As(err, &bad) {
		name := "keys." + bad.Binding.Name
		return nil, fmt.Errorf("config: %s: %s = %s: %w", c.Origin(name), name, quoted(bad.Binding.Keys), err)
	}
	if err != nil {
		return table, err
	}
	return withOwn(c, table)
}

// withOwn adds the operator's own commands to a table.
func withOwn(c *config.Config, table *keys.Table) (*keys.Table, error) {
	own, err := c.OwnCommands()
	if err != nil {
		return nil, err
	}
	custom := make([]keys.Custom, 0, len(own))
	for _, o := range own {
		custom = append(custom, keys.Custom{Word: o.Name, Args: o.Usage(), Text: o.Text(), Key: o.Key})
	}
	with, err := table.With(custom)
	var bad *keys.CustomError
	if errors.As(err, &bad) {
		section := "command." + bad.Custom.Word
		return nil, c.Located(section, "key", fmt.Errorf("%s.key = %q: %w", section, bad.Custom.Key, err))
	}
	return with, err
}

// quoted are names of keys as the configuration has them.
func quoted(names []string) string {
	all := make([]string, 0, len(names))
	for _, n := range names {
		all = append(all, fmt.Sprintf("%q", n))
	}
	if len(all) == 1 {
		return all[0]
	}
	return "[" + strings.Join(all, ", ") + "]"
}
