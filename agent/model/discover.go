package model

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// localAddresses is where servers for local models listen by default.
var localAddresses = []string{
	"127.0.0.1:11434", // Ollama
	"127.0.0.1:8080",  // llama.cpp
	"127.0.0.1:1234",  // LM Studio
}

// probeTimeout bounds each step of a probe: a server on this machine answers in
// milliseconds, and the operator waits.
const probeTimeout = 400 * time.Millisecond

// Local is a model server that runs on this machine.
type Local struct {
	// BaseURL fits Config.BaseURL.
	BaseURL string
	// Models are the names that it offers, at least one.
	Models []string
}

// Discover asks the usual ports of this machine, or the given addresses (host:port), for
// models, all at once, and returns those that answered as a model server, in the order of
// the addresses. It takes at most about a second and ends early with the context.
func Discover(ctx context.Context, addresses ...string) []Local {
	if len(addresses) == 0 {
		addresses = localAddresses
	}
	return discover(ctx, probeTimeout, addresses)
}

func discover(ctx context.Context, each time.Duration, addresses []string) []Local {
	ctx, cancel := context.WithTimeout(ctx, 2*each)
	defer cancel()
	answers := make([]Local, len(addresses))
	var wg sync.WaitGroup
	for i, address := range addresses {
		wg.Go(func() { answers[i] = probe(ctx, each, "http://"+address+"/v1") })
	}
	wg.Wait()
	var found []Local
	for _, l := range answers {
		if len(l.Models) > 0 {
			found = append(found, l)
		}
	}
	return found
}

// probe returns the zero Local for everything that is not a model server: that is the
// ordinary case, not an error.
func probe(ctx context.Context, each time.Duration, base string) Local {
	c, err := New(Config{BaseURL: base, Model: "any", HeaderTimeout: each, IdleTimeout: each})
	if err != nil {
		return Local{}
	}
	defer c.Close()
	names, err := c.Models(ctx)
	if err != nil {
		return Local{}
	}
	return Local{BaseURL: base, Models: names}
}

// firstTimeout is how long a server may take to say which models it has.
const firstTimeout = 10 * time.Second

// First is the first model that a server offers.
func First(base string) (string, error) {
	c, err := New(Config{BaseURL: base, Model: "any", HeaderTimeout: firstTimeout, IdleTimeout: firstTimeout})
	if err != nil {
		return "", err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), firstTimeout)
	defer cancel()
	names, err := c.Models(ctx)
	if err == nil && len(names) == 0 {
		err = errors.New("it names none")
	}
	if err != nil {
		return "", fmt.Errorf("which models it has is not known: %w; name one behind the address: %s#NAME", err, base)
	}
	return names[0], nil
}
