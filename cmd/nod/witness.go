package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// witness is where the ledger's heads go besides the file in headsDir; nil if
// nowhere. Unless the operator has named a log, the one that the system has is
// used, and none is missed where there is none.
func witness(c *config.Config) ledger.Witness {
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

// headsDir is the folder outside of the state in which the last head of the record
// is kept; empty if there is no place for it.
func headsDir(getenv func(string) string) string {
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

// spoolDirs are the folders in which records wait that a state folder did not take
// before nod ended: in memory, where there is a place for that.
func spoolDirs(getenv func(string) string, state string) []string {
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

// closeLedger closes the record. Records that are kept for the next start are no
// failure, and are told.
func (h *house) closeLedger() error {
	err := h.ledger.Close()
	var kept *ledger.Spooled
	if errors.As(err, &kept) && h.warn != nil {
		h.warn(kept.Error())
		return nil
	}
	return err
}
