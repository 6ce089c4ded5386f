package guide

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/pelletier/go-toml/v2"
)

//go:embed topics.toml
var topicsFile string

//go:embed words.toml
var wordsFile string

// topic is one thing that the guide can look at.
type topic struct {
	Name     string    `toml:"name"`
	Title    string    `toml:"title"`
	Example  string    `toml:"example"`
	Keywords []string  `toml:"keywords"`
	Intro    string    `toml:"intro"`
	Commands []command `toml:"command"`
}

// command is one line that a topic runs.
type command struct {
	ID      string `toml:"id"`
	Run     string `toml:"run"`
	Why     string `toml:"why"`
	Instead string `toml:"instead"`
	Spare   bool   `toml:"spare"`
	Extra   bool   `toml:"extra"`
}

type overview struct {
	Keywords []string `toml:"keywords"`
	Topics   []string `toml:"topics"`
}

// knowledge is the data of the package, read once.
type knowledge struct {
	Topics   []topic    `toml:"topic"`
	Overview []overview `toml:"overview"`
	words    wordList
}

type wordList struct {
	Glances  []string `toml:"glances"`
	Reads    []string `toml:"reads"`
	Alone    []string `toml:"alone"`
	Destroys []string `toml:"destroys"`
	Elevates []string `toml:"elevates"`
}

// known is parsed when it is first needed: the files are part of the program,
// and a test reads them.
var known = sync.OnceValue(mustLoad)

func mustLoad() *knowledge {
	k, err := load()
	if err != nil {
		panic("guide: " + err.Error())
	}
	return &k
}

func load() (knowledge, error) {
	var k knowledge
	dec := toml.NewDecoder(strings.NewReader(topicsFile))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&k); err != nil {
		return k, fmt.Errorf("topics.toml: %w", err)
	}
	dec = toml.NewDecoder(strings.NewReader(wordsFile))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&k.words); err != nil {
		return k, fmt.Errorf("words.toml: %w", err)
	}
	return k, nil
}

func (k *knowledge) topic(name string) *topic {
	for i := range k.Topics {
		if k.Topics[i].Name == name {
			return &k.Topics[i]
		}
	}
	return nil
}

func (t *topic) command(id string) *command {
	for i := range t.Commands {
		if t.Commands[i].ID == id {
			return &t.Commands[i]
		}
	}
	return nil
}

// maxTopics bounds what one question leads to; an overview is worth more.
const maxTopics = 3

var clauseEnd = lazy(`(?i)[,;.?!]\s|\s(?:and|also|plus)\s`)

// match finds the topics that a question is about, each of its clauses for itself.
func (k *knowledge) match(question string) []*topic {
	var found []*topic
	for _, clause := range clauseEnd().Split(question, -1) {
		topics, overview := k.matchClause(wordsOf(clause))
		if overview {
			return topics
		}
		for _, t := range topics {
			if len(found) < maxTopics && !slices.Contains(found, t) {
				found = append(found, t)
			}
		}
	}
	return found
}

// matchClause finds the topics that score at least half as much as the best, the best
// first, or those of an overview.
func (k *knowledge) matchClause(words []string) (found []*topic, overview bool) {
	scores := map[*topic]int{}
	best := 0
	for i := range k.Topics {
		t := &k.Topics[i]
		if s := score(words, t.Keywords); s > 0 {
			scores[t] = s
			found = append(found, t)
			best = max(best, s)
		}
	}
	for _, o := range k.Overview {
		if s := score(words, o.Keywords); s > 0 && s >= best {
			var all []*topic
			for _, name := range o.Topics {
				all = append(all, k.topic(name))
			}
			return all, true
		}
	}
	found = slices.DeleteFunc(found, func(t *topic) bool { return 2*scores[t] < best })
	slices.SortStableFunc(found, func(a, b *topic) int { return scores[b] - scores[a] })
	return found, false
}

// score adds up the keywords that stand in the question. A phrase of n words counts n².
func score(words []string, keywords []string) int {
	sum := 0
	for _, k := range keywords {
		if phrase := wordsOf(k); contains(words, phrase) {
			sum += len(phrase) * len(phrase)
		}
	}
	return sum
}

func contains(words, phrase []string) bool {
	for i := 0; i+len(phrase) <= len(words); i++ {
		all := true
		for j, p := range phrase {
			stem, open := strings.CutSuffix(p, "*")
			if words[i+j] != p && !(open && strings.HasPrefix(words[i+j], stem)) {
				all = false
				break
			}
		}
		if all {
			return true
		}
	}
	return false
}

// wordsOf splits text into lower-case words, without apostrophes.
func wordsOf(s string) []string {
	s = strings.NewReplacer("'", "", "’", "").Replace(strings.ToLower(s))
	return strings.FieldsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '*'
	})
}
