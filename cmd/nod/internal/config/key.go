package config

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/zalando/go-keyring"
)

// keyringService is what nod's keys are filed under in a keyring.
const keyringService = "nod"

// keyringTime bounds the wait for a keyring. A locked one asks its owner.
const keyringTime = 60 * time.Second

// keySources are the settings that say where the key is.
func (m Model) keySources() []string {
	var from []string
	for _, s := range []struct{ name, value string }{
		{"api_key", m.APIKey}, {"api_key_env", m.APIKeyEnv}, {"api_key_file", m.APIKeyFile}, {"keyring", m.Keyring},
	} {
		if s.value != "" {
			from = append(from, s.name)
		}
	}
	return from
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
	case m.Keyring != "":
		return RingKey(m.Keyring, getenv)
	}
	return "", nil
}

// keyFile reads a key that only its owner can read.
func keyFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("config: api_key_file: %w", err)
	}
	if mode := info.Mode(); mode.IsRegular() && mode.Perm()&0o077 != 0 {
		return "", fmt.Errorf("config: api_key_file %s can be read by others (%s): chmod 600 it", path, mode.Perm())
	}
	data, err := readOwn(path)
	if err != nil {
		return "", fmt.Errorf("config: api_key_file: %w", err)
	}
	return strings.TrimSpace(string(data)), nil
}

// RingKey reads a key from the desktop's keyring.
func RingKey(name string, getenv func(string) string) (string, error) {
	key, err := onRing(getenv, func() (string, error) { return keyring.Get(keyringService, name) })
	if errors.Is(err, keyring.ErrNotFound) {
		return "", fmt.Errorf("config: the keyring has no key %q; put it there with: nod config key %s", name, name)
	}
	return strings.TrimSpace(key), err
}

// StoreKey puts a key into the desktop's keyring.
func StoreKey(name, key string, getenv func(string) string) error {
	_, err := onRing(getenv, func() (string, error) { return "", keyring.Set(keyringService, name, key) })
	return err
}

// errNoRing: there is no keyring to be had.
var errNoRing = errors.New("no keyring runs in this session; use api_key_file (mode 600) or api_key_env instead of keyring")

// onRing does something with the keyring, and does not wait for one for ever.
func onRing(getenv func(string) string, do func() (string, error)) (string, error) {
	if !ringThere(getenv) {
		return "", fmt.Errorf("config: keyring: %w", errNoRing)
	}
	type answer struct {
		text string
		err  error
	}
	done := make(chan answer, 1)
	go func() { // it ends with the keyring's answer, or with nod
		text, err := do()
		done <- answer{text, err}
	}()
	select {
	case a := <-done:
		if a.err != nil && !errors.Is(a.err, keyring.ErrNotFound) {
			return "", fmt.Errorf("config: keyring: %w (%w)", a.err, errNoRing)
		}
		return a.text, a.err
	case <-time.After(keyringTime):
		return "", fmt.Errorf("config: keyring: no answer within %s: unlock it, or use api_key_file or api_key_env", keyringTime)
	}
}

// ringThere keeps the library from starting a message bus of its own, which would
// stay behind, where there is none.
func ringThere(getenv func(string) string) bool {
	if runtime.GOOS == "darwin" || runtime.GOOS == "windows" || mocked {
		return true
	}
	if getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	_, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid()))
	return err == nil
}

// mocked is set by tests that bring a keyring of their own.
var mocked bool
