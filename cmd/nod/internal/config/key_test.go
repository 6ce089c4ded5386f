package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"
)

func none(string) string { return "" }

func TestAKeyIsInTheKeyring(t *testing.T) {
	keyring.MockInit()
	mocked = true
	t.Cleanup(func() { mocked = false })
	m := Model{Keyring: "work"}
	if _, err := m.Key(none); err == nil || !strings.Contains(err.Error(), "nod config key work") {
		t.Errorf("not there yet: %v", err)
	}
	if err := StoreKey("work", "sk-ring", none); err != nil {
		t.Fatal(err)
	}
	if key, err := m.Key(none); err != nil || key != "sk-ring" {
		t.Errorf("%q, %v", key, err)
	}
	keyring.MockInitWithError(errors.New("the bus is broken"))
	if _, err := m.Key(none); err == nil || !strings.Contains(err.Error(), "the bus is broken") || !strings.Contains(err.Error(), "api_key_file") {
		t.Errorf("a keyring that fails: %v", err)
	}
}

func TestWithoutAKeyringTheErrorSaysWhatToDo(t *testing.T) {
	if ringThere(none) {
		return // a message bus runs in this session, which the library then asks
	}
	for _, err := range []error{StoreKey("work", "k", none), func() error { _, err := Model{Keyring: "work"}.Key(none); return err }()} {
		if !errors.Is(err, errNoRing) || !strings.Contains(err.Error(), "api_key_file (mode 600) or api_key_env") {
			t.Errorf("%v", err)
		}
	}
}

func TestAKeyHasOnePlaceAndItsValueIsNeverExplained(t *testing.T) {
	load := func(text string, env map[string]string) (*Config, error) {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return Load(Source{Getenv: func(name string) string { return env[name] }, Flags: map[string]string{"config": path}})
	}
	two := "[model.m]\nbase_url = \"http://x/v1\"\nmodel = \"m\"\napi_key = \"sk-1\"\nkeyring = \"m\"\n"
	if _, err := load(two, nil); err == nil || !strings.Contains(err.Error(), "model.m.api_key: there is keyring as well") {
		t.Errorf("%v", err)
	}
	c, err := load(two, map[string]string{"OPENAI_API_KEY": "sk-environment"})
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, v := range c.Explain() {
		if strings.Contains(v.Value, "sk-") {
			t.Errorf("%+v", v)
		}
		found = found || v.Key == "model.m.api_key" && v.Origin == "environment OPENAI_API_KEY" && v.Value == "(set, not shown)"
	}
	if !found {
		t.Error("the key's origin is not told")
	}
	for text, want := range map[string]string{
		"price_input = -1":       "price_input: -1 is no price",
		"session_mode = \"new\"": "session_mode: \"new\" is not one of resume, fresh, stateless",
	} {
		if _, err := load("[model.m]\nmodel = \"m\"\n"+text+"\n", nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	c, err = load("[model.m]\nmodel = \"m\"\nprice_input = 1.25\nheaders = { Authorization = \"Bearer sk-2\" }\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range c.Explain() {
		if v.Key == "model.m.price_input" && v.Value != "1.25" || strings.Contains(v.Value, "sk-2") {
			t.Errorf("%+v", v)
		}
	}
}
