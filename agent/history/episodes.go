package history

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// Episode is what one turn came to.
type Episode struct {
	Conversation string
	Place        int // of the turn's prompt
	Target       string
	Goal         string // the first line of the prompt
	Ending       string
	Steps        []EpisodeStep
	Time         time.Time
}

// EpisodeStep is one thing that was done in a turn. It holds no output.
type EpisodeStep struct {
	Tool    string
	Target  string
	Action  string // the command or the path
	Outcome string // "exited 0, 12 lines"
	// Tainted says that parts of the action stood in what a target had printed.
	Tainted bool
}

// Hash names what the step did, whatever came of it.
func (e EpisodeStep) Hash() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{e.Tool, e.Target, strings.Join(strings.Fields(e.Action), " ")}, "\x00")))
	return hex.EncodeToString(sum[:])
}

// String is the step in a line.
func (e EpisodeStep) String() string {
	return fmt.Sprintf("%s `%s`: %s", e.Tool, strings.ReplaceAll(e.Action, "`", "'"), e.Outcome)
}

// Pattern is something that was done in several turns.
type Pattern struct {
	ID   string // the beginning of the step's Hash
	Step EpisodeStep
	// Turns is in how many turns it was done.
	Turns   int
	Sources []Source // the latest first
	Struck  bool
}

// Source is a turn that a pattern was learned from.
type Source struct {
	Conversation string
	Place        int
	Outcome      string
	Time         time.Time
}

// PatternTurns is in how many turns something must have been done to be a
// pattern.
const PatternTurns = 3

// patternID is how much of a hash names a pattern.
const patternID = 10

// Learn stores what a turn came to, in the place of what was stored of it
// before, and returns the patterns that are new by it. The conversation must be
// held by this store.
func (s *Store) Learn(ctx context.Context, e Episode) ([]Pattern, error) {
	var fresh []string
	err := s.change(ctx, e.Conversation, func(tx *sql.Tx) (err error) {
		fresh, err = learn(ctx, tx, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	var all []Pattern
	for _, id := range fresh {
		p, err := s.Pattern(ctx, id)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

// learn is Learn in a transaction; fresh are the hashes of the new patterns, cut.
func learn(ctx context.Context, tx *sql.Tx, e Episode) (fresh []string, err error) {
	if _, err := tx.ExecContext(ctx, "DELETE FROM episodes WHERE conversation = ? AND place = ?", e.Conversation, e.Place); err != nil {
		return nil, err
	}
	var id int64
	err = tx.QueryRowContext(ctx, `INSERT INTO episodes (conversation, place, target, goal, ending, created)
		VALUES (?, ?, ?, ?, ?, ?) RETURNING id`, e.Conversation, e.Place, e.Target, e.Goal, e.Ending, e.Time.UnixMilli()).Scan(&id)
	if err != nil {
		return nil, err
	}
	found := []string{e.Goal, e.Target}
	for i, st := range once(e.Steps) {
		hash := st.Hash()
		if _, err := tx.ExecContext(ctx, `INSERT INTO steps (episode, place, tool, target, action, outcome, tainted, hash)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, id, i+1, st.Tool, st.Target, st.Action, st.Outcome, st.Tainted, hash); err != nil {
			return nil, err
		}
		found = append(found, st.Action)
		var repeated bool
		if err := tx.QueryRowContext(ctx, `SELECT turns = ? AND NOT EXISTS (SELECT 1 FROM struck WHERE struck.hash = habits.hash)
			FROM habits WHERE hash = ?`, PatternTurns, hash).Scan(&repeated); err != nil {
			return nil, err
		}
		if repeated {
			fresh = append(fresh, hash[:patternID])
		}
	}
	_, err = tx.ExecContext(ctx, "INSERT INTO recall (rowid, text) VALUES (?, ?)", id, strings.Join(found, "\n"))
	return fresh, err
}

// once are the steps of a turn, each once, with what came of it last.
func once(steps []EpisodeStep) []EpisodeStep {
	at := map[string]int{}
	var all []EpisodeStep
	for _, s := range steps {
		if i, ok := at[s.Hash()]; ok {
			all[i].Outcome, all[i].Tainted = s.Outcome, all[i].Tainted || s.Tainted
			continue
		}
		at[s.Hash()] = len(all)
		all = append(all, s)
	}
	return all
}

// Episodes finds the turns that have a word of text in what was wanted or done,
// the best fit first, but none of the conversation except. Without a text it
// returns the latest.
func (s *Store) Episodes(ctx context.Context, text, except string, limit int) ([]Episode, error) {
	query := `SELECT e.id, e.conversation, e.place, e.target, e.goal, e.ending, e.created FROM episodes e
		WHERE e.conversation <> ? ORDER BY e.created DESC, e.id DESC LIMIT ?`
	args := []any{except, limit}
	if text != "" {
		match := anyOf(text)
		if match == "" {
			return nil, nil
		}
		query = `SELECT e.id, e.conversation, e.place, e.target, e.goal, e.ending, e.created
			FROM recall JOIN episodes e ON e.id = recall.rowid
			WHERE recall MATCH ? AND e.conversation <> ? ORDER BY recall.rank, e.created DESC LIMIT ?`
		args = []any{match, except, limit}
	}
	rows, err := s.at().db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, fault(s.at().path, err)
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	var all []Episode
	var ids []int64
	for rows.Next() {
		var e Episode
		var id, created int64
		if err := rows.Scan(&id, &e.Conversation, &e.Place, &e.Target, &e.Goal, &e.Ending, &created); err != nil {
			return nil, fault(s.at().path, err)
		}
		e.Time = time.UnixMilli(created)
		all, ids = append(all, e), append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return nil, fault(s.at().path, err)
	}
	for i, id := range ids {
		if all[i].Steps, err = s.stepsOf(ctx, id); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (s *Store) stepsOf(ctx context.Context, episode int64) ([]EpisodeStep, error) {
	rows, err := s.at().db.QueryContext(ctx, "SELECT tool, target, action, outcome, tainted FROM steps WHERE episode = ? ORDER BY place", episode)
	if err != nil {
		return nil, fault(s.at().path, err)
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	var all []EpisodeStep
	for rows.Next() {
		var st EpisodeStep
		if err := rows.Scan(&st.Tool, &st.Target, &st.Action, &st.Outcome, &st.Tainted); err != nil {
			return nil, fault(s.at().path, err)
		}
		all = append(all, st)
	}
	return all, fault(s.at().path, rows.Err())
}

// Patterns returns what was done in several turns, the most often first, without
// their sources: on one target, or on all if it is empty; those that were struck
// only if it is said.
func (s *Store) Patterns(ctx context.Context, target string, struck bool) ([]Pattern, error) {
	where, args := "hash >= ''", []any{}
	if target != "" {
		where, args = "target = ?", []any{target}
	}
	found, _, err := s.patterns(ctx, where, struck, args...)
	return found, err
}

// Pattern returns one pattern with its sources, also a struck one, by its ID or a
// longer beginning of its hash. It is ErrNoPattern if there is none.
func (s *Store) Pattern(ctx context.Context, id string) (Pattern, error) {
	found, hashes, err := s.patterns(ctx, "hash >= ? AND hash < ? || 'g'", true, id, id) // behind all hexadecimal digits
	if err == nil && (len(found) != 1 || len(id) < patternID) {
		err = fmt.Errorf("%w: %q", ErrNoPattern, id)
	}
	if err != nil {
		return Pattern{}, err
	}
	p := found[0]
	if p.Sources, err = s.sourcesOf(ctx, hashes[0]); err == nil && len(p.Sources) > 0 {
		p.Step.Outcome = p.Sources[0].Outcome
	}
	return p, err
}

func (s *Store) patterns(ctx context.Context, where string, struck bool, args ...any) (all []Pattern, hashes []string, err error) {
	//nolint:gosec // where is one of two constants above
	rows, err := s.at().db.QueryContext(ctx, `SELECT hash, tool, target, action, tainted > 0, turns,
			EXISTS (SELECT 1 FROM struck WHERE struck.hash = habits.hash) AS gone
		FROM habits WHERE `+where+` AND turns >= ? AND gone <= ?
		ORDER BY turns DESC, last DESC LIMIT 1000`, append(args, PatternTurns, struck)...)
	if err != nil {
		return nil, nil, fault(s.at().path, err)
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	for rows.Next() {
		var p Pattern
		var hash string
		if err := rows.Scan(&hash, &p.Step.Tool, &p.Step.Target, &p.Step.Action, &p.Step.Tainted, &p.Turns, &p.Struck); err != nil {
			return nil, nil, fault(s.at().path, err)
		}
		p.ID = hash[:patternID]
		all, hashes = append(all, p), append(hashes, hash)
	}
	return all, hashes, fault(s.at().path, rows.Err())
}

func (s *Store) sourcesOf(ctx context.Context, hash string) ([]Source, error) {
	rows, err := s.at().db.QueryContext(ctx, `SELECT e.conversation, e.place, s.outcome, e.created FROM steps s JOIN episodes e ON e.id = s.episode
		WHERE s.hash = ? ORDER BY s.episode DESC LIMIT 20`, hash)
	if err != nil {
		return nil, fault(s.at().path, err)
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	var all []Source
	for rows.Next() {
		var src Source
		var created int64
		if err := rows.Scan(&src.Conversation, &src.Place, &src.Outcome, &created); err != nil {
			return nil, fault(s.at().path, err)
		}
		src.Time = time.UnixMilli(created)
		all = append(all, src)
	}
	return all, fault(s.at().path, rows.Err())
}

// Strike makes a pattern no longer count, however often it repeats; with undo it
// counts again. It is ErrNoPattern if there is none. Of what is struck only a hash
// is kept, so that deleting its conversations leaves nothing of it.
func (s *Store) Strike(ctx context.Context, id string, undo bool) (Pattern, error) {
	if s.at().holder == nil {
		return Pattern{}, s.onlyRead()
	}
	p, err := s.Pattern(ctx, id)
	if err != nil {
		return Pattern{}, err
	}
	p.Struck = !undo
	query, args := "INSERT OR REPLACE INTO struck (hash, created) VALUES (?, ?)", []any{p.Step.Hash(), s.now().UnixMilli()}
	if undo {
		query, args = "DELETE FROM struck WHERE hash = ?", args[:1]
	}
	return p, fault(s.at().path, s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, query, args...)
		return err
	}))
}

// ForgetEpisodes removes all episodes, and with them every pattern.
func (s *Store) ForgetEpisodes(ctx context.Context) error {
	if s.at().holder == nil {
		return s.onlyRead()
	}
	return fault(s.at().path, s.write(ctx, func(tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, "DELETE FROM episodes")
		return err
	}))
}

// TaintedActions returns the actions of turns that had parts of what a target had
// printed, the latest first.
func (s *Store) TaintedActions(ctx context.Context, limit int) ([]string, error) {
	rows, err := s.at().db.QueryContext(ctx, `SELECT action FROM steps WHERE tainted <> 0
		GROUP BY action ORDER BY max(episode) DESC LIMIT ?`, limit)
	if err != nil {
		return nil, fault(s.at().path, err)
	}
	defer func() { _ = rows.Close() }() // rows.Err has said it already
	var all []string
	for rows.Next() {
		var action string
		if err := rows.Scan(&action); err != nil {
			return nil, fault(s.at().path, err)
		}
		all = append(all, action)
	}
	return all, fault(s.at().path, rows.Err())
}
