package screen

import (
	"errors"
	"time"

	"golang.org/x/sys/unix"
)

// Rescue gives the terminal back at once, whatever hangs, and reports whether it did, or
// nothing was to be done. It is for a process that ends now: nothing is drawn any more,
// and what the screen's goroutines hold is left as it is. Any goroutine may call it, at
// any time. What the terminal has not shown of frames is thrown away where it does not
// take the modes' end within half of the time.
func (s *Screen) Rescue(within time.Duration) bool {
	before := s.held.Swap(nil)
	if before == nil { // given back, never taken, or not a terminal that is known
		return true
	}
	s.tty.mute.Store(true)
	if restore(s.tty.path, before, *s.off.Load(), within) != nil {
		return false // the guard tries it once more, behind the end of this process
	}
	if g := s.guard.Load(); g != nil {
		g.dismiss()
	}
	return true
}

var errNotTaken = errors.New("the terminal does not take what is sent")

// restore ends the modes of the terminal at path and sets it to before. It does not wait
// for a terminal that takes nothing.
func restore(path string, before *unix.Termios, off string, within time.Duration) error {
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd) //nolint:errcheck // all was sent or not
	err = sendWithin(fd, off, within/2)
	if err != nil {
		_ = resumeOutput(fd) // it was stopped, or nobody reads
		_ = dropOutput(fd)
		err = sendWithin(fd, off, within/2)
	}
	_ = dropInput(fd) // keys and answers that were for nod
	return errors.Join(err, unix.IoctlSetTermios(fd, setTermios, before))
}

// sendWithin writes text to a descriptor that does not block.
func sendWithin(fd int, text string, within time.Duration) error {
	for end := time.Now().Add(within); text != ""; {
		n, err := unix.Write(fd, []byte(text))
		text = text[max(n, 0):]
		switch {
		case err == nil || errors.Is(err, unix.EINTR):
		case !errors.Is(err, unix.EAGAIN):
			return err
		case time.Now().After(end):
			return errNotTaken
		default:
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT}}, 10) //nolint:gosec // descriptors are small
		}
	}
	return nil
}
