package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
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
		err := tx.QueryRowContext(ctx, `SELECT title, holder, (SELECT coalesce(max(place), 0) FROM messages WHERE conversation = id)
			FROM conversations WHERE id = ?`, id).Scan(&title, &holder, &count)
		if err != nil {
			return err
		}
		if !s.mine(holder) {
			return fmt.Errorf("%w: %s was not resumed here", ErrInUse, id)
		}
		now := s.now()
		for i := range messages {
			if title == "" && messages[i].Role == User {
				title = titleOf(messages[i].Content)
			}
			if messages[i].Time.IsZero() {
				messages[i].Time = now
			}
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
		_, err := tx.ExecContext(ctx, `INSERT INTO messages
			(conversation, place, role, content, reasoning, calls, call, tool, is_error, denied, created)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, count+i+1, m.Role, m.Content, m.Reasoning, calls, m.Call, m.Tool, m.IsError, m.Denied, m.Time.UnixMilli())
		if err != nil {
			return err
		}
	}
	return nil
}

// Load returns the messages of a conversation in order, as they were stored.
func (s *Store) Load(ctx context.Context, id string) ([]Message, error) {
	if _, err := s.Get(ctx, id); err != nil {
		return nil, err
	}
	said, err := load(ctx, s.db, id)
	return said, fault(s.path, err)
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
		m.Time = time.UnixMilli(created)
		said = append(said, m)
	}
	return said, rows.Err()
}

// Hit is a message that was found.
type Hit struct {
	Conversation string
	Title        string
	Place        int
	Role         Role
	Excerpt      string // the surroundings of the first place where it stands, in one line
	Time         time.Time
}

// Search finds the messages that contain text, without regard to the case of
// ASCII letters, the latest first.
func (s *Store) Search(ctx context.Context, text string, limit int) ([]Hit, error) {
	escaped := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
	rows, err := s.db.QueryContext(ctx, `SELECT m.conversation, c.title, m.place, m.role, m.content, m.created
		FROM messages m JOIN conversations c ON c.id = m.conversation
		WHERE m.content LIKE ? ESCAPE '\' ORDER BY m.created DESC, m.place DESC LIMIT ?`, "%"+escaped+"%", limit)
	if err != nil {
		return nil, fault(s.path, err)
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	var hits []Hit
	for rows.Next() {
		var h Hit
		var content string
		var created int64
		if err := rows.Scan(&h.Conversation, &h.Title, &h.Place, &h.Role, &content, &created); err != nil {
			return nil, fault(s.path, err)
		}
		h.Time, h.Excerpt = time.UnixMilli(created), excerpt(content, text)
		hits = append(hits, h)
	}
	return hits, fault(s.path, rows.Err())
}

// excerpt is content around the first place of text, in one line.
func excerpt(content, text string) string {
	const around = 60 // bytes on each side
	at := max(0, indexFold(content, text))
	from, to := max(0, at-around), min(len(content), at+len(text)+around)
	for from > 0 && !utf8.RuneStart(content[from]) {
		from--
	}
	for to < len(content) && !utf8.RuneStart(content[to]) {
		to++
	}
	return strings.Join(strings.Fields(content[from:to]), " ")
}

// indexFold is strings.Index without regard to the case of ASCII letters.
func indexFold(s, part string) int {
	fold := func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}
	if !utf8.ValidString(s) || !utf8.ValidString(part) {
		return strings.Index(s, part) // Map would change lengths
	}
	return strings.Index(strings.Map(fold, s), strings.Map(fold, part))
}
