package console_test

import (
	"context"
	"strings"
	"testing"

	"github.com/nod-console/nod/ui/console"
	"github.com/nod-console/nod/ui/keys"
)

// A command that was added while the console runs stands in the palette and behind the
// slash. What it says is shown, and a prompt that it makes is the operator's to send.
func TestACommandIsAdded(t *testing.T) {
	var sent []string
	s := begin(t, 80, 24, func(opt *console.Options) {
		opt.Own = &console.Own{
			Mean: func(_ context.Context, word, args string) (console.Meaning, error) {
				sent = append(sent, word+" "+args)
				return console.Meaning{Say: "Ada is on call", Insert: "Sum up the alerts"}, nil
			},
			Target: func(string) string { return "" },
			Values: func(string, int) []string { return nil },
		}
		opt.Plugins = &console.Plugins{
			List:   func(context.Context) ([]string, error) { return []string{"duty 1.0.0: runs"}, nil },
			Reload: func(context.Context) ([]string, error) { return []string{"nothing has changed"}, nil },
		}
	})
	s.Type("/duty").Press("Enter").See("unknown command /duty")
	s.console.SetCommands([]keys.Custom{{Word: "duty", Args: "[day]", Text: "who is on call"}})
	s.Idle().Type("/duty Monday").Press("Enter").See("Ada is on call").See("> Sum up the alerts")
	if got := strings.Join(sent, ","); got != "duty Monday" {
		t.Error(got)
	}
	s.Press("Ctrl-C").Type("/plugins").Press("Enter").See("duty 1.0.0: runs")
	s.Type("/plugins reload").Press("Enter").See("nothing has changed")
	s.Type("/plugins now").Press("Enter").See(`/plugins "now": want nothing, or reload`)
}
