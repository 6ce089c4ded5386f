package doctor

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// TestTheDoctorSaysWhatWasLearnt of the model's server, and keeps it.
func TestTheDoctorSaysWhatWasLearnt(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer := map[string]string{
			"/v1/models": `{"data":[{"id":"m","owned_by":"llamacpp","meta":{"n_ctx_train":131072}}]}`,
			"/props":     `{"default_generation_settings":{"n_ctx":8192},"build_info":"b8681","chat_template_caps":{"supports_parallel_tool_calls":false,"supports_system_role":true}}`,
		}[r.URL.Path]
		if answer == "" {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = w.Write([]byte(answer))
	}))
	t.Cleanup(s.Close)
	for name, c := range map[string]struct {
		model config.Model
		want  string
	}{
		"learnt":     {config.Model{}, "llama.cpp b8681: 8192 tokens of context (n_ctx of /props); tools in the request; calls in its text count, too; one call a message; a system role"},
		"configured": {config.Model{ContextLimit: 4000, ToolProtocol: "text"}, "4000 tokens of context (configured; the server says 8192: n_ctx of /props); calls as text;"},
	} {
		state := t.TempDir()
		if err := os.Chmod(state, 0o700); err != nil { //nolint:gosec // a folder
			t.Fatal(err)
		}
		e := &examination{&process.System{}}
		e.sys.Getenv = func(name string) string { return map[string]string{"HOME": state, "NOD_STATE_DIR": state}[name] }
		c.model.BaseURL, c.model.Model = s.URL+"/v1", "m"
		all := e.checkModel(t.Context(), &config.Config{Models: map[string]config.Model{"work": c.model}})
		if len(all) != 2 || !all[0].OK || !strings.Contains(all[1].Detail, c.want) {
			t.Errorf("%s: %+v", name, all)
		}
		if files, err := filepath.Glob(filepath.Join(state, "models", "*.json")); err != nil || len(files) != 1 {
			t.Errorf("%s: kept %v, %v", name, files, err)
		}
	}
}
