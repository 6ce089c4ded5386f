package desk_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/tools/internal/spec/spectest"
)

func TestTimeIsTheHarnessClock(t *testing.T) {
	spectest.Misfits(t, desk.Time{}, tools.Env{}, spectest.Tool(t, desk.Time{})[0])
	zone := time.FixedZone("CET", 3600)
	env := tools.Env{Now: func() time.Time { return time.Date(2026, 3, 1, 0, 30, 5, 7e6, zone) }}
	a, err := desk.Time{}.Plan(t.Context(), nil, env)
	if err != nil || a.Kind != tools.Pure || a.Kind.Acts() {
		t.Fatalf("%+v, %v", a, err)
	}
	r, err := desk.Time{}.Execute(t.Context(), a, env)
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(r.Value)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"unix_millis":1772321405007,"iso_8601_utc":"2026-02-28T23:30:05.007Z","rfc_2822_utc":"Sat, 28 Feb 2026 23:30:05 +0000","zone":"CET","utc_offset":"+01:00"}`
	if string(got) != want || r.IsError {
		t.Errorf("got %s, want %s", got, want)
	}
	var invalid *tools.Error
	if _, err := (desk.Time{}).Plan(t.Context(), json.RawMessage(`{"zone":"UTC"}`), env); !errors.As(err, &invalid) {
		t.Errorf("an argument that does not exist: %v", err)
	}
}
