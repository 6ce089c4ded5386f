package record

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// Copies is where the ledger's heads go besides the file in headsDir; nil if
// nowhere. Unless the operator has named a log, the one that the system has is
// used, and none is missed where there is none.
func Copies(c *config.Config) ledger.Witness {
	switch c.Record.Copy {
	case "syslog":
		return ledger.Syslog()
	case "journald":
		return ledger.Journald()
	case "auto":
		return ledger.SystemLog()
	}
	return nil
}

// HeadsDir is the folder outside of the state in which the last head of the record
// is kept; empty if there is no place for it.
func HeadsDir(getenv func(string) string) string {
	data := getenv("XDG_DATA_HOME")
	if !filepath.IsAbs(data) {
		home := getenv("HOME")
		if !filepath.IsAbs(home) {
			return ""
		}
		data = filepath.Join(home, ".local", "share")
	}
	return filepath.Join(data, "nod", "heads")
}

// SpoolDirs are the folders in which records wait that a state folder did not take
// before nod ended: in memory, where there is a place for that.
func SpoolDirs(getenv func(string) string, state string) []string {
	sum := sha256.Sum256([]byte(state))
	name := "nod-spool-" + strconv.Itoa(os.Getuid()) + "-" + hex.EncodeToString(sum[:8])
	var all []string
	for _, in := range []string{getenv("XDG_RUNTIME_DIR"), "/dev/shm", os.TempDir()} {
		if filepath.IsAbs(in) {
			all = append(all, filepath.Join(in, name))
		}
	}
	return all
}
