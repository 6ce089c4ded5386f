package config

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// environmentModel is the name of the profile that environment variables make
// when the file defines none.
const environmentModel = "environment"

// modelVariables are the environment variables for a model, nod's own before
// the usual ones.
var modelVariables = []struct {
	field string
	names []string
	set   func(*Model, string)
}{
	{"base_url", []string{"NOD_BASE_URL", "OPENAI_BASE_URL"}, func(m *Model, v string) { m.BaseURL = v }},
	{"model", []string{"NOD_MODEL", "OPENAI_MODEL"}, func(m *Model, v string) { m.Model = v }},
	{"api_key", []string{"NOD_API_KEY", "OPENAI_API_KEY"}, func(m *Model, v string) {
		m.APIKey, m.APIKeyEnv, m.APIKeyFile = v, "", ""
	}},
}

// modelFromEnvironment lets environment variables override the active model,
// or makes one of them.
func (c *Config) modelFromEnvironment(src Source) {
	name := c.activeName()
	if name == "" {
		name = environmentModel
	}
	m, found := c.Models[name], false
	for _, v := range modelVariables {
		for _, variable := range v.names {
			value := src.Getenv(variable)
			if value == "" {
				continue
			}
			v.set(&m, value)
			c.origins["model."+name+"."+v.field] = Origin("environment " + variable)
			found = true
			break
		}
	}
	if found && (m.Model != "" || m.BaseURL != "") {
		c.Models[name] = m
	}
}

// activeName is the profile that answers: the one that agent.model names, or
// the only one there is.
func (c *Config) activeName() string {
	if c.Agent.Model != "" {
		return c.Agent.Model
	}
	if len(c.Models) == 1 {
		return sortedKeys(c.Models)[0]
	}
	return ""
}

// ErrAmbiguousModel: several models are configured, and none is chosen.
var ErrAmbiguousModel = errors.New("several models are configured and none is chosen")

// ActiveModel is the model that answers, by name. ok is false if none is
// configured.
func (c *Config) ActiveModel() (name string, m Model, ok bool, err error) {
	name = c.activeName()
	if name == "" && len(c.Models) > 1 {
		return "", Model{}, false, fmt.Errorf("config: %w: set agent.model to one of %s",
			ErrAmbiguousModel, strings.Join(sortedKeys(c.Models), ", "))
	}
	m, ok = c.Models[name]
	return name, m, ok, nil
}

// Key is the model's API key from wherever the profile says. An empty key is
// fine for servers that want none.
func (m Model) Key(getenv func(string) string) (string, error) {
	switch {
	case m.APIKey != "":
		return m.APIKey, nil
	case m.APIKeyEnv != "":
		key := getenv(m.APIKeyEnv)
		if key == "" {
			return "", fmt.Errorf("config: api_key_env names %s, which is not set", m.APIKeyEnv)
		}
		return key, nil
	case m.APIKeyFile != "":
		return keyFile(m.APIKeyFile)
	}
	return "", nil
}

// keyFile reads a key that only its owner can read.
func keyFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("config: api_key_file: %w", err)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("config: api_key_file %s can be read by others (%s): chmod 600 it", path, info.Mode().Perm())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("config: api_key_file: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

func (c *Config) explainModel(name string) []Value {
	m := c.Models[name]
	fields := []struct{ key, value string }{
		{"base_url", m.BaseURL},
		{"model", m.Model},
		{"api_key", mask(m.APIKey)},
		{"api_key_env", m.APIKeyEnv},
		{"api_key_file", m.APIKeyFile},
		{"context_limit", strconv.Itoa(m.ContextLimit)},
	}
	var all []Value
	for _, f := range fields {
		key := "model." + name + "." + f.key
		if origin, set := c.origins[key]; set {
			all = append(all, Value{key, f.value, origin})
		}
	}
	return all
}

func mask(secret string) string {
	if secret == "" {
		return ""
	}
	return "(set, not shown)"
}
