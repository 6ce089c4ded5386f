package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/app/questions"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// installing is what is to be installed: an agent, a plugin or a skill of the operator's.
type installing struct {
	about    string                 // what is shown of it
	question string                 // asked unless --yes says so
	kind, id string                 // its words on record
	keep     func() (string, error) // stores it; the text says where it is, or what to do then
}

// codeQuestion asks about code, such as an agent's.
const codeQuestion = "Install it? What it asks for is decided upon each time nevertheless."

// install shows something, asks unless yes, and stores it once that is on record.
func (a *program) install(ctx context.Context, what installing, yes bool) error {
	if err := a.Printf("%s\n", what.about); err != nil {
		return err
	}
	if !yes {
		sure, err := a.sure(ctx, what.question)
		if err != nil {
			return err
		}
		if !sure {
			return process.ExitStatus(process.StatusDenied)
		}
	}
	if err := a.note(what.kind+" installed", what.id); err != nil {
		return unnoted(err)
	}
	said, err := what.keep()
	if err != nil {
		return err
	}
	return a.Printf("installed%s\n", said)
}

// remove removes what is installed, if it is known, once that is on record.
func (a *program) remove(kind, name string, known, remove func(name string) error) error {
	if err := known(name); err != nil {
		return err
	}
	if err := a.note(kind+" removed", name); err != nil {
		return unnoted(err)
	}
	return remove(name)
}

// unnoted is the error for what is not done because it cannot be put on record.
func unnoted(err error) error {
	return fmt.Errorf("not done, because it cannot be put on record: %w", err)
}

// sure asks on the terminal. Without one it is an error that names --yes.
func (a *program) sure(ctx context.Context, question string) (bool, error) {
	tty := questions.OnTerminal(&a.System)
	defer tty.Close()
	if tty == nil {
		return false, errors.New("there is no terminal to ask on; --yes does not ask")
	}
	return tty.Allow(ctx, "", question)
}

// note puts on record what the operator does with a command of nod.
func (a *program) note(kind, text string) (err error) {
	state, err := config.StateDir(a.Getenv)
	if err != nil {
		return err
	}
	l, _, err := record.OpenLedger(a.Getenv, state, ledger.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	return l.Note(ledger.Note{Kind: kind, Text: text, By: process.Operator()})
}
