package desk_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/desk"
	"github.com/nod-console/nod/tools/internal/spec/spectest"
)

func TestCompactIsAskedForOnce(t *testing.T) {
	var asked []string
	var why error
	c := &desk.Compact{Soon: func(_ context.Context, conversation string) error {
		asked = append(asked, conversation)
		return why
	}}
	spectest.Misfits(t, c, tools.Env{}, spectest.Tool(t, c)[0])
	if c.Parallelizable() {
		t.Error("its siblings must have their results first")
	}
	env := tools.Env{Conversation: "talk"}
	a, err := c.Plan(t.Context(), json.RawMessage("{}"), env)
	if err != nil || a.Kind != tools.Pure || len(asked) != 0 {
		t.Fatalf("%+v, %v, %q", a, err, asked)
	}
	if r, err := c.Execute(t.Context(), a, env); err != nil || r.IsError || len(asked) != 1 || asked[0] != "talk" {
		t.Errorf("%+v, %v, %q", r, err, asked)
	}
	why = errors.New("nothing to compact: only 2 messages")
	if r, err := c.Execute(t.Context(), a, env); err != nil || !r.IsError || r.Record.Failed != why.Error() {
		t.Errorf("%+v, %v", r, err)
	}
	var no *tools.Rejection
	if _, err := c.Plan(t.Context(), nil, tools.Env{}); !errors.As(err, &no) {
		t.Errorf("without a conversation: %v", err)
	}
}
