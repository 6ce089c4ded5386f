package main

import (
	"encoding/json"
	"slices"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/cmd/nod/internal/doctor"
)

func (a *program) doctorCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "check terminal, tmux, shell, ssh, model, state and clock, with a fix for each failure",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := a.config()
			all := doctor.Examine(cmd.Context(), &a.System, c, err)
			if asJSON {
				err = json.NewEncoder(a.Out).Encode(all)
			} else {
				err = doctor.Print(a.Out, all)
			}
			if err == nil && slices.ContainsFunc(all, doctor.Finding.Needed) {
				err = process.ExitStatus(process.StatusFailed)
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	return cmd
}
