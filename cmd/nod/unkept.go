package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/agent/history"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// stateDir is the folder of nod's state, also where it cannot be written now;
// barred says why it cannot, and is nil where it can.
func (a *app) stateDir() (dir string, barred, err error) {
	dir, err = config.StateDir(a.getenv)
	var passes *config.UnwritableError
	if errors.As(err, &passes) {
		return dir, passes, nil
	}
	return dir, nil, err
}

// unkept is what becomes of conversations that cannot be kept where they belong:
// they are in folders of this process's own, until the state can be written. Safe
// for concurrent use.
type unkept struct {
	dir   string // what has those folders; made when it is needed
	state string

	mu     sync.Mutex
	made   int   // folders in dir
	why    error // why the last one is in use; nil if they are where they belong
	notify func(text string)
}

// openHistory opens the conversations in a state folder, or, where that cannot be
// written now, a store of this process's own. A disk that takes nothing any more later
// leads there, too.
func (a *app) openHistory(ctx context.Context, state string, barred error) (*history.Store, *unkept, error) {
	u := &unkept{dir: a.ownFolder(), state: state}
	why := barred
	if why == nil {
		s, err := history.Open(ctx, historyDir(state), history.Options{Spare: u.spare})
		var full *history.Error
		if !errors.As(err, &full) || full.Problem != history.Full && full.Problem != history.ReadOnly {
			return s, u, err
		}
		why = err
	}
	dir, err := u.spare(why)
	if err != nil {
		return nil, nil, errors.Join(why, fmt.Errorf("nor is there another place for this conversation: %w", err))
	}
	s, err := history.Open(ctx, dir, history.Options{Spare: u.spare})
	if err != nil {
		return nil, nil, errors.Join(why, err, os.RemoveAll(u.dir))
	}
	return s, u, nil
}

// ownFolder is the name of a folder for this process, in memory where there is a
// place for that.
func (a *app) ownFolder() string {
	in := os.TempDir()
	for _, dir := range []string{a.getenv("XDG_RUNTIME_DIR"), "/dev/shm"} {
		if filepath.IsAbs(dir) && unix.Access(dir, unix.W_OK) == nil {
			in = dir
			break
		}
	}
	return filepath.Join(in, "nod-"+strings.ToLower(rand.Text()[:12]))
}

// spare makes the next folder for conversations.
func (u *unkept) spare(why error) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.made == 0 {
		if err := os.Mkdir(u.dir, 0o700); err != nil {
			return "", err
		}
	}
	u.made++
	u.why = why
	if u.notify != nil {
		u.notify(u.text())
	}
	return filepath.Join(u.dir, strconv.Itoa(u.made), "history"), nil
}

// tell has notify hear of what is not kept from now on. It must not block.
func (u *unkept) tell(notify func(text string)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.notify = notify
}

// notice is what the operator should know; empty if nothing.
func (u *unkept) notice() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.text()
}

func (u *unkept) text() string {
	if u.why == nil {
		return ""
	}
	return u.why.Error() + ". Until it can be, only plain looks run, and what is said is lost when nod ends; " +
		"nod notices by itself when it can. Earlier conversations: nod history list."
}

func (u *unkept) reason() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.why
}

// settle takes the conversations to where they belong, if that can be written by
// now, and reports whether it just did. No turn may run meanwhile.
func (u *unkept) settle(ctx context.Context, a *app, s *history.Store) bool {
	if u.reason() == nil {
		return false
	}
	if _, barred, err := a.stateDir(); err != nil || barred != nil {
		return false
	}
	err := s.Move(ctx, historyDir(u.state))
	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil {
		u.why = err // and the next turn tries again
		return false
	}
	u.why = nil
	return true
}

// close lets go of the store. lost says that what was said is not kept, and why; nil
// if it is.
func (u *unkept) close(ctx context.Context, a *app, s *history.Store) (lost, err error) {
	u.settle(ctx, a, s)
	err = s.Close()
	if why := u.reason(); why != nil {
		lost = fmt.Errorf("what was said is not kept: %w", why)
	}
	return lost, errors.Join(err, os.RemoveAll(u.dir))
}
