// Package manual writes nod's manual page: the page of nod itself, with the console's keys and
// the topics of its help, and behind it those of its commands.
package manual

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/nod-console/nod/cmd/nod/topics"
	"github.com/nod-console/nod/ui/keys"
)

const seeAlso = ".SH SEE ALSO\n"

// Print writes the manual page of a program by its commands. It changes how root writes pages.
func Print(w io.Writer, root *cobra.Command, version string) error {
	root.DisableAutoGenTag = true
	header := &doc.GenManHeader{Title: "NOD", Section: "1", Source: "nod " + version, Manual: "nod"}
	var page strings.Builder
	if err := doc.GenMan(root, header, &page); err != nil {
		return err
	}
	text, rest, _ := strings.Cut(page.String(), seeAlso)
	if _, err := fmt.Fprintf(w, "%s.SH KEYS AND COMMANDS OF THE CONSOLE\n%s%s%s%s", text, keys.Manual(), topics.Manual(), seeAlso, rest); err != nil {
		return err
	}
	return below(w, root, header)
}

// below writes the pages of the commands below parent.
func below(w io.Writer, parent *cobra.Command, header *doc.GenManHeader) error {
	for _, c := range parent.Commands() {
		if c.Hidden || c.Name() == "help" {
			continue
		}
		if err := doc.GenMan(c, header, w); err != nil {
			return err
		}
		if err := below(w, c, header); err != nil {
			return err
		}
	}
	return nil
}
