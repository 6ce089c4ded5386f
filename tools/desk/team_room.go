package desk

import (
	"context"
	_ "embed" // the tool's guidance
	"encoding/json"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/internal/spec"
)

//go:embed team_room.md
var roomGuide string

// RoomCall is what a member of a team does in its room.
type RoomCall struct {
	Do        string `json:"do"` // "send", "read", "note", "notes"
	To        string `json:"to,omitempty"`
	Text      string `json:"text,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Key       string `json:"key,omitempty"`
}

// TeamRoom is the tool team_room, which only members of a team are offered. All
// fields are set.
type TeamRoom struct {
	// Call does it for the member that a conversation is of. An error is told to the
	// model.
	Call func(conversation string, c RoomCall) (any, error)
}

var (
	_ tools.Tool     = (*TeamRoom)(nil)
	_ tools.Optional = (*TeamRoom)(nil)
)

// Offered implements [tools.Optional].
func (*TeamRoom) Offered() bool { return false }

// Name implements [tools.Tool].
func (*TeamRoom) Name() string { return "team_room" }

// Description implements [tools.Tool].
func (*TeamRoom) Description() string { return spec.Brief(roomGuide) }

// Guidance implements [tools.Documented].
func (*TeamRoom) Guidance() string { return spec.Whole(roomGuide) }

// Parallelizable implements [tools.Tool]. The order of messages that are sent in one
// answer is not promised.
func (*TeamRoom) Parallelizable() bool { return true }

// InputSchema implements [tools.Tool].
func (*TeamRoom) InputSchema() map[string]any {
	return spec.Schema(map[string]any{
		"do": map[string]any{
			"type": "string", "enum": []string{"send", "read", "note", "notes"},
			"description": "send a message, read those to you, keep a note, or list the notes of a namespace.",
		},
		"to":        spec.String("send: the member's name, or * for all others."),
		"text":      spec.String("send and note: what is said or kept."),
		"namespace": spec.String("note and notes: where it is kept."),
		"key":       spec.String("note: its key there; one that is there already is replaced."),
	}, "do")
}

// Plan implements [tools.Tool].
func (t *TeamRoom) Plan(_ context.Context, raw json.RawMessage, _ tools.Env) (tools.Action, error) {
	var c RoomCall
	if err := spec.Decode(raw, &c); err != nil {
		return tools.Action{}, err
	}
	missing := map[string]map[string]string{
		"send": {"to": c.To, "text": c.Text}, "read": {},
		"note": {"namespace": c.Namespace, "key": c.Key, "text": c.Text}, "notes": {"namespace": c.Namespace},
	}
	needs, known := missing[c.Do]
	if !known {
		return tools.Action{}, tools.Invalid("do is %q, want send, read, note or notes", c.Do)
	}
	for _, name := range []string{"to", "namespace", "key", "text"} {
		if value, needed := needs[name]; needed && value == "" {
			return tools.Action{}, spec.Missing(name)
		}
	}
	command, err := json.Marshal(c)
	if err != nil {
		return tools.Action{}, tools.Failed("team_room: %w", err)
	}
	return tools.Action{Tool: t.Name(), Kind: tools.Pure, Command: string(command)}, nil
}

// Execute implements [tools.Tool].
func (t *TeamRoom) Execute(_ context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	var c RoomCall
	if err := json.Unmarshal([]byte(a.Command), &c); err != nil {
		return tools.Result{}, tools.Failed("team_room: %q is not one of its own", a.Command)
	}
	value, err := t.Call(env.Conversation, c)
	if err != nil {
		return tools.Failure("not_done", err.Error()), nil
	}
	return tools.Result{Value: value, Record: tools.Record{Outcome: backends.ExitedWith(0)}}, nil
}
