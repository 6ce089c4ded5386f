package history

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxIndexed bounds what of a message can be found, in bytes from its beginning.
const maxIndexed = 256 << 10

// Hit is a message that was found.
type Hit struct {
	Conversation string
	Title        string
	Place        int
	Role         Role
	Excerpt      string // the surroundings of a place where it stands, in one line
	Time         time.Time
}

// Search finds the messages that hold every word of a text, the latest first. A
// word is found where one begins with it, whatever its case and accents; one with
// signs in it, such as "/var/log" or "10.0.0.7", as these words in a row. If that
// finds nothing, the whole text is looked for anywhere, also within words.
func (s *Store) Search(ctx context.Context, text string, limit int) ([]Hit, error) {
	if limit <= 0 {
		limit = -1
	}
	var hits []Hit
	if match := allOf(text); match != "" {
		var err error
		hits, err = s.hits(ctx, `SELECT m.conversation, c.title, m.place, m.role, m.created, snippet(search, 0, '', '', '…', 20)
			FROM search JOIN messages m ON m.id = search.rowid JOIN conversations c ON c.id = m.conversation
			WHERE search MATCH ? AND search.rowid IN (
				SELECT search.rowid FROM search JOIN messages m ON m.id = search.rowid
				WHERE search MATCH ? ORDER BY m.created DESC, m.place DESC LIMIT ?)
			ORDER BY m.created DESC, m.place DESC`, match, match, limit)
		if err != nil || len(hits) > 0 {
			return hits, err
		}
	}
	if strings.TrimSpace(text) == "" {
		return nil, nil
	}
	escaped := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
	hits, err := s.hits(ctx, `SELECT m.conversation, c.title, m.place, m.role, m.created, search.text
		FROM search JOIN messages m ON m.id = search.rowid JOIN conversations c ON c.id = m.conversation
		WHERE search.text LIKE ? ESCAPE '\' ORDER BY m.created DESC, m.place DESC LIMIT ?`, "%"+escaped+"%", limit)
	for i := range hits {
		hits[i].Excerpt = excerpt(hits[i].Excerpt, text)
	}
	return hits, err
}

func (s *Store) hits(ctx context.Context, query string, args ...any) ([]Hit, error) {
	rows, err := s.at().db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fault(s.at().path, err)
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	var hits []Hit
	for rows.Next() {
		var h Hit
		var created int64
		if err := rows.Scan(&h.Conversation, &h.Title, &h.Place, &h.Role, &created, &h.Excerpt); err != nil {
			return nil, fault(s.at().path, err)
		}
		h.Time = time.UnixMilli(created)
		if len(h.Excerpt) < 4096 { // else it is the whole text
			h.Excerpt = strings.Join(strings.Fields(h.Excerpt), " ")
		}
		hits = append(hits, h)
	}
	return hits, fault(s.at().path, rows.Err())
}

// allOf is the full-text query for messages that hold every word; empty if there
// is none.
func allOf(text string) string { return strings.Join(phrases(text), " ") }

// anyOf is the full-text query for texts that hold one of the words at least.
func anyOf(text string) string { return strings.Join(phrases(text), " OR ") }

// phrases quotes each word for the full-text index; each may be a beginning.
func phrases(text string) []string {
	var all []string
	for _, word := range strings.Fields(strings.ToValidUTF8(text, " ")) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			word = strings.ReplaceAll(word, "\x00", " ")
			all = append(all, `"`+strings.ReplaceAll(word, `"`, `""`)+`"*`)
		}
	}
	return all
}

// index makes a message findable.
func index(ctx context.Context, tx *sql.Tx, number int64, m Message) error {
	_, err := tx.ExecContext(ctx, "INSERT INTO search (rowid, text) VALUES (?, ?)", number, searchText(m))
	return err
}

// indexAll makes the messages of an older database findable.
func indexAll(ctx context.Context, tx *sql.Tx) error {
	var last int64
	if err := tx.QueryRowContext(ctx, "SELECT coalesce(max(id), 0) FROM messages").Scan(&last); err != nil {
		return err
	}
	for number := int64(1); number <= last; number++ {
		var m Message
		var calls string
		err := tx.QueryRowContext(ctx, "SELECT role, content, calls FROM messages WHERE id = ?", number).Scan(&m.Role, &m.Content, &calls)
		if err != nil {
			return err
		}
		if calls != "" {
			if err := json.Unmarshal([]byte(calls), &m.Calls); err != nil {
				return err
			}
		}
		if err := index(ctx, tx, number, m); err != nil {
			return err
		}
	}
	return nil
}

// searchText is what a message is found by: what was said, and what stands in
// calls and results, without the signs of JSON.
func searchText(m Message) string {
	var b strings.Builder
	switch m.Role {
	case Tool:
		var envelope struct{ Result json.RawMessage }
		if json.Unmarshal([]byte(m.Content), &envelope) == nil && envelope.Result != nil {
			texts(&b, envelope.Result)
		} else {
			b.WriteString(m.Content)
		}
	default:
		b.WriteString(m.Content)
	}
	for _, c := range m.Calls {
		b.WriteString("\n" + c.Name)
		if json.Valid([]byte(c.Arguments)) {
			texts(&b, []byte(c.Arguments))
		} else {
			b.WriteString("\n" + c.Arguments)
		}
	}
	text := strings.ReplaceAll(strings.ToValidUTF8(b.String(), "\uFFFD"), "\x00", " ")
	cut := min(len(text), maxIndexed)
	for cut < len(text) && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut]
}

// texts writes the values of a JSON text, a line each, without the names.
func texts(b *strings.Builder, value json.RawMessage) {
	value = bytes.TrimSpace(value)
	switch {
	case len(value) == 0:
	case value[0] == '{':
		dec := json.NewDecoder(bytes.NewReader(value))
		_, _ = dec.Token() // it is valid: the caller has looked
		for dec.More() {
			var inner json.RawMessage
			_, _ = dec.Token()
			if dec.Decode(&inner) != nil {
				return
			}
			texts(b, inner)
		}
	case value[0] == '[':
		var all []json.RawMessage
		if json.Unmarshal(value, &all) == nil {
			for _, inner := range all {
				texts(b, inner)
			}
		}
	case value[0] == '"':
		var text string
		if json.Unmarshal(value, &text) == nil {
			b.WriteString("\n" + text)
		}
	default:
		b.WriteString("\n" + string(value))
	}
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
