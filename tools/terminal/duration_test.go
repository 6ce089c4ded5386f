package terminal

import (
	"encoding/json"
	"testing"
)

// No text that a model may send as wait or delay is read as something without
// bounds.
func FuzzDurations(f *testing.F) {
	for _, seed := range []string{"true", "false", "30", `"10m"`, `"1h"`, `"1h30m"`, "-1", "1e9", `"999999999h"`, "null", "5m", "500ms"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if w, err := parseWait(json.RawMessage(text)); err == nil && (w.limit < 0 || w.limit > maxWait || w.background && w.limit != 0) {
			t.Errorf("wait %s: %+v", text, w)
		}
		if d, err := parseDelay(text); err == nil && (d < 0 || d > maxDelay) {
			t.Errorf("delay %s: %s", text, d)
		}
	})
}
