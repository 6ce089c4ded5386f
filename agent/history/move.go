package history

import (
	"context"
	"database/sql"
	"errors"
	"slices"
)

// Move takes the conversations that this store has to the history in another
// folder, which is made if it is missing, and goes on there: with what they have
// said, kept, noted and learned. It is for what was begun elsewhere because that
// folder could not be written. After an error nothing was taken, and the store is
// where it was. No turn may run meanwhile.
func (s *Store) Move(ctx context.Context, dir string) error {
	to, err := Open(ctx, dir, Options{Now: s.now})
	if err != nil {
		return err
	}
	err = to.write(ctx, func(tx *sql.Tx) error {
		return errors.Join(s.carry(ctx, tx, to.at().holder.id), s.relearn(ctx, tx))
	})
	if err != nil {
		return errors.Join(fault(to.at().path, err), to.Close())
	}
	s.left = append(s.left, s.at())
	s.seat.Store(to.at())
	return nil
}

// carry writes the conversations with their messages, outputs and notes.
func (s *Store) carry(ctx context.Context, tx *sql.Tx, holder string) error {
	all, err := s.everything(ctx)
	if err != nil {
		return err
	}
	for _, c := range all {
		id := ""
		if s.mine(c.holder) {
			id = holder
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO conversations (id, title, target, model, created, updated, open, holder, parent, agent)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, c.ID, c.Title, c.Target, c.Model, c.Created.UnixMilli(), c.Updated.UnixMilli(), c.Open, id, c.Parent, c.Agent)
		if err != nil {
			return err
		}
		said, err := s.Load(ctx, c.ID)
		if err != nil {
			return err
		}
		if err := insert(ctx, tx, c.ID, 0, said); err != nil {
			return err
		}
		for _, t := range []struct{ table, columns, places string }{
			{"outputs", "conversation, call, stream, text, cut, created, number", "?, ?, ?, ?, ?, ?, ?"},
			{"notes", "conversation, text, tainted, created", "?, ?, ?, ?"},
		} {
			if err := s.copyRows(ctx, tx, "SELECT "+t.columns+" FROM "+t.table+" WHERE conversation = ? ORDER BY id", c.ID,
				"INSERT INTO "+t.table+" ("+t.columns+") VALUES ("+t.places+")"); err != nil {
				return err
			}
		}
	}
	return nil
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
func (s *Store) copyRows(ctx context.Context, tx *sql.Tx, query, conversation, into string) error {
	rows, err := s.at().db.QueryContext(ctx, query, conversation)
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
