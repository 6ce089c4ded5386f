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
	return table, err
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
