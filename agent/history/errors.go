package history

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors that concern one conversation, output or pattern.
var (
	ErrNotFound = errors.New("no such conversation")
	ErrInUse    = errors.New("the conversation is open elsewhere")
	ErrNoOutput = errors.New("no such output")

	// ErrNoPattern: no pattern has that ID.
	ErrNoPattern = errors.New("no such pattern")
	// ErrTooMany: a conversation has as much to remember as it may have.
	ErrTooMany = errors.New("too much is remembered already; forget something first")
)

// ErrNone: there is no history in the folder yet. Only reading finds that.
var ErrNone = errors.New("there is no history yet")

// Problem classifies an Error.
type Problem uint8

// The problems of a store.
const (
	Broken     Problem = iota // something else went wrong; the Message says what
	Unwritable                // the folder cannot be used: rights, owner, a link
	ReadOnly                  // the disk is mounted read-only
	Full                      // the disk is full
	Newer                     // a newer nod wrote the database
	Corrupt                   // the file is no database, or damaged
	Busy                      // another process kept the database locked for too long
	Older                     // an older nod wrote the database, and it was opened for reading only
)

// Error is something wrong with the store as a whole.
type Error struct {
	Problem Problem
	Path    string
	Message string
	Hint    string // what to do
	Wrapped error
}

// Error implements error.
func (e *Error) Error() string { return "history: " + e.Path + ": " + e.Message }

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Wrapped }

// fault gives err a problem, unless it is a context's or one that concerns a
// single conversation.
func fault(path string, err error) error {
	var known *Error
	switch {
	case err == nil, errors.As(err, &known),
		errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded),
		errors.Is(err, ErrNotFound), errors.Is(err, ErrInUse), errors.Is(err, ErrNoOutput),
		errors.Is(err, ErrNoPattern), errors.Is(err, ErrTooMany):
		return err
	}
	e := &Error{Path: path, Message: err.Error(), Wrapped: err}
	e.Problem = problemOf(err)
	switch e.Problem {
	case Unwritable:
		e.Hint = "give this folder back to your user, or set NOD_STATE_DIR to a folder that you can write"
	case ReadOnly:
		e.Message = "the disk is read-only"
		e.Hint = "make it writable, or set NOD_STATE_DIR to a folder that you can write"
	case Full:
		e.Message = "the disk is full"
		e.Hint = "free some space; what was acknowledged is safe, and nod goes on as soon as there is room"
	case Corrupt:
		return damaged(path, err)
	case Busy:
		e.Message = "another process keeps the database locked"
		e.Hint = "end that process, or try again"
	}
	return e
}

func damaged(path string, err error) *Error {
	return &Error{
		Problem: Corrupt, Path: path, Wrapped: err, Message: "the database is damaged: " + err.Error(),
		Hint: fmt.Sprintf("move it aside (mv '%s' '%s.damaged') and start again", path, path),
	}
}

func problemOf(err error) Problem {
	var e *sqlite.Error
	if errors.As(err, &e) {
		switch e.Code() & 0xff {
		case sqlite3.SQLITE_FULL:
			return Full
		case sqlite3.SQLITE_IOERR:
			if e.Code() == sqlite3.SQLITE_IOERR_SHMSIZE { // the file for shared memory cannot grow
				return Full
			}
		case sqlite3.SQLITE_READONLY:
			return ReadOnly
		case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
			return Corrupt
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			return Busy
		case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
			return Unwritable
		}
	}
	switch {
	case errors.Is(err, syscall.EROFS):
		return ReadOnly
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return Full
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR), errors.Is(err, errFolder):
		return Unwritable
	}
	return Broken
}
