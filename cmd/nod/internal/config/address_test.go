package config

import (
	"strings"
	"testing"
)

// A server's address stands in the place of a model's name.
func TestAnAddressIsAModel(t *testing.T) {
	for at, want := range map[string]string{
		"http://127.0.0.1:8080":             "http://127.0.0.1:8080/v1 ",
		"http://127.0.0.1:8080/":            "http://127.0.0.1:8080/v1 ",
		"https://llm.example.com/api#qwen3": "https://llm.example.com/api qwen3",
		"http://":                           "want a name, or an address",
		"http://me:secret@llm.example.com":  "want a name, or an address",
		"http//127.0.0.1":                   "there is no [model.",
	} {
		c, err := Load(Source{
			Getenv: func(name string) string { return map[string]string{"NOD_API_KEY": "for another server"}[name] },
			Flags:  map[string]string{"agent.model": at}, FlagNames: map[string]string{"agent.model": "model"},
		})
		if err != nil {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", at, err)
			}
			continue
		}
		name, m, ok, err := c.ActiveModel()
		if got := m.BaseURL + " " + m.Model; err != nil || !ok || name != at || got != want || m.APIKey != "" {
			t.Errorf("%s: %q, %+v, %v", at, name, m, err)
		}
	}
}
