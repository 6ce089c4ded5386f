package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// MaxMessage bounds a message, in bytes of all its texts.
const MaxMessage = 64 << 20

// Role says whose a message is.
type Role string

// The roles.
const (
	User      Role = "user"      // the operator
	Assistant Role = "assistant" // the model
	Tool      Role = "tool"      // a call's result
	Note      Role = "note"      // nod: interrupted, a command ended
	Steer     Role = "steer"     // the operator, while the model was working
	Task      Role = "task"      // what a sub-agent is to do, in the words of the agent that sent it
	Summary   Role = "summary"   // nod: what stands for earlier messages from here on
)

// Message is one entry of a conversation.
type Message struct {
	Role      Role
	Content   string
	Reasoning string
	Calls     []Call // of an assistant message, in order
	Call      string // the call that a result answers
	Tool      string // the tool that it was
	IsError   bool
	Denied    bool // the call was denied
	// Through is the place of the last message that a Summary stands for.
	Through int
	// Place is the message's number in its conversation, from 1; it is chosen
	// by Append, like a zero Time.
	Place int
	Time  time.Time
}

// Call is one call of an assistant message, as the model wrote it.
type Call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
	// Invalid says why the arguments could not be used.
	Invalid string `json:"invalid,omitempty"`
	// Extra is what the model's server wants back with the call.
	Extra json.RawMessage `json:"extra,omitempty"`
	// From is the model whose server that is; only set with Extra.
	From string `json:"from,omitempty"`
}

// Append adds messages to a conversation that this store holds. All of them
// are on disk when it returns nil, and none after an error.
func (s *Store) Append(ctx context.Context, id string, messages ...Message) error {
	for _, m := range messages {
		if n := m.size(); n > MaxMessage {
			return fmt.Errorf("history: a message of %d bytes is longer than %d", n, MaxMessage)
		}
	}
	return s.change(ctx, id, func(tx *sql.Tx) error {
		var count int
		var title, holder string
		err := tx.QueryRowContext(ctx, `SELECT title, holder, (SELECT coalesce(max(place), 0) FROM messages WHERE conversation = conversations.id)
			FROM conversations WHERE id = ?`, id).Scan(&title, &holder, &count)
		if err != nil {
			return err
		}
		if !s.mine(holder) {
			return fmt.Errorf("%w: %s was not resumed here", ErrInUse, id)
		}
		now := s.now()
		for i := range messages {
			if title == "" && (messages[i].Role == User || messages[i].Role == Task) {
				title = titleOf(messages[i].Content)
			}
			if messages[i].Time.IsZero() {
				messages[i].Time = now
			}
			messages[i].Place = count + i + 1
		}
		if err := insert(ctx, tx, id, count, messages); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE conversations SET title = ?, updated = ? WHERE id = ?", title, now.UnixMilli(), id)
		return err
	})
}

func (m Message) size() int {
	n := len(m.Content) + len(m.Reasoning)
	for _, c := range m.Calls {
		n += len(c.Arguments) + len(c.Extra)
	}
	return n
}

// insert writes messages after the first count ones.
func insert(ctx context.Context, tx *sql.Tx, id string, count int, messages []Message) error {
	for i, m := range messages {
		calls := ""
		if len(m.Calls) > 0 {
			text, err := json.Marshal(m.Calls)
			if err != nil {
				return fmt.Errorf("encode calls: %w", err)
			}
			calls = string(text)
		}
		if m.Role == Summary {
			m.Call = strconv.Itoa(m.Through) // the column is free: a summary answers no call
		}
		done, err := tx.ExecContext(ctx, `INSERT INTO messages
			(conversation, place, role, content, reasoning, calls, call, tool, is_error, denied, created)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, count+i+1, m.Role, m.Content, m.Reasoning, calls, m.Call, m.Tool, m.IsError, m.Denied, m.Time.UnixMilli())
		if err != nil {
			return err
		}
		number, err := done.LastInsertId()
		if err != nil {
			return err
		}
		if err := index(ctx, tx, number, m); err != nil {
			return err
		}
	}
	return nil
}

// Count is how many messages a conversation has.
func (s *Store) Count(ctx context.Context, id string) (n int, err error) {
	err = s.at().db.QueryRowContext(ctx, "SELECT count(*) FROM messages WHERE conversation = ?", id).Scan(&n)
	return n, fault(s.at().path, err)
}

// Load returns the messages of a conversation in order, as they were stored.
func (s *Store) Load(ctx context.Context, id string) ([]Message, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return nil, err
	}
	said, err := load(ctx, s.at().db, id)
	return said, fault(s.at().path, err)
}

func load(ctx context.Context, q interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}, id string) ([]Message, error) {
	rows, err := q.QueryContext(ctx, `SELECT place, role, content, reasoning, calls, call, tool, is_error, denied, created
		FROM messages WHERE conversation = ? ORDER BY place`, id)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	var said []Message
	for rows.Next() {
		var m Message
		var calls string
		var created int64
		if err := rows.Scan(&m.Place, &m.Role, &m.Content, &m.Reasoning, &calls, &m.Call, &m.Tool,
			&m.IsError, &m.Denied, &created); err != nil {
			return nil, err
		}
		if calls != "" {
			if err := json.Unmarshal([]byte(calls), &m.Calls); err != nil {
				return nil, fmt.Errorf("message %d of %s: its calls: %w", m.Place, id, err)
			}
		}
		if m.Role == Summary {
			if m.Through, err = strconv.Atoi(m.Call); err != nil || m.Through < 0 || m.Through >= m.Place {
				return nil, fmt.Errorf("message %d of %s: a summary of %q", m.Place, id, m.Call)
			}
			m.Call = ""
		}
		m.Time = time.UnixMilli(created)
		said = append(said, m)
	}
	return said, rows.Err()
}
