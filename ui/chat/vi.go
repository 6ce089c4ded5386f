package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// vi is the input as vi has it. Its zero value is off.
type vi struct {
	on, normal bool

	count, times int    // typed so far; before the operator
	operator     string // "d", "c" or "y", which waits for a motion
	pending      string // "r", "g" or what looks for a character, which waits for another key
	find         string // what looked for a character last, and that: "fx"
	big          bool   // a word ends at a blank only

	keys     []string // of the command that is under way
	last     []string // of the last one that has changed something
	typed    string   // what was inserted by it
	from     written  // where inserting began
	changes  bool     // the command changes something
	repeated bool     // it is a repetition
}

// UseVi has the input take vi's keys. It begins in insert mode.
func (in *Input) UseVi() { in.vi.on = true }

// ViMode is the mode in a word, "insert" or "normal"; empty without vi.
func (in *Input) ViMode() string {
	switch {
	case !in.vi.on:
		return ""
	case in.vi.normal:
		return "normal"
	}
	return "insert"
}

// ViKey takes a key by its name, and reports whether it was one of vi's: in normal mode
// every character is, and Ctrl-R, in insert mode Esc alone.
func (in *Input) ViKey(name string) bool {
	v := &in.vi
	switch {
	case !v.on:
		return false
	case !v.normal && name == "Esc":
		in.endInsert()
		return true
	case !v.normal:
		return false
	case name == "Esc" && (v.operator != "" || v.pending != "" || v.count > 0):
		v.reset()
		return true
	case name == "Backspace":
		name = "h"
	case name == "Ctrl-R":
		for range max(v.count, 1) {
			in.redo()
		}
		v.reset()
		in.clampVi()
		return true
	}
	if utf8.RuneCountInString(name) != 1 {
		v.reset()
		return false
	}
	in.viCommand(name)
	return true
}

// ViRecalls reports whether a key looks for an earlier prompt in vi's normal mode, where
// Ctrl-R does something else: the one that shells take there.
func (in *Input) ViRecalls(name string) bool {
	v := &in.vi
	return v.on && v.normal && name == "/" && v.operator == "" && v.pending == ""
}

// reset forgets the command that is under way.
func (v *vi) reset() {
	v.count, v.times, v.operator, v.pending, v.keys, v.changes = 0, 0, "", "", nil, false
}

// insert goes to insert mode.
func (in *Input) insert() {
	in.vi.normal = false
	in.vi.from = written{row: in.row, offset: in.offset}
}

// endInsert goes to normal mode, and keeps what was inserted for the dot.
func (in *Input) endInsert() {
	v := &in.vi
	if b := v.from; !v.repeated && b.row <= in.row && (b.row < in.row || b.offset <= in.offset) && b.row < len(in.lines) && b.offset <= len(in.lines[b.row]) {
		v.typed = in.between(b.row, b.offset, in.row, in.offset)
	}
	v.normal = true
	v.reset()
	if in.offset > 0 {
		in.moveTo(in.left())
	}
	in.undos.typing = false
}

// viCommand takes a character in normal mode.
func (in *Input) viCommand(key string) {
	v := &in.vi
	v.keys = append(v.keys, key)
	switch {
	case v.pending == "r":
		in.viReplace(key)
	case v.pending != "" && v.pending != "g":
		v.find = v.pending + key
		in.viDo(v.find)
	case key >= "1" && key <= "9" || key == "0" && v.count > 0:
		v.count = min(v.count*10+int(key[0]-'0'), 9999)
		return
	case v.operator == "" && strings.Contains("dcy", key):
		v.operator, v.times, v.count = key, v.count, 0
		return
	case v.waits(key):
		v.pending = key
		return
	default:
		in.viDo(key)
	}
	if v.changes && !v.repeated {
		v.last = v.keys
		if v.normal {
			v.typed = ""
		}
	}
	v.reset()
	in.clampVi()
}

// waits reports whether a key begins what another key completes.
func (v *vi) waits(key string) bool {
	return v.pending == "" && strings.Contains("gfFtT", key) || v.operator == "" && key == "r"
}

// clampVi keeps the cursor on a character in normal mode.
func (in *Input) clampVi() {
	if in.vi.normal && in.offset > 0 && in.offset == len(in.line()) {
		goal := in.goal
		in.moveTo(in.left())
		in.goal = goal
	}
}

// viDo carries a complete command out.
func (in *Input) viDo(key string) {
	v := &in.vi
	n := max(v.count, 1) * max(v.times, 1)
	if v.operator != "" {
		in.viOperate(key, n)
		return
	}
	if do, ok := viChanges[key]; ok {
		v.changes = true
		in.together(func() { do(in, n) })
		return
	}
	switch key {
	case "i":
		v.changes = true
		in.insert()
	case "a":
		v.changes = true
		if in.offset < len(in.line()) {
			in.moveTo(in.right())
		}
		in.insert()
	case "I":
		v.changes = true
		in.moveTo(in.row, indentOf(in.line()))
		in.insert()
	case "A":
		v.changes = true
		in.moveTo(in.row, len(in.line()))
		in.insert()
	case "u":
		for range n {
			in.undo()
		}
	case ".":
		in.viRepeat()
	case "j", "k":
		for range n {
			in.vertical(map[string]int{"j": 1, "k": -1}[key])
		}
	default:
		if row, offset, _, ok := in.viMotion(key, n); ok {
			in.moveTo(row, offset)
		}
	}
}

// viChanges are the commands that change what is written, each one change for u.
var viChanges = map[string]func(in *Input, n int){
	"x": func(in *Input, n int) { in.viSpan("d", "l", n) },
	"X": func(in *Input, n int) { in.viSpan("d", "h", n) },
	"s": func(in *Input, n int) { in.viSpan("c", "l", n) },
	"D": func(in *Input, n int) { in.viSpan("d", "$", n) },
	"C": func(in *Input, n int) { in.viSpan("c", "$", n) },
	"S": func(in *Input, n int) { in.viLines("c", n) },
	"o": func(in *Input, _ int) {
		in.moveTo(in.row, len(in.line()))
		in.Insert("\n")
		in.insert()
	},
	"O": func(in *Input, _ int) {
		in.moveTo(in.row, 0)
		in.Insert("\n")
		in.moveTo(in.row-1, 0)
		in.insert()
	},
	"p": func(in *Input, n int) { in.viPut(n, true) },
	"P": func(in *Input, n int) { in.viPut(n, false) },
	"~": func(in *Input, n int) {
		for range n {
			if in.offset == len(in.line()) {
				return
			}
			row, end := in.right()
			in.viSwap(end, strings.Map(otherCase, in.line()[in.offset:end]))
			in.moveTo(row, min(end, len(in.line())))
		}
	},
}

func otherCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

// viSwap puts text in the place of what stands up to an offset of the line.
func (in *Input) viSwap(end int, text string) {
	l := in.line()
	in.lines[in.row] = l[:in.offset] + text + l[end:]
}

// viReplace replaces characters by one.
func (in *Input) viReplace(key string) {
	v := &in.vi
	n, end := max(v.count, 1), in.offset
	for range n {
		row, next := in.rightOf(end)
		if row != in.row || next == end {
			return // there are not as many
		}
		end = next
	}
	v.changes = true
	in.together(func() { in.viSwap(end, strings.Repeat(key, n)) })
	in.moveTo(in.row, in.offset+len(key)*(n-1))
}

// rightOf is the place one character after an offset of the line.
func (in *Input) rightOf(offset int) (row, next int) {
	was := in.offset
	in.offset = offset
	row, next = in.right()
	in.offset = was
	return row, next
}

// viOperate carries out an operator over a motion.
func (in *Input) viOperate(key string, n int) {
	v := &in.vi
	operator := v.operator
	v.changes = operator != "y"
	switch do := func() { in.viSpan(operator, key, n) }; {
	case key == operator:
		do = func() { in.viLines(operator, n) }
		fallthrough
	case operator != "y":
		in.together(do)
	default:
		do()
	}
}

// viSpan takes what a motion goes over.
func (in *Input) viSpan(operator, key string, n int) {
	if operator == "c" && strings.EqualFold(key, "w") { // it leaves the blank behind the word
		key = map[string]string{"w": "e", "W": "E"}[key]
	}
	row, offset, inclusive, ok := in.viMotion(key, n)
	if !ok {
		return
	}
	fromRow, from := in.row, in.offset
	if row < fromRow || row == fromRow && offset < from {
		fromRow, from, row, offset = row, offset, fromRow, from
	} else if inclusive && offset < len(in.lines[row]) {
		was, at := in.row, in.offset
		in.row, in.offset = row, offset
		_, offset = in.right()
		in.row, in.offset = was, at
	}
	if strings.EqualFold(key, "w") && row > fromRow && n == 1 { // a last word does not take the line's end
		row, offset = fromRow, len(in.lines[fromRow])
	}
	if operator == "y" {
		in.cutText, in.cutLines = in.between(fromRow, from, row, offset), false
		in.moveTo(fromRow, from)
		return
	}
	in.cut(fromRow, from, row, offset)
	if operator == "c" {
		in.insert()
	}
}

// viLines takes whole lines.
func (in *Input) viLines(operator string, n int) {
	last := min(in.row+n, len(in.lines)) - 1
	text := in.between(in.row, 0, last, len(in.lines[last]))
	defer func() { in.cutText, in.cutLines = text, true }()
	switch {
	case operator == "y":
	case operator == "c":
		in.remove(in.row, 0, last, len(in.lines[last]))
		in.insert()
	case last+1 < len(in.lines):
		in.remove(in.row, 0, last+1, 0)
	case in.row > 0:
		row := in.row - 1
		in.remove(row, len(in.lines[row]), last, len(in.lines[last]))
		in.moveTo(row, indentOf(in.lines[row]))
	default:
		in.remove(0, 0, last, len(in.lines[last]))
	}
}

// viPut puts back what was taken, behind the cursor or before it.
func (in *Input) viPut(n int, behind bool) {
	if in.cutText == "" {
		return
	}
	text := strings.Repeat(in.cutText, n)
	switch {
	case in.cutLines && behind:
		text = strings.TrimSuffix(strings.Repeat(in.cutText+"\n", n), "\n")
		row := in.row + 1
		in.moveTo(in.row, len(in.line()))
		in.Insert("\n" + text)
		in.moveTo(row, indentOf(in.lines[row]))
		return
	case in.cutLines:
		row := in.row
		in.moveTo(row, 0)
		in.Insert(strings.Repeat(in.cutText+"\n", n))
		in.moveTo(row, indentOf(in.lines[row]))
		return
	case behind && in.offset < len(in.line()):
		in.moveTo(in.right())
	}
	in.Insert(text)
	in.moveTo(in.left())
}

// viRepeat does once more what has changed something last.
func (in *Input) viRepeat() {
	v := &in.vi
	keys, typed := v.last, v.typed
	if len(keys) == 0 {
		return
	}
	in.together(func() {
		v.reset()
		v.repeated = true
		for _, k := range keys {
			in.viCommand(k)
		}
		if !v.normal {
			in.Insert(typed)
			in.endInsert()
		}
		v.repeated = false
	})
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
