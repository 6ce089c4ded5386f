package ledger

import (
	"context"
	"errors"
	"time"
)

// sealWithin is how long a record waits for the end of its epoch, while nod runs.
const sealWithin = time.Minute

// checkEpochs proves that the key follows the last epoch, and the records that.
// The caller holds the lock and has caught up.
func (l *Ledger) checkEpochs() error {
	if l.checked {
		return nil
	}
	last, _, err := l.lastEpoch()
	if err != nil {
		return err
	}
	keys, err := readEpochKeys(l.disk, l.path(epochKeyFile))
	if err != nil {
		return err
	}
	if !keys.follow(last) || last.records > l.at.seq {
		return keyFault(last)
	}
	l.checked, l.signed = true, last.records
	return nil
}

// adoptEpochs begins the epochs of a ledger that has none: an older nod made it.
func (l *Ledger) adoptEpochs() error {
	head, err := l.seal.readHead(l.disk, l.path(headFile))
	var fault *Fault
	switch {
	case errors.As(err, &fault):
		return nil // catchUp says so
	case err != nil:
		return err
	case l.seal.root != "":
		return nil
	}
	if err := l.beginEpochs(head); err != nil {
		return err
	}
	return l.seal.writeHead(l.disk, l.dir, head)
}

// appended ends the epoch when it is full, and has it end in time otherwise.
func (l *Ledger) appended() {
	if l.at.seq-min(l.signed, l.at.seq) >= sealEvery {
		_ = l.turn() // Healthy says what it found
	}
	if l.at.seq > l.signed && l.due == nil {
		l.due = time.AfterFunc(sealWithin, l.epochDue)
	}
}

// turn ends the epoch. A disk that does not take that is tried again with the next
// record; keys that do not fit stop everything that acts.
func (l *Ledger) turn() error {
	err := l.endEpoch()
	var fault *Fault
	if errors.As(err, &fault) {
		l.checked = false
		l.fail(err)
		return err
	}
	return nil
}

// epochDue ends an epoch that has not become full.
func (l *Ledger) epochDue() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.log == nil {
		return
	}
	l.due = nil
	err := l.locked(context.Background(), func() error {
		if err := l.catchUp(); err != nil {
			return err
		}
		return l.turn()
	})
	if err != nil {
		l.fail(err)
	}
	if l.at.seq > l.signed {
		l.due = time.AfterFunc(sealWithin, l.epochDue)
	}
}

// lastTurn ends the epoch before the ledger is closed. What the disk does not take
// stays in an epoch that the next process ends.
func (l *Ledger) lastTurn() error {
	if l.due != nil {
		l.due.Stop()
		l.due = nil
	}
	if l.log == nil || l.at.seq <= l.signed {
		return nil
	}
	var fault *Fault
	err := l.locked(context.Background(), func() error {
		if err := l.catchUp(); err != nil {
			return err
		}
		return l.turn()
	})
	if errors.As(err, &fault) {
		return err
	}
	return nil
}
