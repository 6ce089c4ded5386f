package confine

import (
	"slices"
	"strconv"
	"strings"
)

// Wall is what holds a command on a target. The zero value means that nothing does.
type Wall string

// The walls, by the letters that records and JSON have.
const (
	None        Wall = ""
	Landlock    Wall = "L"
	SystemCalls Wall = "S"
)

// String is the wall in words.
func (w Wall) String() string {
	switch w {
	case Landlock:
		return "Landlock"
	case SystemCalls:
		return "system calls"
	}
	return "nothing"
}

// Limits bound what a held command may use. A zero field is no limit.
type Limits struct {
	CPU       int // seconds of processor time, of each process
	Memory    int // MiB of address space, of each process
	Processes int // of the user, and not for root
	File      int // MiB of what it writes, to its standard output too if that is a file
}

// Modest are limits that no ordinary look reaches. Programs in Go reserve 1 GiB of
// address space, those in Java 4.
var Modest = Limits{CPU: 60, Memory: 4096, Processes: 512, File: 64}

func (l Limits) word() string {
	var b strings.Builder
	for _, one := range []struct {
		letter byte
		n      int
	}{{'c', l.CPU}, {'m', l.Memory}, {'n', l.Processes}, {'f', l.File}} {
		if one.n > 0 {
			b.WriteByte(one.letter)
			b.WriteString(strconv.Itoa(one.n))
		}
	}
	if b.Len() == 0 {
		return "-"
	}
	return b.String()
}

// Cage is the helper on one target. It is safe for concurrent use.
type Cage struct {
	run  []string // what runs the helper there: its path, or an interpreter that has it in memory
	wall Wall
}

// Wall is what holds commands on the target.
func (c *Cage) Wall() Wall { return c.wall }

// Failed is the exit code of a command that was not run because a wall could not stand.
// The helper's standard error then begins with [Complaint]. A command can end with the
// same code; it then has run, held.
const (
	Failed    = 125
	Complaint = "nod: not held, and so not run: "
)

// Wrap is argv, held. The program is looked up in the PATH that the command has.
func (c *Cage) Wrap(argv []string, l Limits) []string {
	return slices.Concat(c.run, []string{string(c.wall), "-", l.word()}, argv)
}
