package record

import (
	"os"
	"path/filepath"
	"testing"
)

// TestTheNewestRecordingIsOneWithSomethingInIt: not the one that a console has just
// begun, which has a prompt.
func TestTheNewestRecordingIsOneWithSomethingInIt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(day, events string) string {
		t.Helper()
		path := filepath.Join(dir, "202405"+day+"T040506.007Z_local_main_shared_abcd.cast")
		if err := os.WriteFile(path, []byte("{\"version\":2,\"width\":80,\"height\":24}\n"+events), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const prompt, later = "[0.1,\"o\",\"$ \"]\n", "[0.2,\"m\",\"run: ls\"]\n"
	newest := func(want string) {
		t.Helper()
		if got, err := newestPart(dir); err != nil || got.Path != want {
			t.Errorf("%q, %v, want %q", got.Path, err, want)
		}
	}
	newest(put("01", prompt)) // there is no other
	run := put("02", prompt+later)
	newest(run)
	put("03", prompt)
	newest(run)
	newest(put("04", prompt+"[60,\"o\",\"who typed by hand\"]\n"))
}
