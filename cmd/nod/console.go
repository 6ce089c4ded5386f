package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/cmd/nod/internal/app/controller"
	"github.com/nod-console/nod/cmd/nod/internal/app/targets"
)

// console is the body of "nod" itself.
func (a *program) console(cmd *cobra.Command, names []string) error {
	c, err := a.config()
	if err != nil {
		return err
	}
	if names, err = targets.CanonicalNames(c, a.Getenv, names); err != nil {
		var unknown *targets.UnknownError
		if errors.As(err, &unknown) {
			return fmt.Errorf("console: %q is neither a target (%s) nor a command; nod help lists the commands", unknown.Name, targets.NameForms)
		}
		return fmt.Errorf("console: %w", err)
	}
	if !a.OnTerminal() {
		return errors.New(`console: standard input and output must be a terminal; without one use nod ask "…" or nod run -- COMMAND`)
	}
	if why, remedy := controller.Undrawable(a.Getenv); why != "" && !a.inLines() {
		return fmt.Errorf("console: %s; %s, or use nod --plain", why, remedy)
	}
	there, err := targets.FindOwnPane(c, a.Getenv, a.flags.socket, a.flags.pane)
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	d, err := controller.Open(cmd.Context(), controller.Options{
		Sys: &a.System, Config: c, Targets: names, Existing: there, Resume: a.flags.resume, Lines: a.inLines(), Version: version,
	})
	if err != nil {
		return err
	}
	return d.Run(cmd.Context())
}

// inLines reports whether the operator wants lines instead of a screen.
func (a *program) inLines() bool { return a.flags.plain || a.Getenv("ACCESSIBLE") != "" }
