package memory

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/nod-console/nod/agent/history"
)

// Limits of what is recalled.
const (
	maxPatterns = 5
	maxEpisodes = 3
	maxLine     = 600 // bytes of a line that is recalled
)

// Question is what memory is asked about.
type Question struct {
	Conversation string
	Target       string
	Prompt       string
}

// Item is one thing that a request is told.
type Item struct {
	Label string // "operator", "model", "output", "pattern", "episode"
	Text  string // in one line
	// Tainted says that it came from what a target had printed.
	Tainted bool
}

// Recalled is what a request is told.
type Recalled struct {
	Items []Item
	// Left is how many entries did not fit.
	Left int
}

// Recall returns what fits a question, within Budget: all entries if they fit,
// else those with words of the prompt; then patterns of the target, then episodes
// of other conversations with words of the prompt.
func (m *Memory) Recall(ctx context.Context, q Question) (Recalled, error) {
	var r Recalled
	room := Budget
	add := func(i Item) bool {
		i.Text = short(i.Text)
		if size := len(i.Label) + len(i.Text) + 4; size <= room {
			room -= size
			r.Items = append(r.Items, i)
			return true
		}
		return false
	}
	found, err := m.fitting(ctx, q)
	if err != nil {
		return r, err
	}
	for _, e := range found {
		if !add(Item{Label: string(e.Origin), Text: e.Text + " (" + e.ID + ")", Tainted: e.Origin == Output}) {
			r.Left++
		}
	}
	patterns, err := m.store.Patterns(ctx, q.Target, false)
	if err != nil {
		return r, err
	}
	patterns = slices.DeleteFunc(patterns, func(p history.Pattern) bool { return !related(p.Step.Action, q.Prompt) })
	for _, p := range patterns[:min(len(patterns), maxPatterns)] {
		if p, err = m.store.Pattern(ctx, p.ID); err != nil {
			return r, err
		}
		add(Item{Label: "pattern", Text: describe(p), Tainted: p.Step.Tainted})
	}
	words := telling(q.Prompt)
	if words == "" {
		return r, nil
	}
	episodes, err := m.store.Episodes(ctx, words, q.Conversation, maxEpisodes)
	if err != nil {
		return r, err
	}
	for _, e := range episodes {
		tainted := false
		for _, s := range e.Steps {
			tainted = tainted || s.Tainted
		}
		add(Item{Label: "episode", Text: Summary(e), Tainted: tainted})
	}
	return r, nil
}

// Summary is an episode in a line.
func Summary(e history.Episode) string {
	steps := make([]string, 0, len(e.Steps))
	for _, s := range e.Steps {
		steps = append(steps, s.String())
	}
	text := fmt.Sprintf("%s on %s: %q", e.Time.Format("2006-01-02"), e.Target, e.Goal)
	if len(steps) > 0 {
		text += ": " + strings.Join(steps, "; ")
	}
	return line(text)
}

// describe is a pattern in a line.
func describe(p history.Pattern) string {
	return line(fmt.Sprintf("%s: done in %d turns, the last time: %s `%s` (%s)",
		p.Step.Target, p.Turns, p.Step.Tool, p.Step.Action, p.Step.Outcome))
}

// fitting are the entries for a question: all, or the best, the conversation's
// first.
func (m *Memory) fitting(ctx context.Context, q Question) ([]Entry, error) {
	all, err := m.all(ctx, q.Conversation, q.Target)
	if err != nil {
		return nil, err
	}
	size := 0
	for _, e := range all {
		size += len(short(e.Text)) + len(e.ID) + len(e.Origin) + 7
	}
	if size <= Budget*2/3 {
		return all, nil
	}
	return m.best(ctx, all, telling(q.Prompt))
}

// best sorts entries by how well they fit, and leaves those out that do not.
func (m *Memory) best(ctx context.Context, all []Entry, prompt string) ([]Entry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.fill(ctx, all); err != nil {
		return nil, err
	}
	match := anyOf(prompt)
	if match == "" {
		return all, nil // nothing to go by: the first ones, as far as they fit
	}
	rows, err := m.index.QueryContext(ctx, "SELECT rowid FROM entries WHERE entries MATCH ? ORDER BY rank", match)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	var found []Entry
	for rows.Next() {
		var number int
		if err := rows.Scan(&number); err != nil {
			return nil, err
		}
		if number < len(all) {
			found = append(found, all[number])
		}
	}
	return found, rows.Err()
}

// fill makes the index hold these entries, unless it does already. The caller
// holds m.mu.
func (m *Memory) fill(ctx context.Context, all []Entry) error {
	h := sha256.New()
	for _, e := range all {
		_, _ = fmt.Fprintf(h, "%d %s\n", len(e.Text), e.Text) // a hash's Write never fails
	}
	sum := hex.EncodeToString(h.Sum(nil))
	if m.held == sum {
		return nil
	}
	m.held = ""
	tx, err := m.index.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after a commit it does nothing
	if _, err := tx.ExecContext(ctx, "DELETE FROM entries"); err != nil {
		return err
	}
	for i, e := range all {
		if _, err := tx.ExecContext(ctx, "INSERT INTO entries (rowid, text) VALUES (?, ?)", i, e.Text); err != nil {
			return err
		}
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	m.held = sum
	return nil
}

func openIndex() (*sql.DB, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // each connection would have a database of its own
	if _, err := db.ExecContext(context.Background(), "CREATE VIRTUAL TABLE entries USING fts5(text, tokenize = 'porter unicode61 remove_diacritics 2')"); err != nil {
		_ = db.Close() // the first error says more
		return nil, err
	}
	return db, nil
}

// telling are the words of a prompt that tell what it is about, each once.
func telling(prompt string) string {
	const most = 40
	var words []string
	known := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(strings.ToValidUTF8(prompt, " ")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}) {
		if len(w) > 2 && !idle[w] && !known[w] && len(words) < most {
			known[w] = true
			words = append(words, w)
		}
	}
	return strings.Join(words, " ")
}

// idle words stand in any prompt.
var idle = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`the and for are was you can that this with what which why how who when where does did has
		have had not all any but its it's from into out our your their there here please show tell give let make just
		will would should could than then them they about over also some more most is be do on in of to at as an or if`) {
		words[w] = true
	}
	return words
}()

// related reports whether a prompt and an action share a telling word.
func related(action, prompt string) bool {
	words := strings.Fields(telling(prompt))
	for _, a := range strings.Fields(telling(action)) {
		for _, w := range words {
			if strings.HasPrefix(a, w) || strings.HasPrefix(w, a) {
				return true
			}
		}
	}
	return false
}

func anyOf(text string) string {
	var all []string
	for _, w := range strings.Fields(text) {
		all = append(all, `"`+strings.ReplaceAll(w, `"`, `""`)+`"`)
	}
	return strings.Join(all, " OR ")
}

// short cuts a line between two characters.
func short(text string) string {
	if len(text) <= maxLine {
		return text
	}
	return strings.ToValidUTF8(text[:maxLine], "") + "…"
}

// Text is what a request is told, fenced by a mark that nothing in it can know;
// empty if there is nothing. clean is applied to each line.
func (r Recalled) Text(clean func(string) string) string {
	if len(r.Items) == 0 {
		return ""
	}
	var b strings.Builder
	for _, i := range r.Items {
		label := i.Label
		if i.Tainted && label != string(Output) {
			label += ", from output"
		}
		fmt.Fprintf(&b, "[%s] %s\n", label, unfenced(clean(i.Text)))
	}
	if r.Left > 0 {
		fmt.Fprintf(&b, "[nod] %d more entries did not fit\n", r.Left)
	}
	return Fence("memory", b.String())
}

// Fence puts a text between tags that carry a mark made for it alone.
func Fence(tag, text string) string {
	mark := rand.Text()[:10]
	return fmt.Sprintf("<%s mark=%q>\n%s\n</%s mark=%q>", tag, mark, strings.TrimRight(text, "\n"), tag, mark)
}

var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`⟦secret:\d+⟧`) })

// unfenced takes out what only the present conversation may say: its names of
// secrets mean others in another one.
func unfenced(text string) string { return placeholder().ReplaceAllString(line(text), "⟦secret⟧") }
