package chat

import "slices"

// mostUndos is how many changes of what is written can be taken back.
const mostUndos = 100

// written is what was written, and where the cursor stood.
type written struct {
	lines       []string
	row, offset int
}

// undos are the changes of what is written. Letters typed one after the other are one.
type undos struct {
	past   []written
	future []written // what was taken back, the last one first to come again
	typing bool      // the last change was a letter
	held   bool      // what changes belongs to a change that is noted already
}

// change notes what is written before it changes.
func (in *Input) change(letter bool) {
	u := &in.undos
	u.future = nil
	if u.held || letter && u.typing {
		return
	}
	u.typing = letter
	u.past = append(u.past, in.written())
	if len(u.past) > mostUndos {
		u.past = slices.Delete(u.past, 0, 1)
	}
}

// together has do count as one change.
func (in *Input) together(do func()) {
	if in.undos.held {
		do()
		return
	}
	in.change(false)
	in.undos.held = true
	do()
	in.undos.held = false
}

// undo takes the last change back.
func (in *Input) undo() bool {
	u := &in.undos
	last := len(u.past) - 1
	if last < 0 {
		return false
	}
	u.future = append(u.future, in.written())
	in.restore(u.past[last])
	u.past, u.typing = u.past[:last], false
	return true
}

// redo makes the change again that was taken back last.
func (in *Input) redo() bool {
	u := &in.undos
	last := len(u.future) - 1
	if last < 0 {
		return false
	}
	u.past = append(u.past, in.written())
	in.restore(u.future[last])
	u.future, u.typing = u.future[:last], false
	return true
}

func (in *Input) written() written { return written{slices.Clone(in.lines), in.row, in.offset} }

func (in *Input) restore(w written) {
	in.lines, in.row, in.offset, in.goal = w.lines, w.row, w.offset, -1
}

// cut removes text, which Yank puts back elsewhere.
func (in *Input) cut(fromRow, from, toRow, to int) {
	if text := in.between(fromRow, from, toRow, to); text != "" {
		in.cutText, in.cutLines = text, false
		in.remove(fromRow, from, toRow, to)
	}
}

// between is the text from one place to another.
func (in *Input) between(fromRow, from, toRow, to int) string {
	if fromRow == toRow {
		return in.lines[fromRow][from:to]
	}
	text := in.lines[fromRow][from:]
	for _, l := range in.lines[fromRow+1 : toRow] {
		text += "\n" + l
	}
	return text + "\n" + in.lines[toRow][:to]
}
