package history

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// Remembered is something to be remembered in one conversation.
type Remembered struct {
	ID      int64
	Text    string
	Tainted bool // parts of it stood in what a target had printed
	Time    time.Time
}

// MaxRemembered is how many of them a conversation has at most.
const MaxRemembered = 100

// Remember stores a text with a conversation.
func (s *Store) Remember(ctx context.Context, conversation, text string, tainted bool) (Remembered, error) {
	n := Remembered{Text: text, Tainted: tainted, Time: s.now()}
	err := s.change(ctx, conversation, func(tx *sql.Tx) error {
		var count int
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM notes WHERE conversation = ?", conversation).Scan(&count); err != nil {
			return err
		}
		if count >= MaxRemembered {
			return fmt.Errorf("%w: %d", ErrTooMany, count)
		}
		return tx.QueryRowContext(ctx, "INSERT INTO notes (conversation, text, tainted, created) VALUES (?, ?, ?, ?) RETURNING id",
			conversation, text, tainted, n.Time.UnixMilli()).Scan(&n.ID)
	})
	return n, err
}

// RememberedIn returns what is to be remembered in a conversation, in the order
// in which it was said.
func (s *Store) RememberedIn(ctx context.Context, conversation string) ([]Remembered, error) {
	rows, err := s.at().db.QueryContext(ctx, "SELECT id, text, tainted, created FROM notes WHERE conversation = ? ORDER BY id", conversation)
	if err != nil {
		return nil, fault(s.at().path, err)
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	var all []Remembered
	for rows.Next() {
		var n Remembered
		var created int64
		if err := rows.Scan(&n.ID, &n.Text, &n.Tainted, &created); err != nil {
			return nil, fault(s.at().path, err)
		}
		n.Time = time.UnixMilli(created)
		all = append(all, n)
	}
	return all, fault(s.at().path, rows.Err())
}

// ForgetRemembered removes one of them and reports whether it was there.
func (s *Store) ForgetRemembered(ctx context.Context, conversation string, id int64) (bool, error) {
	var count int64
	err := s.change(ctx, conversation, func(tx *sql.Tx) error {
		done, err := tx.ExecContext(ctx, "DELETE FROM notes WHERE conversation = ? AND id = ?", conversation, id)
		if err == nil {
			count, err = done.RowsAffected()
		}
		return err
	})
	return count > 0, err
}
