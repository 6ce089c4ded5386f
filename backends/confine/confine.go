package confine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/nod-console/nod/backends"
)

// Wall is what holds a command on a target. The zero value means that nothing does.
type Wall string

// The walls, by the letters that records and JSON have.
const (
	None           Wall = ""
	Landlock       Wall = "L"
	SystemCalls    Wall = "S"
	ReadOnlyMounts Wall = "M"
)

// String is the wall in words.
func (w Wall) String() string {
	switch w {
	case Landlock:
		return "Landlock"
	case SystemCalls:
		return "system calls"
	case ReadOnlyMounts:
		return "read-only mounts"
	}
	return "nothing"
}

// Holds says in words what the wall does for commands that only look.
func (w Wall) Holds() string {
	switch w {
	case Landlock:
		return "looks are held by the kernel (Landlock)"
	case SystemCalls:
		return "looks are held by a filter of system calls"
	case ReadOnlyMounts:
		return "looks are held by read-only mounts, without devices but the harmless ones"
	}
	return "looks are not held"
}

// Grants are letters for what a held command may do beyond reading files: U unix
// sockets, I TCP and UDP, A reading firewall tables, T terminal modes, P looking into
// other processes.
const (
	// Closed is the letter of a cage that also hides the files that hold secrets.
	Closed = "C"
	// Processes is the letter for looking into other processes, which Landlock rules out.
	Processes = "P"
	// Network is the letter for TCP and UDP.
	Network = "I"
	// Sockets is the letter for unix sockets.
	Sockets = "U"
	// writable is the letter for folders that the command may write to.
	writable = "W"
)

// Limits bound what a held command may use. A zero field is no limit.
type Limits struct {
	CPU       int // seconds of processor time, of each process
	Memory    int // MiB of address space, of each process
	Processes int // of the user, and not for root
	File      int // MiB of what it writes, to its standard output too if that is a file
}

// Modest are limits that no ordinary look reaches. Programs in Go reserve 1 GiB of
// address space, those in Java 4. The helper has them built in for a pane's commands.
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

// Hold is how a command is held.
type Hold struct {
	Wall   Wall
	Grants string
	Limits Limits
	// Writable are folders, absolute, that the command may change. Landlock alone can
	// hold it so; one that is not there when the command begins cannot be made.
	Writable []string
}

// Cage is the helper on one target. It is safe for concurrent use.
type Cage struct {
	run    []string // what runs the helper there: its path, or an interpreter that has it in memory
	wall   Wall
	asking bool            // the kernel has supervisors of system calls
	digest string          // of the helper's file, in hexadecimal
	local  bool            // it is on this machine
	kept   bool            // it stays until the connection ends
	opened string          // the file as a shell at the other end holds it open; empty if none does
	ended  <-chan struct{} // closed when that shell has ended; nil if there is none
	noRoot atomic.Bool     // sudo there does not run the helper
}

// Wall is what holds commands on the target.
func (c *Cage) Wall() Wall { return c.wall }

// For is the wall for a command that needs grants. It is None where the grants cannot be
// had: looking into other processes is not to be had behind Landlock, and files can only
// be hidden by a supervisor, with a helper that lies in a folder, which is what root runs, too.
func (c *Cage) For(grants string) Wall {
	switch {
	case strings.Contains(grants, Root) && (c.noRoot.Load() || c.inMemory()):
		return None
	case strings.Contains(grants, Closed) && (!c.asking || c.inMemory()):
		return None
	case strings.Contains(grants, Processes) && c.wall == ReadOnlyMounts:
		return ReadOnlyMounts
	case strings.Contains(grants, Processes) && !c.asking:
		return None
	case strings.Contains(grants, Processes):
		return SystemCalls
	}
	return c.wall
}

func (c *Cage) inMemory() bool { return len(c.run) > 1 }

// Failed is the exit code of a command that was not run because a wall could not stand.
// The helper's standard error then begins with [Complaint]. A command can end with the
// same code; it then has run, held.
const (
	Failed    = 125
	Complaint = "nod: not held, and so not run: "
)

// Refused is how the line begins by which the helper says on standard error, when a
// command has ended, what the cage refused: of files always, anything else if the command
// failed.
const Refused = "nod: the cage refused: "

// Refusals is what the cage refused, out of the end of what a held command printed; empty
// if it says nothing of that. The command could have printed it itself.
func Refusals(output string) string {
	output = strings.TrimRight(output, "\r\n")
	last := strings.TrimSpace(output[strings.LastIndexByte(output, '\n')+1:])
	if what, ok := strings.CutPrefix(last, Refused); ok {
		return what
	}
	return ""
}

// checked runs the helper if its digest is the right one: $1 is the digest, $2 the helper.
const checked = `case $(sha256sum <"$2" 2>/dev/null) in "$1 "*) shift; exec "$@" ;; esac
echo "` + Complaint + `the helper is gone or was changed" >&2; exit 125`

// named gives the helper the names by which it is called in panes, if its digest is the
// right one: $1 is the digest, $2 the helper.
const named = `case $(sha256sum <"$2" 2>/dev/null) in "$1 "*) ;; *) exit 1 ;; esac
for name in ro held; do [ "$2" -ef "${2%/*}/$name" ] || ln -f "$2" "${2%/*}/$name" || exit 1; done`

// name checks the helper and gives it the names of [Cage.Prefix].
func (c *Cage) name(ctx context.Context, t backends.Target) error {
	if c.local {
		return errors.Join(c.Check(), c.nameHere())
	}
	_, err := printed(ctx, t, []string{"sh", "-c", named, "sh", c.digest, c.run[0]})
	return err
}

// nameHere gives the helper on this machine its names.
func (c *Cage) nameHere() error {
	for _, short := range []string{"ro", "held"} {
		name := path.Join(path.Dir(c.run[0]), short)
		is, err := os.Stat(c.run[0])
		if err != nil {
			return fmt.Errorf("confine: the helper is gone: %w", err)
		}
		if has, err := os.Lstat(name); err == nil && os.SameFile(is, has) {
			continue
		}
		_ = os.Remove(name) // it may not be there
		if err := os.Link(c.run[0], name); err != nil {
			return fmt.Errorf("confine: %w", err)
		}
	}
	return nil
}

// Wrap is argv, held. The program is looked up in the PATH that the command has. Over a
// connection, the helper's digest is checked on the target right before it runs, unless a
// shell there holds the very file open, which was checked then and which nobody can write to
// since; on this machine that is [Cage.Check].
func (c *Cage) Wrap(argv []string, h Hold) []string {
	grants := h.Grants
	if grants == "" {
		grants = "-"
	}
	held := slices.Concat(c.run, []string{string(h.Wall), grants, h.Limits.word()}, argv)
	if len(h.Writable) > 0 {
		held = slices.Concat(c.run, []string{string(h.Wall), h.Grants + writable, h.Limits.word()}, h.Writable, []string{"--"}, argv)
	}
	if c.opened != "" {
		held[0] = c.opened
	}
	if c.inMemory() || c.local || c.opened != "" {
		return held
	}
	return slices.Concat([]string{"sh", "-c", checked, "sh", c.digest}, held)
}

// Prefix is what stands before a program in a line for a shell, so that it is held with
// modest limits by the wall that [Cage.For] gives: "/dev/shm/.nod-ro.x/ro ". It is empty
// where the helper has no path. [Keeper.Verify] sees to it that it is there.
func (c *Cage) Prefix(grants string) string {
	if c.inMemory() {
		return ""
	}
	name := "ro"
	if strings.Contains(grants, Closed) {
		name = "held"
	}
	at := path.Join(path.Dir(c.run[0]), name)
	// Terminal modes are the terminal's own there: the helper puts them back.
	if grants = strings.Map(func(r rune) rune {
		if r == 'C' || r == 'T' {
			return -1
		}
		return r
	}, grants); grants != "" {
		at += " +" + grants
	}
	return at + " "
}

// Check reports why the helper on this machine is not what was installed; nil if it is,
// and for helpers elsewhere.
func (c *Cage) Check() error {
	if !c.local || c.inMemory() {
		return nil
	}
	data, err := os.ReadFile(c.run[0])
	if err != nil {
		return fmt.Errorf("confine: the helper is gone: %w", err)
	}
	if digestOf(data) != c.digest {
		return fmt.Errorf("confine: the helper's file %q was changed", c.run[0])
	}
	return nil
}

// over reports whether the shell has ended that held the helper's file open.
func (c *Cage) over() bool {
	select {
	case <-c.ended: // never, if there was none
		return true
	default:
		return false
	}
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
