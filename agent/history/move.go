package history

import (
	"context"
	"database/sql"
	"slices"
)

// Move takes the conversations that this store has to the history in another
// folder, which is made if it is missing, and goes on there: with what they have
// said, kept, noted and learned. It is for what was begun or went on elsewhere
// because that folder could not be written: of a conversation that is there already
// it takes what was added since. After an error nothing was taken, and the store is
// where it was. No turn may run meanwhile.
func (s *Store) Move(ctx context.Context, dir string) error {
	s.moving.Lock()
	defer s.moving.Unlock()
	return s.settle(ctx, dir, func(row) bool { return true }, true)
}

// carry writes the conversations that some accepts, with their messages, outputs and
// notes.
func (s *Store) carry(ctx context.Context, tx *sql.Tx, holder string, some func(row) bool) error {
	all, err := s.everything(ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		if !some(c) {
			continue
		}
		if s.mine(c.holder) {
			c.holder = holder
		} else {
			c.holder = ""
		}
		if err := s.carryOne(ctx, tx, c); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) carryOne(ctx context.Context, tx *sql.Tx, c row) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO conversations (id, title, target, model, created, updated, open, holder, parent, agent)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET title = excluded.title, updated = excluded.updated, open = excluded.open, holder = excluded.holder`,
		c.ID, c.Title, c.Target, c.Model, c.Created.UnixMilli(), c.Updated.UnixMilli(), c.Open, c.holder, c.Parent, c.Agent)
	if err != nil {
		return err
	}
	said, err := s.Load(ctx, c.ID)
	if err != nil {
		return err
	}
	var there, outputs int
	err = tx.QueryRowContext(ctx, `SELECT (SELECT count(*) FROM messages WHERE conversation = ?),
		(SELECT coalesce(max(number), 0) FROM outputs WHERE conversation = ?)`, c.ID, c.ID).Scan(&there, &outputs)
	if err != nil {
		return err
	}
	if there < len(said) {
		if err := insert(ctx, tx, c.ID, there, said[there:]); err != nil {
			return err
		}
	}
	err = s.copyRows(ctx, tx, "SELECT conversation, call, stream, text, cut, created, number FROM outputs WHERE conversation = ? AND number > ? ORDER BY id",
		[]any{c.ID, outputs}, "INSERT INTO outputs (conversation, call, stream, text, cut, created, number) VALUES (?, ?, ?, ?, ?, ?, ?)")
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "DELETE FROM notes WHERE conversation = ?", c.ID); err != nil {
		return err
	}
	return s.copyRows(ctx, tx, "SELECT conversation, text, tainted, created FROM notes WHERE conversation = ? ORDER BY id",
		[]any{c.ID}, "INSERT INTO notes (conversation, text, tainted, created) VALUES (?, ?, ?, ?)")
}

// everything is all conversations, also those in which nothing was said yet.
func (s *Store) everything(ctx context.Context) ([]row, error) {
	rows, err := s.at().db.QueryContext(ctx, "SELECT "+columns+" FROM conversations ORDER BY created, id")
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	var all []row
	for rows.Next() {
		r, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

// copyRows inserts what a query for one conversation finds.
func (s *Store) copyRows(ctx context.Context, tx *sql.Tx, query string, args []any, into string) error {
	rows, err := s.at().db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		values, places := make([]any, len(names)), make([]any, len(names))
		for i := range values {
			places[i] = &values[i]
		}
		if err := rows.Scan(places...); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, into, values...); err != nil {
			return err
		}
	}
	return rows.Err()
}

// relearn writes what the turns came to.
func (s *Store) relearn(ctx context.Context, tx *sql.Tx) error {
	all, err := s.Episodes(ctx, "", "", -1)
	if err != nil {
		return err
	}
	for _, e := range slices.Backward(all) { // the oldest first
		if _, err := learn(ctx, tx, e); err != nil {
			return err
		}
	}
	return nil
}
