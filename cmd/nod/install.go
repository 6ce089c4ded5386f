package main

import (
	"context"
	"fmt"

	"github.com/nod-console/nod/cmd/nod/internal/app/process"
)

// installing is code of a user's that is to be installed.
type installing struct {
	about string       // what is shown of it
	kind  string       // "agent" or "plugin", the word of the record
	id    string       // its name, version and digest
	keep  func() error // stores it
	next  string       // what to do then
}

// install shows the code, asks unless yes, and stores it once that is on record.
func (a *program) install(ctx context.Context, code installing, yes bool) error {
	if err := a.Printf("%s\n", code.about); err != nil {
		return err
	}
	if !yes {
		sure, err := a.sure(ctx, "Install it? What it asks for is decided upon each time nevertheless.")
		if err != nil {
			return err
		}
		if !sure {
			return process.ExitStatus(process.StatusDenied)
		}
	}
	if err := a.note(code.kind+" installed", code.id); err != nil {
		return fmt.Errorf("not done, because it cannot be put on record: %w", err)
	}
	if err := code.keep(); err != nil {
		return err
	}
	return a.Printf("installed; %s\n", code.next)
}
