package ledger

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
)

// The files of the epochs. See "Epochs" in the package comment.
const (
	epochsFile   = "epochs"
	epochKeyFile = "epoch-key"
)

// sealEvery is how many records an epoch has at most.
const sealEvery = 64

// maxEpochLine bounds a line of the epochs, in bytes.
const maxEpochLine = 512

const partSig = `,"sig":"`

// epoch is a line of the epochs: the signature of everything up to a record.
type epoch struct {
	number  uint64
	key     ed25519.PublicKey // signs this line, and nothing else
	records uint64
	last    [sealLen]byte     // the seal of that record
	next    ed25519.PublicKey // signs the next line
	sig     []byte
}

// sign completes e.
func (e epoch) sign(now, next seed) epoch {
	key := now.private()
	e.key, e.next = public(key), public(next.private())
	e.sig = ed25519.Sign(key, e.content())
	return e
}

func public(key ed25519.PrivateKey) ed25519.PublicKey {
	return ed25519.PublicKey(key[ed25519.SeedSize:])
}

func (e epoch) signed() bool { return ed25519.Verify(e.key, e.content(), e.sig) }

// content is what is signed.
func (e epoch) content() []byte {
	b := make([]byte, 0, maxEpochLine)
	b = append(b, `{"epoch":`...)
	b = strconv.AppendUint(b, e.number, 10)
	b = append(b, `,"key":"`...)
	b = hex.AppendEncode(b, e.key)
	b = append(b, `","records":`...)
	b = strconv.AppendUint(b, e.records, 10)
	b = append(b, `,"last":"`...)
	b = append(b, e.last[:]...)
	b = append(b, `","next":"`...)
	b = hex.AppendEncode(b, e.next)
	return append(b, '"')
}

// line is e as it stands in the file.
func (e epoch) line() []byte {
	b := append(e.content(), partSig...)
	b = hex.AppendEncode(b, e.sig)
	return append(b, partEnd+"\n"...)
}

// parseEpoch reads what line wrote, and nothing else.
func parseEpoch(line []byte) (e epoch, ok bool) {
	if len(line) > maxEpochLine {
		return e, false
	}
	rest := line
	field := func(name string, end byte) []byte {
		after, found := bytes.CutPrefix(rest, []byte(name))
		at := bytes.IndexByte(after, end)
		if !found || at < 0 {
			rest = nil
			return nil
		}
		rest = after[at:]
		return after[:at]
	}
	number := func(name string) uint64 {
		n, _ := strconv.ParseUint(string(field(name, ',')), 10, 64) // line would write it otherwise
		return n
	}
	digits := func(name string) []byte {
		b, _ := hex.AppendDecode(nil, field(name, '"')) // too short, then
		return b
	}
	e.number = number(`{"epoch":`)
	e.key = digits(`,"key":"`)
	e.records = number(`","records":`)
	last := field(`,"last":"`, '"')
	e.next = digits(`","next":"`)
	e.sig = digits(`"` + partSig)
	if len(last) != sealLen || len(e.key) != ed25519.PublicKeySize || len(e.next) != ed25519.PublicKeySize || len(e.sig) != ed25519.SignatureSize {
		return e, false
	}
	copy(e.last[:], last)
	return e, bytes.Equal(e.line(), line)
}

// epochs walks the lines of the epochs beside the records that they sign.
type epochs struct {
	lines *bufio.Reader
	last  epoch // the last one that holds
	count uint64
	due   *epoch // the next one, whose record was not met yet
	torn  bool   // what follows the last line is no whole one

	unproved []unproved
}

// unproved is an epoch whose signature was not looked at yet.
type unproved struct {
	epoch
	after uint64 // the records that are signed before it
	line  uint64
}

// proveTogether is how many signatures are proved at once, by all processors: each
// takes as long as sealing fifty records.
const proveTogether = 512

// prove proves the signatures that were put off. The error is a *Fault for the first
// that does not fit.
func (s *epochs) prove() error {
	all := s.unproved
	s.unproved = nil
	if len(all) == 0 {
		return nil
	}
	each := (len(all) + runtime.GOMAXPROCS(0) - 1) / runtime.GOMAXPROCS(0)
	parts := slices.Collect(slices.Chunk(all, each))
	bad := make([]*unproved, len(parts))
	var running sync.WaitGroup
	for w, part := range parts {
		running.Go(func() { bad[w] = firstBad(part) })
	}
	running.Wait()
	for _, first := range bad {
		if first != nil {
			return epochFault(first.after, first.line, "has a signature that does not fit: it was edited")
		}
	}
	return nil
}

// firstBad is the first whose signature does not fit; nil if all fit.
func firstBad(all []unproved) *unproved {
	for batch := range slices.Chunk(all, batchSize) {
		if signedTogether(batch) {
			continue
		}
		for i := range batch {
			if !batch[i].signed() {
				return &batch[i]
			}
		}
	}
	return nil
}

// newEpochs checks the first line, whose key is the root of all.
func newEpochs(r io.Reader, root string) (*epochs, error) {
	s := &epochs{lines: bufio.NewReaderSize(r, 64<<10)}
	if err := s.read(); err != nil {
		return nil, err
	}
	if s.due == nil || hex.EncodeToString(s.due.key) != root {
		return nil, &Fault{Reason: "the first epoch is missing, or is another one than the head tells of: " + epochsFile + " was edited or replaced"}
	}
	return s, nil
}

// read reads the next line.
func (s *epochs) read() error {
	s.due = nil
	line, err := s.lines.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF):
		s.torn = len(line) > 0
		return nil
	case errors.Is(err, bufio.ErrBufferFull): // falls short below
	case err != nil:
		return fmt.Errorf("ledger: read %s: %w", epochsFile, err)
	}
	e, ok := parseEpoch(line)
	first := s.count == 0
	switch {
	case !ok:
		return s.fault("is not as nod wrote it")
	case e.number != s.count:
		return s.fault(fmt.Sprintf("has the number %d: one was removed, repeated or moved", e.number))
	case !first && !bytes.Equal(e.key, s.last.next):
		return s.fault("is signed by another key than the one before it names")
	case !first && e.records <= s.last.records:
		return s.fault("does not come after the one before it")
	}
	s.due = &e
	if s.unproved = append(s.unproved, unproved{e, s.last.records, s.count + 1}); len(s.unproved) == proveTogether {
		return s.prove()
	}
	return nil
}

func (s *epochs) fault(what string) *Fault { return epochFault(s.last.records, s.count+1, what) }

func epochFault(after, line uint64, what string) *Fault {
	return &Fault{Record: after + 1, Reason: fmt.Sprintf("line %d of %s, which signs it, %s", line, epochsFile, what)}
}

// meet takes the record at p.
func (s *epochs) meet(p position) error {
	for s.due != nil && s.due.records == p.seq {
		if s.due.last != p.prev {
			return &Fault{Record: s.last.records + 1, Reason: fmt.Sprintf("record %d is not the one that was signed: it or one after record %d was rewritten by somebody who has the key", p.seq, s.last.records)}
		}
		s.last = *s.due
		s.count++
		if err := s.read(); err != nil {
			return err
		}
	}
	return nil
}

// end takes the end of the records, at p, and the keys of the present epoch.
func (s *epochs) end(p position, keys epochKeys) error {
	switch {
	case s.due != nil:
		return &Fault{Record: p.seq + 1, Reason: fmt.Sprintf("it is missing: epoch %d was signed when there were %d records", s.due.number, s.due.records)}
	case !keys.follow(s.last):
		return keyFault(s.last)
	case s.torn:
		return tornEpochs(p)
	}
	return nil
}

func keyFault(last epoch) *Fault {
	return &Fault{Record: last.records + 1, Reason: fmt.Sprintf("the key in %s does not follow epoch %d: later epochs and what they signed were removed, or the key was replaced", epochKeyFile, last.number)}
}

func tornEpochs(p position) *Fault {
	return &Fault{Record: p.seq, Recoverable: true, Reason: "what follows the last line of " + epochsFile + " is no whole line; a crash while writing leaves that, and the next epoch cuts it off"}
}

// epochKeys are the keys of the present epoch and of the one after it, which are
// the same but for a moment.
type epochKeys struct{ now, next seed }

// seed is what a key is made of.
type seed []byte

func (s seed) private() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(s) }

// signs reports whether a key is the one of the seed.
func (s seed) signs(key ed25519.PublicKey) bool { return key.Equal(s.private().Public()) }

// follow reports whether these are the keys behind e.
func (k epochKeys) follow(e epoch) bool {
	return k.now.signs(e.next) || k.next.signs(e.next)
}

// unfinished reports whether e was written and its key is still there, or is torn.
func (k epochKeys) unfinished(e epoch) bool {
	return k.next.signs(e.next) && !k.now.signs(e.next)
}

const slotLen = 2*ed25519.SeedSize + 1 // hexadecimal digits and a newline

func slot(s seed) []byte { return append(hex.AppendEncode(nil, s), '\n') }

// readEpochKeys reads the file of the keys. A slot that a crash has torn counts as
// a key that nobody knows.
func readEpochKeys(d disk, path string) (k epochKeys, err error) {
	text, err := readSmall(d, path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(text) != 2*slotLen {
		return k, &Fault{Reason: "the key of the epoch is missing or is none; put " + path + " back"}
	}
	if err != nil {
		return k, fmt.Errorf("ledger: read the key of the epoch: %w", err)
	}
	of := func(text []byte) seed {
		s := make(seed, ed25519.SeedSize)
		_, _ = hex.Decode(s, text[:slotLen-1]) // else it fits no epoch
		return s
	}
	return epochKeys{of(text[:slotLen]), of(text[slotLen:])}, nil
}

func newSeed() seed {
	s := make(seed, ed25519.SeedSize)
	rand.Read(s) // never fails: see crypto/rand.Read
	return s
}

// beginEpochs makes the first epoch: it signs what is there now. The head that
// names it is the caller's to write; until then it counts for nothing.
func (l *Ledger) beginEpochs(at position) error {
	next := newSeed()
	e := epoch{records: at.seq, last: at.prev}.sign(newSeed(), next)
	if err := replace(l.disk, l.dir, epochKeyFile, append(slot(next), slot(next)...)); err != nil {
		return err
	}
	if err := replace(l.disk, l.dir, epochsFile, e.line()); err != nil {
		return err
	}
	l.seal.root = hex.EncodeToString(e.key)
	return nil
}

// endEpoch signs the records up to l.at, if there are some that are not signed,
// and forgets the key. The caller holds the lock and has caught up.
func (l *Ledger) endEpoch() error {
	last, size, err := l.lastEpoch()
	if err != nil {
		return err
	}
	keyFile, err := l.disk.open(l.path(epochKeyFile), os.O_RDWR)
	if err != nil {
		return fmt.Errorf("ledger: end the epoch: %w", err)
	}
	err = l.turnEpoch(keyFile, last, size)
	if closeErr := keyFile.Close(); err == nil && closeErr != nil {
		err = closeErr
	}
	var fault *Fault
	if err != nil && !errors.As(err, &fault) {
		err = fmt.Errorf("ledger: end the epoch: %w", err)
	}
	return err
}

// turnEpoch writes the next key, then the line, and then the next key over the one
// that has signed it: a crash in between leaves either key usable.
func (l *Ledger) turnEpoch(keyFile file, last epoch, size int64) error {
	keys, err := readEpochKeys(l.disk, l.path(epochKeyFile))
	if err != nil {
		return err
	}
	if !keys.follow(last) || last.records > l.at.seq {
		return keyFault(last)
	}
	if keys.unfinished(last) {
		if err := overwrite(keyFile, slot(keys.next), 0); err != nil {
			return err
		}
		keys.now = keys.next
	}
	if last.records == l.at.seq {
		l.signed = l.at.seq
		return nil
	}
	next := newSeed()
	if err := overwrite(keyFile, slot(next), slotLen); err != nil {
		return err
	}
	e := epoch{number: last.number + 1, records: l.at.seq, last: l.at.prev}.sign(keys.now, next)
	if err := l.addEpoch(e, size); err != nil {
		return err
	}
	if err := overwrite(keyFile, slot(next), 0); err != nil {
		return err
	}
	l.signed = l.at.seq
	return nil
}

// overwrite puts a key in place of another one, whose bytes are gone then, as far
// as the file system and the disk write in place.
func overwrite(f file, text []byte, offset int64) error {
	if _, err := f.WriteAt(text, offset); err != nil {
		return err
	}
	return f.Sync()
}

// addEpoch writes a line behind the whole ones.
func (l *Ledger) addEpoch(e epoch, size int64) (err error) {
	f, err := l.disk.open(l.path(epochsFile), os.O_RDWR)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	if _, err := f.WriteAt(e.line(), size); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if whole := size + int64(len(e.line())); info.Size() > whole { // a crash had left more than that
		if err := f.Truncate(whole); err != nil {
			return err
		}
	}
	return f.Sync()
}

// lastEpoch is the last whole line, and where the next one goes.
func (l *Ledger) lastEpoch() (e epoch, size int64, err error) {
	f, err := l.disk.open(l.path(epochsFile), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return e, 0, &Fault{Reason: "the epochs are missing; put " + l.path(epochsFile) + " back"}
	}
	if err != nil {
		return e, 0, fmt.Errorf("ledger: %w", err)
	}
	defer f.Close() //nolint:errcheck // opened for reading only
	info, err := f.Stat()
	if err != nil {
		return e, 0, fmt.Errorf("ledger: %w", err)
	}
	from := max(0, info.Size()-2*maxEpochLine)
	tail := make([]byte, info.Size()-from)
	if _, err := f.ReadAt(tail, from); err != nil && !errors.Is(err, io.EOF) {
		return e, 0, fmt.Errorf("ledger: %w", err)
	}
	tail = tail[:bytes.LastIndexByte(tail, '\n')+1]
	begins := 0
	if len(tail) > 0 {
		begins = bytes.LastIndexByte(tail[:len(tail)-1], '\n') + 1
	}
	e, ok := parseEpoch(tail[begins:])
	if !ok {
		return e, 0, &Fault{Reason: "the last line of " + epochsFile + " is not as nod wrote it"}
	}
	return e, from + int64(len(tail)), nil
}
