package history

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nod-console/nod/tools"
)

// titleLength bounds a title that is taken from a prompt, in characters.
const titleLength = 80

// Conversation is what is known of one.
type Conversation struct {
	ID string
	// Title is the first line of the operator's first prompt until Rename.
	Title   string
	Target  string
	Model   string
	Created time.Time
	Updated time.Time
	// Open is set until the conversation is ended.
	Open     bool
	Messages int
	// InUse says that another living process holds it.
	InUse bool
	// Parent is the conversation that this one was forked from; it may be
	// deleted by now. Empty if there is none.
	Parent string
	// Agent is the sub-agent whose conversation it is; Parent is then the one that
	// sent it. Empty for the operator's own conversations.
	Agent string
}

// Create begins a conversation, held by this store. Its ID and times are
// chosen here.
func (s *Store) Create(ctx context.Context, target, model string) (Conversation, error) {
	return s.create(ctx, Conversation{Target: target, Model: model})
}

// CreateUnder begins the conversation of a sub-agent under the one that sent it.
// It is deleted with that one.
func (s *Store) CreateUnder(ctx context.Context, parent, agent, target, model string) (Conversation, error) {
	return s.create(ctx, Conversation{Parent: parent, Agent: agent, Target: target, Model: model})
}

func (s *Store) create(ctx context.Context, c Conversation) (Conversation, error) {
	if s.at().holder == nil {
		return Conversation{}, s.onlyRead()
	}
	now := s.now().Truncate(time.Millisecond)
	c.ID, c.Created, c.Updated, c.Open = strings.ToLower(rand.Text()[:12]), now, now, true
	err := s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO conversations (id, title, target, model, created, updated, open, holder, parent, agent)
			VALUES (?, '', ?, ?, ?, ?, 1, ?, ?, ?)`, c.ID, c.Target, c.Model, now.UnixMilli(), now.UnixMilli(), s.at().holder.id, c.Parent, c.Agent)
		return err
	})
	return c, fault(s.at().path, err)
}

const columns = `id, title, target, model, created, updated, open, holder, parent, agent,
	(SELECT count(*) FROM messages WHERE conversation = conversations.id)`

// List returns the conversations in which something was said, the latest
// first; limit 0 means all.
func (s *Store) List(ctx context.Context, limit int) ([]Conversation, error) {
	found, err := s.list(ctx, false, limit)
	all := make([]Conversation, len(found))
	for i, f := range found {
		all[i] = f.Conversation
	}
	return all, err
}

// Latest returns the latest conversation of the operator's that nobody ended and whose process
// is gone. It is ErrNotFound if there is none.
func (s *Store) Latest(ctx context.Context) (Conversation, error) {
	found, err := s.list(ctx, true, 0)
	if err != nil {
		return Conversation{}, err
	}
	for _, f := range found {
		if f.Agent == "" && !s.heldByOther(f.holder) && !s.mine(f.holder) {
			return f.Conversation, nil
		}
	}
	return Conversation{}, ErrNotFound
}

// Get returns one conversation.
func (s *Store) Get(ctx context.Context, id string) (Conversation, error) {
	f, err := scan(s.at().db.QueryRowContext(ctx, "SELECT "+columns+" FROM conversations WHERE id = ?", id))
	f.InUse = s.heldByOther(f.holder)
	return f.Conversation, fault(s.at().path, err)
}

// Resume takes a conversation up again: it is held by this store from now on.
// Calls of its last reply that have no result get one that says that the
// outcome is unknown.
func (s *Store) Resume(ctx context.Context, id string) (Conversation, []Message, error) {
	if s.at().holder == nil {
		return Conversation{}, nil, s.onlyRead()
	}
	var f row
	var said []Message
	err := s.write(ctx, func(tx *sql.Tx) error {
		var err error
		if f, err = scan(tx.QueryRowContext(ctx, "SELECT "+columns+" FROM conversations WHERE id = ?", id)); err != nil {
			return err
		}
		if s.heldByOther(f.holder) {
			return fmt.Errorf("%w: %s", ErrInUse, id)
		}
		if _, err = tx.ExecContext(ctx, "UPDATE conversations SET open = 1, holder = ? WHERE id = ?", s.at().holder.id, id); err != nil {
			return err
		}
		if said, err = load(ctx, tx, id); err != nil {
			return err
		}
		lost := Unanswered(said, "unknown: nod ended while this ran", s.now())
		if err := insert(ctx, tx, id, len(said), lost); err != nil {
			return err
		}
		said = append(said, lost...)
		return nil
	})
	if err != nil {
		return Conversation{}, nil, fault(s.at().path, err)
	}
	f.Open, f.Messages = true, len(said)
	return f.Conversation, said, nil
}

// Unanswered makes the results that the last calls never got; why is what they
// say. Only the last reply can miss some: nothing is asked before each call has
// its result.
func Unanswered(said []Message, why string, now time.Time) []Message {
	last := len(said) - 1
	for last >= 0 && len(said[last].Calls) == 0 {
		last--
	}
	if last < 0 {
		return nil
	}
	answered := map[string]bool{}
	for _, m := range said[last+1:] {
		if m.Role == Tool { // a note may speak of a call, too
			answered[m.Call] = true
		}
	}
	var lost []Message
	for _, c := range said[last].Calls {
		if !answered[c.ID] {
			lost = append(lost, Message{
				Role: Tool, Call: c.ID, Tool: c.Name, IsError: true, Place: len(said) + len(lost) + 1,
				Time:    now.Truncate(time.Millisecond),
				Content: tools.Envelope(now, tools.Failure("unknown", why)),
			})
		}
	}
	return lost
}

// End marks a conversation as finished, so that it is not offered any more. One
// in which nothing was said is deleted.
func (s *Store) End(ctx context.Context, id string) error {
	return s.change(ctx, id, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM conversations WHERE id = ?
			AND NOT EXISTS (SELECT 1 FROM messages WHERE conversation = conversations.id)`, id)
		if err == nil {
			_, err = tx.ExecContext(ctx, "UPDATE conversations SET open = 0, holder = '' WHERE id = ?", id)
		}
		return err
	})
}

// Rename gives a conversation another title.
func (s *Store) Rename(ctx context.Context, id, title string) error {
	return s.change(ctx, id, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE conversations SET title = ? WHERE id = ?", title, id)
		return err
	})
}

// change runs f if the conversation is there and nobody else holds it.
func (s *Store) change(ctx context.Context, id string, f func(tx *sql.Tx) error) error {
	if s.at().holder == nil {
		return s.onlyRead()
	}
	return fault(s.at().path, s.write(ctx, func(tx *sql.Tx) error {
		var holder string
		err := tx.QueryRowContext(ctx, "SELECT holder FROM conversations WHERE id = ?", id).Scan(&holder)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("%w: %s", ErrNotFound, id)
		case err != nil:
			return err
		case s.heldByOther(holder):
			return fmt.Errorf("%w: %s", ErrInUse, id)
		}
		return f(tx)
	}))
}

func (s *Store) mine(holder string) bool { return s.at().holder != nil && s.at().holder.id == holder }

func (s *Store) heldByOther(holder string) bool { return !s.mine(holder) && alive(s.at().dir, holder) }

func (s *Store) onlyRead() error {
	return &Error{
		Problem: ReadOnly, Path: s.at().path, Message: "opened for reading only",
		Hint: "make the folder writable, or set NOD_STATE_DIR to a folder that you can write",
	}
}

type row struct {
	Conversation
	holder string
}

func (s *Store) list(ctx context.Context, onlyOpen bool, limit int) ([]row, error) {
	if limit <= 0 {
		limit = -1
	}
	rows, err := s.at().db.QueryContext(ctx, "SELECT "+columns+` FROM conversations
		WHERE EXISTS (SELECT 1 FROM messages WHERE conversation = conversations.id) AND open >= ?
		ORDER BY updated DESC, id LIMIT ?`, onlyOpen, limit)
	if err != nil {
		return nil, fault(s.at().path, err)
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	var all []row
	for rows.Next() {
		f, err := scan(rows)
		if err != nil {
			return nil, fault(s.at().path, err)
		}
		f.InUse = s.heldByOther(f.holder)
		all = append(all, f)
	}
	return all, fault(s.at().path, rows.Err())
}

func scan(from interface{ Scan(...any) error }) (row, error) {
	var f row
	var created, updated int64
	err := from.Scan(&f.ID, &f.Title, &f.Target, &f.Model, &created, &updated, &f.Open, &f.holder, &f.Parent, &f.Agent, &f.Messages)
	if errors.Is(err, sql.ErrNoRows) {
		return row{}, ErrNotFound
	}
	f.Created, f.Updated = time.UnixMilli(created), time.UnixMilli(updated)
	return f, err
}

// titleOf is the first line of a prompt that says something.
func titleOf(prompt string) string {
	for line := range strings.Lines(prompt) {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			head, omitted := tools.Head(line, titleLength)
			if omitted > 0 {
				head += "…"
			}
			return head
		}
	}
	return ""
}
