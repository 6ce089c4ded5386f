package app

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nod-console/nod/agent/contact"
	"github.com/nod-console/nod/agent/guide"
	"github.com/nod-console/nod/agent/model"
	"github.com/nod-console/nod/agent/turn"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// guideName is what the status line calls the built-in guide.
const guideName = "guide"

// Model is the model that answers: the configured one, or the guide.
type Model struct {
	Client  *model.Client
	name    string // of its profile
	IsGuide bool
	price   turn.Price
}

// ShownName is what the status line calls it.
func (b Model) ShownName() string {
	if b.IsGuide {
		return guideName
	}
	return b.Client.Name()
}

// OpenModel makes a client for the model that the configuration names.
func OpenModel(c *config.Config, getenv func(string) string) (Model, error) {
	name, m, ok, err := c.ActiveModel()
	if err != nil {
		return Model{}, err
	}
	if !ok {
		return openGuide()
	}
	return openProfile(name, m, getenv)
}

func openGuide() (Model, error) {
	client, err := model.New(model.Config{
		BaseURL: guide.BaseURL, Model: guide.ModelName, Transport: guide.New(guide.Options{}).Transport(),
	})
	return Model{Client: client, name: guideName, IsGuide: true}, err
}

// openProfile makes the model of [model.NAME].
func openProfile(name string, m config.Model, getenv func(string) string) (Model, error) {
	key, err := m.Key(getenv)
	if err != nil {
		return Model{}, err
	}
	if m.Model == "" && strings.Contains(name, "://") { // an address in the place of a name
		if m.Model, err = model.First(m.BaseURL); err != nil {
			return Model{}, fmt.Errorf("model %s: %w", name, err)
		}
	}
	client, err := model.New(ModelConfig(m, key, getenv))
	if err != nil {
		return Model{}, fmt.Errorf("model %s: %w", name, err)
	}
	return Model{Client: client, name: name, price: priceOf(m)}, nil
}

func priceOf(m config.Model) turn.Price {
	value := func(v *float32) float64 {
		if v == nil {
			return 0
		}
		return float64(*v)
	}
	return turn.Price{Input: value(m.PriceInput), Output: value(m.PriceOutput), Cached: value(m.PriceCached)}
}

// ModelConfig is what a client of m needs; key is its API key.
func ModelConfig(m config.Model, key string, getenv func(string) string) model.Config {
	return model.Config{
		Known:   knownModels(getenv),
		BaseURL: m.BaseURL, APIKey: key, Model: m.Model, Headers: m.Headers,
		Temperature: m.Temperature, TopP: m.TopP, ReasoningEffort: m.ReasoningEffort,
		ContextLimit: m.ContextLimit, ToolProtocol: m.ToolProtocol, SessionHeader: m.SessionHeader, SessionMode: m.SessionMode,
	}
}

// knownModels keeps what is learnt of models' servers, in the state folder. Where there
// is none, it keeps nothing.
func knownModels(getenv func(string) string) *contact.Store {
	dir, _, err := config.StateDirAnyway(getenv)
	if err != nil {
		return &contact.Store{}
	}
	return &contact.Store{Dir: filepath.Join(dir, "models")}
}

// ForTurn is the model as the loop knows it.
func (b Model) ForTurn() turn.Model {
	return turn.Model{Client: b.Client, Name: b.name, ContextLimit: b.Client.ContextLimit(), Price: b.price, Plain: b.IsGuide}
}

// ModelList are the models that can answer: those of the configuration, those of a
// local server that was found, and the guide.
type ModelList struct {
	Config *config.Config
	Getenv func(string) string
	Local  []model.Local
}

// Open makes the model of a profile, of a local server's model, or the guide.
func (r ModelList) Open(name string) (Model, error) {
	if m, ok := r.Config.Models[name]; ok {
		return openProfile(name, m, r.Getenv)
	}
	if name == guideName {
		return openGuide()
	}
	for _, l := range r.Local {
		if slices.Contains(l.Models, name) {
			client, err := model.New(model.Config{BaseURL: l.BaseURL, Model: name, Known: knownModels(r.Getenv)})
			return Model{Client: client, name: name}, err
		}
	}
	return Model{}, fmt.Errorf("there is no model %q", name)
}

// List is a line for each model; present is the name of the one that answers.
func (r ModelList) List(present string) []string {
	var lines []string
	line := func(name, detail string) {
		mark := "  "
		if name == present {
			mark = "▸ "
		}
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%s%-16s %s", mark, name, detail), " "))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Config.Models)) {
		m := r.Config.Models[name]
		line(name, m.Model+" at "+m.BaseURL)
	}
	for _, l := range r.Local {
		for _, name := range l.Models {
			if _, taken := r.Config.Models[name]; !taken {
				line(name, "at "+l.BaseURL+" (runs on this machine)")
			}
		}
	}
	line(guideName, "built in: rules, no language model")
	return lines
}
