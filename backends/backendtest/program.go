package backendtest

import (
	"os"
	"syscall"
	"testing"
)

// WriteProgram writes a program that can be run at once: no process that is begun beside it
// has the file open for writing, which would be "text file busy".
func WriteProgram(t testing.TB, name, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(name, []byte(text), 0o700); err != nil { //nolint:gosec // a program
		t.Fatal(err)
	}
}
