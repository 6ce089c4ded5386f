package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"
)

// NeededError says that the operator has to log in at a server.
type NeededError struct {
	Server string
	Why    string
}

// Error implements error.
func (e *NeededError) Error() string {
	return fmt.Sprintf("%s: nod mcp login %s", e.Why, e.Server)
}

// Handler uses the login at a server. It never begins one: that is the operator's.
func (s *Store) Handler(server, url string) auth.OAuthHandler {
	return &handler{store: s, server: server, url: url}
}

type handler struct {
	store       *Store
	server, url string
	mu          sync.Mutex // held while a token is renewed
}

var (
	_ auth.OAuthHandler  = (*handler)(nil)
	_ oauth2.TokenSource = (*handler)(nil)
)

// TokenSource implements [auth.OAuthHandler].
func (h *handler) TokenSource(context.Context) (oauth2.TokenSource, error) {
	l, err := h.store.Of(h.server, h.url)
	if l == nil || err != nil {
		return nil, err
	}
	return h, nil
}

// Authorize implements [auth.OAuthHandler]: the server refuses the request as it is.
func (h *handler) Authorize(_ context.Context, _ *http.Request, resp *http.Response) error {
	_ = resp.Body.Close() // what it says is not read
	l, err := h.store.Of(h.server, h.url)
	switch {
	case err != nil:
		return err
	case l == nil:
		return &NeededError{h.server, "it wants a login"}
	case resp.StatusCode == http.StatusForbidden:
		if more := scopesOf(resp.Header); len(more) > 0 {
			l.Wanted = union(l.Wanted, union(l.Scopes, more))
			if err := h.store.Put(h.server, *l); err != nil {
				return err
			}
		}
		return &NeededError{h.server, "it refuses what is asked of it (403), and the login may lack the right"}
	}
	return &NeededError{h.server, "it does not take the login any more"}
}

// Bounds of the scopes that a server may ask for later.
const (
	maxScopes = 50
	maxScope  = 200 // bytes
)

// scopesOf are the scopes that a refusal asks for.
func scopesOf(h http.Header) (scopes []string) {
	challenges, err := oauthex.ParseWWWAuthenticate(h.Values("WWW-Authenticate"))
	if err != nil {
		return nil // it asks for nothing
	}
	for _, c := range challenges {
		if c.Scheme == "bearer" && c.Params["error"] == "insufficient_scope" {
			scopes = union(scopes, strings.Fields(c.Params["scope"]))
		}
	}
	return scopes
}

// union adds to scopes what is not among them, within bounds.
func union(scopes, more []string) []string {
	all := slices.Clone(scopes)
	for _, s := range more {
		if len(all) < maxScopes && len(s) <= maxScope && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// notAgain are the answers after which a token cannot be renewed (RFC 6749, 5.2).
var notAgain = []int{http.StatusBadRequest, http.StatusUnauthorized}

// Token implements [oauth2.TokenSource]: the token, renewed if its time is up.
func (h *handler) Token() (*oauth2.Token, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	l, err := h.store.Of(h.server, h.url)
	switch {
	case err != nil:
		return nil, err
	case l == nil:
		return nil, &NeededError{h.server, "it wants a login"}
	case l.Token.Valid():
		return l.Token, nil
	case l.Token.RefreshToken == "":
		return nil, &NeededError{h.server, "the login's time is up"}
	}
	client := Client()
	defer client.CloseIdleConnections()
	c := oauth2.Config{ClientID: l.ClientID, ClientSecret: l.ClientSecret, Endpoint: oauth2.Endpoint{TokenURL: l.TokenURL, AuthStyle: l.AuthStyle}}
	token, err := c.TokenSource(context.WithValue(context.Background(), oauth2.HTTPClient, client), l.Token).Token()
	var refused *oauth2.RetrieveError
	switch {
	case errors.As(err, &refused) && refused.Response != nil && slices.Contains(notAgain, refused.Response.StatusCode):
		return nil, &NeededError{h.server, "the login cannot be renewed (" + refused.Response.Status + ")"}
	case err != nil:
		return nil, fmt.Errorf("renew the login: %w", err)
	}
	l.Token = token
	if err := h.store.Put(h.server, *l); err != nil {
		return nil, err
	}
	return token, nil
}
