package ledger

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/agent/ledger/internal/private"
)

// ErrNone: there is no ledger in the folder.
var ErrNone = errors.New("there is no ledger")

// Report is what Verify found.
type Report struct {
	Records uint64 `json:"records"` // good ones, from the first on
	Head    string `json:"head"`    // the last good one's seal
	Bytes   int64  `json:"bytes"`
	Open    int    `json:"open"` // intents without a conclusion
	// Signed is how many of the records are signed by epochs that have ended.
	Signed uint64 `json:"signed"`
}

// Verify proves the ledger in dir. The error is a *Fault that names the first
// bad record, or says why the ledger cannot be read; ErrNone if there is none.
// The Report counts what is good even then.
//
// heads is the folder of [Options].Heads, and empty where there is none: a ledger
// that was put back to an older state as a whole is a *Fault, too.
//
// It reads the log as it was when it started, while others go on appending.
func Verify(dir, heads string) (Report, error) {
	var k *known
	if heads != "" {
		name, err := Name(dir)
		if err != nil {
			return Report{}, err
		}
		if k, err = headsOf(heads, name).last(name); err != nil {
			return Report{}, fmt.Errorf("ledger: %w", err)
		}
	}
	report, err := verify(dir, k)
	if what := k.missing(heads, report.Records); err == nil && what != "" {
		err = &Fault{Record: cmp.Or(k.differs, report.Records+1), Reason: what}
	}
	return report, err
}

// verify proves the ledger in dir with its epochs, and holds it against heads.
func verify(dir string, k *known) (Report, error) {
	open := map[string]string{}
	var signed uint64
	end, err := walk(dir, true, func(v *view, p position, text []byte) error {
		if v.epochs != nil {
			signed = v.epochs.last.records
		}
		if k != nil && k.root != "" && k.root != v.seal.root {
			k.foreign = true
		}
		k.meet(p)
		track(open, text)
		return nil
	})
	return Report{Records: end.seq, Head: string(end.prev[:]), Bytes: end.size, Open: len(open), Signed: signed}, err
}

// Read calls fn for each record, in order, each proved before. It ends with
// fn's error, or with the *Fault of the first bad record, or nil.
func Read(dir string, fn func(Record) error) error {
	_, err := walk(dir, false, func(_ *view, p position, text []byte) error {
		r, err := decode(p.seq, p.prev[:], text)
		if err != nil {
			return err
		}
		return fn(r)
	})
	return err
}

// walk proves the ledger in dir, also the signatures of its epochs if that is wanted,
// and calls fn for each good record.
func walk(dir string, signatures bool, fn func(*view, position, []byte) error) (position, error) {
	v, err := snapshot(dir)
	if err != nil {
		return start(), fmt.Errorf("ledger: read %q: %w", dir, err)
	}
	defer v.close()
	if v.headErr != nil {
		return start(), v.headErr
	}
	if signatures && v.seal.root != "" {
		if v.epochs, err = v.begin(); err != nil {
			return start(), err
		}
		v.meet(start())
	}
	end, reached, err := v.seal.follow(v.log, start(), v.head, v.size, func(p position, text []byte) error {
		v.meet(p)
		return fn(&v, p, text)
	})
	fault := judge(end, v.head, reached, err)
	if err != nil && fault == nil {
		return end, err
	}
	if err := v.signatures(end, fault); err != nil {
		return end, err
	}
	if fault != nil {
		return end, fault
	}
	return end, nil
}

// meet holds the record at p against the epochs. What it finds is for the end: it
// could pass for what a crash leaves behind the last record.
func (v *view) meet(p position) {
	if v.epochs != nil && v.unsigned == nil {
		v.unsigned = v.epochs.meet(p)
	}
}

// signatures says what the epochs find wrong with records that end at end, where
// that is worse than fault, which may be nil. Proving takes time, and is not needed
// where the records do not hold by themselves.
func (v *view) signatures(end position, fault *Fault) error {
	if v.epochs == nil || fault != nil && !fault.Recoverable && v.unsigned == nil {
		return nil
	}
	var unsigned *Fault
	if errors.As(v.unsigned, &unsigned) && fault != nil && !fault.Recoverable && fault.Record < unsigned.Record {
		return nil
	}
	if err := v.epochs.prove(); err != nil || v.unsigned != nil {
		return cmp.Or(err, v.unsigned)
	}
	return v.epochs.end(end, v.keys)
}

// view is a ledger at a moment when nobody appended.
type view struct {
	seal    *sealer
	log     file
	size    int64
	head    position
	headErr error

	signed     file // the epochs; nil if there are none
	signedSize int64
	keys       epochKeys
	epochs     *epochs // as far as records were met
	unsigned   error   // what they found wrong with one
}

func (v *view) close() {
	_ = v.log.Close() // opened for reading only
	if v.signed != nil {
		_ = v.signed.Close()
	}
}

// begin reads the first epoch.
func (v *view) begin() (*epochs, error) {
	return newEpochs(io.NewSectionReader(v.signed, 0, v.signedSize), v.seal.root)
}

func snapshot(dir string) (v view, err error) {
	dir, err = filepath.Abs(dir)
	if err != nil {
		return v, err
	}
	if _, err := os.Lstat(filepath.Join(dir, lockFile)); errors.Is(err, fs.ErrNotExist) {
		return v, ErrNone
	}
	if err := private.CheckDir(dir); err != nil {
		return v, err
	}
	lock, err := openOwn(filepath.Join(dir, lockFile), os.O_RDONLY)
	if err != nil {
		return v, err
	}
	defer lock.Close() //nolint:errcheck // opened for reading only; this also releases it
	if err := acquire(context.Background(), lock, unix.LOCK_SH); err != nil {
		return v, err
	}
	d := osDisk{}
	key, err := readKey(d, dir)
	if err != nil {
		return v, err
	}
	v.seal = newSealer(key)
	v.head, v.headErr = v.seal.readHead(d, filepath.Join(dir, headFile))
	v.log, err = d.open(filepath.Join(dir, logFile), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return v, &Fault{Record: 1, Reason: "the log is missing"}
	}
	if err != nil {
		return v, err
	}
	info, err := v.log.Stat()
	if err != nil {
		return v, errors.Join(err, v.log.Close())
	}
	v.size = info.Size()
	if v.headErr == nil && v.seal.root != "" {
		if err := v.readEpochs(d, dir); err != nil {
			v.close()
			return v, err
		}
	}
	return v, nil
}

// readEpochs opens the epochs that belong to a head.
func (v *view) readEpochs(d disk, dir string) (err error) {
	if v.keys, err = readEpochKeys(d, filepath.Join(dir, epochKeyFile)); err != nil {
		return err
	}
	v.signed, err = d.open(filepath.Join(dir, epochsFile), os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return &Fault{Reason: "the epochs are missing; put " + filepath.Join(dir, epochsFile) + " back"}
	}
	if err != nil {
		return err
	}
	info, err := v.signed.Stat()
	if err == nil {
		v.signedSize = info.Size()
	}
	return err
}
