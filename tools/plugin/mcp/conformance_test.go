package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/local"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/plugin/mcp"
	"github.com/nod-console/nod/tools/plugin/mcp/oauth"
)

// The test binary is the client that the protocol's own conformance suite tests, too:
// "conform URL" does with a server what nod does, and says yes to all (make
// mcp-conformance).

// conform logs in if the server wants it, accepts what it offers, and calls each tool.
func conform(address string) (err error) {
	state, err := os.MkdirTemp("", "nod-conformance-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(state)) }()
	c, getenv, err := conformed(address)
	if err != nil {
		return err
	}
	minter, verifier := tools.NewMint()
	here, registry := local.New(os.Environ()), &tools.Registry{}
	set := mcp.New(mcp.Options{
		Servers: []mcp.Config{c}, Registry: registry, Guard: guard.New(verifier),
		Pins: mcp.NewPins(filepath.Join(state, "mcp.json")), Logins: oauth.NewStore(filepath.Join(state, "logins.json")),
		Local: here, Cages: confine.NewKeeper(here, ""), Getenv: getenv, Version: "test",
		Warn: func(s string) { fmt.Fprintln(os.Stderr, s) },
		Ask: func(_ context.Context, f mcp.Form) (map[string]string, bool, error) {
			values := map[string]string{}
			for _, field := range f.Fields {
				if field.Default != "" {
					values[field.Name] = field.Default
				}
			}
			return values, true, nil
		},
	})
	defer func() { err = errors.Join(err, set.Close(), here.Close()) }()
	ctx, stop := context.WithTimeout(context.Background(), time.Minute)
	defer stop()
	login := func() error { return set.Login(ctx, "conf", open) }
	var needed *oauth.NeededError
	if _, err = set.Look(ctx, "conf"); errors.As(err, &needed) {
		if err = login(); err != nil {
			return err
		}
		_, err = set.Look(ctx, "conf")
	}
	if err != nil {
		return err
	}
	if _, err := set.Accept("conf"); err != nil {
		return err
	}
	for _, t := range registry.All() {
		for range 3 { // a server may want more rights, twice
			said, err := callOne(ctx, t, minter)
			if err != nil {
				return err
			}
			if !strings.Contains(said, "nod mcp login") {
				break
			}
			if err := login(); err != nil {
				return err
			}
		}
	}
	return nil
}

// conformed is the server as the suite has it configured.
func conformed(address string) (mcp.Config, func(string) string, error) {
	c := mcp.Config{Name: "conf", URL: address}
	var given struct {
		ClientID     string `json:"client_id"`
		ClientSecret string `json:"client_secret"`
	}
	if text := os.Getenv("MCP_CONFORMANCE_CONTEXT"); text != "" {
		if err := json.Unmarshal([]byte(text), &given); err != nil {
			return c, nil, err
		}
	}
	if os.Getenv("MCP_CONFORMANCE_SCENARIO") == "auth/pre-registration" {
		c.ClientID, c.ClientSecretEnv = given.ClientID, "SECRET"
	}
	return c, func(name string) string {
		if name == "SECRET" {
			return given.ClientSecret
		}
		return os.Getenv(name)
	}, nil
}

// callOne calls a tool with numbers for all arguments, and returns what it says.
func callOne(ctx context.Context, t tools.Tool, minter *tools.Minter) (string, error) {
	args := map[string]any{}
	if properties, ok := t.InputSchema()["properties"].(map[string]any); ok {
		for name := range properties {
			args[name] = 5
		}
	}
	text, err := json.Marshal(args)
	if err != nil {
		return "", err
	}
	a, err := t.Plan(ctx, text, tools.Env{})
	if err != nil {
		return "", err
	}
	r, err := t.Execute(ctx, a, tools.Env{Call: "c1", Grant: minter.Mint(a)})
	fmt.Fprintln(os.Stderr, t.Name(), content(r))
	return content(r), err
}

// open is what a browser does whose operator says yes.
func open(page string) error {
	resp, err := http.Get(page)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
