//go:build !linux

package risk

import (
	"testing"
	"time"
)

var began = time.Now()

// threadTime is the time that passes: the system does not tell that of a thread.
func threadTime(*testing.T) time.Duration { return time.Since(began) }
