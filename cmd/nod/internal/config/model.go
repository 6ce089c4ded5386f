package config

import (
	"errors"
	"fmt"
	"net/url"
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
		m.APIKey, m.APIKeyEnv, m.APIKeyFile, m.Keyring = v, "", "", ""
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

// check finds values that cannot be, in the words after "model.NAME.".
func (m Model) check() error {
	switch m.ToolProtocol {
	case "", "auto", "native", "text":
	default:
		return fmt.Errorf("tool_protocol: %q is not one of auto, native, text", m.ToolProtocol)
	}
	switch m.SessionMode {
	case "", "resume", "fresh", "stateless":
	default:
		return fmt.Errorf("session_mode: %q is not one of resume, fresh, stateless", m.SessionMode)
	}
	for _, p := range []struct {
		name  string
		price *float32
	}{{"price_input", m.PriceInput}, {"price_output", m.PriceOutput}, {"price_cached", m.PriceCached}} {
		if p.price != nil && !(*p.price >= 0) {
			return fmt.Errorf("%s: %v is no price", p.name, *p.price)
		}
	}
	if from := m.keySources(); len(from) > 1 {
		return fmt.Errorf("%s: there is %s as well; keep one of them", from[0], strings.Join(from[1:], " and "))
	}
	return nil
}

func (c *Config) explainModel(name string) []Value {
	m := c.Models[name]
	fields := []struct{ key, value string }{
		{"base_url", m.BaseURL},
		{"model", m.Model},
		{"api_key", mask(m.APIKey)},
		{"api_key_env", m.APIKeyEnv},
		{"api_key_file", m.APIKeyFile},
		{"keyring", m.Keyring},
		{"context_limit", strconv.Itoa(m.ContextLimit)},
		{"reasoning_effort", m.ReasoningEffort},
		{"temperature", float(m.Temperature)},
		{"top_p", float(m.TopP)},
		{"tool_protocol", m.ToolProtocol},
		{"session_header", m.SessionHeader},
		{"session_mode", m.SessionMode},
		{"price_input", float(m.PriceInput)},
		{"price_output", float(m.PriceOutput)},
		{"price_cached", float(m.PriceCached)},
	}
	for _, header := range sortedKeys(m.Headers) {
		fields = append(fields, struct{ key, value string }{"headers." + header, mask(m.Headers[header])})
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

func float(v *float32) string {
	if v == nil {
		return ""
	}
	return strconv.FormatFloat(float64(*v), 'g', -1, 32)
}

func mask(secret string) string {
	if secret == "" {
		return ""
	}
	return "(set, not shown)"
}

// modelAtAddress makes a profile of agent.model where that is the address of a server
// instead of a name: "http://127.0.0.1:8080", with "#NAME" for one of several models. A
// server whose address has no path is taken to have its API below /v1.
func (c *Config) modelAtAddress() error {
	at := c.Agent.Model
	if !IsAddress(at) {
		return nil
	}
	m, ok := ModelAt(at)
	if !ok {
		return fmt.Errorf("config: agent.model is %q (%s): want a name, or an address such as http://127.0.0.1:8080/v1", at, c.origins["agent.model"])
	}
	c.Models[at] = m
	for _, field := range []string{"base_url", "model"} {
		c.origins["model."+at+"."+field] = c.origins["agent.model"]
	}
	return nil
}

// IsAddress reports whether what stands in the place of a model's name is an address.
func IsAddress(at string) bool {
	return strings.HasPrefix(at, "http://") || strings.HasPrefix(at, "https://")
}

// ModelAt is the profile of a server at an address; see modelAtAddress. ok is false if it
// cannot be one.
func ModelAt(at string) (m Model, ok bool) {
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.User != nil {
		return Model{}, false
	}
	m.Model, u.Fragment = u.Fragment, ""
	if strings.Trim(u.Path, "/") == "" {
		u.Path = "/v1"
	}
	m.BaseURL = u.String()
	return m, true
}
