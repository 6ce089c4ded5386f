package mcp

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// DefaultTimeout bounds the start of a server, and each request to it, unless its
// configuration says otherwise.
const DefaultTimeout = 60 * time.Second

// Words of Config.Reach that are no folder.
const (
	ReachNetwork = "network"      // TCP and UDP
	ReachSockets = "unix-sockets" // those of other programs: docker, ssh-agent, D-Bus
	ReachAll     = "all"          // no cage at all
)

// Config is a server as the operator has configured it: either a program or a URL.
type Config struct {
	Name string

	Command  string   // a program, looked up in PATH
	Args     []string // its arguments
	EnvNames []string // names of environment variables that it gets; those that are not set are left out
	Reach    []string // what it may do beyond reading files: the words above, and folders that it may write to

	URL     string            // a server of streamable HTTP
	Headers map[string]string // sent with each request; ${NAME} stands for an environment variable

	// A client that the operator has registered at the authorization server of a URL. Without
	// one, a login registers nod there.
	ClientID        string
	ClientSecretEnv string // name of the environment variable with its secret; empty: it has none
	Issuer          string // the authorization server; a secret goes to no other

	Timeout  time.Duration // 0 means DefaultTimeout
	Required bool          // nothing is asked of the model while the server is not there
}

// ConfigError says which key of a server's section is wrong.
type ConfigError struct {
	Server string
	Key    string // "command", or "headers.Authorization"; empty: the section itself
	Why    string // quotes the value
}

// Error implements error.
func (e *ConfigError) Error() string {
	at := "mcp." + e.Server
	if e.Key != "" {
		at += "." + e.Key
	}
	return at + ": " + e.Why
}

// maxName bounds a server's name, so that there is room for those of its tools.
const maxName = 24

// Check returns the first fault of the configuration, in the order of the fields, as a
// *ConfigError.
func (c Config) Check() error {
	fail := func(key, format string, args ...any) error {
		return &ConfigError{c.Name, key, fmt.Sprintf(format, args...)}
	}
	switch {
	case !isName(c.Name):
		return fail("", "%q is no name of a server: want small letters, digits and -, a letter first, at most %d", c.Name, maxName)
	case c.Command == "" && c.URL == "":
		return fail("", "want a command, for a program on this machine, or a url")
	case c.Command != "" && c.URL != "":
		return fail("url", "%q: there is a command (%q) as well; leave one of them out", c.URL, c.Command)
	}
	if c.URL != "" {
		return c.checkRemote(fail)
	}
	return c.checkProgram(fail)
}

func (c Config) checkRemote(fail func(key, format string, args ...any) error) error {
	for _, k := range []struct {
		key string
		set bool
	}{{"args", len(c.Args) > 0}, {"env_names", len(c.EnvNames) > 0}, {"reach", len(c.Reach) > 0}} {
		if k.set {
			return fail(k.key, "is for a command, and there is a url (%q); leave it out", c.URL)
		}
	}
	u, err := url.Parse(c.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fail("url", "%q is no address such as \"https://tools.example.com/mcp\"", c.URL)
	}
	if u.User != nil {
		return fail("url", "%q: a name or a password belongs into a header, from a variable: headers.Authorization = \"Bearer ${TOKEN}\"", u.Redacted())
	}
	for _, name := range sortedKeys(c.Headers) {
		if name == "" || strings.ContainsFunc(name, noHeaderName) {
			return fail("headers", "%q is no name of a header", name)
		}
		if strings.ContainsFunc(c.Headers[name], noHeaderValue) {
			return fail("headers."+name, "the value holds a control character")
		}
	}
	switch {
	case c.ClientID == "" && c.ClientSecretEnv != "":
		return fail("client_secret_env", "%q: the secret is for a client_id, and there is none", c.ClientSecretEnv)
	case c.ClientID == "" && c.Issuer != "":
		return fail("issuer", "%q: it is where a client_id is registered, and there is none", c.Issuer)
	case c.ClientSecretEnv != "" && c.Issuer == "":
		return fail("issuer", "want the address of the authorization server, so that the secret goes to no other")
	}
	return c.checkTimeout(fail)
}

// noHeaderName reports characters that the name of a header cannot have (RFC 9110, 5.6.2).
func noHeaderName(r rune) bool {
	return r <= ' ' || r > '~' || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r)
}

// noHeaderValue reports characters that the value of a header cannot have.
func noHeaderValue(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

func (c Config) checkProgram(fail func(key, format string, args ...any) error) error {
	if len(c.Headers) > 0 {
		return fail("headers", "are for a url, and there is a command (%q); leave them out", c.Command)
	}
	if c.ClientID != "" || c.ClientSecretEnv != "" || c.Issuer != "" {
		return fail("client_id", "is for a url, and there is a command (%q); leave client_id, client_secret_env and issuer out", c.Command)
	}
	for _, name := range c.EnvNames {
		if name == "" || strings.ContainsAny(name, "= \x00") {
			return fail("env_names", "%q is no name of an environment variable; its value stays in the environment", name)
		}
	}
	for _, word := range c.Reach {
		switch {
		case word == ReachNetwork, word == ReachSockets, word == ReachAll:
		case !filepath.IsAbs(word) && !strings.HasPrefix(word, "~/"):
			return fail("reach", "%q is neither %q, %q, %q nor an absolute path of a folder", word, ReachNetwork, ReachSockets, ReachAll)
		case filepath.Clean(word) == "/":
			return fail("reach", "%q is everything; say %q if the server is to run without a cage", word, ReachAll)
		}
	}
	return c.checkTimeout(fail)
}

func (c Config) checkTimeout(fail func(key, format string, args ...any) error) error {
	if c.Timeout < 0 || c.Timeout > 24*time.Hour {
		return fail("timeout", "\"%s\" is not between 0 and 24h", c.Timeout)
	}
	return nil
}

// timeout is how long the server has to start, and for each request.
func (c Config) timeout() time.Duration {
	if c.Timeout == 0 {
		return DefaultTimeout
	}
	return c.Timeout
}

// Where is where the server is, for the operator.
func (c Config) Where() string {
	if c.URL != "" {
		return c.URL
	}
	return strings.Join(append([]string{c.Command}, c.Args...), " ")
}

// reaches reports whether Reach has a word.
func (c Config) reaches(word string) bool { return slices.Contains(c.Reach, word) }

// folders are those that the server may write to.
func (c Config) folders(home string) []string {
	var all []string
	for _, word := range c.Reach {
		switch {
		case filepath.IsAbs(word):
			all = append(all, filepath.Clean(word))
		case strings.HasPrefix(word, "~/"):
			all = append(all, filepath.Join(home, word[2:]))
		}
	}
	return all
}

func isName(name string) bool {
	if name == "" || len(name) > maxName || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' })
}
