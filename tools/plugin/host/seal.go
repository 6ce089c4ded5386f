package host

import (
	"errors"
	"runtime/debug"
	"time"

	"github.com/nod-console/nod/backends/confine"
)

// Seal takes everything from this process but computing with so many bytes of memory,
// for so many seconds. unsealed allows it to go on where the system cannot seal.
func Seal(memory int64, seconds int, unsealed bool) error {
	_ = time.Now().Local().String() // reads the zone while files can be read
	debug.SetMemoryLimit(memory / 2)
	err := confine.Seal(confine.Bounds{Memory: memory, CPU: seconds})
	if errors.Is(err, confine.ErrNoSeal) && unsealed {
		return nil
	}
	return err
}
