package targets

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// State is how nod stands with a target.
type State uint8

// The states.
const (
	Known      State = iota // it can be connected
	Connecting              // Detail says how far
	Connected
	Lost // it was connected; it is being tried again
)

// Target is a row of the picker.
type Target struct {
	Name    string // canonical: "local", "ssh:web-1", "docker:api"
	State   State
	Trust   string        // "prod", "stage", "lab"; may be empty
	Detail  string        // an address, an image, a step; foreign text
	Latency time.Duration // of the last answer; 0 if not known
	Address string        // as far as it is known; foreign text
	System  string        // what runs there, as it was at the last connection; foreign text
	Used    time.Time     // when it was connected last; zero if that is not known
	Groups  []string      // of the operator's, that it is in
	Panes   int
	Word    string // in place of the state's own: "paused"
	Logs    bool   // it has a log
	Current bool   // calls that name no target mean this one

	verb Verb // what choosing the row does, if it is an offer
}

// InGroups are the groups that the target is in, as expressions name them: "@db @web".
func (t Target) InGroups() string {
	var all []string
	for _, name := range t.Groups {
		all = append(all, "@"+name)
	}
	return strings.Join(all, " ")
}

// Verb is what is to be done with the chosen target.
type Verb uint8

// The verbs.
const (
	Nothing   Verb = iota
	Close          // the picker
	Use            // connect if need be, and make it the current one
	Drop           // give the connection up
	Attach         // copy the command by which the operator gets there by hand
	Logs           // show the log, or no more
	Open           // open another terminal there
	End            // close the terminal that has or had the keyboard; it names no target
	UseMarked      // connect all that are marked; it names no target: see Marked
)

// Choice is what the operator wants.
type Choice struct {
	Verb Verb
	Name string
}

// maxFilter bounds what is typed, in bytes.
const maxFilter = 256

// Picker is the list, what is typed and what is chosen. Its zero value is empty.
type Picker struct {
	Now func() time.Time // the clock; nil means time.Now

	all    []Target
	offers []Offer
	filter string
	chosen string // name; the first one that matches if it does not
	marked map[string]bool
	top    int // the first row shown
	page   int // rows shown
}

// Set replaces the list. What is typed and chosen stays.
func (p *Picker) Set(all []Target) {
	p.all = slices.Clone(all)
	slices.SortStableFunc(p.all, func(a, b Target) int {
		return cmp.Or(rank(a)-rank(b), b.Used.Compare(a.Used))
	})
	for name := range p.marked {
		if !slices.ContainsFunc(all, func(t Target) bool { return t.Name == name }) {
			delete(p.marked, name) // what is not there any more is not meant any more
		}
	}
}

// Marked are the names of the targets that are marked, in the order of the list.
func (p *Picker) Marked() []string {
	var names []string
	for _, t := range p.all {
		if p.marked[t.Name] {
			names = append(names, t.Name)
		}
	}
	return names
}

// mark marks the chosen target, or not any more, and goes on to the next one.
func (p *Picker) mark() {
	some := p.matching()
	if len(some) == 0 || some[p.at(some)].verb != Nothing {
		return
	}
	name := some[p.at(some)].Name
	if p.marked == nil {
		p.marked = map[string]bool{}
	}
	if p.marked[name] {
		delete(p.marked, name)
	} else {
		p.marked[name] = true
	}
	p.chosen = name // also where it is the last one, so that another space is no text
	p.move(1)
}

// spaceMarks reports whether a space marks. Right behind a word that is typed it goes on
// with the filter, which may hold several words.
func (p *Picker) spaceMarks() bool {
	return p.chosen != "" || p.filter == "" || strings.HasSuffix(p.filter, " ")
}

// rank brings what is in use to the top; among equals, what was used last comes first.
func rank(t Target) int {
	switch {
	case t.Current:
		return 0
	case t.State != Known:
		return 1
	}
	return 2
}

// Offer is a row for something else that can be done here. It is shown once what is
// typed is its letter, or begins its name.
type Offer struct {
	Verb   Verb
	Letter string // before it, the row stands first
	Name   string // "new terminal"; no target is called so
	Detail string
}

// Offer sets the rows beside the targets.
func (p *Picker) Offer(offers []Offer) { p.offers = slices.Clone(offers) }

// offered are the rows for what is typed: those of its letter, and those of its name.
func (p *Picker) offered() (first, last []Target) {
	typed := strings.ToLower(strings.TrimSpace(p.filter))
	for _, o := range p.offers {
		row := Target{Name: o.Name, Detail: o.Detail, verb: o.Verb}
		switch {
		case typed == "":
		case typed == o.Letter:
			first = append(first, row)
		case strings.HasPrefix(o.Name, typed):
			last = append(last, row)
		}
	}
	return first, last
}

// matching are the rows of which one can be chosen: the targets of which something
// holds all words that are typed, and what is offered.
func (p *Picker) matching() []Target {
	first, last := p.offered()
	return slices.Concat(first, p.named(), last)
}

// named are the targets that hold all words that are typed.
func (p *Picker) named() []Target {
	words := strings.Fields(strings.ToLower(p.filter))
	var some []Target
	for _, t := range p.all {
		text := strings.ToLower(t.Name + " " + strings.Join([]string{t.Trust, t.Detail, t.Address, t.System, t.InGroups()}, " "))
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(text, w) }) {
			some = append(some, t)
		}
	}
	return some
}

// at is the index of the chosen target in some.
func (p *Picker) at(some []Target) int {
	return max(0, slices.IndexFunc(some, func(t Target) bool { return t.Name == p.chosen }))
}

// verbs are what keys want with the row that is marked.
var verbs = map[tcell.Key]Verb{
	tcell.KeyEnter: Use, tcell.KeyCtrlX: Drop, tcell.KeyCtrlY: Attach, tcell.KeyCtrlO: Logs, tcell.KeyCtrlN: Open,
}

// Key takes a key. Letters filter; what is typed and matches no row can be
// chosen as the name of a target that the list does not have.
func (p *Picker) Key(ev *tcell.EventKey) Choice {
	if verb, ok := verbs[ev.Key()]; ok {
		return p.choose(verb)
	}
	switch ev.Key() {
	case tcell.KeyEscape, tcell.KeyCtrlC:
		switch {
		case p.filter != "":
			p.filter, p.chosen = "", ""
		case len(p.marked) > 0:
			clear(p.marked)
		default:
			return Choice{Verb: Close}
		}
	case tcell.KeyUp, tcell.KeyBacktab:
		p.move(-1)
	case tcell.KeyDown, tcell.KeyTab:
		p.move(1)
	case tcell.KeyPgUp:
		p.move(-max(p.page-1, 1))
	case tcell.KeyPgDn:
		p.move(max(p.page-1, 1))
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		_, n := utf8.DecodeLastRuneInString(p.filter)
		p.filter, p.chosen = p.filter[:len(p.filter)-n], ""
	case tcell.KeyCtrlU:
		p.filter, p.chosen = "", ""
	case tcell.KeyRune:
		switch plain := ev.Modifiers()&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) == 0; {
		case plain && ev.Rune() == ' ' && p.spaceMarks():
			p.mark()
		case plain:
			p.Insert(string(ev.Rune()))
		}
	}
	return Choice{}
}

// Insert adds text to what is typed: a paste.
func (p *Picker) Insert(text string) {
	line, _, _ := strings.Cut(strings.ReplaceAll(text, "\r", "\n"), "\n")
	if len(p.filter)+len(line) <= maxFilter {
		p.filter, p.chosen = p.filter+line, ""
	}
}

func (p *Picker) move(by int) {
	if some := p.matching(); len(some) > 0 {
		p.chosen = some[max(0, min(p.at(some)+by, len(some)-1))].Name
	}
}

// choose is a choice for the row that is marked.
func (p *Picker) choose(v Verb) Choice {
	some := p.matching()
	switch {
	case v == Use && len(p.marked) > 0:
		return Choice{Verb: UseMarked}
	case len(some) > 0 && some[p.at(some)].verb != Nothing:
		if v == Use {
			return Choice{Verb: some[p.at(some)].verb}
		}
	case len(some) > 0 && v == Logs && !some[p.at(some)].Logs:
	case len(some) > 0:
		return Choice{v, some[p.at(some)].Name}
	case v == Use && strings.TrimSpace(p.filter) != "":
		return Choice{v, strings.TrimSpace(p.filter)}
	}
	return Choice{}
}
