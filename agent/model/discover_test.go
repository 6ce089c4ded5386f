package model

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestDiscover: only what answers as a model server with models is found; what hangs or is
// something else does not hold it up.
func TestDiscover(t *testing.T) {
	t.Parallel()
	models := func(body string) handler {
		return func(w http.ResponseWriter, r *http.Request, _ int) {
			if r.URL.Path != "/v1/models" || r.Header.Get("Authorization") != "" {
				http.NotFound(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			write(w, body)
		}
	}
	address := func(h handler) string { return strings.TrimPrefix(serve(t, h).URL, "http://") }
	second := address(models(`{"data":[{"id":"qwen"},{"id":"llama"}]}`))
	addresses := []string{
		address(func(_ http.ResponseWriter, r *http.Request, _ int) { <-r.Context().Done() }),
		address(fails(200, "<html>a web page</html>")),
		address(models(`{"data":[]}`)),
		second,
		"127.0.0.1:1",
		"not an address",
	}
	got := discover(testContext(t), 3*time.Second, addresses)
	want := []Local{{BaseURL: "http://" + second + "/v1", Models: []string{"qwen", "llama"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if name, err := First("http://" + second + "/v1"); name != "qwen" || err != nil {
		t.Errorf("the first is %q, %v", name, err)
	}
	if _, err := First("http://" + addresses[2] + "/v1"); err == nil || !strings.Contains(err.Error(), "#NAME") {
		t.Errorf("of none: %v", err)
	}
	begin := time.Now()
	Discover(testContext(t), addresses...) // one of them hangs
	if took := time.Since(begin); took > 3*time.Second {
		t.Errorf("it took %s", took)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := Discover(ctx, addresses...); got != nil {
		t.Errorf("found %v after the context's end", got)
	}
}
