package local_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/local"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestConformance(t *testing.T) {
	t.Setenv("NOD_TEST_SECRET", "must not be inherited")
	backendtest.Run(t, func(*testing.T) backends.Target { return local.New(os.Environ()) })
}
