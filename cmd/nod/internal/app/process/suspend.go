package process

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// JobControl is nod's part in the job control of the shell that it was started from: it
// stops and goes on like any other program, with the terminal in order each time.
type JobControl struct {
	told   chan os.Signal // nil as long as nobody watches
	goesOn chan struct{}  // of capacity 1: nod was continued while away

	mu   sync.Mutex
	away bool // somebody else has the terminal, and sees to what is continued
}

// stopWithin is how long a stop may take to come, which is a moment after it was
// asked for; and how long nod waits, continued in the background, for a signal that
// ends it.
const stopWithin = 500 * time.Millisecond

// Watch calls stop when somebody wants nod to stop (SIGTSTP), and back when it goes
// on after a stop that nobody asked for (SIGSTOP), which left it no time to give the
// terminal back. It returns when ctx ends, and runs once.
func (j *JobControl) Watch(ctx context.Context, stop, back func()) {
	j.mu.Lock()
	j.told, j.goesOn = make(chan os.Signal, 4), make(chan struct{}, 1)
	j.mu.Unlock()
	signal.Notify(j.told, unix.SIGTSTP, unix.SIGCONT)
	defer signal.Stop(j.told)
	var waiting sync.WaitGroup
	defer waiting.Wait()
	for {
		select {
		case got := <-j.told:
			switch {
			case got == unix.SIGTSTP:
				stop()
			case j.continued():
			case foreground():
				back()
			default: // the terminal is the shell's: nod waits on, unless it is to end
				giveBack := j.lend()
				waiting.Go(func() {
					defer giveBack()
					if !ends(ctx) && j.wait(ctx) == nil && ctx.Err() == nil {
						back()
					}
				})
			}
		case <-ctx.Done():
			return
		}
	}
}

// continued tells whoever waits that nod goes on, and reports whether the terminal is
// given away, so that there is nothing else to do.
func (j *JobControl) continued() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.away {
		select {
		case j.goesOn <- struct{}{}:
		default:
		}
	}
	return j.away
}

// lend leaves the signals of job control to whoever gets the terminal, until it is
// given back.
func (j *JobControl) lend() (giveBack func()) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.told == nil || j.away {
		return func() {}
	}
	j.away = true
	select { // what is left of an earlier time
	case <-j.goesOn:
	default:
	}
	handleAgain := stopByDefault()
	return func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.away = false
		handleAgain()
	}
}

// Stop stops this process and those that were started with it, as ^Z does, and
// returns when they go on in the foreground, or at the end of ctx. A process that
// nobody would continue does not stop (setpgid(2), "orphaned").
func (j *JobControl) Stop(ctx context.Context) error {
	defer j.lend()()
	return j.wait(ctx)
}

func (j *JobControl) wait(ctx context.Context) error {
	for {
		if err := unix.Kill(0, stopSignal); err != nil {
			return err
		}
		// Who takes the terminal over before the stop has come loses it to the shell.
		if !j.toldOn() {
			j.toldOn() // a stop that was longer: it is told just now
		}
		if foreground() || ends(ctx) {
			return nil
		}
	}
}

// toldOn waits a moment for nod to be continued.
func (j *JobControl) toldOn() bool {
	select {
	case <-j.goesOn:
		return true
	case <-time.After(stopWithin):
		return false
	}
}

// ends waits a moment for the end of ctx: a shell that ends a stopped job continues it
// as well, in the background.
func ends(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return true
	case <-time.After(stopWithin):
		return false
	}
}

// foreground reports whether the terminal is nod's to draw on: whether the shell has
// nod in the foreground. Without a terminal there is nothing to wait for.
func foreground() bool {
	fd, err := unix.Open("/dev/tty", unix.O_RDONLY|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return true
	}
	group, err := unix.IoctlGetInt(fd, unix.TIOCGPGRP)
	return errors.Join(err, unix.Close(fd)) != nil || group == unix.Getpgrp()
}
