package recording

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"os"
	"path/filepath"
	"time"

	"github.com/nod-console/nod/agent/ledger/internal/private"
)

const (
	// gatherFor is how long the writer waits for more before it writes.
	gatherFor = 60 * time.Millisecond
	// syncWithin is the longest time that something is written and not fsynced.
	syncWithin = 2 * time.Second
	// retryAfter is the time between two tries of what has failed.
	retryAfter = 250 * time.Millisecond
	// regain is how much output must be affordable for a gap to end, in bytes.
	regain = 64 << 10
	// closingTries is how often a recording that is closed is tried.
	closingTries = 3
)

// writer is the file side of a Recorder. It belongs to one goroutine.
type writer struct {
	r       *Recorder
	filter  Filter // nil if there is none
	f       file
	size    int64 // of whole lines in f
	sum     hash.Hash
	part    int
	begins  time.Duration // of the part, in the recording
	tail    []byte        // the beginning of a character
	dirty   time.Time     // since when something is not fsynced; zero if all is
	checked time.Time     // when the disk's space was looked at
	encoded []byte
}

// write writes the recording until it is closed.
func (r *Recorder) write() {
	defer close(r.done)
	w := &writer{r: r}
	if r.store.opt.Redact != nil {
		w.filter = r.store.opt.Redact()
	}
	defer w.close()
	var again <-chan time.Time
	tries := 0
	for {
		select {
		case <-r.wake:
			w.gather()
		case <-again:
		}
		items, closed, asked := r.take()
		items = w.redact(items, closed)
		err := w.put(items, asked > 0)
		if err == nil && asked > 0 {
			r.tell(asked, w.present())
		}
		if err != nil {
			items = w.rest(items)
			r.giveBack(items)
		}
		r.report(err)
		if closed {
			if tries++; err == nil || tries >= closingTries {
				return
			}
		}
		if err == nil {
			w.goOn()
		}
		again = w.due(err)
	}
}

// gather waits a little for more, which bounds the number of writes.
func (w *writer) gather() {
	if w.r.isClosed() {
		return
	}
	more := time.NewTimer(w.r.store.opt.gather)
	defer more.Stop()
	select {
	case <-more.C:
	case <-w.r.hurry:
	}
}

// present is what is on disk of the present file. Everything is fsynced.
func (w *writer) present() Bound {
	if w.f == nil {
		return Bound{}
	}
	return Bound{partName(w.r.base, w.part), w.size, hex.EncodeToString(w.sum.Sum(nil))}
}

func (r *Recorder) isClosed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.closed
}

// take takes what is to be written. asked is not 0 if somebody waits until all of it
// is on disk.
func (r *Recorder) take() (items []item, closed bool, asked uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	items = r.queue
	r.queue = nil
	r.bytes = 0
	r.busy = time.Now()
	r.late.Reset(r.store.opt.stuck + time.Millisecond)
	if r.asked > r.answered {
		asked = r.asked
	}
	return items, r.closed, asked
}

// giveBack puts back what could not be written.
func (r *Recorder) giveBack(items []item) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queue = append(items, r.queue...)
	for _, i := range items {
		r.bytes += int64(len(i.text))
	}
}

// report says how the last try ended.
func (r *Recorder) report(err error) {
	r.mu.Lock()
	changed := (err == nil) != (r.failed == nil) || !r.late.Stop()
	r.failed, r.busy = err, time.Time{}
	r.mu.Unlock()
	if changed {
		r.store.changed()
	}
}

// goOn asks for the picture where the recording needs one: behind a gap that can
// end, and for a new file.
func (w *writer) goOn() {
	r := w.r
	r.mu.Lock()
	r.refill()
	if w.f != nil && w.size > r.store.opt.maxPart {
		r.turn = true
	}
	need := !r.closed && (r.turn || r.gap.open && r.budget >= min(regain, r.store.opt.burst))
	r.mu.Unlock()
	if need && r.retap != nil {
		r.retap()
	}
}

// due is when to look again although nothing comes.
func (w *writer) due(err error) <-chan time.Time {
	w.r.mu.Lock()
	waiting := err != nil || w.r.gap.open || w.r.turn
	w.r.mu.Unlock()
	switch {
	case waiting:
		return time.After(retryAfter)
	case !w.dirty.IsZero():
		return time.After(max(syncWithin-time.Since(w.dirty), time.Millisecond))
	}
	return nil
}

// put writes items. After an error, some of them may be written: see rest.
func (w *writer) put(items []item, surely bool) error {
	if w.f != nil {
		if there, err := w.f.there(); err != nil || !there {
			w.lose()
		}
	}
	w.encoded = w.encoded[:0]
	ended := false
	for len(items) > 0 {
		n, marked, err := w.putSome(items)
		if err != nil {
			return err
		}
		ended = ended || marked
		w.done(items[:n])
		items = items[n:]
	}
	if w.f == nil || w.dirty.IsZero() || !ended && !surely && time.Since(w.dirty) < syncWithin {
		return nil
	}
	return w.sync()
}

// putSome writes the first n of items: a new file, or what goes into the one that is
// there. marked says that a mark was among them.
func (w *writer) putSome(items []item) (n int, marked bool, err error) {
	switch {
	case items[0].kind == newPart:
		return 1, false, w.turn(items[0])
	case w.f == nil: // behind a file that was lost, up to the picture
		return 1, false, nil
	}
	tail := w.tail
	for n < len(items) && items[n].kind != newPart && len(w.encoded) < 1<<20 {
		w.encode(items[n])
		marked = marked || items[n].kind == Mark
		n++
	}
	if err := w.append(); err != nil {
		w.tail = tail
		return 0, false, err
	}
	return n, marked, nil
}

// redact passes items through the filter, those that have not yet. What it holds
// back comes out in front of whatever is no output, and at the end.
func (w *writer) redact(items []item, closed bool) []item {
	if w.filter == nil {
		return items
	}
	var clean []item
	at := time.Duration(0)
	add := func(text []byte) {
		if len(text) > 0 {
			clean = append(clean, item{at: at, kind: Output, text: append([]byte(nil), text...), alone: true, clean: true})
		}
	}
	for _, i := range items {
		at = max(at, i.at)
		switch {
		case i.clean:
			clean = append(clean, i)
		case i.kind == Output && !i.alone:
			add(w.filter.Push(i.text))
		case i.kind == Output: // a picture is whole
			add(w.filter.Flush())
			add(w.filter.Push(i.text))
			add(w.filter.Flush())
		default:
			add(w.filter.Flush())
			if i.kind == Mark {
				i.text = append(append([]byte(nil), w.filter.Push(i.text)...), w.filter.Flush()...)
			}
			i.alone, i.clean = true, true
			clean = append(clean, i)
		}
	}
	if closed {
		add(w.filter.Flush())
	}
	return clean
}

// done marks items as written, for rest.
func (w *writer) done(items []item) {
	for i := range items {
		items[i].kind = 0
	}
}

// rest is what of items is not written.
func (w *writer) rest(items []item) []item {
	for len(items) > 0 && items[0].kind == 0 {
		items = items[1:]
	}
	return items
}

func (w *writer) encode(i item) {
	at := i.at - w.begins
	if i.kind != Output {
		w.encoded = appendEvent(w.encoded, at, i.kind, i.text)
		return
	}
	text := i.text
	if len(w.tail) > 0 {
		text = append(append([]byte(nil), w.tail...), text...)
	}
	n := len(text) - unfinished(text)
	w.tail = append([]byte(nil), text[n:]...)
	if n > 0 {
		w.encoded = appendEvent(w.encoded, at, Output, text[:n])
	}
}

// append writes what is encoded, all of it or nothing.
func (w *writer) append() error {
	if err := w.space(); err != nil {
		return err
	}
	if _, err := w.f.WriteAt(w.encoded, w.size); err != nil {
		// What was written of it would be a line that is cut off.
		_ = w.f.Truncate(w.size) // else the next write overwrites it
		w.encoded = w.encoded[:0]
		return err
	}
	w.size += int64(len(w.encoded))
	w.sum.Write(w.encoded) // a hash's Write never fails
	w.encoded = w.encoded[:0]
	if w.dirty.IsZero() {
		w.dirty = time.Now()
	}
	return nil
}

// spaceEvery is how often the disk is asked how much is left.
const spaceEvery = time.Second

// space refuses to write where what is left is the ledger's.
func (w *writer) space() error {
	if time.Since(w.checked) < spaceEvery {
		return nil
	}
	left, err := w.r.store.opt.disk.free(w.r.store.dir)
	if err != nil {
		return err
	}
	if left < refuseBelow {
		return fmt.Errorf("%w: %d MiB are left in %s; make room for at least %d MiB", ErrDiskLow, left>>20, w.r.store.dir, refuseBelow>>20)
	}
	w.checked = time.Now()
	return nil
}

func (w *writer) sync() error {
	if err := w.f.Sync(); err != nil {
		return err
	}
	w.dirty = time.Time{}
	return nil
}

// turn ends the present file and begins the next.
func (w *writer) turn(i item) error {
	if w.part == 0 && w.r.store.opt.Wait { // Open may not have been able to
		if err := private.MakeDir(w.r.store.dir); err != nil {
			return err
		}
	}
	if err := w.space(); err != nil {
		return err
	}
	if w.f != nil {
		if err := w.sync(); err != nil {
			return err
		}
		w.ended()
		_ = w.f.Close() // it was fsynced
		w.f = nil
		w.r.store.makeRoom()
	}
	size, err := Event{Text: string(i.text)}.Size()
	if err != nil {
		return err
	}
	r := w.r
	path := filepath.Join(r.store.dir, partName(r.base, w.part+1))
	f, err := r.store.opt.disk.create(path)
	if err != nil {
		return err
	}
	header, err := json.Marshal(Header{
		Version: 2, Width: size.Cols, Height: size.Rows, Timestamp: r.began.Add(i.at).Unix(),
		Title: r.pane.Target + " " + r.pane.Session + "/" + r.pane.Name,
		Env:   map[string]string{"TERM": "xterm-256color"},
		Nod:   &Origin{r.pane.Target, r.pane.Session, r.pane.Name, w.part + 1, i.at.Seconds()},
	})
	if err == nil {
		_, err = f.WriteAt(append(header, '\n'), 0)
	}
	if err != nil {
		return errors.Join(err, f.Close(), os.Remove(path))
	}
	w.part++
	w.f, w.size, w.begins, w.tail = f, int64(len(header))+1, i.at, nil
	w.sum = sha256.New()
	w.sum.Write(append(header, '\n'))
	w.dirty = time.Now()
	return private.SyncDir(r.store.dir)
}

// lose gives up a file that somebody has removed: what comes is in the next one,
// which begins with the picture.
func (w *writer) lose() {
	_ = w.f.Close() // it is gone
	w.f, w.dirty = nil, time.Time{}
	w.r.mu.Lock()
	w.r.turn = true
	w.r.mu.Unlock()
}

func (w *writer) close() {
	if w.f == nil {
		return
	}
	var err error
	if !w.dirty.IsZero() {
		if err = w.sync(); err != nil {
			w.r.report(err)
		}
	}
	if err == nil {
		w.ended()
	}
	_ = w.f.Close() // Sync has told
}

// ended tells what the file is that is about to be closed, all of which is on disk.
func (w *writer) ended() {
	if tell := w.r.store.opt.Ended; tell != nil {
		tell(w.present())
	}
}
