package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// migrations lead from one version to the next: migrations[0] makes version 1
// of an empty database. A released one never changes.
var migrations = []string{`
CREATE TABLE conversations (
	id      TEXT PRIMARY KEY,
	title   TEXT NOT NULL,
	target  TEXT NOT NULL,
	model   TEXT NOT NULL,
	created INTEGER NOT NULL, -- ms since 1970
	updated INTEGER NOT NULL,
	open    INTEGER NOT NULL, -- 1 until it is ended
	holder  TEXT NOT NULL     -- the process that writes it
) STRICT;
CREATE INDEX conversations_updated ON conversations (updated);

CREATE TABLE messages (
	conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
	place        INTEGER NOT NULL, -- from 1
	role         TEXT NOT NULL,
	content      TEXT NOT NULL,
	reasoning    TEXT NOT NULL,
	calls        TEXT NOT NULL,    -- JSON, empty for none
	call         TEXT NOT NULL,    -- the call that a result answers
	tool         TEXT NOT NULL,
	is_error     INTEGER NOT NULL,
	denied       INTEGER NOT NULL,
	created      INTEGER NOT NULL,
	PRIMARY KEY (conversation, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE outputs (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
	call         TEXT NOT NULL,
	stream       TEXT NOT NULL,
	text         BLOB NOT NULL,
	cut          INTEGER NOT NULL, -- bytes that were left out at the end
	created      INTEGER NOT NULL
) STRICT;
CREATE INDEX outputs_conversation ON outputs (conversation);
`}

// migrate brings the database to the newest version: a copy of the old one
// first, then everything in one transaction.
func (s *Store) migrate(ctx context.Context, steps []string) error {
	version, err := s.version(ctx, s.db)
	if err != nil || version == len(steps) {
		return err
	}
	if version > len(steps) {
		return s.newer(version, len(steps))
	}
	if version > 0 {
		if err := s.backup(ctx, version); err != nil {
			return err
		}
	}
	return s.write(ctx, func(tx *sql.Tx) error {
		// Another process may have come first.
		version, err := s.version(ctx, tx)
		if err != nil {
			return err
		}
		if version > len(steps) {
			return s.newer(version, len(steps))
		}
		for _, step := range steps[version:] {
			if _, err := tx.ExecContext(ctx, step); err != nil {
				return fmt.Errorf("migrate from version %d: %w", version, err)
			}
		}
		_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(steps)))
		return err
	})
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func (s *Store) version(ctx context.Context, q querier) (version int, err error) {
	err = q.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version)
	return version, err
}

func (s *Store) newer(found, known int) error {
	return &Error{
		Problem: Newer, Path: s.path,
		Message: fmt.Sprintf("written by a newer nod (version %d; this one knows %d)", found, known),
		Hint:    "use the newer nod, or set NOD_STATE_DIR to another folder",
	}
}

// backup copies the database to a file beside it. A copy of the same version
// that is there already is older by at most an attempt, and replaced.
func (s *Store) backup(ctx context.Context, version int) error {
	to := fmt.Sprintf("%s.v%d", s.path, version)
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := s.db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return fmt.Errorf("back up to %s: %w", to, err)
	}
	return os.Chmod(to, 0o600)
}
