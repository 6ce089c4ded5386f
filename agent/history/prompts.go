package history

import (
	"context"
	"slices"
)

// Prompts returns what the operator said last in all conversations, the oldest
// first, each text once; limit bounds how many messages are looked at.
func (s *Store) Prompts(ctx context.Context, limit int) ([]string, error) {
	rows, err := s.at().db.QueryContext(ctx, `SELECT content FROM messages WHERE role = ?
		ORDER BY created DESC, place DESC LIMIT ?`, User, limit)
	if err != nil {
		return nil, fault(s.at().path, err)
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	var prompts []string
	known := map[string]bool{}
	for rows.Next() {
		var content string
		if err := rows.Scan(&content); err != nil {
			return nil, fault(s.at().path, err)
		}
		if !known[content] {
			known[content] = true
			prompts = append(prompts, content)
		}
	}
	slices.Reverse(prompts)
	return prompts, fault(s.at().path, rows.Err())
}
