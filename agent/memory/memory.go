package memory

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nod-console/nod/agent/history"
)

// Limits.
const (
	// MaxFile bounds a file of entries, in bytes; a longer one is not read.
	MaxFile = 256 << 10
	// MaxEntry bounds an entry that nod writes, in bytes.
	MaxEntry = 2000
	// Budget bounds what a request gets, in bytes; about a fourth as many tokens.
	Budget = 6000
)

// Errors of a Memory.
var (
	// ErrSecret: the text looks like a secret, or names one.
	ErrSecret = errors.New("it looks like a secret, and secrets are not remembered")
	// ErrNone: there is no such entry.
	ErrNone = errors.New("there is no such entry")
	// ErrKnown: it is remembered already.
	ErrKnown = errors.New("this is remembered already")
	// ErrChanged: the file has changed since the change of it was planned.
	ErrChanged = errors.New("the file has changed meanwhile")
	// ErrTooLong: an entry or a file is longer than it may be.
	ErrTooLong = errors.New("it is too long")
)

// Store is where conversations, episodes and patterns are kept; [history.Store]
// is one.
type Store interface {
	Remember(ctx context.Context, conversation, text string, tainted bool) (history.Remembered, error)
	RememberedIn(ctx context.Context, conversation string) ([]history.Remembered, error)
	ForgetRemembered(ctx context.Context, conversation string, id int64) (bool, error)
	Learn(ctx context.Context, e history.Episode) ([]history.Pattern, error)
	Episodes(ctx context.Context, text, except string, limit int) ([]history.Episode, error)
	Patterns(ctx context.Context, target string, struck bool) ([]history.Pattern, error)
	Pattern(ctx context.Context, id string) (history.Pattern, error)
	TaintedActions(ctx context.Context, limit int) ([]string, error)
}

var _ Store = (*history.Store)(nil)

// Options of Open.
type Options struct {
	// Workspace is the folder on this machine that the operator works in; it is the
	// project of the target "local".
	Workspace string
	// Secret reports whether a text looks like a secret. Nil: nothing does.
	Secret func(text string) bool
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// Memory is what is known. Safe for concurrent use.
type Memory struct {
	dir   string
	store Store
	opt   Options

	mu    sync.Mutex
	index *sql.DB // the entries of files, in memory
	held  string  // a hash of what is in the index
}

// Open returns the memory whose files are in dir, which need not exist.
func Open(dir string, store Store, opt Options) (*Memory, error) {
	if opt.Now == nil {
		opt.Now = time.Now
	}
	if opt.Secret == nil {
		opt.Secret = func(string) bool { return false }
	}
	index, err := openIndex()
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	return &Memory{dir: dir, store: store, opt: opt, index: index}, nil
}

// Close lets go of the index.
func (m *Memory) Close() error { return m.index.Close() }

// ProjectOf names the project of a target: the target itself, or the workspace.
func (m *Memory) ProjectOf(target string) string {
	if target == "local" || target == "" {
		return "local:" + m.opt.Workspace
	}
	return target
}

// Path is the file of a scope for a target; empty for a conversation.
func (m *Memory) Path(scope Scope, target string) string {
	switch scope {
	case Global:
		return filepath.Join(m.dir, "global.md")
	case Project:
		return filepath.Join(m.dir, "projects", fileName(m.ProjectOf(target))+".md")
	}
	return ""
}

// fileName is a project's name as a file's: readable, and unique by a hash.
func fileName(project string) string {
	sum := sha256.Sum256([]byte(project))
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '.', r == '-', r == '_':
			return r
		}
		return '-'
	}, project)
	plain = strings.Trim(plain, "-.")
	return plain[max(0, len(plain)-60):] + "-" + hex.EncodeToString(sum[:4])
}

// Entries returns what a file holds, in its order; nothing if there is none.
func (m *Memory) Entries(scope Scope, target string) ([]Entry, error) {
	text, err := readFile(m.Path(scope, target))
	if err != nil {
		return nil, err
	}
	return entries(scope, string(text)), nil
}

// Noted returns what is remembered in a conversation.
func (m *Memory) Noted(ctx context.Context, conversation string) ([]Entry, error) {
	notes, err := m.store.RememberedIn(ctx, conversation)
	if err != nil {
		return nil, err
	}
	var all []Entry
	for _, n := range notes {
		e := Entry{ID: fmt.Sprintf("c%d", n.ID), Scope: Conversation, Text: line(n.Text), Origin: Model}
		if n.Tainted {
			e.Origin = Output
		}
		all = append(all, e)
	}
	return all, nil
}

// all returns every entry that concerns a conversation and a target.
func (m *Memory) all(ctx context.Context, conversation, target string) ([]Entry, error) {
	all, err := m.Noted(ctx, conversation)
	if err != nil {
		return nil, err
	}
	for _, scope := range []Scope{Project, Global} {
		found, err := m.Entries(scope, target)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// Tainted returns the texts that came from what targets have printed, however
// long ago: of the entries that concern a conversation and a target, and of
// the actions of earlier turns.
func (m *Memory) Tainted(ctx context.Context, conversation, target string) ([]string, error) {
	found, err := m.all(ctx, conversation, target)
	if err != nil {
		return nil, err
	}
	texts, err := m.store.TaintedActions(ctx, 1000)
	if err != nil {
		return nil, err
	}
	for _, e := range found {
		if e.Origin == Output {
			texts = append(texts, e.Text)
		}
	}
	return texts, nil
}

// Learn stores what a turn came to; see [history.Store.Learn].
func (m *Memory) Learn(ctx context.Context, e history.Episode) ([]history.Pattern, error) {
	return m.store.Learn(ctx, e)
}

// readFile reads a file of entries; a missing one is empty.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	defer func() { _ = f.Close() }() // opened for reading
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("memory: %s is no regular file, but %s", path, info.Mode().Type())
	}
	text := make([]byte, min(info.Size(), MaxFile)+1)
	n, err := readFull(f, text)
	if err != nil {
		return nil, fmt.Errorf("memory: %w", err)
	}
	if n > MaxFile {
		return nil, fmt.Errorf("memory: %s: %w: it may have %d bytes; shorten it", path, ErrTooLong, MaxFile)
	}
	return text[:n], nil
}
