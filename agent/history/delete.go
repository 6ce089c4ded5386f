package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
)

// Delete removes a conversation for good, with those of its sub-agents: their
// messages, outputs, notes and episodes, from the full-text index and from the copies that migrations have
// made, too. While another process reads the store, the deleted text may stand in
// the write-ahead log until that one ends.
func (s *Store) Delete(ctx context.Context, id string) error {
	gone := []string{id}
	err := s.change(ctx, id, func(tx *sql.Tx) error {
		below, err := under(ctx, tx, id)
		if err != nil {
			return err
		}
		gone = append(gone, below...)
		for _, id := range gone {
			if _, err := tx.ExecContext(ctx, "DELETE FROM conversations WHERE id = ?", id); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, id := range gone {
		if err := s.deleteFromCopies(ctx, id); err != nil {
			return fault(s.at().path, err)
		}
	}
	// Readers of other processes may keep the log as it is; closing empties it then.
	_, err = s.at().db.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	if e := (*Error)(nil); errors.As(fault(s.at().path, err), &e) && e.Problem == Busy {
		return nil
	}
	return fault(s.at().path, err)
}

// under are the conversations of a conversation's sub-agents.
func under(ctx context.Context, tx *sql.Tx, id string) (ids []string, err error) {
	rows, err := tx.QueryContext(ctx, "SELECT id FROM conversations WHERE parent = ? AND agent <> ''", id)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		ids = append(ids, one)
	}
	return ids, rows.Err()
}

// deleteFromCopies deletes a conversation in the copies of older versions.
func (s *Store) deleteFromCopies(ctx context.Context, id string) error {
	copies, err := filepath.Glob(s.at().path + ".v*")
	if err != nil {
		return err
	}
	for _, path := range copies {
		if err := deleteIn(ctx, path, id); err != nil {
			return fmt.Errorf("the copy %s of an older version still holds the conversation; delete that file: %w", path, err)
		}
	}
	return nil
}

func deleteIn(ctx context.Context, path, id string) (err error) {
	q := url.Values{"mode": {"rw"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", busyTimeout.Milliseconds()), "foreign_keys(1)", "secure_delete(1)",
	}}
	db, err := sql.Open("sqlite", fileURI(path, q))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, "DELETE FROM conversations WHERE id = ?", id)
	return err
}
