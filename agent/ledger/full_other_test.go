//go:build !linux

package ledger

// tiny is the body of a test that there is on Linux only.
func tiny(string) { panic("a tiny file system needs a tmpfs in a mount namespace: Linux") }
