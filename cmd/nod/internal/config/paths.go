package config

import (
	"errors"
	"path/filepath"
)

// LedgerDir is the folder of the record in a state folder.
func LedgerDir(state string) string { return filepath.Join(state, "ledger") }

// RecordingsDir is the folder of the recordings of panes.
func RecordingsDir(state string) string { return filepath.Join(state, "recordings") }

// HistoryDir is the folder of the conversations.
func HistoryDir(state string) string { return filepath.Join(state, "history") }

// MemoryDir is the folder of what is remembered.
func MemoryDir(state string) string { return filepath.Join(state, "memory") }

// ConsentsFile has the folders whose text the operator lets the model read.
func ConsentsFile(state string) string { return filepath.Join(state, "folders.json") }

// TraceDir is the folder of what was sent to models.
func TraceDir(state string) string { return filepath.Join(state, "trace") }

// StateDirAnyway is the folder of nod's state, also where it cannot be written now;
// barred says why it cannot, and is nil where it can.
func StateDirAnyway(getenv func(string) string) (dir string, barred, err error) {
	dir, err = StateDir(getenv)
	var passes *UnwritableError
	if errors.As(err, &passes) {
		return dir, passes, nil
	}
	return dir, nil, err
}
