package process

import (
	"fmt"
	"io"
	"os"
	"os/user"
	"strconv"

	"golang.org/x/term"
)

// System is what nod was started with: its standard streams, its environment, and how
// the world stops and suspends it.
type System struct {
	In       io.Reader
	Out, Err io.Writer
	// InFile and OutFile are the terminals, if the streams are files at all.
	InFile, OutFile *os.File

	Getenv  func(string) string
	Signals signals
	Jobs    JobControl
}

// Standard is the process's own, with the environment that getenv reads.
func Standard(getenv func(string) string) System {
	return System{In: os.Stdin, Out: os.Stdout, Err: os.Stderr, InFile: os.Stdin, OutFile: os.Stdout, Getenv: getenv}
}

// OnTerminal reports whether the standard streams are a terminal.
func (s *System) OnTerminal() bool {
	return s.InFile != nil && s.OutFile != nil &&
		term.IsTerminal(int(s.InFile.Fd())) && term.IsTerminal(int(s.OutFile.Fd()))
}

// OnInput reports whether somebody can be asked: whether standard input is a terminal.
func (s *System) OnInput() bool { return s.InFile != nil && term.IsTerminal(int(s.InFile.Fd())) }

// Printf prints to standard output.
func (s *System) Printf(format string, args ...any) error {
	_, err := fmt.Fprintf(s.Out, format, args...)
	return err
}

// Warn tells what is done in a lesser way than promised.
func (s *System) Warn(text string) { s.Complain("%s", text) }

// Complain prints a line to standard error. Where even that fails, there is nobody left
// to tell.
func (s *System) Complain(format string, args ...any) {
	_, _ = fmt.Fprintf(s.Err, "nod: "+format+"\n", args...)
}

// Operator is who runs nod.
func Operator() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return strconv.Itoa(os.Getuid())
}
