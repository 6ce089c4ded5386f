package local_test

import (
	"os"
	"testing"

	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/local"
)

// BenchmarkHeld is what a cage adds to "true" on this machine.
//
//	go test -run '^$' -bench Held -benchtime 200x ./backends/local
func BenchmarkHeld(b *testing.B) {
	backendtest.BenchmarkHeld(b, local.New(os.Environ()))
}
