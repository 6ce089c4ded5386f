package pane

import (
	"context"
	"strconv"
	"strings"

	"github.com/nod-console/nod/backends/vt"
)

// Reading is how a pane in which no shell waits stands at one moment. The zero value
// says that nothing is known.
type Reading struct {
	// Group are the processes in the foreground; nil where the target does not tell.
	Group []Process
	Shown
}

// Process is one of the processes in the foreground of a pane's terminal, as the
// target's kernel tells.
type Process struct {
	PID, Parent int
	Name        string   // the kernel's name of it, at most 15 bytes
	File        string   // the base name of its program's file; empty if the kernel does not show it to this user
	Own         bool     // that file belongs to the user of the pane's shell, or can be written by them (root: to another user)
	Argv        []string // its arguments, line breaks in them as spaces
}

// Shown is what a pane shows around its cursor.
type Shown struct {
	// Line is the cursor's line up to the cursor, with what was wrapped joined and
	// blanks kept; Behind is what follows the cursor on it.
	Line, Behind string
	// Above are the lines above it, the nearest last.
	Above []string
	// Rows is the height of the screen, Row the cursor's, from 0.
	Row, Rows int
	Last      string // the text of the last row
	Alternate bool   // a full-screen program shows
}

const (
	// readingAbove is how many lines above the cursor are looked at.
	readingAbove = 40
	// readingTries is how often a pane is looked at that writes meanwhile.
	readingTries = 3
)

// Reading says which processes may read the keys of the pane, and what it shows, both of
// one moment: nothing was written between. It costs a process on the target. It is zero
// at a shell's prompt, and in a pane that writes all the time.
func (p *Pane) Reading(ctx context.Context) Reading {
	for range readingTries {
		seen, err := p.looked(ctx)
		if err != nil || seen.dead {
			return Reading{}
		}
		p.mu.Lock()
		before, at := p.lastly, p.phase
		usable := p.phase == executing && !p.away && p.seeded
		p.mu.Unlock()
		if !usable {
			return Reading{}
		}
		group := parseGroup(p.ask(ctx, seen.pid, foregroundProcesses))
		if _, err := p.looked(ctx); err != nil { // what was written before is read now
			return Reading{}
		}
		p.mu.Lock()
		still := p.lastly.Equal(before) && p.phase == at
		s := p.term.Snapshot()
		p.mu.Unlock()
		if still {
			return Reading{Group: group, Shown: shownAround(s)}
		}
	}
	return Reading{}
}

// shownAround is what a screen shows around its cursor.
func shownAround(s *vt.Snapshot) Shown {
	shown := Shown{Row: s.Cursor.Row, Rows: s.Size.Rows, Last: s.RowText(s.Size.Rows - 1), Alternate: s.Alternate}
	cursor := s.Scrolled + s.Cursor.Row
	first, last := cursor, cursor
	for first > 0 && s.LineWrapped(first-1) {
		first--
	}
	for last < s.Lines()-1 && s.LineWrapped(last) {
		last++
	}
	var before, behind []byte
	for i := first; i <= last; i++ {
		cells := s.Line(i)
		switch {
		case i < cursor:
			before = s.AppendText(before, cells)
		case i > cursor:
			behind = s.AppendText(behind, cells)
		default:
			col := min(s.Cursor.Col, len(cells))
			before, behind = s.AppendText(before, cells[:col]), s.AppendText(behind, cells[col:])
		}
	}
	shown.Line, shown.Behind = string(before), strings.TrimRight(string(behind), " ")
	for end := first; end > 0 && len(shown.Above) < readingAbove; {
		begin := end - 1
		for begin > 0 && s.LineWrapped(begin-1) {
			begin--
		}
		var line []byte
		for i := begin; i < end; i++ {
			line = s.AppendText(line, s.Line(i))
		}
		shown.Above = append([]string{strings.TrimRight(string(line), " ")}, shown.Above...)
		end = begin
	}
	return shown
}

// foregroundProcesses prints, for each process in the foreground of the terminal of the
// process $1, four lines: its number, its parent's, its state and "own" if its program's file
// is the user's own; its name; the file of its program; its arguments, each ended by a byte 1
// (proc(5)). It prints nothing where the target has no such /proc. Root has to own a file
// that root trusts, and whoever owns / is root.
const foregroundProcesses = `read -r l 2>/dev/null <"/proc/$1/stat" || exit 0
set -- ${l##*) }
g=$6 r=
[ -O / ] && r=1
for s in /proc/[0-9]*/stat; do
	read -r l 2>/dev/null <"$s" || continue
	set -- ${l##*) }
	[ "$3" = "$g" ] || continue
	p=${s%/stat}
	n=; read -r n 2>/dev/null <"$p/comm"
	e=$(readlink "$p/exe" 2>/dev/null)
	a=$(tr '\n\001\0' '  \001' 2>/dev/null <"$p/cmdline")
	o=
	if [ -n "$r" ]; then
		[ -O "$p/exe" ] || o=own
	elif [ -O "$p/exe" ] || [ -w "$p/exe" ]; then
		o=own
	fi
	printf '%s %s %s %s\n%s\n%s\n%s\n' "${p#/proc/}" "$2" "$1" "$o" "$n" "${e##*/}" "$a"
done`

// parseGroup reads what foregroundProcesses has printed; nil if that is nothing.
func parseGroup(text string) []Process {
	lines := strings.Split(text, "\n")
	const each = 4
	var group []Process
	for ; len(lines) >= each || len(lines) == each-1 && lines[0] != ""; lines = lines[min(each, len(lines)):] {
		about := strings.Fields(lines[0])
		if len(about) != 3 && (len(about) != 4 || about[3] != "own") {
			return nil
		}
		pid, err := strconv.Atoi(about[0])
		parent, err2 := strconv.Atoi(about[1])
		if err != nil || err2 != nil {
			return nil
		}
		if about[2] == "Z" || about[2] == "X" {
			continue // it has ended
		}
		one := Process{PID: pid, Parent: parent, Name: lines[1], File: lines[2], Own: len(about) == 4}
		if len(lines) >= each && lines[3] != "" {
			one.Argv = strings.Split(strings.TrimSuffix(lines[3], "\x01"), "\x01")
		}
		group = append(group, one)
	}
	return group
}
