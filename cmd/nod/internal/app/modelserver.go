package app

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/nod-console/nod/agent/model"
)

// IsServer reports whether what stands in the place of a model's name is a server's URL.
func IsServer(name string) bool {
	return strings.HasPrefix(name, "http://") || strings.HasPrefix(name, "https://")
}

// OpenServer makes a client for the first model that a server offers, or for "default" if
// it does not say. It is sent no key:
// a server that needs one stands in the configuration.
func OpenServer(ctx context.Context, base string) (Model, error) {
	at, err := url.Parse(base)
	if err != nil || at.Host == "" || at.User != nil {
		return Model{}, fmt.Errorf("%q is no server's URL; write it as in http://127.0.0.1:8080/v1", base)
	}
	if strings.Trim(at.Path, "/") == "" {
		at.Path = "/v1"
	}
	asked, err := model.New(model.Config{BaseURL: at.String(), Model: "any"})
	if err != nil {
		return Model{}, err
	}
	defer asked.Close()
	name := "default" // what servers of one model take for it
	if names, err := asked.Models(ctx); err == nil && len(names) > 0 {
		name = names[0]
	}
	client, err := model.New(model.Config{BaseURL: at.String(), Model: name})
	return Model{Client: client, name: name}, err
}
