package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

var errInjected = errors.New("injected")

// faulty is a disk whose operations from number failAt on fail, for count
// operations. A failing write leaves a part behind.
type faulty struct {
	osDisk
	n, failAt, count int
	left             int64
}

func (d *faulty) step() error {
	d.n++
	if d.failAt > 0 && d.n >= d.failAt && d.n < d.failAt+d.count {
		return fmt.Errorf("operation %d: %w", d.n, errInjected)
	}
	return nil
}

func (d *faulty) arm(failAt, count int) { d.n, d.failAt, d.count = 0, failAt, count }

func (d *faulty) open(path string, flag int) (file, error) {
	if flag&os.O_CREATE != 0 {
		if err := d.step(); err != nil {
			return nil, err
		}
	}
	f, err := d.osDisk.open(path, flag)
	if err != nil {
		return nil, err
	}
	return &faultyFile{f, d}, nil
}

func (d *faulty) rename(from, to string) error {
	if err := d.step(); err != nil {
		return err
	}
	return d.osDisk.rename(from, to)
}

// syncDir fails after the fact, as a real one may.
func (d *faulty) syncDir(path string) error {
	return errors.Join(d.osDisk.syncDir(path), d.step())
}

func (d *faulty) free(path string) (int64, error) {
	if d.left != 0 {
		return d.left, nil
	}
	return d.osDisk.free(path)
}

type faultyFile struct {
	file
	d *faulty
}

func (f *faultyFile) WriteAt(b []byte, off int64) (int, error) {
	if err := f.d.step(); err != nil {
		n, _ := f.file.WriteAt(b[:len(b)/2], off)
		return n, err
	}
	return f.file.WriteAt(b, off)
}

func (f *faultyFile) Sync() error {
	if err := f.d.step(); err != nil {
		return err
	}
	return f.file.Sync()
}

func (f *faultyFile) Truncate(n int64) error {
	if err := f.d.step(); err != nil {
		return err
	}
	return f.file.Truncate(n)
}

func openFaulty(t *testing.T, dir string) (*Ledger, *faulty) {
	t.Helper()
	d := &faulty{left: 1 << 40}
	l, err := Open(dir, Options{disk: d})
	must(t, err)
	t.Cleanup(func() { _ = l.Close() }) // some tests close it in a broken state
	return l, d
}

// operations is how many an undisturbed Intend takes.
func operations(t *testing.T) int {
	l, d := openFaulty(t, folder(t))
	d.arm(0, 0)
	intend(t, l, "true")
	if d.n < 5 {
		t.Fatalf("an append has %d operations, that cannot be all", d.n)
	}
	return d.n
}

func TestEveryFailingOperationFailsTheIntentAndHeals(t *testing.T) {
	total := operations(t)
	for failAt := 1; failAt <= total; failAt++ {
		for count := 1; count <= 8; count++ {
			t.Run(fmt.Sprintf("operation %d, %d times", failAt, count), func(t *testing.T) {
				dir := folder(t)
				l, d := openFaulty(t, dir)
				running := intend(t, l, "before")
				d.arm(failAt, count)
				if _, err := l.Intend(t.Context(), Intent{ID: "failed", Command: "true"}); !errors.Is(err, errInjected) {
					t.Fatalf("Intend: %v, want the injected error", err)
				}
				concluded := l.Conclude(running, Conclusion{Outcome: Exited, ExitCode: new(int)})
				for tries := 0; l.Healthy() != nil; tries++ {
					if tries > 10 {
						t.Fatalf("not healed: %v", l.Healthy())
					}
				}
				after := intend(t, l, "after")
				must(t, l.Conclude(after, Conclusion{Outcome: Exited}))
				verified(t, dir)
				got := outcomes(t, dir)
				if got[running.ID] != Exited || got[after.ID] != Exited {
					t.Errorf("outcomes %v (Conclude said %v)", got, concluded)
				}
				if o, there := got["failed"]; there && o != Failed {
					t.Errorf("the refused intent's outcome is %q, want failed", o)
				}
				noted := false
				for _, r := range records(t, dir) {
					noted = noted || r.Type == TypeNote && r.Note.Kind == "recovered"
				}
				if !noted {
					t.Error("the gap is not on record")
				}
			})
		}
	}
}

// TestCrashAtEveryOperation proves that a crash never loses what was
// acknowledged and never looks like tampering.
func TestCrashAtEveryOperation(t *testing.T) {
	total := operations(t)
	for failAt := 1; failAt <= total; failAt++ {
		t.Run(fmt.Sprint(failAt), func(t *testing.T) {
			dir := folder(t)
			l, d := openFaulty(t, dir)
			before := intend(t, l, "before")
			d.arm(failAt, 1<<30)
			if _, err := l.Intend(t.Context(), Intent{ID: "failed", Command: "true"}); err == nil {
				t.Fatal("no error")
			}
			_ = l.Close() // its disk is gone: what it cannot write is lost, as in a crash
			var fault *Fault
			if _, err := Verify(dir, ""); err != nil && (!errors.As(err, &fault) || !fault.Recoverable) {
				t.Errorf("Verify: %v", err)
			}
			must(t, open(t, dir).Healthy())
			verified(t, dir)
			got := outcomes(t, dir)
			if got[before.ID] != Unknown {
				t.Errorf("outcome %q, want unknown", got[before.ID])
			}
			if o, there := got["failed"]; there && o != Unknown {
				t.Errorf("outcome of the refused intent %q, want unknown", o)
			}
		})
	}
}

func TestCrashWhileCreating(t *testing.T) {
	dir := folder(t)
	for failAt := 1; ; failAt++ {
		d := &faulty{left: 1 << 40}
		d.arm(failAt, 1<<30)
		l, err := Open(dir, Options{disk: d})
		if err == nil {
			must(t, l.Close())
			break
		}
		if failAt > 50 {
			t.Fatal(err)
		}
	}
	l := open(t, dir)
	intend(t, l, "true")
	verified(t, dir)
}

func TestDiskLow(t *testing.T) {
	dir := folder(t)
	l, d := openFaulty(t, dir)
	ref := intend(t, l, "true")
	d.left = WarnBelow - 1
	if l.Healthy() != nil || l.Warning() == "" {
		t.Errorf("below the first limit: healthy %v, warning %q", l.Healthy(), l.Warning())
	}
	d.left = RefuseBelow - 1
	if err := l.Healthy(); !errors.Is(err, ErrDiskLow) {
		t.Errorf("Healthy: %v", err)
	}
	if _, err := l.Intend(t.Context(), Intent{}); !errors.Is(err, ErrDiskLow) {
		t.Errorf("Intend: %v", err)
	}
	must(t, l.Conclude(ref, Conclusion{Outcome: Exited}))
	d.left = WarnBelow
	must(t, l.Healthy())
	if l.Warning() != "" {
		t.Errorf("warning %q", l.Warning())
	}
	intend(t, l, "true")
}

func TestCancelledIntentIsNotWritten(t *testing.T) {
	dir := folder(t)
	l := open(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Intend(ctx, Intent{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
	must(t, l.Healthy())
	if r := verified(t, dir); r.Records != 0 {
		t.Errorf("%d records", r.Records)
	}
}

func TestALockedLedgerDoesNotBlockForever(t *testing.T) {
	dir := folder(t)
	l := open(t, dir)
	other, err := openOwn(filepath.Join(dir, lockFile), os.O_RDWR)
	must(t, err)
	must(t, flock(other, 2)) // LOCK_EX
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := l.Intend(ctx, Intent{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want a deadline", err)
	}
	must(t, other.Close())
	intend(t, l, "true")
}

func TestRecordOfTheGreatestLength(t *testing.T) {
	dir := folder(t)
	l := open(t, dir)
	intend(t, l, string(bytes.Repeat([]byte("x"), 1<<20)))
	if _, err := l.Intend(t.Context(), Intent{Command: string(bytes.Repeat([]byte("x"), MaxRecord))}); err == nil {
		t.Error("a record beyond the limit was written")
	}
	must(t, l.Healthy())
	intend(t, l, "true")
	if r := verified(t, dir); r.Records != 2 {
		t.Errorf("%d records, want 2", r.Records)
	}
}

func TestAReplacedLogIsNoticed(t *testing.T) {
	dir := folder(t)
	l := open(t, dir)
	intend(t, l, "true")
	path := filepath.Join(dir, logFile)
	must(t, os.Rename(path, path+".old"))
	var fault *Fault
	if _, err := l.Intend(t.Context(), Intent{}); !errors.As(err, &fault) || fault.Recoverable {
		t.Errorf("%v, want a fault", err)
	}
	if _, err := Open(dir, Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing log: %v", err)
	}
	must(t, os.Rename(path+".old", path))
	must(t, l.Healthy())
}

// BenchmarkIntend is an append with its fsyncs, and beside it, in the same run,
// what the disk takes for the same writes without a ledger: log, head, folder.
func BenchmarkIntend(b *testing.B) {
	l := open(b, folder(b))
	dir := b.TempDir()
	d := osDisk{}
	log, err := d.open(filepath.Join(dir, logFile), os.O_RDWR|os.O_CREATE)
	must(b, err)
	line := bytes.Repeat([]byte("x"), 600)
	var ours, bare []time.Duration
	for b.Loop() {
		begin := time.Now()
		intend(b, l, "du -xh --max-depth=1 /var")
		ours = append(ours, time.Since(begin))
		begin = time.Now()
		_, err := log.WriteAt(line, int64(len(bare)*len(line)))
		must(b, errors.Join(err, log.Sync(), replace(d, dir, headFile, line[:180])))
		bare = append(bare, time.Since(begin))
	}
	must(b, log.Close())
	report := func(name string, took []time.Duration) {
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds()), "µs-p50-"+name)
		b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "µs-p99-"+name)
	}
	report("append", ours)
	report("bare", bare)
}

func BenchmarkVerify(b *testing.B) {
	dir := folder(b)
	must(b, open(b, dir).Close())
	key, err := readKey(osDisk{}, dir)
	must(b, err)
	s := newSealer(key)
	var log []byte
	p := start()
	text, err := body{Type: TypeIntent, Ref: "r", Intent: &Intent{Command: "du -xh --max-depth=1 /var", Target: "ssh:web-1"}}.encode()
	must(b, err)
	for p.size < 32<<20 {
		var line []byte
		line, p = s.line(p, text)
		log = append(log, line...)
	}
	state{log, s.encodeHead(p)}.store(b, dir)
	b.SetBytes(p.size)
	for b.Loop() {
		verified(b, dir)
	}
}
