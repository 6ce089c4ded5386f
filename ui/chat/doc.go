// Package chat is the room of the conversation: the [Transcript] of what was
// said and done, and the [Input] in which the operator writes.
//
// # The transcript
//
// It is fed with the operator's prompts and the events of turns, in order, and
// is drawn from blocks: a prompt, a piece of the answer, a folded piece of
// reasoning, a call's card, a notice, a fault. It follows its end until the
// operator scrolls up; from then on it stays where he reads, whatever arrives,
// and says how much did.
//
// Where each line that comes in would have the whole chat drawn again, because text of a
// terminal stands beside it, an answer is followed in pages: it fills the room below what
// stands still, and when there is none, the text moves up by a part of the height. The
// first pages of a turn move little, and what comes at once is never jumped over. At the
// end of the turn the last line is in the last row, as it is otherwise.
//
// The cost of a new piece of text does not depend on the length of the
// conversation. A block remembers its lines for one width; only those on the
// screen are ever wrapped again. Within an answer, what comes before the last
// paragraph, list or code line is final and is not looked at again.
//
// Two cells at the left are the gutter, with a sign for whose a block is; the mouse
// selects text without it. The input is edited by readline's keys, or by vi's
// ([Input.UseVi]).
//
// # Foreign text
//
// What a model or a target says is read as Markdown for its shape only, and
// every character is drawn by itself (see package ui/screen). A link shows its
// address beside its text. Nothing in a text can style the screen around it.
//
// # Concurrency
//
// Both types belong to one goroutine, the console's pump.
//
// # Design
//
// tview's TextView reads style tags out of its text and parses everything anew
// for each addition, so neither is used here. Places are kept as a block and a
// line within it, never as a line counted from the top: so nothing has to be
// wrapped to know where the operator is, and a block that grows moves nobody.
package chat
