package history

import (
	"context"
	"crypto/rand"
	"database/sql"
	"fmt"
	"strings"
	"time"
)

// Fork begins a conversation, held by this store, with what was said in another
// one up to the message at a place, and the outputs that it refers to; place 0
// means all. Calls and their results stay together: a place among them counts as
// the last of the results. The other one is only read, whoever holds it. It is
// ErrNotFound if there is no such conversation or message.
func (s *Store) Fork(ctx context.Context, id string, place int) (Conversation, []Message, error) {
	if s.at().holder == nil {
		return Conversation{}, nil, s.onlyRead()
	}
	var f Conversation
	var said []Message
	err := s.write(ctx, func(tx *sql.Tx) error {
		from, err := scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM conversations WHERE id = ?", id))
		if err != nil {
			return err
		}
		all, err := load(ctx, tx, id)
		if err != nil {
			return err
		}
		if place < 0 || place > len(all) {
			return fmt.Errorf("%w: %s has no message %d, but %d", ErrNotFound, id, place, len(all))
		}
		said = all[:whole(all, place)]
		now := s.now().Truncate(time.Millisecond)
		f = Conversation{
			ID: strings.ToLower(rand.Text()[:12]), Title: from.Title, Target: from.Target, Model: from.Model,
			Created: now, Updated: now, Open: true, Parent: id, Messages: len(said),
		}
		if len(said) == 0 {
			f.Title = "" // the next prompt gives it one
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO conversations (id, title, target, model, created, updated, open, holder, parent)
			VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?)`, f.ID, f.Title, f.Target, f.Model, now.UnixMilli(), now.UnixMilli(), s.at().holder.id, id)
		if err != nil {
			return err
		}
		if err := insert(ctx, tx, f.ID, 0, said); err != nil {
			return err
		}
		return copyOutputs(ctx, tx, id, f.ID)
	})
	if err != nil {
		return Conversation{}, nil, fault(s.at().path, err)
	}
	return f, said, nil
}

// whole is how many messages are kept so that no call loses its result.
func whole(all []Message, place int) int {
	if place == 0 {
		return len(all)
	}
	n := place
	for n < len(all) && (all[n].Role == Tool || all[n].Role == Note && all[n].Call != "") {
		n++
	}
	return n
}

// copyOutputs copies the outputs of the calls that have come along, and what was
// noted in the conversation.
func copyOutputs(ctx context.Context, tx *sql.Tx, from, to string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO outputs (conversation, call, stream, text, cut, created, number)
		SELECT ?, call, stream, text, cut, created, number FROM outputs WHERE conversation = ?
		AND call IN (SELECT call FROM messages WHERE conversation = ?)`, to, from, to)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO notes (conversation, text, tainted, created)
		SELECT ?, text, tainted, created FROM notes WHERE conversation = ?
		AND created <= (SELECT coalesce(max(created), 0) FROM messages WHERE conversation = ?)`, to, from, to)
	return err
}
