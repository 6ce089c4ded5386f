package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// checkModel asks the model's server for its models, and what it takes.
func (a *program) checkModel(ctx context.Context, c *config.Config) []finding {
	name, m, ok, err := c.ActiveModel()
	if err != nil {
		return []finding{{Check: "model", Detail: err.Error(), Fix: "set agent.model"}}
	}
	if !ok {
		return []finding{{Check: "model", OK: true, Optional: true, Detail: "none configured: the built-in guide answers"}}
	}
	key, err := m.Key(a.Getenv)
	if err != nil {
		return []finding{{Check: "model", Detail: err.Error(), Fix: "give [model." + name + "] its key"}}
	}
	client, err := model.New(app.ModelConfig(m, key, a.Getenv))
	if err != nil {
		return []finding{{Check: "model", Detail: err.Error(), Fix: "correct [model." + name + "]"}}
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	models, err := client.Models(ctx)
	if err != nil {
		return []finding{{Check: "model", Detail: name + ": " + err.Error(), Fix: "check base_url and the key of [model." + name + "]"}}
	}
	found := finding{Check: "model", OK: true, Detail: fmt.Sprintf("%s: %s at %s (%d models offered)", name, m.Model, m.BaseURL, len(models))}
	client.Meet(ctx)
	return []finding{found, {
		Check: "learnt", OK: true, Optional: true, Detail: strings.Join(client.Learnt(), "; "),
	}}
}
