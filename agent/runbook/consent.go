package runbook

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
	"golang.org/x/sys/unix"
)

// State is what the operator has said of a folder. The zero value is Unknown.
type State uint8

// The states.
const (
	Unknown State = iota // he was not asked
	Changed              // he was asked about other bytes
	Refused
	Allowed
)

// Consents is what the operator has said, in a file. Safe for concurrent use, also
// by several processes.
type Consents struct{ path string }

// Open returns the consents that are kept in a file, which need not exist.
func Open(path string) *Consents { return &Consents{path: path} }

type said struct {
	Digest  string    `json:"digest"`
	Allowed bool      `json:"allowed"`
	Time    time.Time `json:"time"`
}

// Of says what the operator has said of a folder as it is.
func (c *Consents) Of(f Folder) (State, error) {
	all, err := c.load()
	if err != nil {
		return Unknown, err
	}
	s, ok := all[f.Dir]
	switch {
	case !ok:
		return Unknown, nil
	case s.Digest != f.Digest():
		return Changed, nil
	case s.Allowed:
		return Allowed, nil
	}
	return Refused, nil
}

// Set keeps what the operator says of a folder as it is.
func (c *Consents) Set(f Folder, allowed bool, at time.Time) (err error) {
	lock, err := os.OpenFile(c.path+".lock", os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return fmt.Errorf("guidance: %w", err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }() // which unlocks
	for {
		if err = unix.Flock(int(lock.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return fmt.Errorf("guidance: %w", err)
	}
	all, err := c.load()
	if err != nil {
		return err
	}
	all[f.Dir] = said{f.Digest(), allowed, at}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("guidance: %w", err)
	}
	if err := renameio.WriteFile(c.path, append(text, '\n'), 0o600, renameio.WithTempDir(filepath.Dir(c.path))); err != nil {
		return fmt.Errorf("guidance: %w", err)
	}
	return nil
}

func (c *Consents) load() (map[string]said, error) {
	all := map[string]said{}
	text, err := os.ReadFile(c.path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("guidance: %s: %w; delete the file to be asked anew", c.path, err)
	}
	return all, nil
}
