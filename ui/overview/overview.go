package overview

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/keys"
)

// Still is how long no tile changes its place after a key.
const Still = 5 * time.Second

// doubleClick is the longest time between two clicks that count as one.
const doubleClick = 500 * time.Millisecond

// maxLine bounds what is written, in bytes.
const maxLine = 4096

// Verb is what the operator wants.
type Verb uint8

// The verbs.
const (
	Nothing   Verb = iota
	Close          // the overview
	Go             // to the pane of the target
	Broadcast      // run Line on the targets
	Type           // Line into the terminals of the targets
	Propose        // a command for the targets, from the model
)

// Choice is what the operator wants, with which targets.
type Choice struct {
	Verb  Verb
	Names []string
	Line  string
	Bare  bool // Line is typed without Enter behind it
}

// purpose is what a line is written for.
type purpose uint8

const (
	reading   purpose = iota // none is written
	filtering                // its words are looked for in names
	telling                  // it is to be run on the targets
	typing                   // it is to be typed into their terminals
)

// Overview is the tiles, the cursor, what is marked and what is written.
type Overview struct {
	now func() time.Time

	all     []Tile // in the order in which they are shown
	cursor  string // name of a tile
	marked  map[string]bool
	filter  string
	purpose purpose
	line    string
	notice  string

	touched time.Time // of the last key
	clicked time.Time // of the last click

	columns int // of the last frame
	page    int // rows of tiles in it
	top     int // its first row
	tile    size
	origin  point // where the first tile of the frame stands
}

type (
	size  struct{ w, h int }
	point struct{ x, y int }
)

// New returns an overview without tiles.
func New(now func() time.Time) *Overview {
	return &Overview{now: now, marked: map[string]bool{}, columns: 1, page: 1}
}

// Set replaces the tiles.
func (o *Overview) Set(tiles []Tile) {
	tiles = slices.Clone(tiles)
	if o.held() {
		place := make(map[string]int, len(o.all))
		for i, t := range o.all {
			place[t.Name] = i - len(o.all) // those that are new come last
		}
		slices.SortStableFunc(tiles, func(a, b Tile) int {
			if c := place[a.Name] - place[b.Name]; c != 0 {
				return c
			}
			return compare(a, b)
		})
	} else {
		slices.SortStableFunc(tiles, compare)
	}
	o.all = tiles
	for name := range o.marked {
		if !slices.ContainsFunc(tiles, func(t Tile) bool { return t.Name == name }) {
			delete(o.marked, name) // what is not there any more is not meant any more
		}
	}
}

// held reports whether tiles keep their places.
func (o *Overview) held() bool {
	return len(o.marked) > 0 || o.purpose != reading || !o.touched.IsZero() && o.now().Sub(o.touched) < Still
}

// Say shows something in the first line until the next key.
func (o *Overview) Say(text string) { o.notice = text }

// Writing reports whether keys are text.
func (o *Overview) Writing() bool { return o.purpose != reading }

// Wake is when the overview looks otherwise by itself; 0 if it does not.
func (o *Overview) Wake() time.Duration {
	for _, t := range o.shown() {
		if t.Running != "" && !t.Since.IsZero() {
			return time.Second
		}
	}
	if len(o.all) > 0 {
		return time.Minute // the ends of commands get older
	}
	return 0
}

// shown are the tiles that match the filter.
func (o *Overview) shown() []Tile {
	words := strings.Fields(strings.ToLower(o.sought()))
	if len(words) == 0 {
		return o.all
	}
	var some []Tile
	for _, t := range o.all {
		name := strings.ToLower(t.Name + " " + t.Trust)
		if !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(name, w) }) {
			some = append(some, t)
		}
	}
	return some
}

// sought is the filter as it is at the moment.
func (o *Overview) sought() string {
	if o.purpose == filtering {
		return o.line
	}
	return o.filter
}

// at is the index of the tile under the cursor.
func (o *Overview) at(shown []Tile) int {
	return max(0, slices.IndexFunc(shown, func(t Tile) bool { return t.Name == o.cursor }))
}

// Under is the tile under the cursor; nil if there is none.
func (o *Overview) Under() *Tile {
	shown := o.shown()
	if len(shown) == 0 {
		return nil
	}
	return &shown[o.at(shown)]
}

// meant are the names of the tiles that are marked, in the order of the tiles, or of the
// one under the cursor.
func (o *Overview) meant() []string {
	var names []string
	for _, t := range o.all {
		if o.marked[t.Name] {
			names = append(names, t.Name)
		}
	}
	if t := o.Under(); len(names) == 0 && t != nil {
		names = []string{t.Name}
	}
	return names
}

// motions are by how many tiles the cursor moves.
var motions = map[keys.ID]func(*Overview) int{
	keys.Left:     func(*Overview) int { return -1 },
	keys.Right:    func(*Overview) int { return 1 },
	keys.Up:       func(o *Overview) int { return -o.columns },
	keys.Down:     func(o *Overview) int { return o.columns },
	keys.PageUp:   func(o *Overview) int { return -o.columns * o.page },
	keys.PageDown: func(o *Overview) int { return o.columns * o.page },
	keys.Top:      func(o *Overview) int { return -len(o.all) },
	keys.Bottom:   func(o *Overview) int { return len(o.all) },
}

// Do carries out a command of the table.
func (o *Overview) Do(id keys.ID) Choice {
	o.notice, o.touched = "", o.now()
	if far, ok := motions[id]; ok {
		o.move(far(o))
		return Choice{}
	}
	switch id {
	case keys.Mark:
		o.mark()
	case keys.Terminal:
		if t := o.Under(); t != nil {
			return Choice{Verb: Go, Names: []string{t.Name}}
		}
	case keys.Search:
		o.purpose, o.line = filtering, o.filter
	case keys.Broadcast:
		if len(o.meant()) > 0 {
			o.purpose, o.line = telling, ""
		}
	case keys.TypeInto:
		if len(o.meant()) > 0 && !o.secretive() {
			o.purpose, o.line = typing, ""
			o.notice = "Enter types it with Enter behind it, Alt-Enter without; Esc goes back"
		}
	case keys.Propose:
		if names := o.meant(); len(names) > 0 {
			return Choice{Verb: Propose, Names: names}
		}
	case keys.Back:
		return o.back()
	}
	return Choice{}
}

// back takes back one thing: the marks, the filter, the overview.
func (o *Overview) back() Choice {
	switch {
	case len(o.marked) > 0:
		clear(o.marked)
		o.touched = time.Time{}
	case o.filter != "":
		o.filter = ""
	default:
		return Choice{Verb: Close}
	}
	return Choice{}
}

// move moves the cursor by a number of tiles, as far as there are any.
func (o *Overview) move(by int) {
	shown := o.shown()
	if len(shown) == 0 {
		return
	}
	to := o.at(shown) + by
	if by < -1 && to < 0 || by > 1 && to >= len(shown) { // up from the first row stays in its column
		to = min(max(to, 0), len(shown)-1)
	}
	o.cursor = shown[min(max(to, 0), len(shown)-1)].Name
}

// mark marks the tile under the cursor, or not any more, and goes on to the next one.
func (o *Overview) mark() {
	t := o.Under()
	if t == nil {
		return
	}
	name := t.Name
	if o.marked[name] {
		delete(o.marked, name)
	} else {
		o.marked[name] = true
	}
	o.move(1)
}

// Key takes a key while a line is written.
func (o *Overview) Key(ev *tcell.EventKey) Choice {
	o.notice, o.touched = "", o.now()
	switch ev.Key() {
	case tcell.KeyEscape, tcell.KeyCtrlC:
		o.purpose, o.line = reading, ""
	case tcell.KeyEnter:
		return o.written(ev.Modifiers()&tcell.ModAlt != 0)
	case tcell.KeyBackspace, tcell.KeyBackspace2:
		_, n := utf8.DecodeLastRuneInString(o.line)
		o.line = o.line[:len(o.line)-n]
	case tcell.KeyCtrlU:
		o.line = ""
	case tcell.KeyCtrlW:
		cut := strings.TrimRight(o.line, " ")
		o.line = cut[:strings.LastIndex(cut, " ")+1]
	case tcell.KeyRune:
		if ev.Modifiers()&(tcell.ModAlt|tcell.ModCtrl|tcell.ModMeta) == 0 {
			o.Insert(string(ev.Rune()))
		}
	}
	return Choice{}
}

// written ends the line; bare says that it is to be typed without Enter.
func (o *Overview) written(bare bool) Choice {
	line, purpose := o.line, o.purpose
	switch {
	case purpose == telling && strings.TrimSpace(line) == "", purpose == typing && bare && line == "":
		o.notice = "nothing is written yet; Esc goes back"
		return Choice{}
	case purpose == typing && o.secretive():
		return Choice{}
	}
	o.purpose, o.line = reading, ""
	switch purpose {
	case filtering:
		o.filter = strings.TrimSpace(line)
		return Choice{}
	case typing:
		return Choice{Verb: Type, Names: o.meant(), Line: line, Bare: bare}
	}
	return Choice{Verb: Broadcast, Names: o.meant(), Line: line}
}

// Rewrite has the line of a choice written on that could not be carried out, and says why.
func (o *Overview) Rewrite(c Choice, why string) {
	o.purpose, o.line, o.notice = telling, c.Line, why
	if c.Verb == Type {
		o.purpose = typing
	}
}

// secrets are words of questions that are answered with a secret.
var secrets = []string{"password", "passphrase", "passcode", "pin:", "pin for", "verification code", "one-time", "otp", "token", "secret"}

// secretive reports whether something asks for a secret on one of the targets that are
// meant, and says so: what is typed into several terminals is shown and on record.
func (o *Overview) secretive() bool {
	names := o.meant()
	for _, t := range o.all {
		asks := strings.ToLower(t.Asks)
		if slices.Contains(names, t.Name) && slices.ContainsFunc(secrets, func(word string) bool { return strings.Contains(asks, word) }) {
			o.notice = t.Name + " asks for a secret: type it in its terminal (Enter), where it is not recorded; or unmark it"
			return true
		}
	}
	return false
}

// Insert adds text to what is written: a paste. Of several lines none is taken: what
// comes behind the first one was not meant for a line.
func (o *Overview) Insert(text string) {
	text = strings.TrimRight(text, "\r\n")
	switch {
	case o.purpose == reading:
	case strings.ContainsAny(text, "\r\n"):
		o.notice = "a paste of several lines is not taken: this is one line"
	case len(o.line)+len(text) > maxLine:
		o.notice = "the line is full"
	default:
		o.line += text
	}
}

// Click puts the cursor on the tile at a place; two of them on the same tile go there.
func (o *Overview) Click(x, y int) Choice {
	i := o.under(x, y)
	if i < 0 || o.purpose == telling || o.purpose == typing {
		return Choice{}
	}
	shown := o.shown()
	again := shown[i].Name == o.cursor && o.now().Sub(o.clicked) < doubleClick
	o.cursor, o.notice = shown[i].Name, ""
	o.touched, o.clicked = o.now(), o.now()
	if again {
		return Choice{Verb: Go, Names: []string{o.cursor}}
	}
	return Choice{}
}

// under is the index of the tile at a place of the last frame; -1 if there is none.
func (o *Overview) under(x, y int) int {
	if o.tile.w < 1 || o.tile.h < 1 || x < o.origin.x || y < o.origin.y {
		return -1
	}
	column, row := (x-o.origin.x)/o.tile.w, (y-o.origin.y)/o.tile.h
	i := (o.top+row)*o.columns + column
	if column >= o.columns || row >= o.page || i >= len(o.shown()) {
		return -1
	}
	return i
}

// Scroll moves the cursor by rows, for the wheel.
func (o *Overview) Scroll(rows int) {
	o.touched = o.now()
	o.move(rows * o.columns)
}
