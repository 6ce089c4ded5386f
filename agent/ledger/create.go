package ledger

import (
	"bytes"
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
	switch err := unbegun(l.disk, l.dir); {
	case errors.Is(err, ErrNone):
	case err != nil:
		return err
	}
	log, err := l.disk.open(l.path(logFile), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	if err := log.Close(); err != nil {
		return err
	}
	key := make([]byte, keyLen)
	rand.Read(key) // never fails: see crypto/rand.Read
	l.seal = newSealer(key)
	if err := l.beginEpochs(start()); err != nil {
		return err
	}
	if err := l.seal.writeHead(l.disk, l.dir, start()); err != nil {
		return err
	}
	if err := replace(l.disk, l.dir, keyFile, []byte(hex.EncodeToString(key)+"\n")); err != nil {
		return err
	}
	// The folder's own name must last, too.
	return l.disk.syncDir(filepath.Dir(l.dir))
}

// unbegun is ErrNone if nothing was ever written in dir, where the key is missing:
// a disk that was full when the ledger was to be made leaves it like that.
// Otherwise it is a *Fault that says what is left of the ledger.
func unbegun(d disk, dir string) error {
	key := filepath.Join(dir, keyFile)
	info, err := d.stat(filepath.Join(dir, logFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil && info.Size() > 0 {
		return &Fault{Reason: fmt.Sprintf("the key is missing; put %s back, or move the folder away to begin a new ledger", key)}
	}
	head, err := readSmall(d, filepath.Join(dir, headFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if none := []byte(`{"records":0,`); len(head) == 0 || bytes.HasPrefix(head, none) {
		return ErrNone
	}
	return &Fault{Record: 1, Reason: fmt.Sprintf("the key and the records are missing, and the head tells of some; put %s and %s back, or move the folder away to begin a new ledger",
		key, filepath.Join(dir, logFile))}
}

// Name tells the ledger in dir from others; heads that are copied to a log carry
// it. The error is ErrNone if there is none.
func Name(dir string) (string, error) {
	key, err := readKey(osDisk{}, dir)
	if err != nil {
		return "", fmt.Errorf("ledger: read %q: %w", dir, err)
	}
	return newSealer(key).name(), nil
}

func readKey(d disk, dir string) ([]byte, error) {
	path := filepath.Join(dir, keyFile)
	text, err := readSmall(d, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, unbegun(d, dir)
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
