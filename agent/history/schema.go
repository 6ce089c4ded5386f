package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// step leads from one version to the next.
type step struct {
	sql string
	// then does what SQL cannot, in the same transaction; nil if there is nothing.
	then func(ctx context.Context, tx *sql.Tx) error
}

// migrations are the steps: migrations[0] makes version 1 of an empty database.
// A released one never changes.
var migrations = []step{{sql: `
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
`}, {then: indexAll, sql: `
-- Messages get a number of their own, by which the full-text index knows them.
CREATE TABLE numbered (
	id           INTEGER PRIMARY KEY,
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
	UNIQUE (conversation, place)
) STRICT;
INSERT INTO numbered (conversation, place, role, content, reasoning, calls, call, tool, is_error, denied, created)
	SELECT conversation, place, role, content, reasoning, calls, call, tool, is_error, denied, created
	FROM messages ORDER BY created, conversation, place;
DROP TABLE messages;
ALTER TABLE numbered RENAME TO messages;
CREATE INDEX messages_role ON messages (role, created);

CREATE VIRTUAL TABLE search USING fts5(text, tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO search (search, rank) VALUES ('secure-delete', 1); -- what is deleted is gone
CREATE TRIGGER messages_deleted AFTER DELETE ON messages BEGIN
	DELETE FROM search WHERE rowid = old.id;
END;

-- What a fork was made of; no reference, as that may be deleted.
ALTER TABLE conversations ADD COLUMN parent TEXT NOT NULL DEFAULT '';

-- References of outputs count in their conversation, so that a fork keeps them.
ALTER TABLE outputs ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE outputs SET number = id;
DROP INDEX outputs_conversation;
CREATE UNIQUE INDEX outputs_number ON outputs (conversation, number);

-- What a turn came to, in a line for each thing that was done.
CREATE TABLE episodes (
	id           INTEGER PRIMARY KEY,
	conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
	place        INTEGER NOT NULL, -- of the prompt
	target       TEXT NOT NULL,
	goal         TEXT NOT NULL,
	ending       TEXT NOT NULL,
	created      INTEGER NOT NULL,
	UNIQUE (conversation, place)
) STRICT;
CREATE TABLE steps (
	episode INTEGER NOT NULL REFERENCES episodes (id) ON DELETE CASCADE,
	place   INTEGER NOT NULL,
	tool    TEXT NOT NULL,
	target  TEXT NOT NULL,
	action  TEXT NOT NULL,
	outcome TEXT NOT NULL,
	tainted INTEGER NOT NULL,
	hash    TEXT NOT NULL, -- of tool, target and action
	PRIMARY KEY (episode, place),
	UNIQUE (hash, episode)
) STRICT, WITHOUT ROWID;
CREATE INDEX steps_tainted ON steps (episode) WHERE tainted <> 0;
CREATE VIRTUAL TABLE recall USING fts5(text, tokenize = 'unicode61 remove_diacritics 2');
INSERT INTO recall (recall, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER episodes_deleted AFTER DELETE ON episodes BEGIN
	DELETE FROM recall WHERE rowid = old.id;
END;
-- In how many turns a step was done: counting them anew takes too long.
CREATE TABLE habits (
	hash    TEXT PRIMARY KEY,
	tool    TEXT NOT NULL,
	target  TEXT NOT NULL,
	action  TEXT NOT NULL,
	tainted INTEGER NOT NULL, -- in how many of them
	turns   INTEGER NOT NULL,
	last    INTEGER NOT NULL  -- episode
) STRICT;
CREATE INDEX habits_target ON habits (target, turns);
CREATE TRIGGER steps_added AFTER INSERT ON steps BEGIN
	INSERT INTO habits (hash, tool, target, action, tainted, turns, last)
		VALUES (new.hash, new.tool, new.target, new.action, new.tainted, 1, new.episode)
		ON CONFLICT (hash) DO UPDATE SET turns = turns + 1, tainted = tainted + new.tainted, last = max(last, new.episode);
END;
CREATE TRIGGER steps_deleted AFTER DELETE ON steps BEGIN
	UPDATE habits SET turns = turns - 1, tainted = tainted - old.tainted WHERE hash = old.hash;
	DELETE FROM habits WHERE hash = old.hash AND turns <= 0;
END;
CREATE TABLE struck (hash TEXT PRIMARY KEY, created INTEGER NOT NULL) STRICT;

-- What is to be remembered in one conversation.
CREATE TABLE notes (
	id           INTEGER PRIMARY KEY AUTOINCREMENT,
	conversation TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
	text         TEXT NOT NULL,
	tainted      INTEGER NOT NULL,
	created      INTEGER NOT NULL
) STRICT;
CREATE INDEX notes_conversation ON notes (conversation);
`}, {sql: `
-- The sub-agent whose conversation it is; parent is then the one that sent it.
ALTER TABLE conversations ADD COLUMN agent TEXT NOT NULL DEFAULT '';
CREATE INDEX conversations_parent ON conversations (parent) WHERE agent <> '';
`}}

// migrate brings the database to the newest version: a copy of the old one
// first, then everything in one transaction.
func (s *Store) migrate(ctx context.Context, steps []step) error {
	version, err := s.version(ctx, s.at().db)
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
			_, err := tx.ExecContext(ctx, step.sql)
			if err == nil && step.then != nil {
				err = step.then(ctx, tx)
			}
			if err != nil {
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
		Problem: Newer, Path: s.at().path,
		Message: fmt.Sprintf("written by a newer nod (version %d; this one knows %d)", found, known),
		Hint:    "use the newer nod, or set NOD_STATE_DIR to another folder",
	}
}

// backup copies the database to a file beside it. A copy of the same version
// that is there already is older by at most an attempt, and replaced.
func (s *Store) backup(ctx context.Context, version int) error {
	to := fmt.Sprintf("%s.v%d", s.at().path, version)
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := s.at().db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return fmt.Errorf("back up to %s: %w", to, err)
	}
	return os.Chmod(to, 0o600)
}
