package web_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/web"
)

// results is a page as DuckDuckGo makes it.
func results(n int) string {
	var b strings.Builder
	b.WriteString(`<html><body><div class="results">`)
	b.WriteString(`<div class="result result--ad"><a class="result__a" href="https://ads.example.com/">Ad</a></div>`)
	for i := range n {
		fmt.Fprintf(&b, `<div class="result results_links web-result"><h2 class="result__title"><a rel="nofollow" class="result__a"
			href="//duckduckgo.com/l/?uddg=https%%3A%%2F%%2Fdocs.example.com%%2Fp%d%%3Fa%%3Db&amp;rut=abc">Page  <b>%d</b></a></h2>
			<a class="result__snippet" href="#">About <b>page</b> %d.</a></div>`, i, i, i)
	}
	return b.String() + `</div></body></html>`
}

func (b *bench) found(query string) web.SearchValue {
	b.t.Helper()
	r := b.call(b.search, map[string]any{"query": query})
	v, ok := r.Value.(web.SearchValue)
	if !ok || r.IsError {
		b.t.Fatalf("%s: %+v", query, r)
	}
	return v
}

func TestDuckDuckGo(t *testing.T) {
	page, kind, status := results(12), "text/html; charset=utf-8", 200
	asked := ""
	b := newBench(t, web.Options{Domains: web.Domains{Blocked: []string{"spam.example.com"}}}, map[string]http.HandlerFunc{"html.duckduckgo.com": func(w http.ResponseWriter, r *http.Request) {
		asked = r.URL.Query().Get("q")
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(page))
	}})
	v := b.found("  what   is\nnod? ")
	if asked != "what is nod?" || len(v.Results) != web.MaxResults || v.Results[3] != (web.Found{Title: "Page 3", URL: "https://docs.example.com/p3?a=b", Snippet: "About page 3."}) {
		t.Errorf("%q: %+v", asked, v)
	}
	page = `<div><a href="/about">About us</a><p><span><a href="https://one.example.com/x">The first page</a></span> is about one thing.</p>
		<p><span><a href="//duckduckgo.com/l/?uddg=http%3A%2F%2Ftwo.example.com%2F">The second page</a></span> is about two.</p>
		<p><a href="http://127.0.0.1/">A private page</a> <a href="https://spam.example.com/">A blocked page</a> <a href="https://duckduckgo.com/y">Our own page</a></p></div>`
	v = b.found("x")
	if len(v.Results) != 2 || v.Results[0] != (web.Found{Title: "The first page", URL: "https://one.example.com/x", Snippet: "is about one thing."}) || v.Results[1].URL != "http://two.example.com/" {
		t.Errorf("another layout: %+v", v)
	}
	page = `<div class="no-results">No results.</div><a href="https://x.example.com/">feedback form</a>`
	if v = b.found("x"); len(v.Results) != 0 || v.Results == nil || v.Notices[1] != "nothing was found" {
		t.Errorf("no results: %+v", v)
	}
	page = `<form id="challenge-form" action="//duckduckgo.com/anomaly.js"><div class="anomaly-modal__title">Unfortunately, bots use DuckDuckGo too.</div></form>`
	if r := b.call(b.search, map[string]any{"query": "x"}); code(r) != "search_failed" || !strings.Contains(r.Value.(tools.Problem).Error, "person") {
		t.Errorf("a test: %+v", r.Value)
	}
	page, status = "slow down", http.StatusTooManyRequests
	if r := b.call(b.search, map[string]any{"query": "x"}); code(r) != "search_failed" || !strings.Contains(r.Value.(tools.Problem).Error, "too many") {
		t.Errorf("too many: %+v", r.Value)
	}
	if r := b.call(b.search, map[string]any{"query": "what is ⟦secret:1⟧"}); code(r) != "secret" {
		t.Errorf("a secret: %+v", r.Value)
	}
}

func TestBrave(t *testing.T) {
	answer, status := `{"web":{"results":[{"title":"A <strong>title</strong>","url":"https://a.example.com/","description":"Text &amp; <strong>more</strong>"},
		{"title":"again","url":"https://a.example.com/","description":""},{"title":"inside","url":"http://10.0.0.1/","description":""}]}}`, 200
	b := newBench(t, web.Options{}, map[string]http.HandlerFunc{"api.search.brave.com": func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Subscription-Token") != "the-key" || r.URL.Query().Get("count") != "8" {
			t.Errorf("%v %v", r.Header, r.URL)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(answer))
	}})
	b.search.Key = "the-key"
	if v := b.found("x"); len(v.Results) != 1 || v.Results[0] != (web.Found{Title: "A title", URL: "https://a.example.com/", Snippet: "Text & more"}) {
		t.Errorf("%+v", v)
	}
	answer = "no json"
	if r := b.call(b.search, map[string]any{"query": "x"}); code(r) != "search_failed" {
		t.Errorf("%+v", r.Value)
	}
	status = http.StatusForbidden
	if r := b.call(b.search, map[string]any{"query": "x"}); code(r) != "search_failed" || !strings.Contains(r.Value.(tools.Problem).Error, "brave_api_key") {
		t.Errorf("%+v", r.Value)
	}
}

// FuzzPages: whatever a server sends, reading it neither panics nor takes long.
func FuzzPages(f *testing.F) {
	f.Add("text/html", article)
	f.Add("text/html; charset=utf-16", "\xff\xfe<\x00p\x00>\x00")
	f.Add("", results(2))
	f.Fuzz(func(t *testing.T, kind, body string) {
		u, err := web.Check("https://example.com/a/b")
		if err != nil {
			t.Fatal(err)
		}
		if p, err := web.ReadPage([]byte(body), kind, u); err == nil && strings.Contains(p.Text(), "\x00") {
			t.Errorf("a zero byte in %q", p.Text())
		}
		if _, err := web.ReadDuckDuckGo([]byte(body), kind); err != nil {
			return
		}
	})
}
