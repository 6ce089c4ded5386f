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
	for limit := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		left := atHome(home)
		if len(left) == 0 {
			return nil
		}
		if time.Now().After(limit) {
			return fmt.Errorf("still at home in %s: %s", home, left)
		}
	}
}

// atHome are the folders in /proc of the processes that were started with that HOME.
func atHome(dir string) (all []string) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range files {
		environ, _ := os.ReadFile(file) // it may have ended meanwhile
		for variable := range bytes.SplitSeq(environ, []byte{0}) {
			if string(variable) == "HOME="+dir {
				all = append(all, filepath.Dir(file))
			}
		}
	}
	return all
}
