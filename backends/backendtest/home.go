package backendtest

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Home makes a folder for the programs of a test to have as HOME. It is removed when
// all of them have ended, see [Deserted]; if one does not, the test fails.
func Home(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "home")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := Deserted(dir); err != nil {
			t.Error(err)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Deserted waits until all processes that were started with that HOME have ended: a
// shell writes its history there on its way out. It is an error if one of them still
// runs after a minute.
func Deserted(home string) error {
	limit := time.Now().Add(time.Minute)
	for {
		left := atHome(home, processes())
		if len(left) == 0 {
			return nil
		}
		// To look at all processes is dear: what is there now ends first.
		if !Soon(time.Until(limit), func() bool { left = atHome(home, left); return len(left) == 0 }) {
			return fmt.Errorf("still at home in %s: %s", home, left)
		}
	}
}

// processes are the folders in /proc of all processes.
func processes() []string {
	all, _ := filepath.Glob("/proc/[0-9]*")
	return all
}

// atHome are those of the processes, by their folders, that were started with that HOME.
func atHome(dir string, processes []string) (all []string) {
	home := []byte("HOME=" + dir)
	for _, process := range processes {
		environ, _ := os.ReadFile(process + "/environ") // it may have ended meanwhile
		if !bytes.Contains(environ, home) {
			continue
		}
		for variable := range bytes.SplitSeq(environ, []byte{0}) {
			if bytes.Equal(variable, home) {
				all = append(all, process)
			}
		}
	}
	return all
}
