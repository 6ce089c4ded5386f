package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/renameio/v2"
	"golang.org/x/oauth2"
)

// Login is what a login has given.
type Login struct {
	URL          string           `json:"url"` // of the server, as it is configured
	TokenURL     string           `json:"token_url"`
	ClientID     string           `json:"client_id"`
	ClientSecret string           `json:"client_secret,omitempty"`
	AuthStyle    oauth2.AuthStyle `json:"auth_style"`
	Scopes       []string         `json:"scopes,omitempty"`
	Wanted       []string         `json:"wanted,omitempty"` // scopes that the server has asked for since
	Token        *oauth2.Token    `json:"token"`
}

// Store is the logins in a file.
type Store struct {
	path string
	mu   sync.Mutex
}

// NewStore are those of a file, which need not exist.
func NewStore(path string) *Store { return &Store{path: path} }

// file is the file's content.
type file struct {
	Version int              `json:"version"`
	Servers map[string]Login `json:"servers"`
}

// maxFile bounds the file, in bytes.
const maxFile = 4 << 20

// Of is the login at a server; nil if there is none for that address.
func (s *Store) Of(server, url string) (*Login, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.read()
	if err != nil {
		return nil, err
	}
	l, ok := f.Servers[server]
	if !ok || l.URL != url || l.Token == nil {
		return nil, nil
	}
	return &l, nil
}

// Put keeps a login at a server in the place of the one before.
func (s *Store) Put(server string, l Login) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.read()
	if err != nil {
		return err
	}
	if f.Servers == nil {
		f.Servers = map[string]Login{}
	}
	f.Servers[server] = l
	return s.write(f)
}

// Remove forgets the login at a server. It reports whether there was one.
func (s *Store) Remove(server string) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, err := s.read()
	if err != nil {
		return false, err
	}
	if _, ok := f.Servers[server]; !ok {
		return false, nil
	}
	delete(f.Servers, server)
	return true, s.write(f)
}

func (s *Store) read() (f file, err error) {
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return f, nil
	}
	defer func() {
		if err != nil {
			f, err = file{}, fmt.Errorf("mcp: the logins: %s: %w", s.path, err)
		}
	}()
	switch {
	case err != nil:
		return f, err
	case info.Mode().Perm()&0o077 != 0:
		return f, fmt.Errorf("it can be read by others (%s): chmod 600 it", info.Mode().Perm())
	case info.Size() > maxFile:
		return f, fmt.Errorf("it is larger than %d MiB; remove it and log in again", maxFile>>20)
	}
	text, err := os.ReadFile(s.path)
	if err != nil {
		return f, err
	}
	if err := json.Unmarshal(text, &f); err != nil {
		return f, fmt.Errorf("%w; remove it and log in again", err)
	}
	if f.Version != 1 {
		return f, fmt.Errorf("its version is %d, want 1; remove it and log in again", f.Version)
	}
	return f, nil
}

// write replaces the file as a whole.
func (s *Store) write(f file) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("mcp: keep the logins: %w", err)
		}
	}()
	f.Version = 1
	text, err := json.MarshalIndent(f, "", " ")
	if err != nil {
		return err
	}
	// Whatever the rights of the present file are: nobody else reads a login.
	to, err := renameio.NewPendingFile(s.path, renameio.WithTempDir(filepath.Dir(s.path)), renameio.WithPermissions(0o600))
	if err != nil {
		return err
	}
	defer to.Cleanup() //nolint:errcheck // nothing is left to clean up after the replacement
	if _, err := to.Write(append(text, '\n')); err != nil {
		return err
	}
	return to.CloseAtomicallyReplace()
}
