package ledger

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const keyLen = 32

// create makes an empty ledger where there is none. The key comes last: where
// there is a key, log and head must exist, and their absence is a fault.
func (l *Ledger) create() error {
	if _, err := l.disk.stat(l.path(keyFile)); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	log, err := l.disk.open(l.path(logFile), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	info, err := log.Stat()
	if closeErr := log.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if info.Size() > 0 {
		return &Fault{Reason: fmt.Sprintf("the key is missing; put %s back, or move the folder away to begin a new ledger", l.path(keyFile))}
	}
	key := make([]byte, keyLen)
	rand.Read(key) // never fails: see crypto/rand.Read
	if err := newSealer(key).writeHead(l.disk, l.dir, start()); err != nil {
		return err
	}
	if err := replace(l.disk, l.dir, keyFile, []byte(hex.EncodeToString(key)+"\n")); err != nil {
		return err
	}
	// The folder's own name must last, too.
	return l.disk.syncDir(filepath.Dir(l.dir))
}

func readKey(d disk, dir string) ([]byte, error) {
	path := filepath.Join(dir, keyFile)
	text, err := readSmall(d, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &Fault{Reason: "the key is missing"}
	}
	if err != nil {
		return nil, fmt.Errorf("read the key: %w", err)
	}
	key := make([]byte, keyLen)
	if len(text) != 2*keyLen+1 || text[2*keyLen] != '\n' {
		return nil, &Fault{Reason: path + " is not a key"}
	}
	if _, err := hex.Decode(key, text[:2*keyLen]); err != nil {
		return nil, &Fault{Reason: path + " is not a key"}
	}
	return key, nil
}
