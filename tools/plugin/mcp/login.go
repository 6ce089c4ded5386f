package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"

	"github.com/nod-console/nod/tools/plugin/harmless"
	"github.com/nod-console/nod/tools/plugin/mcp/oauth"
)

// loginTime is how long the operator has to log in.
const loginTime = 15 * time.Minute

// ErrNoLogin is the error of Login where the server lets nod in without one.
var ErrNoLogin = errors.New("the server wants no login")

// Login has the operator log in at a server of HTTP. show is given the page that they are
// to open; Login returns once they have, the login is kept and the server has taken it. One
// that was kept before counts until then.
func (s *Set) Login(ctx context.Context, name string, show func(page string) error) error {
	one, err := s.find(name)
	if err != nil {
		return err
	}
	if err := one.canLogin(); err != nil {
		return err
	}
	client, err := one.registered()
	if err != nil {
		return err
	}
	flow, err := s.opt.Logins.Begin(oauth.Request{Server: name, URL: one.cfg.URL, Version: s.opt.Version, Client: client, Show: show})
	if err != nil {
		return err
	}
	defer flow.Close()
	m := &meter{}
	transport, free, err := remote(one.cfg, s.opt.Getenv, m, flow)
	if err != nil {
		return err
	}
	defer free()
	ctx, stop := context.WithTimeoutCause(ctx, loginTime, fmt.Errorf("nobody has logged in within %s", loginTime))
	defer stop()
	session, err := one.client().Connect(ctx, transport, nil)
	switch fault := m.why(); {
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case err != nil && fault != nil:
		err = fault
	case err != nil && flow.Err() != nil:
		err = flow.Err()
	case err != nil:
		err = errors.New(harmless.Line(err.Error(), 300)) // it may quote the server
	}
	if err != nil {
		return fmt.Errorf("the MCP server %s: %w", name, err)
	}
	_ = session.Close() // the login is kept
	if !flow.Done() {
		return ErrNoLogin
	}
	return nil
}

// Logout forgets the login at a server. It reports whether there was one.
func (s *Set) Logout(name string) (bool, error) {
	if _, err := s.find(name); err != nil {
		return false, err
	}
	return s.opt.Logins.Remove(name)
}

// canLogin says why nobody can log in at the server.
func (s *server) canLogin() error {
	switch {
	case s.cfg.URL == "":
		return fmt.Errorf("the MCP server %s is a program (%q): it logs in by itself, or gets a token by env_names", s.cfg.Name, s.cfg.Command)
	case s.authorized():
		return fmt.Errorf("the MCP server %s has a header Authorization in the configuration, which goes before a login: leave it out to log in", s.cfg.Name)
	}
	return nil
}

// registered is the client that the operator has registered; nil if they have none.
func (s *server) registered() (*oauthex.ClientCredentials, error) {
	if s.cfg.ClientID == "" {
		return nil, nil
	}
	c := &oauthex.ClientCredentials{ClientID: s.cfg.ClientID, Issuer: s.cfg.Issuer}
	if name := s.cfg.ClientSecretEnv; name != "" {
		secret := s.set.opt.Getenv(name)
		if secret == "" {
			return nil, fmt.Errorf("the MCP server %s: client_secret_env: the environment variable %q is not set", s.cfg.Name, name)
		}
		c.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: secret}
	}
	return c, nil
}

// authorized reports whether the configuration has a header of its own for that.
func (s *server) authorized() bool {
	for name := range s.cfg.Headers {
		if http.CanonicalHeaderKey(name) == "Authorization" {
			return true
		}
	}
	return false
}

// logins is what authorizes the requests to a server of HTTP; nil if its headers do.
func (s *server) logins() auth.OAuthHandler {
	if s.set.opt.Logins == nil || s.authorized() {
		return nil
	}
	return s.set.opt.Logins.Handler(s.cfg.Name, s.cfg.URL)
}
