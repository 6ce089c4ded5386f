package oauth

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/nod-console/nod/tools/plugin/harmless"
)

// answerTime bounds one answer of an authorization server.
const answerTime = 30 * time.Second

// Client is the client with which an authorization server is asked: no secret follows a
// redirect.
func Client() *http.Client {
	base := http.DefaultTransport.(*http.Transport).Clone()
	base.DialContext = nil // the SDK puts its own in, which refuses addresses of the inside
	return &http.Client{
		Transport: base, Timeout: answerTime,
		CheckRedirect: func(r *http.Request, _ []*http.Request) error {
			return fmt.Errorf("it leads to %q, which is not followed", harmless.Line(r.URL.Redacted(), 200))
		},
	}
}

// Flow is one login at a server. It asks the operator to open a page, and takes the answer
// at an address of this machine.
type Flow struct {
	auth.OAuthHandler // for the transport to the server

	store       *Store
	server, url string
	show        func(page string) error
	listener    net.Listener
	client      *http.Client

	mu     sync.Mutex // held while the operator is asked
	done   bool
	failed error // why there is no further attempt
}

// Request is what a login is made with.
type Request struct {
	Server  string // its name
	URL     string // its address
	Version string // nod's own
	// Client is what the operator has registered; nil: nod registers itself.
	Client *oauthex.ClientCredentials
	// Show is given the page that the operator is to open.
	Show func(page string) error
}

// Begin prepares a login. Close the flow at the end.
func (s *Store) Begin(r Request) (*Flow, error) {
	before, err := s.Of(r.Server, r.URL)
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	f := &Flow{store: s, server: r.Server, url: r.URL, show: r.Show, listener: listener, client: Client()}
	c := &auth.AuthorizationCodeHandlerConfig{
		PreregisteredClient: r.Client,
		RedirectURL:         f.back(), AuthorizationCodeFetcher: f.fetch, RequestRefreshToken: true, AcceptUnadvertisedIss: true,
		Client: f.client, NewTokenSource: f.keep,
		ScopeFilter: func(found []string) []string {
			if before == nil {
				return found
			}
			return union(found, before.Wanted)
		},
	}
	if r.Client == nil {
		c.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{
			ClientName: "nod", SoftwareVersion: r.Version, RedirectURIs: []string{f.back()},
			GrantTypes: []string{"authorization_code", "refresh_token"}, ResponseTypes: []string{"code"}, TokenEndpointAuthMethod: "none",
		}}
	}
	if f.OAuthHandler, err = auth.NewAuthorizationCodeHandler(c); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return f, nil
}

// Done reports whether a login was made and kept.
func (f *Flow) Done() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.done
}

// Err is why the operator has not logged in; nil if they have, or were not asked.
func (f *Flow) Err() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.done {
		return nil
	}
	return f.failed
}

// Close ends the flow.
func (f *Flow) Close() {
	_ = f.listener.Close() // it may be closed already
	f.client.CloseIdleConnections()
}

// backPath is the path of the address that the browser is sent back to.
const backPath = "/back"

func (f *Flow) back() string { return "http://" + f.listener.Addr().String() + backPath }

// keep keeps the login, bound to the server's address.
func (f *Flow) keep(_ context.Context, c *oauth2.Config, token *oauth2.Token) (oauth2.TokenSource, error) {
	err := f.store.Put(f.server, Login{
		URL: f.url, TokenURL: c.Endpoint.TokenURL, ClientID: c.ClientID, ClientSecret: c.ClientSecret,
		AuthStyle: c.Endpoint.AuthStyle, Scopes: c.Scopes, Token: token,
	})
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.done = true
	f.mu.Unlock()
	return &handler{store: f.store, server: f.server, url: f.url}, nil // what renews it later is kept, too
}

// fetch asks the operator once: the transport tries a request in more than one way.
func (f *Flow) fetch(ctx context.Context, args *auth.AuthorizationArgs) (r *auth.AuthorizationResult, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed != nil {
		return nil, f.failed
	}
	r, err = f.attempt(ctx, args)
	if f.failed = err; err == nil {
		f.failed = errors.New("the server does not take the login that it has just given")
	}
	return r, err
}

// attempt shows the page and waits for the browser to come back with the code.
func (f *Flow) attempt(ctx context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
	page, err := url.Parse(args.URL)
	if err != nil {
		return nil, err
	}
	state := page.Query().Get("state")
	came := make(chan url.Values, 1)
	s := &http.Server{ReadHeaderTimeout: answerTime, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.Method != http.MethodGet || r.URL.Path != backPath || q.Get("state") != state {
			http.Error(w, "This is not the login that nod waits for.", http.StatusBadRequest)
			return
		}
		select {
		case came <- q:
		default: // the first answer counts
		}
		_, _ = fmt.Fprintln(w, "nod has the answer. You can close this page.")
	})}
	served := make(chan struct{})
	go func() {
		_ = s.Serve(f.listener) // it ends with the listener
		close(served)
	}()
	defer func() {
		quick, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = errors.Join(s.Shutdown(quick), s.Close()) // the browser may hold a connection
		<-served
	}()
	if err := f.show(args.URL); err != nil {
		return nil, err
	}
	select {
	case q := <-came:
		if why := q.Get("error"); why != "" {
			return nil, fmt.Errorf("the login was refused: %s", harmless.Line(why+" "+q.Get("error_description"), 300))
		}
		return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
