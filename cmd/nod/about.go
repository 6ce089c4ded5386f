package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "print nod's version",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return a.printf("nod %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man",
		Short: "print the manual page (nod man | man -l -)",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root := cmd.Root()
			root.DisableAutoGenTag = true
			header := &doc.GenManHeader{Title: "NOD", Section: "1", Source: "nod " + version, Manual: "nod"}
			for _, c := range append([]*cobra.Command{root}, root.Commands()...) {
				if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
					continue
				}
				if err := doc.GenMan(c, header, a.out); err != nil {
					return fmt.Errorf("man: %w", err)
				}
			}
			return nil
		},
	}
}

func (a *app) configCommand() *cobra.Command {
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
				return json.NewEncoder(a.out).Encode(c.Explain())
			}
			w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
			fmt.Fprintf(w, "# file\t%s\t\n", c.Path())
			for _, v := range c.Explain() {
				fmt.Fprintf(w, "%s\t%s\t%s\n", v.Key, v.Value, v.Origin)
			}
			return w.Flush()
		},
	}
	explain.Flags().BoolVar(&asJSON, "json", false, "as a JSON array")
	parent.AddCommand(explain)
	return parent
}
