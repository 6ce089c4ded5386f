package doctor

import (
	"context"
	"errors"
	"os"

	"github.com/nod-console/nod/backends/confine"
	"github.com/nod-console/nod/backends/local"
)

// checkHeld says whether commands can be held on this machine.
func checkHeld(ctx context.Context) Finding {
	f := Finding{Check: "held", Optional: true, Fix: "looks run on this machine without the kernel holding them; what nod cannot read asks"}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	here := local.New(os.Environ())
	cage, err := confine.Install(ctx, here, "")
	if err == nil {
		err = cage.Remove(ctx, here)
	}
	if err = errors.Join(err, here.Close()); err != nil {
		f.Detail = err.Error()
		return f
	}
	return Finding{Check: "held", OK: true, Detail: cage.Wall().Holds()}
}
