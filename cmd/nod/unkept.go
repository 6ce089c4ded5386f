package main

import (
	"context"
	"errors"
	"fmt"
	"os"

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
// they are in a folder of this process's own, until the state can be written.
type unkept struct {
	dir   string // that folder; empty if they are where they belong
	state string
	why   error
	used  string // that folder, once they are not there any more
}

// openHistory opens the conversations in a state folder, or, where that cannot be
// written now, a store of this process's own.
func (a *app) openHistory(ctx context.Context, state string, barred error) (*history.Store, *unkept, error) {
	why := barred
	if why == nil {
		s, err := history.Open(ctx, historyDir(state), history.Options{})
		var full *history.Error
		if !errors.As(err, &full) || full.Problem != history.Full && full.Problem != history.ReadOnly {
			return s, &unkept{}, err
		}
		why = err
	}
	dir, err := a.ownFolder()
	if err != nil {
		return nil, nil, errors.Join(why, fmt.Errorf("nor is there another place for this conversation: %w", err))
	}
	s, err := history.Open(ctx, historyDir(dir), history.Options{})
	if err != nil {
		return nil, nil, errors.Join(why, err, os.RemoveAll(dir))
	}
	return s, &unkept{dir: dir, state: state, why: why}, nil
}

// ownFolder makes a folder for this process, in memory where there is a place for
// that.
func (a *app) ownFolder() (string, error) {
	var errs []error
	for _, in := range []string{a.getenv("XDG_RUNTIME_DIR"), "/dev/shm", os.TempDir()} {
		if in == "" {
			continue
		}
		dir, err := os.MkdirTemp(in, "nod-")
		if err == nil {
			return dir, nil
		}
		errs = append(errs, err)
	}
	return "", errors.Join(errs...)
}

// notice is what the operator should know; empty if nothing.
func (u *unkept) notice() string {
	if u.dir == "" {
		return ""
	}
	return u.why.Error() + ". Until it can be, only plain looks run, and what is said is lost when nod ends; " +
		"nod notices by itself when it can. Earlier conversations: nod history list."
}

// settle takes the conversations to where they belong, if that can be written by
// now, and reports whether it just did. No turn may run meanwhile.
func (u *unkept) settle(ctx context.Context, a *app, s *history.Store) bool {
	if u.dir == "" {
		return false
	}
	if _, barred, err := a.stateDir(); err != nil || barred != nil {
		return false
	}
	if err := s.Move(ctx, historyDir(u.state)); err != nil {
		u.why = err // and the next turn tries again
		return false
	}
	u.used, u.dir = u.dir, ""
	return true
}

// close lets go of the store. The error says that what was said is not kept.
func (u *unkept) close(ctx context.Context, a *app, s *history.Store) error {
	u.settle(ctx, a, s)
	err := s.Close()
	if u.dir != "" {
		u.used = u.dir
		err = errors.Join(err, fmt.Errorf("what was said is not kept: %w", u.why))
	}
	if u.used != "" {
		err = errors.Join(err, os.RemoveAll(u.used))
	}
	return err
}
