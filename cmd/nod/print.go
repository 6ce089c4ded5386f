package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/nod-console/nod/cmd/nod/internal/app/process"
	"github.com/nod-console/nod/ui/screen"
)

// named has an error begin with a command's name. An exit status says nothing and stays.
func named(command string, err error) error {
	if status := process.ExitStatus(0); err == nil || errors.As(err, &status) {
		return err
	}
	return fmt.Errorf("%s: %w", command, err)
}

// printObjects prints values as JSON, one object a line.
func printObjects[T any](w io.Writer, all []T) error {
	enc := json.NewEncoder(w)
	for _, one := range all {
		if err := enc.Encode(one); err != nil {
			return err
		}
	}
	return nil
}

// printRows prints values as rows of columns under each other. What the columns say may be
// foreign text.
func printRows[T any](w io.Writer, all []T, columns func(T) []string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, one := range all {
		row := columns(one)
		for i, cell := range row {
			row[i] = screen.CleanLines(cell)
		}
		fmt.Fprintf(table, "%s\n", strings.Join(row, "\t"))
	}
	return table.Flush()
}

// unless is a text, or what stands in its place when something is at fault.
func unless(fault, about, text string) string {
	if fault != "" {
		return about + ": " + fault
	}
	return text
}
