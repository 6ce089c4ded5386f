package memory

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Origin says whose words an entry has.
type Origin string

// The origins.
const (
	Operator Origin = "operator" // a person wrote it into the file
	Model    Origin = "model"    // the model, and the operator approved it
	Output   Origin = "output"   // the model, with parts of what a target had printed
)

// Entry is one thing that is remembered.
type Entry struct {
	ID     string
	Scope  Scope
	Text   string // in one line
	Origin Origin
	// Source is where the model said it: "conversation k3f…, 2026-11-21"; empty for
	// the operator's own.
	Source string

	from, to int // in the file's lines
}

// Scope is how far something is remembered.
type Scope string

// The scopes.
const (
	Conversation Scope = "conversation"
	Project      Scope = "project"
	Global       Scope = "global"
)

// ParseScope reads one of the three words.
func ParseScope(word string) (Scope, error) {
	switch s := Scope(word); s {
	case Conversation, Project, Global:
		return s, nil
	}
	return "", fmt.Errorf("unknown scope %q: want conversation, project or global", word)
}

// idOf names an entry by its text, so that it keeps its name when others change.
func idOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

var (
	// mark is what stands behind an entry that nod has written.
	mark    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`<!-- nod: (model|output)(?:, ([^<>]*?))? -->`) })
	comment = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?s)<!--.*?(?:-->|$)`) })
	bullet  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s{0,3}(?:[-*+]|\d{1,9}[.)])\s+`) })
	heading = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s{0,3}#{1,6}(?:\s|$)`) })
)

// entries takes a Markdown file apart: each item of a list and each paragraph is
// an entry, a heading is not.
func entries(scope Scope, text string) []Entry {
	lines := strings.Split(hideComments(text), "\n")
	var all []Entry
	var now *Entry
	var words []string
	end := func(at int) {
		if now == nil {
			return
		}
		now.to = at
		if e, ok := finish(*now, strings.Join(words, " ")); ok {
			all = append(all, e)
		}
		now, words = nil, nil
	}
	for i, line := range lines {
		switch {
		case strings.TrimSpace(line) == "", heading().MatchString(line):
			end(i)
			continue
		case bullet().MatchString(line), now == nil:
			end(i)
			now = &Entry{Scope: scope, from: i}
			line = bullet().ReplaceAllString(line, "")
		}
		words = append(words, line)
	}
	end(len(lines))
	return all
}

// hideComments empties comments, but for nod's marks, and keeps the lines where
// they are.
func hideComments(text string) string {
	return comment().ReplaceAllStringFunc(text, func(c string) string {
		if mark().MatchString(c) {
			return c
		}
		return strings.Repeat("\n", strings.Count(c, "\n"))
	})
}

func finish(e Entry, text string) (Entry, bool) {
	e.Origin = Operator
	for _, m := range mark().FindAllStringSubmatch(text, -1) {
		if e.Origin != Output {
			e.Origin = Origin(m[1])
		}
		e.Source = m[2]
	}
	e.Text = line(mark().ReplaceAllString(text, " "))
	e.ID = idOf(e.Text)
	return e, e.Text != ""
}

// line makes one line of a text.
func line(text string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))), " ")
}

// written is an entry as nod writes it into a file.
func written(text string, tainted bool, conversation string, at time.Time) string {
	origin := Model
	if tainted {
		origin = Output
	}
	safe := strings.NewReplacer("<!--", "<! --", "-->", "-- >").Replace(text)
	return fmt.Sprintf("- %s <!-- nod: %s, conversation %s, %s -->\n", safe, origin, conversation, at.Format(time.DateOnly))
}
