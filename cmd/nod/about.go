package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/nod-console/nod/cmd/nod/internal/manual"
)

func (a *program) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print nod's version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.Printf("nod %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}

func (a *program) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "print the manual page (nod man | man -l -)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := manual.Print(a.Out, cmd.Root(), version); err != nil {
				return fmt.Errorf("man: %w", err)
			}
			return nil
		},
	}
}

func (a *program) configCommand() *cobra.Command {
	parent := &cobra.Command{Use: "config", Short: "look at the configuration"}
	var asJSON bool
	explain := &cobra.Command{
		Use:   "explain",
		Short: "print each setting with its value and where it comes from",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			c, err := a.config()
			if err != nil {
				return err
			}
			if asJSON {
				return json.NewEncoder(a.Out).Encode(c.Explain())
			}
			w := tabwriter.NewWriter(a.Out, 0, 0, 2, ' ', 0)
			fmt.Fprintf(w, "# file\t%s\t\n", c.Path())
			for _, v := range c.Explain() {
				fmt.Fprintf(w, "%s\t%s\t%s\n", v.Key, v.Value, v.Origin)
			}
			return w.Flush()
		},
	}
	explain.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	parent.AddCommand(explain, a.keyCommand())
	return parent
}
