package console_test

import (
	"testing"

	"github.com/nod-console/nod/ui/console"
)

// TestTheFirstRunShowsFiveKeys until something was asked for.
func TestTheFirstRunShowsFiveKeys(t *testing.T) {
	pictured(t, func(o *console.Options) {
		o.FirstRun, o.Notice, o.Targets = true, "no model is set up: the guide answers", &console.Targets{}
	}, func(t *testing.T, s *story) {
		s.Run(s.console.Run)
		s.Picture("first-run")
		if _, h := s.Screen().Size(); h >= 24 {
			s.See("Five keys to begin with")
		}
		s.Type("hello").Press("Enter").See("You said").Gone("Five keys")
	})
}
