package config

import (
	"errors"
	"strings"

	"github.com/nod-console/nod/cmd/nod/internal/app/owncommand"
)

// Command is one [command.NAME] section: a command of the operator's own.
type Command struct {
	Description string   `toml:"description"`
	Prompt      string   `toml:"prompt"`
	Run         string   `toml:"run"`
	Args        []string `toml:"args"`
	Key         string   `toml:"key"`
	Target      string   `toml:"target"`
}

// OwnCommands are the commands of the [command.NAME] sections. The error is that of the
// first that is wrong, by name, with its line.
func (c *Config) OwnCommands() ([]owncommand.Command, error) {
	var all []owncommand.Command
	for _, name := range sortedKeys(c.Commands) {
		s := c.Commands[name]
		own, err := owncommand.New(owncommand.Section{
			Name: name, Description: s.Description, Prompt: s.Prompt, Run: s.Run, Args: s.Args, Key: s.Key, Target: s.Target,
		})
		var bad *owncommand.Error
		if errors.As(err, &bad) {
			return nil, c.Located("command."+name, bad.Key, err)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, own)
	}
	return all, nil
}

func (c *Config) checkCommands() error {
	_, err := c.OwnCommands()
	return err
}

func (c *Config) explainCommands() []Value {
	var all []Value
	for _, name := range sortedKeys(c.Commands) {
		s, at := c.Commands[name], "command."+name+"."
		for _, v := range []struct{ key, value string }{
			{"description", s.Description}, {"prompt", s.Prompt}, {"run", s.Run}, {"args", strings.Join(s.Args, ", ")}, {"key", s.Key}, {"target", s.Target},
		} {
			if v.value != "" {
				all = append(all, Value{at + v.key, v.value, c.origins[at+v.key]})
			}
		}
	}
	return all
}
