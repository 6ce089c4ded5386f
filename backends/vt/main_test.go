package vt

import (
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write width_table.go from the running tmux")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// e2e reports whether the long versions of the tests are wanted.
func e2e() bool { return os.Getenv("NOD_E2E") == "1" }
