package config

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/tools/plugin/hook"
)

// Hook is one [hook.NAME] section: a program that is told of events.
type Hook struct {
	Events   []string      `toml:"events"`
	Command  []string      `toml:"command"`
	Timeout  time.Duration `toml:"timeout"`
	Required bool          `toml:"required"`
}

// HookPrograms are the programs of the [hook.NAME] sections, by name.
func (c *Config) HookPrograms() []hook.Program {
	var all []hook.Program
	for _, name := range sortedKeys(c.Hooks) {
		h := c.Hooks[name]
		all = append(all, hook.Program{Name: name, Events: h.Events, Command: h.Command, Timeout: h.Timeout, Required: h.Required})
	}
	return all
}

// checkHooks returns the first fault of the hooks, by their names.
func (c *Config) checkHooks() error {
	for _, p := range c.HookPrograms() {
		err := p.Check()
		var bad *hook.ConfigError
		if errors.As(err, &bad) {
			return c.Located("hook."+p.Name, bad.Key, fmt.Errorf("hook.%s.%w", p.Name, err))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) explainHooks() []Value {
	var all []Value
	for _, name := range sortedKeys(c.Hooks) {
		h, at := c.Hooks[name], "hook."+name+"."
		timeout, required := "", ""
		if h.Timeout > 0 {
			timeout = h.Timeout.String()
		}
		if h.Required {
			required = "true"
		}
		for _, v := range []struct{ key, value string }{
			{"events", strings.Join(h.Events, ", ")}, {"command", strings.Join(h.Command, " ")}, {"timeout", timeout}, {"required", required},
		} {
			if v.value != "" {
				all = append(all, Value{at + v.key, v.value, c.origins[at+v.key]})
			}
		}
	}
	return all
}
