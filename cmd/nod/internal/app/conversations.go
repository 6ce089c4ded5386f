package app

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

// SpareHistory is what becomes of conversations that cannot be kept where they belong:
// they are in folders of this process's own, until the state can be written. Safe
// for concurrent use.
type SpareHistory struct {
	getenv func(string) string
	Dir    string // what has those folders; made when it is needed
	state  string

	mu     sync.Mutex
	made   int   // folders in dir
	Why    error // why the last one is in use; nil if they are where they belong
	notify func(text string)
}

// OpenHistory opens the conversations in a state folder, or, where that cannot be
// written now, a store of this process's own. A disk that takes nothing any more later
// leads there, too.
func OpenHistory(ctx context.Context, getenv func(string) string, state string, barred error) (*history.Store, *SpareHistory, error) {
	u := &SpareHistory{getenv: getenv, Dir: ownFolder(getenv), state: state}
	why := barred
	if why == nil {
		s, err := history.Open(ctx, config.HistoryDir(state), history.Options{Spare: u.spare})
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
		return nil, nil, errors.Join(why, err, os.RemoveAll(u.Dir))
	}
	return s, u, nil
}

// ownFolder is the name of a folder for this process, in memory where there is a
// place for that.
func ownFolder(getenv func(string) string) string {
	in := os.TempDir()
	for _, dir := range []string{getenv("XDG_RUNTIME_DIR"), "/dev/shm"} {
		if filepath.IsAbs(dir) && unix.Access(dir, unix.W_OK) == nil {
			in = dir
			break
		}
	}
	return filepath.Join(in, "nod-"+strings.ToLower(rand.Text()[:12]))
}

// spare makes the next folder for conversations.
func (u *SpareHistory) spare(why error) (string, error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.made == 0 {
		if err := os.Mkdir(u.Dir, 0o700); err != nil {
			return "", err
		}
	}
	u.made++
	u.Why = why
	if u.notify != nil {
		u.notify(u.text())
	}
	return filepath.Join(u.Dir, strconv.Itoa(u.made), "history"), nil
}

// Watch has notify hear of what is not kept from now on. It must not block.
func (u *SpareHistory) Watch(notify func(text string)) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.notify = notify
}

// Notice is what the operator should know; empty if nothing.
func (u *SpareHistory) Notice() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.text()
}

func (u *SpareHistory) text() string {
	if u.Why == nil {
		return ""
	}
	return u.Why.Error() + ". Until it can be, only plain looks run, and what is said is lost when nod ends; " +
		"nod notices by itself when it can. Earlier conversations: nod history list."
}

// Reason is why the conversation is not kept.
func (u *SpareHistory) Reason() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.Why
}

// Settle takes the conversations to where they belong, if that can be written by
// now, and reports whether it just did. No turn may run meanwhile.
func (u *SpareHistory) Settle(ctx context.Context, s *history.Store) bool {
	if u.Reason() == nil {
		return false
	}
	if _, barred, err := config.StateDirAnyway(u.getenv); err != nil || barred != nil {
		return false
	}
	err := s.Move(ctx, config.HistoryDir(u.state))
	u.mu.Lock()
	defer u.mu.Unlock()
	if err != nil {
		u.Why = err // and the next turn tries again
		return false
	}
	u.Why = nil
	return true
}

// Close lets go of the store. lost says that what was said is not kept, and why; nil
// if it is.
func (u *SpareHistory) Close(ctx context.Context, s *history.Store) (lost, err error) {
	u.Settle(ctx, s)
	err = s.Close()
	if why := u.Reason(); why != nil {
		lost = fmt.Errorf("what was said is not kept: %w", why)
	}
	return lost, errors.Join(err, os.RemoveAll(u.Dir))
}
