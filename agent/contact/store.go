package contact

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"
)

// Store keeps facts in a folder, a file for each model on each server. The zero value
// keeps nothing. Safe for concurrent use.
type Store struct {
	Dir string
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// kept is the content of a file.
type kept struct {
	Base  string `json:"base_url"`
	Model string `json:"model"`
	Facts
}

// maxFile bounds what is read of a file, in bytes.
const maxFile = 64 << 10

// How long facts are held to be true. A server at home is changed at will, and asking it
// costs nothing.
const (
	remoteAge = 7 * 24 * time.Hour
	localAge  = 24 * time.Hour
)

// Load returns what is kept of a model, unless it is too old. A file that cannot be read
// is none: the server is asked again.
func (s *Store) Load(base, model string) (Facts, bool) {
	if s == nil || s.Dir == "" {
		return Facts{}, false
	}
	file, err := os.Open(s.path(base, model))
	if err != nil {
		return Facts{}, false
	}
	defer file.Close() //nolint:errcheck // it was only read
	page := make([]byte, maxFile)
	n, err := file.Read(page)
	var k kept
	if err != nil || json.Unmarshal(page[:n], &k) != nil || k.Base != base || k.Model != model {
		return Facts{}, false
	}
	age := s.now().Sub(k.Learnt)
	most := remoteAge
	if Local(base) {
		most = localAge
	}
	if age < -time.Hour || age > most || !plausible(k.Context) && k.Context != 0 {
		return Facts{}, false
	}
	return k.Facts, true
}

// Save keeps the facts of a model in the place of earlier ones. Facts without a time are
// of now.
func (s *Store) Save(base, model string, f Facts) error {
	if s == nil || s.Dir == "" {
		return nil
	}
	if f.Learnt.IsZero() {
		f.Learnt = s.now()
	}
	page, err := json.MarshalIndent(kept{base, model, f}, "", "  ")
	if err != nil {
		return fmt.Errorf("contact: %w", err)
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return fmt.Errorf("contact: %w", err)
	}
	if err := renameio.WriteFile(s.path(base, model), append(page, '\n'), 0o600, renameio.WithTempDir(s.Dir)); err != nil {
		return fmt.Errorf("contact: %w", err)
	}
	return nil
}

func (s *Store) path(base, model string) string {
	sum := sha256.Sum256([]byte(base + "\x00" + model))
	return filepath.Join(s.Dir, hex.EncodeToString(sum[:12])+".json")
}

func (s *Store) now() time.Time {
	if s.Now != nil {
		return s.Now()
	}
	return time.Now()
}
