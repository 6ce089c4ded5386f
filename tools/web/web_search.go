package web

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
	"github.com/nod-console/nod/tools/internal/spec"
)

// Limits of a search.
const (
	MaxResults = 8
	maxQuery   = 400 // characters
	maxTitle   = 200 // characters
	maxSnippet = 400 // characters
)

// Where searches go.
const (
	duckDuckGo = "https://html.duckduckgo.com/html/"
	brave      = "https://api.search.brave.com/res/v1/web/search"
)

//go:embed web_search.md
var webSearchGuide string

// WebSearch is the tool web_search. It asks Brave if it has a key, else
// DuckDuckGo's page without scripts.
type WebSearch struct {
	Guard  *guard.Guard
	Client *Client // without lists of domains: the engine is chosen here
	// Key is the operator's for Brave's search API; empty means DuckDuckGo.
	Key string
	// Ring gets that key, when something is first searched for; nil: Key is all there is.
	// An error means that nothing can be searched for, and says why.
	Ring func(ctx context.Context) (string, error)
	// Domains filter what is found.
	Domains Domains
}

var _ tools.Tool = (*WebSearch)(nil)

// Name implements [tools.Tool].
func (*WebSearch) Name() string { return "web_search" }

// Description implements [tools.Tool].
func (*WebSearch) Description() string { return spec.Brief(webSearchGuide) }

// Guidance implements [tools.Documented].
func (*WebSearch) Guidance() string { return spec.Whole(webSearchGuide) }

// Parallelizable implements [tools.Tool].
func (*WebSearch) Parallelizable() bool { return true }

// InputSchema implements [tools.Tool].
func (*WebSearch) InputSchema() map[string]any {
	return spec.Schema(map[string]any{
		"query": spec.String(""),
	}, "query")
}

// Plan implements [tools.Tool].
func (s *WebSearch) Plan(_ context.Context, raw json.RawMessage, _ tools.Env) (tools.Action, error) {
	var args struct {
		Query *string `json:"query"`
	}
	if err := spec.Decode(raw, &args); err != nil {
		return tools.Action{}, err
	}
	if args.Query == nil {
		return tools.Action{}, spec.Missing("query")
	}
	query := strings.Join(strings.Fields(*args.Query), " ")
	switch {
	case query == "":
		return tools.Action{}, tools.Invalid("query is empty")
	case utf8.RuneCountInString(query) > maxQuery:
		return tools.Action{}, tools.Invalid("query is longer than %d characters", maxQuery)
	case strings.Contains(query, placeholder):
		return tools.Action{}, tools.Reject("secret", "the query holds a placeholder: a secret is never searched for")
	}
	at := duckDuckGo + "?" + url.Values{"q": {query}}.Encode()
	if s.Key != "" || s.Ring != nil {
		at = brave + "?" + url.Values{"q": {query}, "count": {fmt.Sprint(MaxResults)}}.Encode()
	}
	u, err := Check(at)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{Tool: s.Name(), Kind: tools.Fetch, Target: here, Command: u.String()}, nil
}

// SearchValue is the Value of web_search's Result.
type SearchValue struct {
	Results []Found  `json:"results"`
	Notices []string `json:"notices,omitempty"`
}

// Found is a result of a search.
type Found struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet,omitempty"`
}

// Execute implements [tools.Tool].
func (s *WebSearch) Execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	began := env.Time()
	header, read := http.Header{}, readDuckDuckGo
	key := s.Key
	if s.Ring != nil {
		var err error
		if key, err = s.Ring(ctx); err != nil {
			return tools.Failure("search_failed", err.Error()), nil
		}
	}
	if key != "" && strings.HasPrefix(a.Command, brave) {
		header, read = http.Header{"X-Subscription-Token": {key}, "Accept": {"application/json"}}, readBrave
	}
	got, err := ask(ctx, s.Guard, s.Client, a, env, header)
	if err != nil {
		return problem(ctx, err)
	}
	if got.status != http.StatusOK || got.elsewhere != "" {
		return tools.Failure("search_failed", fmt.Sprintf("%s answers with %s%s", got.url.Host, statusText(got.status), advice(got.status))), nil
	}
	all, err := read(got.body, got.kind)
	if err != nil {
		return tools.Failure("search_failed", fmt.Sprintf("%s: %v", got.url.Host, err)), nil
	}
	v := SearchValue{Results: []Found{}, Notices: []string{isData}}
	seen := map[string]bool{}
	for _, f := range all {
		u, err := Check(f.URL)
		if err != nil || seen[u.String()] || s.Domains.check(u.Hostname()) != nil || len(v.Results) == MaxResults {
			continue
		}
		seen[u.String()] = true
		v.Results = append(v.Results, Found{Title: brief(f.Title, maxTitle), URL: u.String(), Snippet: brief(f.Snippet, maxSnippet)})
	}
	if len(v.Results) == 0 {
		v.Notices = append(v.Notices, "nothing was found")
	}
	return tools.Result{Value: v, Record: tools.Record{
		Outcome: backends.ExitedWith(0), Bytes: int64(len(got.body)), Duration: env.Time().Sub(began),
	}}, nil
}

// advice is what to do about a status.
func advice(status int) string {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return ": the operator should look at tools.brave_api_key"
	case http.StatusTooManyRequests, http.StatusAccepted:
		return ": too many searches; wait a while, or fetch a known page"
	}
	return ""
}

// brief is a text in one line, cut.
func brief(text string, limit int) string {
	head, omitted := tools.Head(strings.ToValidUTF8(strings.Join(strings.Fields(text), " "), "\uFFFD"), limit)
	if omitted > 0 {
		head += "…"
	}
	return head
}
