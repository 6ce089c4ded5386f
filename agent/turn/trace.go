package turn

import (
	"encoding/json"

	"github.com/nod-console/nod/agent/model"
)

// Tracer is told what goes to the model and what comes back, and of calls and
// their results; [trace.Writer] is one. It must be quick, and safe for concurrent
// use. A value is encoded as JSON, and has no secrets that the gate knows of.
type Tracer interface {
	Trace(conversation, kind string, value json.RawMessage)
}

// trace tells the tracer, if there is one.
func (t *turn) trace(kind string, value any) {
	if t.cfg.Trace == nil {
		return
	}
	text, err := json.Marshal(value)
	if err != nil {
		text, _ = json.Marshal(map[string]string{"error": err.Error()}) // strings: cannot fail
	}
	t.cfg.Trace.Trace(t.id, kind, json.RawMessage(t.secrets().JSON(string(text))))
}

// traceReply traces how a request ended.
func (t *turn) traceReply(got model.Reply, err error) {
	if t.cfg.Trace == nil {
		return
	}
	fault := ""
	if err != nil {
		fault = err.Error()
	}
	t.trace("reply", struct {
		model.Reply
		Error string `json:"Error,omitempty"`
	}{got, fault})
}
