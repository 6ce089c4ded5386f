package contact

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Server is where a model is asked for.
type Server struct {
	Base  string // up to and without /chat/completions
	Model string
	// Do sends a request with the configured headers and returns the status and the
	// page, bounded. It follows no redirect.
	Do func(ctx context.Context, method, url string, header http.Header, body []byte) (status int, page []byte, err error)
	// Key is sent where a server wants it under another name; it may be empty.
	Key string
}

// ErrSilent means that a server has no list of models, or one without this model.
var ErrSilent = errors.New("the server says nothing of this model")

// Ask asks a server about a model. It makes one request, and one to three more where the
// first answer says that more can be known. The error is ErrSilent or that of Do; then
// nothing was learnt.
func Ask(ctx context.Context, s Server) (Facts, error) {
	all, err := s.list(ctx)
	if err != nil {
		return Facts{}, err
	}
	mine, ok := pick(all, s.Model)
	f := mine.facts()
	for _, more := range s.more(mine, all) {
		if got, found := more(ctx); found {
			got.Refuses = got.Refuses.With(f.Refuses)
			if got.Context == 0 {
				got.Context, got.Source = f.Context, f.Source
			}
			return got, nil
		}
	}
	if !ok {
		return f, ErrSilent
	}
	return f, nil
}

// more are the other places where this server may know of the model, the likely ones first.
func (s Server) more(mine fields, all []fields) []func(context.Context) (Facts, bool) {
	owner := mine.text("owned_by")
	if owner == "" && len(all) > 0 {
		owner = all[0].text("owned_by")
	}
	known, _, _ := mine.context()
	switch {
	case known > 0 && owner != "llamacpp": // whose other place has the template
		return nil
	case owner == "llamacpp":
		return []func(context.Context) (Facts, bool){s.llamaCPP}
	case owner == "library":
		return []func(context.Context) (Facts, bool){s.ollama}
	case owner == "organization_owner" && Local(s.Base):
		return []func(context.Context) (Facts, bool){s.lmStudio}
	case strings.HasSuffix(strings.TrimRight(s.Base, "/"), "/openai") && strings.HasPrefix(mine.text("id"), "models/"):
		return []func(context.Context) (Facts, bool){s.google}
	case Local(s.Base):
		return []func(context.Context) (Facts, bool){s.llamaCPP, s.ollama, s.lmStudio}
	}
	return nil
}

// list returns the server's models.
func (s Server) list(ctx context.Context) ([]fields, error) {
	base := strings.TrimRight(s.Base, "/")
	status, page, err := s.Do(ctx, http.MethodGet, base+"/models", nil, nil)
	if err == nil && status == http.StatusUnauthorized && s.Key != "" {
		// Anthropic takes the key of its compatible address for chats alone.
		status, page, err = s.Do(ctx, http.MethodGet, base+"/models?limit=1000",
			http.Header{"X-Api-Key": {s.Key}, "Anthropic-Version": {"2023-06-01"}}, nil)
	}
	if err != nil {
		return nil, err
	}
	var answer struct {
		Data []fields `json:"data"`
	}
	if status != http.StatusOK {
		return nil, ErrSilent
	}
	if first := strings.TrimSpace(string(page[:min(len(page), 64)])); strings.HasPrefix(first, "[") { // Together's has no envelope
		err = json.Unmarshal(page, &answer.Data)
	} else {
		err = json.Unmarshal(page, &answer)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: its list of models cannot be read: %w", ErrSilent, err)
	}
	return answer.Data, nil
}

// pick finds a model in a list: by its name, by its name without what some put before or
// behind it, or as the only one that there is.
func pick(all []fields, name string) (fields, bool) {
	for _, same := range []func(string) bool{
		func(id string) bool { return id == name },
		func(id string) bool { return strings.EqualFold(id, name) },
		func(id string) bool { return id == name+":latest" || id == "models/"+name },
	} {
		if i := slices.IndexFunc(all, func(m fields) bool { return slices.ContainsFunc(m.names(), same) }); i >= 0 {
			return all[i], true
		}
	}
	if len(all) == 1 {
		return all[0], true // whatever it is called: it is what answers
	}
	return nil, false
}

// get asks an address beside the compatible one. ok is false unless it answers with a
// JSON object.
func (s Server) get(ctx context.Context, method, address string, header http.Header, body, into any) (ok bool) {
	var sent []byte
	if body != nil {
		var err error
		if sent, err = json.Marshal(body); err != nil {
			return false
		}
	}
	status, page, err := s.Do(ctx, method, address, header, sent)
	return err == nil && status == http.StatusOK && json.Unmarshal(page, into) == nil
}

// root is the address without the path of the compatible interface.
func (s Server) root() string {
	return strings.TrimSuffix(strings.TrimRight(s.Base, "/"), "/v1")
}

func (s Server) llamaCPP(ctx context.Context) (Facts, bool) {
	var props fields
	if !s.get(ctx, http.MethodGet, s.root()+"/props?model="+url.QueryEscape(s.Model), nil, nil, &props) {
		return Facts{}, false
	}
	return llamaFacts(props)
}

func (s Server) ollama(ctx context.Context) (Facts, bool) {
	var ps struct {
		Models *[]fields `json:"models"`
	}
	if !s.get(ctx, http.MethodGet, s.root()+"/api/ps", nil, nil, &ps) || ps.Models == nil {
		return Facts{}, false
	}
	var show fields
	if !s.get(ctx, http.MethodPost, s.root()+"/api/show", nil, map[string]string{"model": s.Model}, &show) || len(show.inner("model_info")) == 0 {
		return Facts{}, false
	}
	loaded := 0
	for _, m := range *ps.Models {
		if name := m.text("model"); name == s.Model || name == s.Model+":latest" {
			loaded = m.count("context_length")
		}
	}
	return ollamaFacts(show, loaded), true
}

func (s Server) lmStudio(ctx context.Context) (Facts, bool) {
	var answer struct {
		Data []fields `json:"data"`
	}
	if !s.get(ctx, http.MethodGet, s.root()+"/api/v0/models", nil, nil, &answer) {
		return Facts{}, false
	}
	m, ok := pick(answer.Data, s.Model)
	if !ok || m.text("state") == "" {
		return Facts{}, false
	}
	return studioFacts(m), true
}

func (s Server) google(ctx context.Context) (Facts, bool) {
	var m fields
	name := url.PathEscape(strings.TrimPrefix(s.Model, "models/"))
	if !s.get(ctx, http.MethodGet, strings.TrimSuffix(strings.TrimRight(s.Base, "/"), "/openai")+"/models/"+name,
		http.Header{"X-Goog-Api-Key": {s.Key}}, nil, &m) {
		return Facts{}, false
	}
	f := m.facts()
	return f, f.Context > 0
}
