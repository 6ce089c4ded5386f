package history

import (
	"context"
	"database/sql"
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// refused reports whether an error says that the disk takes nothing now, whatever
// the reason.
func refused(err error) bool {
	switch problemOf(err) {
	case Full, ReadOnly, Unwritable:
		return true
	}
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff == sqlite3.SQLITE_IOERR
}

// leave goes on in the spare folder where the disk refused a write at from. It
// reports whether the write is worth another try. Without that, err tells.
func (s *Store) leave(ctx context.Context, from *seat, why error) (again bool, err error) {
	if s.spare == nil || !refused(why) {
		return false, why
	}
	s.moving.Lock()
	defer s.moving.Unlock()
	if s.at() != from {
		return true, nil // another write has led there
	}
	dir, err := s.spare(fault(from.path, why))
	if err != nil {
		return false, errors.Join(why, err)
	}
	if err := s.settle(ctx, dir, func(c row) bool { return s.mine(c.holder) }, false); err != nil {
		return false, errors.Join(why, err)
	}
	return true, nil
}

// settle takes the conversations that some accepts to the history in another folder,
// and goes on there. The caller holds s.moving.
func (s *Store) settle(ctx context.Context, dir string, some func(row) bool, learned bool) error {
	to, err := Open(ctx, dir, Options{Now: s.now})
	if err != nil {
		return err
	}
	err = to.write(ctx, func(tx *sql.Tx) error {
		err := s.carry(ctx, tx, to.at().holder.id, some)
		if err == nil && learned {
			err = s.relearn(ctx, tx)
		}
		return err
	})
	if err != nil {
		return errors.Join(fault(to.at().path, err), to.Close())
	}
	s.left = append(s.left, s.at())
	s.seat.Store(to.at())
	return nil
}
