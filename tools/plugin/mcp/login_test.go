package mcp_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/mcp"
	"github.com/nod-console/nod/tools/plugin/mcp/oauth"
)

// guarded is a server that wants a login, and its authorization server.
type guarded struct {
	*httptest.Server
	mu        sync.Mutex
	lifetime  int               // of a token, in seconds; what lives below 10 is renewed at once
	codes     map[string]string // code: challenge
	valid     map[string]bool   // tokens
	refresh   string            // what renews the token
	given     int               // how many tokens
	scopes    []string          // that were asked for, the last time
	needs     string            // a scope without which calls are refused
	renewed   int
	secrets   []string // of clients
	elsewhere []string // what requests to other paths had for authorization
	faults    []string
}

func serveGuarded(t *testing.T) *guarded {
	g := &guarded{lifetime: 3600, codes: map[string]string{}, valid: map[string]bool{}}
	inner := httpServer()
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{"resource": g.URL + "/mcp", "authorization_servers": []string{g.URL}, "scopes_supported": []string{"tools"}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, 200, map[string]any{
			"issuer": g.URL, "authorization_endpoint": g.URL + "/authorize", "token_endpoint": g.URL + "/token", "registration_endpoint": g.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var v map[string]any
		_ = json.NewDecoder(r.Body).Decode(&v)
		v["client_id"] = "nod-1"
		answer(w, 201, v)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		g.mu.Lock()
		defer g.mu.Unlock()
		if q.Get("code_challenge_method") != "S256" || q.Get("resource") != g.URL+"/mcp" || !slices.Contains([]string{"nod-1", "mine"}, q.Get("client_id")) || !strings.HasPrefix(q.Get("redirect_uri"), "http://127.0.0.1:") {
			g.faults = append(g.faults, "authorize "+r.URL.RawQuery)
		}
		g.scopes = strings.Fields(q.Get("scope"))
		g.codes["code1"] = q.Get("code_challenge")
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {"code1"}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if _, secret, ok := r.BasicAuth(); ok {
			g.secrets = append(g.secrets, secret)
		} else if secret := r.FormValue("client_secret"); secret != "" {
			g.secrets = append(g.secrets, secret)
		}
		switch r.FormValue("grant_type") {
		case "authorization_code":
			sum := sha256.Sum256([]byte(r.FormValue("code_verifier")))
			if g.codes[r.FormValue("code")] != base64.RawURLEncoding.EncodeToString(sum[:]) {
				answer(w, 400, map[string]any{"error": "invalid_grant"})
				return
			}
		case "refresh_token":
			if g.refresh == "" || r.FormValue("refresh_token") != g.refresh {
				answer(w, 400, map[string]any{"error": "invalid_grant"})
				return
			}
			g.renewed++
		}
		g.given++
		g.refresh = fmt.Sprintf("r%d", g.given)
		token := fmt.Sprintf("t%d", g.given)
		clear(g.valid)
		g.valid[token] = true
		answer(w, 200, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": g.lifetime, "refresh_token": g.refresh})
	})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		g.mu.Lock()
		ok := g.valid[token]
		lacks := g.needs != "" && !slices.Contains(g.scopes, g.needs) && r.Header.Get("Mcp-Method") == "tools/call"
		needs := g.needs
		g.mu.Unlock()
		if ok && lacks {
			w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+needs+`"`)
			w.WriteHeader(http.StatusForbidden)
			return
		}
		if !ok {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+g.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	})
	mux.HandleFunc("/moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("/elsewhere", func(w http.ResponseWriter, r *http.Request) {
		g.mu.Lock()
		g.elsewhere = append(g.elsewhere, r.Header.Get("Authorization"))
		g.mu.Unlock()
		inner.ServeHTTP(w, r)
	})
	g.Server = httptest.NewServer(mux)
	t.Cleanup(g.Close) // after the sets
	return g
}

// set is a set with one server at a path of g, and logins in a file.
func (g *guarded) set(t *testing.T, path, file string) *fixture {
	return newSet(t, func(o *mcp.Options) { o.Logins = oauth.NewStore(file) }, mcp.Config{Name: "web", URL: g.URL + path})
}

// browse is what the operator's browser does with a page.
func browse(t *testing.T, page string) {
	t.Helper()
	resp, err := http.Get(page)
	if err != nil {
		t.Error(err)
		return
	}
	text, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil || !strings.Contains(string(text), "You can close this page") {
		t.Errorf("the browser shows %q, %v", text, err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// login logs in at the server.
func login(t *testing.T, f *fixture) {
	t.Helper()
	var browser sync.WaitGroup
	err := f.Login(t.Context(), "web", func(page string) error {
		browser.Go(func() { browse(t, page) })
		return nil
	})
	browser.Wait()
	if err != nil {
		t.Fatal(err)
	}
}

func TestALoginIsMadeUsedRenewedAndForgotten(t *testing.T) {
	g := serveGuarded(t)
	g.lifetime = 5
	file := filepath.Join(t.TempDir(), "logins")
	f := g.set(t, "/mcp", file)
	if _, err := f.Look(t.Context(), "web"); err == nil || !strings.Contains(err.Error(), "it wants a login: nod mcp login web") {
		t.Fatalf("without a login: %v", err)
	}
	login(t, f)
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the file: %v, %v", info, err)
	}
	f.accept("web")
	if got := content(f.call(t.Context(), "web_echo", `{"text":"hi"}`, tools.Env{})); got != "hi" {
		t.Errorf("got %q", got)
	}
	g.mu.Lock()
	if len(g.faults) > 0 || g.renewed == 0 {
		t.Errorf("faults %q, %d times renewed", g.faults, g.renewed)
	}
	last := g.refresh
	g.mu.Unlock()
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"refresh_token": "`+last+`"`) {
		t.Errorf("what renews it is not kept: %s, %v", text, err)
	}
	// The server takes it back.
	g.mu.Lock()
	clear(g.valid)
	g.refresh = ""
	g.mu.Unlock()
	if got := content(f.call(t.Context(), "web_echo", `{"text":"hi"}`, tools.Env{})); !strings.Contains(got, "the login cannot be renewed (400 Bad Request): nod mcp login web") {
		t.Errorf("taken back: %q", got)
	}
	for _, want := range []bool{true, false} {
		if was, err := f.Logout("web"); was != want || err != nil {
			t.Errorf("logout: %t, %v", was, err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "token\"") {
		t.Errorf("the file still has %s, %v", text, err)
	}
}

func TestALoginThatIsTakenBack(t *testing.T) {
	g := serveGuarded(t)
	f := g.set(t, "/mcp", filepath.Join(t.TempDir(), "logins"))
	login(t, f)
	f.accept("web")
	g.mu.Lock()
	clear(g.valid)
	g.mu.Unlock()
	if got := content(f.call(t.Context(), "web_echo", `{"text":"hi"}`, tools.Env{})); !strings.Contains(got, "it does not take the login any more: nod mcp login web") {
		t.Errorf("got %q", got)
	}
}

// A server may want more rights for a call than the login has: the next login asks for
// them, and for those from before.
func TestALoginWithMoreRights(t *testing.T) {
	g := serveGuarded(t)
	g.needs = "write"
	f := g.set(t, "/mcp", filepath.Join(t.TempDir(), "logins"))
	login(t, f)
	f.accept("web")
	if got := content(f.call(t.Context(), "web_echo", `{"text":"hi"}`, tools.Env{})); !strings.HasPrefix(got, "login_needed: not done: ") || !strings.Contains(got, "may lack the right: nod mcp login web") {
		t.Errorf("got %q", got)
	}
	login(t, f)
	if got := content(f.call(t.Context(), "web_echo", `{"text":"hi"}`, tools.Env{})); got != "hi" {
		t.Errorf("then %q", got)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if slices.Sort(g.scopes); !slices.Equal(g.scopes, []string{"tools", "write"}) {
		t.Errorf("scopes %q", g.scopes)
	}
}

// A client that the operator has registered is taken to its authorization server alone.
func TestALoginOfARegisteredClient(t *testing.T) {
	g := serveGuarded(t)
	try := func(issuer string, env map[string]string) error {
		c := mcp.Config{Name: "web", URL: g.URL + "/mcp", ClientID: "mine", ClientSecretEnv: "SECRET", Issuer: issuer}
		f := newSet(t, func(o *mcp.Options) {
			o.Logins, o.Getenv = oauth.NewStore(filepath.Join(t.TempDir(), "logins")), func(k string) string { return env[k] }
		}, c)
		return f.Login(t.Context(), "web", func(page string) error {
			browse(t, page)
			return nil
		})
	}
	secret := map[string]string{"SECRET": "s3cret"}
	if err := try(g.URL, secret); err != nil {
		t.Error(err)
	}
	if err := try("https://other.example.com", secret); err == nil || !strings.Contains(err.Error(), "does not match") {
		t.Errorf("another issuer: %v", err)
	}
	if err := try(g.URL, nil); err == nil || !strings.Contains(err.Error(), `the environment variable "SECRET" is not set`) {
		t.Errorf("no secret: %v", err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.Equal(g.secrets, []string{"s3cret"}) {
		t.Errorf("secrets %q", g.secrets)
	}
	for says, c := range map[string]mcp.Config{
		"web.issuer: want the address":      {Name: "web", URL: g.URL, ClientID: "mine", ClientSecretEnv: "SECRET"},
		"web.client_secret_env: \"SECRET\"": {Name: "web", URL: g.URL, ClientSecretEnv: "SECRET"},
		"web.issuer: \"x\"":                 {Name: "web", URL: g.URL, Issuer: "x"},
		"web.client_id: is for a url":       {Name: "web", Command: "sh", ClientID: "mine"},
	} {
		if err := c.Check(); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", says, err)
		}
	}
}

// A token is sent to the address that it was given out for and to no other.
func TestATokenIsForOneAddress(t *testing.T) {
	g := serveGuarded(t)
	file := filepath.Join(t.TempDir(), "logins")
	login(t, g.set(t, "/mcp", file))
	// Another address of the same server, in the configuration.
	if _, err := g.set(t, "/elsewhere", file).Look(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	// One that leads to another.
	store := oauth.NewStore(file)
	l, err := store.Of("web", g.URL+"/mcp")
	if err != nil || l == nil {
		t.Fatal(l, err)
	}
	l.URL = g.URL + "/moved"
	if err := store.Put("web", *l); err != nil {
		t.Fatal(err)
	}
	if _, err := g.set(t, "/moved", file).Look(t.Context(), "web"); err != nil {
		t.Fatal(err)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.elsewhere) == 0 || slices.ContainsFunc(g.elsewhere, func(s string) bool { return s != "" }) {
		t.Errorf("sent elsewhere: %q", g.elsewhere)
	}
}

func TestLoginsThatCannotBeMade(t *testing.T) {
	g := serveGuarded(t)
	file := filepath.Join(t.TempDir(), "logins")
	never := func(string) error {
		t.Error("a page was shown")
		return nil
	}
	if err := g.set(t, "/elsewhere", file).Login(t.Context(), "web", never); !errors.Is(err, mcp.ErrNoLogin) {
		t.Errorf("a server without one: %v", err)
	}
	own := newSet(t, func(o *mcp.Options) { o.Logins = oauth.NewStore(file) },
		mcp.Config{Name: "web", URL: g.URL, Headers: map[string]string{"authorization": "x"}}, program(t, "good", "good"))
	for name, says := range map[string]string{"web": "has a header Authorization", "good": "is a program", "god": "there is no MCP server"} {
		if err := own.Login(t.Context(), name, never); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Somebody else's answer is not taken, and a refusal is.
	err := g.set(t, "/mcp", file).Login(t.Context(), "web", func(page string) error {
		u, err := url.Parse(page)
		if err != nil {
			return err
		}
		back := u.Query().Get("redirect_uri")
		for _, c := range []struct {
			query  url.Values
			status int
		}{
			{url.Values{"code": {"evil"}, "state": {"guessed"}}, http.StatusBadRequest},
			{url.Values{"error": {"access_denied"}, "state": {u.Query().Get("state")}}, http.StatusOK},
		} {
			resp, err := http.Get(back + "?" + c.query.Encode())
			if err != nil {
				return err
			}
			if _ = resp.Body.Close(); resp.StatusCode != c.status {
				t.Errorf("%v: status %d", c.query, resp.StatusCode)
			}
		}
		http.DefaultClient.CloseIdleConnections()
		return nil
	})
	if err == nil || err.Error() != "the MCP server web: the login was refused: access_denied" {
		t.Errorf("refused: %v", err)
	}
	if err := os.WriteFile(file, []byte("{}"), 0o644); err != nil { //nolint:gosec // that is the case
		t.Fatal(err)
	}
	if _, err := g.set(t, "/mcp", file).Look(t.Context(), "web"); err == nil || !strings.Contains(err.Error(), "can be read by others") {
		t.Errorf("a file that others can read: %v", err)
	}
}
