package doctor

import (
	"context"
	"fmt"
	"strings"

	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/cmd/nod/internal/app"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// checkModel asks the model's server for its models, and what it takes.
func (e *examination) checkModel(ctx context.Context, c *config.Config) []Finding {
	name, m, ok, err := c.ActiveModel()
	if err != nil {
		return []Finding{{Check: "model", Detail: err.Error(), Fix: "set agent.model"}}
	}
	if !ok {
		return []Finding{{Check: "model", OK: true, Optional: true, Detail: "none configured: the built-in guide answers"}}
	}
	key, err := m.Key(e.sys.Getenv)
	if err != nil {
		return []Finding{{Check: "model", Detail: err.Error(), Fix: "give [model." + name + "] its key"}}
	}
	client, err := model.New(app.ModelConfig(m, key, e.sys.Getenv))
	if err != nil {
		return []Finding{{Check: "model", Detail: err.Error(), Fix: "correct [model." + name + "]"}}
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	models, err := client.Models(ctx)
	if err != nil {
		return []Finding{{Check: "model", Detail: name + ": " + err.Error(), Fix: "check base_url and the key of [model." + name + "]"}}
	}
	found := Finding{Check: "model", OK: true, Detail: fmt.Sprintf("%s: %s at %s (%d models offered)", name, m.Model, m.BaseURL, len(models))}
	client.Meet(ctx)
	return []Finding{found, {
		Check: "learnt", OK: true, Optional: true, Detail: strings.Join(client.Learnt(), "; "),
	}}
}
