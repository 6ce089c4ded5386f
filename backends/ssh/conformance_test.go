package ssh_test

import (
	"testing"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
)

func TestConformance(t *testing.T) {
	t.Setenv("NOD_TEST_SECRET", "must not be sent")
	w := newWorld(t)
	backendtest.Run(t, func(*testing.T) backends.Target { return w.dial(w.options()) })
}
