package files

import (
	"context"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
)

// Keeper keeps what a file holds before a writes it, so that it can be brought
// back. drop forgets that again, for a write that did not happen.
type Keeper interface {
	Keep(a tools.Action, old []byte) (drop func(), err error)
}

// overwriter replaces a file's content; write_file and edit_file differ only in
// where the new content comes from.
type overwriter struct {
	guard  *guard.Guard
	seen   *Seen
	keeper Keeper // nil: what is replaced is not kept
	bounds Bounds
}

// plan completes an action that has a place: content makes the new content of
// the old one.
func (o overwriter) plan(ctx context.Context, a tools.Action, content func(old []byte, exists bool) ([]byte, error)) (tools.Action, error) {
	if err := o.bounds.write(a.Target, a.Path); err != nil {
		return tools.Action{}, err
	}
	old, present, err := o.guard.Present(ctx, a.Target, a.Path)
	if err != nil {
		code, message := explain(err, a.Path)
		return tools.Action{}, tools.Reject(code, "%s", message)
	}
	if err := o.known(a, present); err != nil {
		return tools.Action{}, err
	}
	if a.Content, err = content(old, present.Exists); err != nil {
		return tools.Action{}, err
	}
	a.Kind, a.Expect = tools.Write, present
	a.Diff = unified(a.Path, old, a.Content, present.Exists)
	return a, nil
}

// known rejects overwriting what the model has not seen.
func (o overwriter) known(a tools.Action, present backends.Version) error {
	if !present.Exists {
		return nil
	}
	seen, ok := o.seen.last(a.Target, a.Path)
	if !ok {
		return tools.Reject("not_read", "%s exists and has not been read: read it with read_file, then repeat the call with what is there taken over", a.Path)
	}
	if seen != present {
		return tools.Reject("changed_on_disk", "%s has changed since it was read: read it again with read_file, then write with what is new taken over", a.Path)
	}
	return nil
}

// keep keeps what the file holds, which must still be what the action expects.
func (o overwriter) keep(ctx context.Context, a tools.Action) (drop func(), err error) {
	if o.keeper == nil {
		return func() {}, nil
	}
	old, present, err := o.guard.Present(ctx, a.Target, a.Path)
	if err != nil {
		return nil, err
	}
	if present != a.Expect {
		return nil, fmt.Errorf("%s: %w", a.Path, backends.ErrChanged)
	}
	if drop, err = o.keeper.Keep(a, old); err != nil {
		return nil, fmt.Errorf("nothing was written, because it could not be taken back: %w", err)
	}
	return drop, nil
}

// WriteValue is the Value of the Result of write_file and edit_file.
type WriteValue struct {
	Path     string `json:"path"`
	Bytes    int    `json:"bytes"`
	Created  bool   `json:"created"`
	Replaced int    `json:"replaced,omitempty"` // by edit_file: how many times
	Message  string `json:"message"`
}

// execute writes what a says. The Value of a Result that is no error is a
// WriteValue.
func (o overwriter) execute(ctx context.Context, a tools.Action, env tools.Env) (tools.Result, error) {
	began := env.Time()
	drop, err := o.keep(ctx, a)
	if err != nil {
		return outcome(ctx, err, a.Path)
	}
	if _, err := o.guard.Write(ctx, a, env.Grant); err != nil {
		var unsure *guard.UnsureError
		if !errors.As(err, &unsure) && ctx.Err() == nil { // else the file itself tells, later
			drop()
		}
		return outcome(ctx, err, a.Path)
	}
	o.seen.note(a.Target, a.Path, backends.VersionOf(a.Content))
	return tools.Result{
		Value: WriteValue{
			Path:    a.Path,
			Bytes:   len(a.Content),
			Created: !a.Expect.Exists,
			Message: fmt.Sprintf("Wrote %d bytes (%d characters) to %s", len(a.Content), utf8.RuneCount(a.Content), a.Path),
		},
		Record: tools.Record{
			Outcome:  backends.ExitedWith(0),
			Bytes:    int64(len(a.Content)),
			Duration: env.Time().Sub(began),
		},
	}, nil
}
