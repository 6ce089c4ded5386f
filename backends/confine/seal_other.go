//go:build !linux || !(amd64 || arm64)

package confine

// Seal takes everything from this process but computing. On this system it cannot, and
// the error is [ErrNoSeal].
func Seal(Bounds) error { return ErrNoSeal }
