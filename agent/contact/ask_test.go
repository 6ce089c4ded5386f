package contact

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fixture is what a server answers, as documented.
type fixture struct {
	Base     string                     `json:"base"`
	Model    string                     `json:"model"`
	Answers  map[string]json.RawMessage `json:"answers"`
	Statuses map[string]int             `json:"statuses"`
	Needs    map[string][]string        `json:"needs"` // headers
	Silent   bool                       `json:"silent"`
	Want     Facts                      `json:"want"`
}

// server answers as the fixture says and counts the requests.
func (f fixture) server(t *testing.T, asked *int) Server {
	return Server{Base: f.Base, Model: f.Model, Key: "sk-secret", Do: func(_ context.Context, method, address string, header http.Header, body []byte) (int, []byte, error) {
		*asked++
		_, path, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(address, "https://"), "http://"), "/")
		at := method + " /" + path
		if method == http.MethodPost && !strings.Contains(string(body), `"`+f.Model+`"`) {
			t.Errorf("%s was asked with %q", at, body)
		}
		for _, name := range f.Needs[at] {
			if header.Get(name) == "" {
				return http.StatusUnauthorized, nil, nil
			}
		}
		if status := f.Statuses[at]; status != 0 {
			return status, []byte(`{"error":{"message":"no"}}`), nil
		}
		answer, ok := f.Answers[at]
		if !ok {
			return http.StatusNotFound, []byte(`{"detail":"Not Found"}`), nil
		}
		return http.StatusOK, answer, nil
	}}
}

func fixtures(t *testing.T) map[string]fixture {
	t.Helper()
	names, err := filepath.Glob("testdata/servers/*.json")
	if err != nil || len(names) < 12 {
		t.Fatal(names, err)
	}
	all := map[string]fixture{}
	for _, name := range names {
		page, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var f fixture
		if err := json.Unmarshal(page, &f); err != nil {
			t.Fatal(name, err)
		}
		all[strings.TrimSuffix(filepath.Base(name), ".json")] = f
	}
	return all
}

// TestEachServerSaysWhatItTakes: from the documented answers of each, in at most four
// requests.
func TestEachServerSaysWhatItTakes(t *testing.T) {
	t.Parallel()
	for name, f := range fixtures(t) {
		asked := 0
		got, err := Ask(t.Context(), f.server(t, &asked))
		if f.Silent != errors.Is(err, ErrSilent) || err != nil && !f.Silent {
			t.Errorf("%s: %v", name, err)
		}
		if got != f.Want {
			t.Errorf("%s:\n got %+v\nwant %+v", name, got, f.Want)
		}
		if asked > 4 {
			t.Errorf("%s was asked %d times", name, asked)
		}
	}
}

// TestBadAnswersTeachNothing: no page makes Ask fail in another way, or believe in a
// context that there cannot be.
func TestBadAnswersTeachNothing(t *testing.T) {
	t.Parallel()
	for _, page := range []string{
		"", "null", "[]", "{}", "<html>", `{"data":null}`, `{"data":{}}`, `{"data":[null]}`, `{"data":[1]}`,
		`{"data":[{"id":"m","max_model_len":0}]}`, `{"data":[{"id":"m","max_model_len":-1}]}`, `{"data":[{"id":"m","max_model_len":1e99}]}`,
		`{"data":[{"id":"m","max_model_len":"many"}]}`, `{"data":[{"id":"m","meta":[],"top_provider":"x","capabilities":7,"supported_parameters":{}}]}`,
		`{"default_generation_settings":[],"chat_template":3,"models":1}`, `{"data":[{"id":7}]}`,
	} {
		s := Server{Base: "http://localhost:1/v1", Model: "m", Do: func(context.Context, string, string, http.Header, []byte) (int, []byte, error) {
			return http.StatusOK, []byte(page), nil
		}}
		f, err := Ask(t.Context(), s)
		if err != nil && !errors.Is(err, ErrSilent) {
			t.Errorf("%s: %v", page, err)
		}
		if f.Refuses != (Refusal{}) || f.Context != 0 && !f.Passing {
			t.Errorf("%s: %+v", page, f)
		}
	}
}

// FuzzAsk: whatever a server answers, nothing panics.
func FuzzAsk(f *testing.F) {
	f.Add([]byte(`{"data":[{"id":"m","max_model_len":4096}],"models":[{"model":"m","context_length":1}],"chat_template":"{{ tool_calls[0] }}"}`))
	f.Fuzz(func(t *testing.T, page []byte) {
		s := Server{Base: "http://localhost:1/v1", Model: "m", Do: func(context.Context, string, string, http.Header, []byte) (int, []byte, error) {
			return http.StatusOK, page, nil
		}}
		if got, _ := Ask(t.Context(), s); got.Context != 0 && !plausible(got.Context) {
			t.Errorf("%+v", got)
		}
	})
}

func TestAddressesAtHome(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]bool{
		"http://127.0.0.1:8080/v1": true, "http://[::1]:1/v1": true, "http://localhost:1/v1": true, "http://gpu-1/v1": true,
		"http://10.1.2.3/v1": true, "http://192.168.0.9:11434/v1": true, "http://172.16.0.1": true, "http://[fd00::1]/v1": true,
		"http://ml.home.arpa/v1": true, "http://host.docker.internal:11434/v1": true, "http://nas.local.:1/v1": true,
		"https://api.openai.com/v1": false, "http://8.8.8.8/v1": false, "http://172.15.0.1": false, "https://local.example.com/v1": false, "": false, "://": false,
	} {
		if Local(base) != want {
			t.Errorf("%s: %v", base, !want)
		}
	}
}
