package backendtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// Home makes a folder for the programs of a test to have as HOME. It is removed when
// all of them have ended: a shell writes its history there on its way out. The test
// fails if one of them still runs a minute after the test.
func Home(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "home")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for limit := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
			left := atHome(dir)
			if len(left) == 0 {
				break
			}
			if time.Now().After(limit) {
				t.Errorf("still at home in %s: %s", dir, left)
				break
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
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
