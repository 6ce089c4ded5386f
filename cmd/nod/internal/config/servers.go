package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nod-console/nod/tools/plugin/mcp"
)

// Server is one [mcp.NAME] section: a server whose tools the model may use.
type Server struct {
	Command         string            `toml:"command"`
	Args            []string          `toml:"args"`
	EnvNames        []string          `toml:"env_names"`
	Reach           []string          `toml:"reach"`
	URL             string            `toml:"url"`
	Headers         map[string]string `toml:"headers"`
	Timeout         time.Duration     `toml:"timeout"`
	ClientID        string            `toml:"client_id"`
	ClientSecretEnv string            `toml:"client_secret_env"`
	Issuer          string            `toml:"issuer"`
	Required        bool              `toml:"required"`
}

// MCP are the servers of the [mcp.NAME] sections, by name.
func (c *Config) MCP() []mcp.Config {
	var all []mcp.Config
	for _, name := range sortedKeys(c.Servers) {
		s := c.Servers[name]
		all = append(all, mcp.Config{
			Name: name, Command: s.Command, Args: s.Args, EnvNames: s.EnvNames, Reach: s.Reach,
			URL: s.URL, Headers: s.Headers, ClientID: s.ClientID, ClientSecretEnv: s.ClientSecretEnv, Issuer: s.Issuer,
			Timeout: s.Timeout, Required: s.Required,
		})
	}
	return all
}

// checkServers returns the first fault of the servers, by their names.
func (c *Config) checkServers() error {
	for _, s := range c.MCP() {
		err := s.Check()
		var bad *mcp.ConfigError
		if errors.As(err, &bad) {
			return c.Located("mcp."+s.Name, bad.Key, err)
		}
		if err != nil {
			return fmt.Errorf("config: %w", err)
		}
	}
	return nil
}

// Located says where in the file a section's key stands, or the section begins.
func (c *Config) Located(section, key string, err error) error {
	if at, ok := c.origins[section+"."+key]; ok && key != "" {
		return fmt.Errorf("config: %s: %w", at, err)
	}
	first, line := Origin(""), 0
	for name, at := range c.origins {
		if !strings.HasPrefix(name, section+".") {
			continue
		}
		n, _ := strconv.Atoi(string(at[strings.LastIndexByte(string(at), ':')+1:]))
		if first == "" || n < line || n == line && at < first {
			first, line = at, n
		}
	}
	if first == "" {
		return fmt.Errorf("config: %w", err)
	}
	return fmt.Errorf("config: %s: %w", first, err)
}

func (c *Config) explainServers() []Value {
	var all []Value
	add := func(key, value string) {
		if value != "" {
			all = append(all, Value{key, value, c.origins[key]})
		}
	}
	for _, name := range sortedKeys(c.Servers) {
		s, at := c.Servers[name], "mcp."+name+"."
		add(at+"command", s.Command)
		add(at+"args", strings.Join(s.Args, ", "))
		add(at+"env_names", strings.Join(s.EnvNames, ", "))
		add(at+"reach", strings.Join(s.Reach, ", "))
		add(at+"url", s.URL)
		for _, header := range sortedKeys(s.Headers) {
			add(at+"headers."+header, mask(s.Headers[header]))
		}
		add(at+"client_id", s.ClientID)
		add(at+"client_secret_env", s.ClientSecretEnv)
		add(at+"issuer", s.Issuer)
		if s.Timeout > 0 {
			add(at+"timeout", s.Timeout.String())
		}
		if s.Required {
			add(at+"required", "true")
		}
	}
	return all
}
