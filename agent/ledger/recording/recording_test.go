package recording

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/vt"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// soon is how long a test waits for something that should happen.
const soon = 30 * time.Second

func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for limit := time.Now().Add(soon); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(limit) {
			t.Fatalf("waited for %s", what)
		}
	}
}

// fakePane is what a pane is to a recorder: a terminal behind a lock.
type fakePane struct {
	mu   sync.Mutex
	term *vt.Terminal
	rec  *Recorder

	unsure bool // the main screen was hidden when the size changed
}

func record(t testing.TB, s *Store, size backends.Size) *fakePane {
	t.Helper()
	p := &fakePane{term: vt.New(vt.Size(size), vt.Options{Scrollback: 100})}
	p.rec = s.Record(Pane{Target: "ssh:ops@web-1:22", Session: "main", Name: "shared", ID: func() string { return "%3" }}, p.retap)
	p.retap()
	return p
}

func (p *fakePane) retap() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rec.Screen(backends.Size(p.term.Snapshot().Size), p.term.Restore())
}

func (p *fakePane) write(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, _ = p.term.Write([]byte(text))
	p.rec.Output([]byte(text))
	if p.unsure && !p.term.Snapshot().Alternate { // as a pane does
		p.unsure = false
		p.rec.Screen(backends.Size(p.term.Snapshot().Size), p.term.Restore())
	}
}

func (p *fakePane) resize(size backends.Size) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.term.Resize(vt.Size(size))
	p.unsure = p.term.Snapshot().Alternate
	p.rec.Screen(size, p.term.Restore())
}

func (p *fakePane) look() string { return look(p.term.Snapshot()) }

// look is what a picture shows.
func look(s *vt.Snapshot) string {
	var b strings.Builder
	for y := range s.Size.Rows {
		for _, c := range s.Row(y) {
			fmt.Fprintf(&b, "%s%v", s.Text(c), s.Style(c))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%v %+v %v", s.Size, s.Cursor, s.Alternate)
	return b.String()
}

func store(t testing.TB, opt Options) *Store {
	t.Helper()
	if opt.gather == 0 {
		opt.gather = time.Millisecond
	}
	s, err := Open(filepath.Join(t.TempDir(), "recordings"), opt)
	must(t, err)
	t.Cleanup(func() { _ = s.Close() }) // some tests leave it in a broken state
	return s
}

// watched is a store, and what its banner says: it is looked at only when the
// store has told of a change.
func watched(t testing.TB, opt Options) (*Store, func() error) {
	t.Helper()
	var s *Store
	var said atomic.Value
	opt.Changed = func() { said.Store([]error{s.Healthy()}) }
	s = store(t, opt)
	return s, func() error {
		if errs, ok := said.Load().([]error); ok {
			return errs[0]
		}
		return nil
	}
}

func files(t testing.TB, s *Store) []File {
	t.Helper()
	all, err := List(s.dir)
	must(t, err)
	return all
}

func load(t testing.TB, s *Store, name string) *Recording {
	t.Helper()
	r, err := Load(filepath.Join(s.dir, name))
	must(t, err)
	if r.Torn != "" {
		t.Errorf("%s: %s", name, r.Torn)
	}
	return r
}

// last is what the last file of the folder shows at its end.
func last(t testing.TB, s *Store) string {
	t.Helper()
	all := files(t, s)
	if len(all) == 0 {
		t.Fatal("there is no recording")
	}
	p := Play(load(t, s, all[len(all)-1].Name))
	p.Seek(time.Hour)
	return look(p.Screen())
}

func marks(r *Recording) []string {
	var all []string
	for _, e := range r.Events {
		if e.Kind == Mark {
			all = append(all, e.Text)
		}
	}
	return all
}

// noise is output of many kinds, which ends in whole characters.
func noise(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		switch r.IntN(9) {
		case 0:
			b.WriteString("\r\n")
		case 1:
			fmt.Fprintf(&b, "\x1b[%d;%dH", 1+r.IntN(10), 1+r.IntN(40))
		case 2:
			fmt.Fprintf(&b, "\x1b[%dm", []int{0, 1, 7, 31, 44, 92}[r.IntN(6)])
		case 3:
			b.WriteString([]string{"日本", "é", "👩\u200d🚀", "─\"\\\t", "\x1b[K", "\x1b[2J"}[r.IntN(6)])
		case 4:
			b.WriteString([]string{"\x1b[?1049h", "\x1b[?1049l", "\x1b7", "\x1b8", "\x1b[3L"}[r.IntN(5)])
		default:
			b.WriteString("some words of output "[:1+r.IntN(20)])
		}
	}
	return b.String()
}

// TestARecordingShowsWhatThePaneShowed: output in any pieces, also in the middle
// of characters and sequences, marks and sizes between them.
func TestARecordingShowsWhatThePaneShowed(t *testing.T) {
	for round := range 40 {
		r := rand.New(rand.NewPCG(3, uint64(round)))
		s := store(t, Options{})
		p := record(t, s, backends.Size{Cols: 40, Rows: 10})
		for range 30 {
			text := noise(r, 20)
			for text != "" {
				n := 1 + r.IntN(min(len(text), 40))
				p.write(text[:n])
				text = text[n:]
			}
			switch r.IntN(6) {
			case 0:
				p.rec.Began("make")
				p.rec.Ended("make", backends.ExitedWith(2))
			case 1:
				p.resize(backends.Size{Cols: 20 + r.IntN(40), Rows: 5 + r.IntN(20)})
			case 2:
				time.Sleep(time.Duration(r.IntN(3)) * time.Millisecond)
			}
		}
		must(t, s.Close())
		if diff := cmp.Diff(p.look(), last(t, s)); diff != "" {
			t.Fatalf("round %d: %s", round, diff)
		}
	}
}

// TestTheFormat is the format, line by line.
func TestTheFormat(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var clock sync.Mutex
	s := store(t, Options{Now: func() time.Time { clock.Lock(); defer clock.Unlock(); return now }})
	pass := func(d time.Duration) { clock.Lock(); now = now.Add(d); clock.Unlock() }
	p := record(t, s, backends.Size{Cols: 20, Rows: 2})
	pass(time.Second)
	p.rec.Began("printf 'a\nb'")
	p.write("\x1b[31mrot\r\n\"\\\x7f\xe6")
	pass(2 * mergeWithin)
	p.write("\x97\xa5\xff")
	pass(500 * time.Millisecond)
	p.rec.Ended("printf 'a\nb'", backends.EndedBy(backends.KILL))
	must(t, s.Close())
	all := files(t, s)
	if len(all) != 1 || !strings.HasPrefix(all[0].Name, "20260102T030405.000Z_ssh-ops@web-1-22_main_shared_") || all[0].Target != "ssh-ops@web-1-22" || all[0].Pane != "main/shared" {
		t.Fatalf("%+v", all)
	}
	text, err := os.ReadFile(filepath.Join(s.dir, all[0].Name))
	must(t, err)
	lines := strings.Split(string(text), "\n")
	lines[1] = "" // the empty picture
	want := []string{
		`{"version":2,"width":20,"height":2,"timestamp":1767323045,"title":"ssh:ops@web-1:22 main/shared","env":{"TERM":"xterm-256color"},"nod":{"target":"ssh:ops@web-1:22","session":"main","pane":"shared","part":1,"begins":0}}`,
		``,
		`[1.000000, "m", "run: printf 'a\nb'"]`,
		`[1.000000, "o", "\u001b[31mrot\r\n\"\\\u007f"]`,
		`[1.016000, "o", "日` + "\ufffd" + `"]`,
		`[1.516000, "m", "signalled KILL: printf 'a\nb'"]`,
		``,
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	info, err := os.Stat(filepath.Join(s.dir, all[0].Name))
	must(t, err)
	folder, err := os.Stat(s.dir)
	must(t, err)
	if info.Mode().Perm() != 0o600 || folder.Mode().Perm() != 0o700 {
		t.Errorf("modes %v and %v", info.Mode(), folder.Mode())
	}
	c := load(t, s, all[0].Name).Commands()
	if len(c) != 1 || c[0].Text != "printf 'a\nb'" || c[0].Outcome != "signalled KILL" || c[0].End-c[0].At != 516*time.Millisecond {
		t.Errorf("%+v", c)
	}
}

// TestPartsPlayByThemselves: a long recording goes on in further files, and
// nothing is missing between them.
func TestPartsPlayByThemselves(t *testing.T) {
	s := store(t, Options{maxPart: 20 << 10})
	p := record(t, s, backends.Size{Cols: 40, Rows: 10})
	r := rand.New(rand.NewPCG(1, 1))
	for len(files(t, s)) < 4 {
		p.write(noise(r, 50))
		time.Sleep(time.Millisecond)
	}
	place, ok := s.Place("ssh:ops@web-1:22", "%3")
	if !ok || place.File != files(t, s)[0].Name || place.At <= 0 {
		t.Errorf("%+v %v", place, ok)
	}
	must(t, s.Close())
	if p.look() != last(t, s) {
		t.Error("the last part shows something else than the pane did")
	}
	var before *Playback
	for i, f := range files(t, s) {
		rec := load(t, s, f.Name)
		if rec.Header.Nod.Part != i+1 || f.Part != i+1 {
			t.Errorf("%s: part %d", f.Name, rec.Header.Nod.Part)
		}
		if g := strings.Join(marks(rec), ""); strings.Contains(g, gapWord) {
			t.Errorf("%s: %s", f.Name, g)
		}
		now := Play(rec)
		if before != nil {
			now.Step(1) // the picture
			if look(now.Screen()) != look(before.Screen()) {
				t.Errorf("%s does not begin as the part before ended: %s", f.Name, cmp.Diff(look(before.Screen()), look(now.Screen())))
			}
		}
		now.Seek(time.Hour)
		before = now
	}
}

// slowDisk is a disk that can be held, made full, or made to fail.
type slowDisk struct {
	osDisk
	mu     sync.Mutex
	n      int // operations
	failAt int
	count  int
	left   int64
	hold   chan struct{} // writes wait while it is open
}

var errInjected = errors.New("injected")

func (d *slowDisk) step() error {
	d.mu.Lock()
	hold := d.hold
	d.n++
	fails := d.failAt > 0 && d.n >= d.failAt && d.n < d.failAt+d.count
	d.mu.Unlock()
	if hold != nil {
		<-hold
	}
	if fails {
		return errInjected
	}
	return nil
}

func (d *slowDisk) set(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

func (d *slowDisk) create(path string) (file, error) {
	if err := d.step(); err != nil {
		return nil, err
	}
	f, err := d.osDisk.create(path)
	if err != nil {
		return nil, err
	}
	return slowFile{f, d}, nil
}

func (d *slowDisk) free(path string) (int64, error) {
	d.mu.Lock()
	left := d.left
	d.mu.Unlock()
	if left > 0 {
		return left, nil
	}
	return d.osDisk.free(path)
}

type slowFile struct {
	file
	d *slowDisk
}

func (f slowFile) WriteAt(p []byte, off int64) (int, error) {
	if err := f.d.step(); err != nil {
		n, _ := f.file.WriteAt(p[:len(p)/2], off)
		return n, err
	}
	return f.file.WriteAt(p, off)
}

func (f slowFile) Sync() error {
	if err := f.d.step(); err != nil {
		return err
	}
	return f.file.Sync()
}

func (f slowFile) Truncate(n int64) error {
	if err := f.d.step(); err != nil {
		return err
	}
	return f.file.Truncate(n)
}

// TestEveryFailingOperationIsToldAndHeals: whichever operation fails, Healthy
// says so, and in the end nothing is missing.
func TestEveryFailingOperationIsToldAndHeals(t *testing.T) {
	for failAt := 1; failAt <= 12; failAt++ {
		for _, count := range []int{1, 3, 1 << 30} {
			t.Run(fmt.Sprintf("operation %d, %d times", failAt, count), func(t *testing.T) {
				t.Parallel()
				d := &slowDisk{failAt: failAt, count: count, left: 1 << 40}
				s, banner := watched(t, Options{disk: d, maxPart: 2 << 10})
				p := record(t, s, backends.Size{Cols: 40, Rows: 10})
				r := rand.New(rand.NewPCG(uint64(failAt), 1))
				eventually(t, "the failure", func() bool {
					p.write(noise(r, 10))
					p.rec.Ended("true", backends.ExitedWith(0))
					d.mu.Lock()
					defer d.mu.Unlock()
					return d.n > failAt && d.n > failAt+count%(1<<30)
				})
				if count > 3 { // it fails until it is told
					eventually(t, "the alarm", func() bool { return errors.Is(banner(), errInjected) })
					d.set(func() { d.failAt = 0 })
				}
				eventually(t, "health", func() bool { return banner() == nil })
				must(t, s.Close())
				if p.look() != last(t, s) {
					t.Error("the recording shows something else than the pane did")
				}
				for _, f := range files(t, s) {
					load(t, s, f.Name)
				}
			})
		}
	}
}

// TestASlowDiskNeverStallsAPane: output is taken at once, what is too much is
// missing, and the recording says so and shows the pane in the end.
func TestASlowDiskNeverStallsAPane(t *testing.T) {
	hold := make(chan struct{})
	d := &slowDisk{left: 1 << 40}
	s, banner := watched(t, Options{disk: d, maxQueue: 64 << 10, stuck: 20 * time.Millisecond})
	p := record(t, s, backends.Size{Cols: 40, Rows: 10})
	eventually(t, "the beginning", func() bool { return len(files(t, s)) == 1 })
	d.set(func() { d.hold = hold })
	r := rand.New(rand.NewPCG(5, 5))
	begun, most := time.Now(), time.Duration(0)
	for range 2000 {
		one := time.Now()
		p.write(noise(r, 30))
		most = max(most, time.Since(one))
	}
	t.Logf("2000 writes behind a disk that hangs: %v, the longest %v", time.Since(begun), most)
	eventually(t, "the alarm", func() bool { return errors.Is(banner(), ErrStuck) })
	p.rec.mu.Lock()
	held := p.rec.bytes
	p.rec.mu.Unlock()
	if held > 64<<10 {
		t.Errorf("%d bytes are held", held)
	}
	d.set(func() { d.hold = nil })
	close(hold)
	eventually(t, "health", func() bool { return banner() == nil })
	eventually(t, "the picture behind the gap", func() bool {
		p.rec.mu.Lock()
		defer p.rec.mu.Unlock()
		return !p.rec.gap.open
	})
	p.write("and on it goes")
	must(t, s.Close())
	if p.look() != last(t, s) {
		t.Error("the recording shows something else than the pane did")
	}
	if m := marks(load(t, s, files(t, s)[0].Name)); len(m) != 1 || !strings.HasPrefix(m[0], "gap: ") || !strings.Contains(m[0], "too slow") {
		t.Errorf("marks %q", m)
	}
}

// TestAFloodIsSampled: it cannot fill the disk, and shows nevertheless.
func TestAFloodIsSampled(t *testing.T) {
	s := store(t, Options{burst: 64 << 10, rate: 64 << 10})
	p := record(t, s, backends.Size{Cols: 40, Rows: 10})
	line := strings.Repeat("a flood of output ", 20) + "\r\n"
	wrote := 0
	for ; wrote < 4<<20; wrote += len(line) {
		p.write(line)
	}
	p.rec.Ended("yes", backends.ExitedWith(0))
	eventually(t, "the picture behind the gap", func() bool {
		p.rec.mu.Lock()
		defer p.rec.mu.Unlock()
		return !p.rec.gap.open
	})
	must(t, s.Close())
	f := files(t, s)[0]
	t.Logf("%d bytes of output, %d of recording", wrote, f.Bytes)
	if f.Bytes > 1<<20 {
		t.Errorf("%d bytes of %d were recorded", f.Bytes, wrote)
	}
	if p.look() != last(t, s) {
		t.Error("the recording shows something else than the pane did")
	}
	if m := marks(load(t, s, f.Name)); len(m) > 4 || !strings.Contains(m[0], "faster than it is recorded") {
		t.Errorf("marks %q", m)
	}
}

// TestALowDiskIsLeftToTheLedger.
func TestALowDiskIsLeftToTheLedger(t *testing.T) {
	d := &slowDisk{left: refuseBelow - 1}
	s, banner := watched(t, Options{disk: d})
	p := record(t, s, backends.Size{Cols: 40, Rows: 10})
	p.write("something")
	eventually(t, "the alarm", func() bool { return errors.Is(banner(), ErrDiskLow) })
	if len(files(t, s)) > 0 {
		t.Error("it was written")
	}
	d.set(func() { d.left = refuseBelow })
	eventually(t, "health", func() bool { return banner() == nil })
	must(t, s.Close())
	if p.look() != last(t, s) {
		t.Error("the recording shows something else than the pane did")
	}
}

// TestARemovedFileIsContinued: who removes the file of a pane that still writes
// ends nothing.
func TestARemovedFileIsContinued(t *testing.T) {
	s := store(t, Options{})
	p := record(t, s, backends.Size{Cols: 40, Rows: 10})
	p.write("before")
	eventually(t, "the beginning", func() bool { return len(files(t, s)) == 1 })
	if _, err := Remove(s.dir, files(t, s)[0].Name); err == nil {
		t.Error("a recording that is being written was removed")
	}
	must(t, os.Remove(filepath.Join(s.dir, files(t, s)[0].Name)))
	eventually(t, "the next part", func() bool {
		p.write(".")
		return len(files(t, s)) == 1
	})
	must(t, s.Close())
	if f := files(t, s)[0]; f.Part != 2 || p.look() != last(t, s) {
		t.Errorf("%+v shows something else than the pane did", f)
	}
}

func TestTheFolderIsBounded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	must(t, os.Mkdir(dir, 0o700))
	names := []string{"20260101T000000.000Z_local_main_shared_aaaa.cast", "20260102T000000.000Z_local_main_shared_aaaa.cast", "20260102T000000.000Z_local_main_shared_aaaa.2.cast"}
	for _, n := range names {
		must(t, os.WriteFile(filepath.Join(dir, n), bytes.Repeat([]byte("x"), 1000), 0o600))
	}
	var mu sync.Mutex
	var removed []string
	s, err := Open(dir, Options{maxTotal: 2500, gather: time.Millisecond, Removed: func(names []string) {
		mu.Lock()
		defer mu.Unlock()
		removed = append(removed, names...)
	}})
	must(t, err)
	record(t, s, backends.Size{Cols: 40, Rows: 10})
	eventually(t, "the recording", func() bool {
		return slices.ContainsFunc(files(t, s), func(f File) bool { return f.Live && f.Bytes > 0 })
	})
	mu.Lock()
	defer mu.Unlock()
	if diff := cmp.Diff(names[:1], removed); diff != "" {
		t.Error(diff)
	}
	gone, err := Remove(dir, names[1])
	if must(t, err); !slices.Equal(gone, names[1:]) {
		t.Errorf("removed %q", gone)
	}
	for _, bad := range []string{names[1], "../recordings/" + names[1], "x", ".cast", ""} {
		if _, err := Remove(dir, bad); !errors.Is(err, ErrNone) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	if gone, err := makeRoom(dir, 0); err != nil || len(gone) > 0 || len(files(t, s)) != 1 {
		t.Errorf("what is being written was removed: %q %v", gone, err)
	}
	must(t, s.Close())
}

// TestTornRecordings: what a crash has cut off does not hide the rest, and is
// cut off by the next process that records.
func TestTornRecordings(t *testing.T) {
	s := store(t, Options{})
	p := record(t, s, backends.Size{Cols: 40, Rows: 10})
	p.write("all is well")
	must(t, s.Close())
	path := filepath.Join(s.dir, files(t, s)[0].Name)
	whole, err := os.ReadFile(path)
	must(t, err)
	header := bytes.IndexByte(whole, '\n') + 1
	for cut := header; cut < len(whole); cut++ {
		must(t, os.WriteFile(path, whole[:cut], 0o600))
		if _, err := Load(path); err != nil {
			t.Fatalf("cut at %d: %v", cut, err)
		}
	}
	torn := append(bytes.Clone(whole), `[7.5, "o", "and th`...)
	must(t, os.WriteFile(path, torn, 0o600))
	r, err := Load(path)
	must(t, err)
	if r.Torn == "" {
		t.Error("it is not told")
	}
	if q := Play(r); true {
		q.Seek(time.Hour)
		if look(q.Screen()) != p.look() {
			t.Error("what stands before is not shown")
		}
	}
	again, err := Open(s.dir, Options{gather: time.Millisecond})
	must(t, err)
	record(t, again, backends.Size{Cols: 10, Rows: 2})
	must(t, again.Close())
	mended, err := os.ReadFile(path)
	if must(t, err); !bytes.Equal(mended, whole) {
		t.Errorf("%q", mended)
	}
}

func TestFoldersThatAreRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "recordings")
	must(t, os.Symlink(t.TempDir(), dir))
	if _, err := Open(dir, Options{}); err == nil {
		t.Error("a link was taken")
	}
	open := filepath.Join(t.TempDir(), "recordings")
	must(t, os.Mkdir(open, 0o755))
	must(t, os.Chmod(open, 0o755)) //nolint:gosec // that is the point
	if _, err := Open(open, Options{}); err == nil {
		t.Error("a folder for everybody was taken")
	}
	if all, err := List(filepath.Join(dir, "none")); err != nil || len(all) > 0 {
		t.Errorf("%v %v", all, err)
	}
	if _, err := Load(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// stars replaces a word, wherever the stream is cut.
type stars struct{ held []byte }

const secret = "hunter2"

func (s *stars) Push(p []byte) []byte {
	s.held = bytes.ReplaceAll(append(s.held, p...), []byte(secret), []byte("*******"))
	keep := 0
	for n := 1; n < len(secret) && n <= len(s.held); n++ {
		if strings.HasPrefix(secret, string(s.held[len(s.held)-n:])) {
			keep = n
		}
	}
	out := bytes.Clone(s.held[:len(s.held)-keep])
	s.held = s.held[len(s.held)-keep:]
	return out
}

func (s *stars) Flush() []byte {
	out := s.held
	s.held = nil
	return out
}

// TestEverythingPassesTheFilter: output however it is cut, pictures, marks.
func TestEverythingPassesTheFilter(t *testing.T) {
	s := store(t, Options{Redact: func() Filter { return &stars{} }})
	p := record(t, s, backends.Size{Cols: 40, Rows: 10})
	for i := range len(secret) {
		p.write("a " + secret[:i])
		p.write(secret[i:] + " b\r\n")
	}
	p.rec.Began("login " + secret)
	p.rec.Ended("login "+secret, backends.ExitedWith(0))
	p.retap()
	must(t, s.Close())
	text, err := os.ReadFile(filepath.Join(s.dir, files(t, s)[0].Name))
	if must(t, err); strings.Contains(string(text), secret) || strings.Count(string(text), "*******") < 2*len(secret)+2 {
		t.Errorf("%s", text)
	}
}

func TestSeek(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	rec := &Recording{Header: Header{Version: 2, Width: 40, Height: 10}}
	for i := range 400 {
		e := Event{At: time.Duration(i) * time.Second, Kind: Output, Text: noise(r, 30)}
		if i%50 == 49 {
			e = Event{At: e.At, Kind: Resize, Text: fmt.Sprintf("%dx%d", 30+r.IntN(20), 5+r.IntN(10))}
		}
		rec.Events = append(rec.Events, e)
	}
	var want []string
	all := Play(rec)
	all.every = 20 << 10
	for i := range rec.Events {
		all.Step(i + 1)
		want = append(want, look(all.Screen()))
	}
	if len(all.pictures) < 3 {
		t.Fatalf("%d pictures: the test does not jump", len(all.pictures))
	}
	for range 200 {
		n := r.IntN(len(want))
		all.Seek(time.Duration(n)*time.Second + 500*time.Millisecond)
		if look(all.Screen()) != want[n] {
			t.Fatalf("at %d s: something else", n)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("{\"version\":2,\"width\":80,\"height\":24}\n[0.5, \"o\", \"hi\\u001b[31m\"]\n[1, \"r\", \"10x5\"]\n[2, \"m\", \"run: x\"]"))
	f.Add([]byte("{\"version\":3,\"term\":{\"cols\":80,\"rows\":24}}\n# no event\n[0.5, \"o\", \"hi\"]\n[1, \"x\", \"0\"]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		p := Play(r)
		p.Seek(r.Duration())
		p.Step(0)
		p.Step(len(r.Events))
		r.Commands()
	})
}

// BenchmarkOutput is what a pane pays for being recorded, and what the recorder
// then takes to write it.
func BenchmarkOutput(b *testing.B) {
	for name, limit := range map[string]int64{"recorded": 1 << 60, "sampled": 1 << 20} {
		b.Run(name, func(b *testing.B) {
			s := store(b, Options{burst: limit, rate: 256 << 10, maxPart: 1 << 40, maxQueue: 64 << 20})
			r := s.Record(Pane{Target: "local", Session: "main", Name: "shared", ID: func() string { return "%3" }}, nil)
			r.Screen(backends.Size{Cols: 120, Rows: 40}, []byte("\x1b[2J"))
			text := []byte(strings.Repeat("\x1b[32mdrwxr-xr-x\x1b[m 2 root root 4096 Jan  2 15:04 folder\r\n", 70)) // about 4 KiB
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				r.Output(text)
				for r.held() > 32<<20 { // the disk is what is measured, not what is lost
					time.Sleep(100 * time.Microsecond)
				}
			}
			must(b, s.Close())
		})
	}
}

func (r *Recorder) held() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.bytes
}

// TestTwoAtOnce: recordings of one pane that begin in the same moment are two.
func TestTwoAtOnce(t *testing.T) {
	now := time.Now()
	s := store(t, Options{Now: func() time.Time { return now }})
	for range 10 {
		record(t, s, backends.Size{Cols: 10, Rows: 2})
	}
	must(t, s.Close())
	if n := len(files(t, s)); n != 10 {
		t.Errorf("%d files", n)
	}
}
