package ssh

import (
	_ "embed"
	"slices"
	"strings"
)

//go:embed keywords.tsv
var keywordTable string

// Keyword says what becomes of an option of ssh_config.
type Keyword struct {
	Name   string // in lower case, as "ssh -G" prints it
	Status KeywordStatus
	Note   string // may be empty
}

// KeywordStatus is what becomes of an option.
type KeywordStatus string

// What can become of an option of ssh_config.
const (
	KeywordDone    KeywordStatus = "done"    // nod does what ssh does
	KeywordAsked   KeywordStatus = "ssh -G"  // ssh itself works it out
	KeywordStock   KeywordStatus = "openssh" // the system's ssh logs in
	KeywordNamed   KeywordStatus = "named"   // not done, which is said at the login
	KeywordRefused KeywordStatus = "refused" // there is no login
	KeywordNone    KeywordStatus = "none"    // it has no effect on nod
)

// Keywords are all options of ssh_config(5), by name.
func Keywords() []Keyword {
	var all []Keyword
	for line := range strings.Lines(keywordTable) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		all = append(all, Keyword{f[0], KeywordStatus(f[1]), f[2]})
	}
	slices.SortFunc(all, func(a, b Keyword) int { return strings.Compare(a.Name, b.Name) })
	return all
}
