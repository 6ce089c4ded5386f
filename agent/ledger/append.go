package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// append writes b after everything that is pending. On error b is not pending.
func (l *Ledger) append(ctx context.Context, b body) error {
	if l.closed {
		return ErrClosed
	}
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	text, err := b.encode()
	if err != nil {
		return err
	}
	err = l.locked(ctx, func() error {
		if err := l.settle(); err != nil {
			return err
		}
		return l.put(text)
	})
	if err != nil && ctx.Err() == nil {
		l.fail(err)
	}
	return err
}

// keep writes b, now or as soon as that is possible.
func (l *Ledger) keep(b body) error {
	if l.closed {
		return ErrClosed
	}
	if _, err := b.encode(); err != nil {
		return err
	}
	l.pending = append(l.pending, b)
	err := l.locked(context.Background(), l.settle)
	if err != nil {
		l.fail(err)
	}
	return err
}

// fail remembers why an append failed. The first failure is put on record once
// the disk takes records again.
func (l *Ledger) fail(err error) {
	var fault *Fault
	if l.failure == nil && !errors.As(err, &fault) {
		l.pending = append(l.pending, l.note(Note{Kind: "recovered", Text: "the ledger could not be written: " + err.Error()}))
	}
	l.failure = err
}

// locked calls fn while no other process appends. It opens the files if that was
// not possible before.
func (l *Ledger) locked(ctx context.Context, fn func() error) error {
	if l.log == nil {
		if err := l.prepare(); err != nil {
			return err
		}
	}
	return l.alone(ctx, fn)
}

// alone calls fn while no other process appends.
func (l *Ledger) alone(ctx context.Context, fn func() error) error {
	if err := acquire(ctx, l.lock, unix.LOCK_EX); err != nil {
		return err
	}
	return errors.Join(fn(), release(l.lock))
}

// settle brings the ledger up to date and writes what is pending.
func (l *Ledger) settle() error {
	if err := l.catchUp(); err != nil {
		return err
	}
	for len(l.pending) > 0 {
		text, err := l.pending[0].encode()
		if err != nil {
			return err // keep and fail checked it: cannot be
		}
		if err := l.put(text); err != nil {
			return err
		}
		l.pending = l.pending[1:]
	}
	l.failure = nil
	return nil
}

// put appends one record and its head. What it leaves behind after an error,
// the next catchUp puts right.
func (l *Ledger) put(text []byte) error {
	line, next := l.seal.line(l.at, text)
	if err := l.commit(line, l.at.size, next); err != nil {
		return fmt.Errorf("ledger: write record %d: %w", next.seq, err)
	}
	l.at = next
	track(l.open, text)
	l.witness(text)
	l.appended()
	return nil
}

// commit writes line at the end of the log and then moves the head behind it.
func (l *Ledger) commit(line []byte, offset int64, next position) error {
	if _, err := l.log.WriteAt(line, offset); err != nil {
		return err
	}
	if err := l.log.Sync(); err != nil {
		return err
	}
	return l.seal.writeHead(l.disk, l.dir, next)
}

// track keeps the set of open intents.
func track(open map[string]string, text []byte) {
	kind, ref, process, ok := peek(text)
	switch {
	case !ok:
	case kind == TypeIntent:
		open[ref] = process
	case kind == TypeConclusion:
		delete(open, ref)
	}
}

// catchUp verifies what other processes appended since the last call and puts
// right what a crash or a failed write left behind. The first time, that is the
// whole log. The caller holds the lock.
func (l *Ledger) catchUp() error {
	size, err := l.logSize()
	if err != nil {
		return err
	}
	head, err := l.seal.readHead(l.disk, l.path(headFile))
	if err != nil {
		return err
	}
	if size < l.at.size {
		return l.shrunk(head, size)
	}
	if head != l.at || size != l.at.size {
		if err := l.advance(head, size); err != nil {
			return err
		}
	}
	if err := l.checkEpochs(); err != nil {
		return err
	}
	l.compare()
	if !l.swept {
		return l.sweep()
	}
	return nil
}

// compare holds the ledger against the heads that are known outside of its folder,
// once.
func (l *Ledger) compare() {
	if l.known == nil {
		return
	}
	l.known.foreign = l.known.root != l.seal.root
	if l.lost = l.known.missing(l.headsDir, l.at.seq); l.lost != "" {
		l.pending = append(l.pending, l.note(Note{Kind: LossKind, Text: l.lost, By: "nod"}))
	}
	l.known = nil
}

// shrunk says what happened to a log that is shorter than it was.
func (l *Ledger) shrunk(head position, size int64) error {
	end, reached, err := l.seal.follow(l.log, start(), head, size, func(position, []byte) error { return nil })
	if fault := judge(end, head, reached, err); fault != nil && !fault.Recoverable {
		return fault
	}
	return errors.Join(err, &Fault{Record: end.seq + 1, Reason: fmt.Sprintf("it is missing: the log had %d records while nod ran; an older log was put in place", l.at.seq)})
}

// logSize is the log's size, after a check that the open file is still the one
// that the folder names.
func (l *Ledger) logSize() (int64, error) {
	ours, err := l.log.Stat()
	if err != nil {
		return 0, fmt.Errorf("ledger: %w", err)
	}
	named, err := l.disk.stat(l.path(logFile))
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(ours, named) {
		return 0, &Fault{Record: l.at.seq + 1, Reason: fmt.Sprintf("the log was removed or replaced while nod ran; put %s back", l.path(logFile))}
	}
	if err != nil {
		return 0, fmt.Errorf("ledger: %w", err)
	}
	return ours.Size(), nil
}

// advance moves l.at to the end of the log. See "Crashes" in the package
// comment for the states that it puts right.
func (l *Ledger) advance(head position, size int64) error {
	open := maps.Clone(l.open)
	var last []byte   // the last good record's text
	var ours [][]byte // records of ours that were not acknowledged
	end, reached, err := l.seal.follow(l.log, l.at, head, size, func(p position, text []byte) error {
		last = append(last[:0], text...)
		track(open, text)
		l.known.meet(p)
		if _, _, process, _ := peek(text); process == l.process {
			ours = append(ours, bytes.Clone(text))
		}
		return nil
	})
	if fault := judge(end, head, reached, err); fault != nil {
		if !fault.Recoverable {
			return fault
		}
		if err := l.recover(head, end, size, last); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	l.at, l.open, l.tail = end, open, last
	for _, text := range ours {
		l.adopted(text)
	}
	return nil
}

// recover puts a log right that goes on after its head: end is where its good
// records end, one at most behind the head, and last is that record's text.
func (l *Ledger) recover(head, end position, size int64, last []byte) error {
	var what []string
	if size > end.size {
		if err := l.log.Truncate(end.size); err != nil {
			return fmt.Errorf("ledger: cut off what a crash left behind: %w", err)
		}
		what = append(what, fmt.Sprintf("cut off %d bytes after record %d that were no record", size-end.size, end.seq))
	}
	if end != head {
		// Written again, because a failed fsync may have dropped it.
		line, _ := l.seal.line(head, last)
		if err := l.commit(line, head.size, end); err != nil {
			return fmt.Errorf("ledger: adopt record %d: %w", end.seq, err)
		}
		what = append(what, fmt.Sprintf("adopted record %d, which was not acknowledged", end.seq))
	} else if err := l.log.Sync(); err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	l.pending = append(l.pending, l.note(Note{Kind: "recovered", Text: strings.Join(what, "; ")}))
	return nil
}

// adopted settles the account of a record of ours that reached the log although
// its append failed.
func (l *Ledger) adopted(text []byte) {
	kind, ref, _, _ := peek(text)
	if kind == TypeIntent {
		l.pending = append(l.pending, l.conclusion(ref, Conclusion{
			Outcome: Failed, Error: "nothing was run: the intent could not be put on record in time",
		}))
		return
	}
	if len(l.pending) > 0 {
		// Only the first pending record can have been in the writing.
		if first, err := l.pending[0].encode(); err == nil && string(first) == string(text) {
			l.pending = l.pending[1:]
		}
	}
}

// sweep concludes the intents of processes that are gone and removes their live
// files.
func (l *Ledger) sweep() error {
	if err := l.fetchSpool(); err != nil {
		return err
	}
	gone := map[string]bool{}
	for ref, process := range l.open {
		dead, known := gone[process]
		if !known {
			dead = process != l.process && !l.alive(process)
			gone[process] = dead
		}
		if dead {
			l.pending = append(l.pending, l.conclusion(ref, Conclusion{
				Outcome: Unknown, Error: "nod ended before the run did",
			}))
		}
	}
	l.swept = true
	files, err := filepath.Glob(l.path(livePrefix + "*"))
	if err != nil {
		return fmt.Errorf("ledger: %w", err)
	}
	for _, f := range files {
		if process := strings.TrimPrefix(filepath.Base(f), livePrefix); process != l.process && !l.alive(process) {
			_ = os.Remove(f) // an empty file more or less; the next sweep tries again
		}
	}
	return l.settle()
}

// alive reports whether the process still holds its live file. When that cannot
// be learnt it counts as alive: its intents stay open, nothing is made up.
func (l *Ledger) alive(process string) bool {
	f, err := openOwn(l.path(livePrefix+filepath.Base(process)), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err != nil {
		return true
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	err = flock(f, unix.LOCK_SH|unix.LOCK_NB)
	return errors.Is(err, unix.EWOULDBLOCK)
}

// follow scans the log from one position up to size and reports whether it came
// by the head.
func (s *sealer) follow(r io.ReaderAt, from, head position, size int64, fn func(position, []byte) error) (end position, reached bool, err error) {
	reached = from == head
	end, err = s.scan(io.NewSectionReader(r, from.size, max(0, size-from.size)), from, func(p position, text []byte) error {
		reached = reached || p == head
		return fn(p, text)
	})
	return end, reached, err
}

// judge says what is wrong with a log whose good records end at end, given its
// head and whether they came by it. nil means nothing, or that err is no Fault.
func judge(end, head position, reached bool, err error) *Fault {
	var fault *Fault
	if err != nil && !errors.As(err, &fault) {
		return nil
	}
	switch {
	case !reached && fault != nil:
		return fault
	case !reached && end.seq < head.seq:
		return &Fault{Record: end.seq + 1, Reason: fmt.Sprintf("it is missing: the log was cut off after record %d, the head knows of %d", end.seq, head.seq)}
	case !reached:
		return &Fault{Record: head.seq, Reason: "the head names another record in its place: the head or the log is an older one"}
	case end.seq > head.seq+1:
		return &Fault{Record: head.seq + 1, Reason: fmt.Sprintf("the head knows of %d records only, the log has %d: an older head was put in place", head.seq, end.seq)}
	case fault != nil:
		return &Fault{Record: end.seq + 1, Recoverable: true, Reason: "what follows the last acknowledged record is no record; a crash while writing leaves that, and the next append cuts it off"}
	case end.seq == head.seq+1:
		return &Fault{Record: end.seq, Recoverable: true, Reason: "the head does not know of it yet; a crash while writing leaves that, and the next append adopts it"}
	}
	return nil
}
