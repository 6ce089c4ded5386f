package manual

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// TestThePageHasItsPartsInOrder: keys and topics stand before what to see also, and the pages of
// commands that are not hidden follow.
func TestThePageHasItsPartsInOrder(t *testing.T) {
	root := &cobra.Command{Use: "nod", Short: "a console"}
	run := func(*cobra.Command, []string) {}
	audit := &cobra.Command{Use: "audit", Short: "the record"}
	audit.AddCommand(&cobra.Command{Use: "verify", Short: "prove it", Run: run}, &cobra.Command{Use: "secret", Hidden: true, Run: run})
	root.AddCommand(audit)
	var page strings.Builder
	if err := Print(&page, root, "1.2"); err != nil {
		t.Fatal(err)
	}
	rest := page.String()
	for _, part := range []string{"nod 1.2", "a console", ".SH KEYS AND COMMANDS OF THE CONSOLE\n", ".SH EXIT STATUS", seeAlso, "nod-audit", "nod-audit-verify"} {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Fatalf("%q is not behind the part before it", part)
		}
		rest = after
	}
	if strings.Contains(page.String(), "secret - ") {
		t.Error("a hidden command has a page")
	}
}
