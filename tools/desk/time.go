package desk

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed time.md
var timeGuide string

// Time is the tool time: the harness's clock. The zero value is ready.
type Time struct{}

var _ tools.Tool = Time{}

// Name implements [tools.Tool].
func (Time) Name() string { return "time" }

// Description implements [tools.Tool].
func (Time) Description() string { return spec.Brief(timeGuide) }

// Guidance implements [tools.Documented].
func (Time) Guidance() string { return spec.Whole(timeGuide) }

// Parallelizable implements [tools.Tool].
func (Time) Parallelizable() bool { return true }

// InputSchema implements [tools.Tool].
func (Time) InputSchema() map[string]any { return spec.Schema(map[string]any{}) }

// Plan implements [tools.Tool].
func (t Time) Plan(_ context.Context, raw json.RawMessage, _ tools.Env) (tools.Action, error) {
	if err := spec.Decode(raw, &struct{}{}); err != nil {
		return tools.Action{}, err
	}
	return tools.Action{Tool: t.Name(), Kind: tools.Pure}, nil
}

// TimeValue is the Value of time's Result.
type TimeValue struct {
	UnixMillis int64  `json:"unix_millis"`
	ISO8601UTC string `json:"iso_8601_utc"`
	RFC2822UTC string `json:"rfc_2822_utc"`
	Zone       string `json:"zone"` // of the harness: "CET"
	Offset     string `json:"utc_offset"`
}

// Execute implements [tools.Tool].
func (Time) Execute(_ context.Context, _ tools.Action, env tools.Env) (tools.Result, error) {
	now := env.Time()
	zone, _ := now.Zone()
	return tools.Result{
		Value: TimeValue{
			UnixMillis: now.UnixMilli(),
			ISO8601UTC: now.UTC().Format("2006-01-02T15:04:05.000Z"),
			RFC2822UTC: now.UTC().Format(time.RFC1123Z),
			Zone:       zone,
			Offset:     now.Format("-07:00"),
		},
		Record: tools.Record{Outcome: backends.ExitedWith(0)},
	}, nil
}
