package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/nod-console/nod/ui/keys"
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
			root := cmd.Root()
			root.DisableAutoGenTag = true
			if err := a.printManual(root); err != nil {
				return fmt.Errorf("man: %w", err)
			}
			return nil
		},
	}
}

// printManual prints the page of nod itself, with the console's keys and the topics,
// and behind it those of its commands.
func (a *program) printManual(root *cobra.Command) error {
	var page strings.Builder
	if err := doc.GenMan(root, manualHeader(), &page); err != nil {
		return err
	}
	text, seeAlso, _ := strings.Cut(page.String(), seeAlsoHeading)
	if err := a.Printf("%s.SH KEYS AND COMMANDS OF THE CONSOLE\n%s%s%s%s",
		text, keys.Manual(), manualPages(), seeAlsoHeading, seeAlso); err != nil {
		return err
	}
	return a.printManuals(root)
}

const seeAlsoHeading = ".SH SEE ALSO\n"

// printManuals prints the pages of the commands below parent.
func (a *program) printManuals(parent *cobra.Command) error {
	for _, c := range parent.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		if err := doc.GenMan(c, manualHeader(), a.Out); err != nil {
			return err
		}
		if err := a.printManuals(c); err != nil {
			return err
		}
	}
	return nil
}

func manualHeader() *doc.GenManHeader {
	return &doc.GenManHeader{Title: "NOD", Section: "1", Source: "nod " + version, Manual: "nod"}
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
