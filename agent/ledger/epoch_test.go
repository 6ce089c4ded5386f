package ledger

import (
	"bytes"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// run is a ledger that was opened, had n records and was closed: one epoch.
func run(t testing.TB, dir string, n int, opt Options) {
	t.Helper()
	l, err := Open(dir, opt)
	must(t, err)
	for range n {
		intend(t, l, "true")
	}
	must(t, l.Close())
}

// thief is somebody who has everything that is in the folder now.
type thief struct {
	seal *sealer
	key  seed // of the present epoch
}

func steal(t testing.TB, dir string) thief {
	t.Helper()
	key, err := readKey(osDisk{}, dir)
	must(t, err)
	keys, err := readEpochKeys(osDisk{}, filepath.Join(dir, epochKeyFile))
	must(t, err)
	s := newSealer(key)
	_, err = s.readHead(osDisk{}, filepath.Join(dir, headFile))
	must(t, err)
	return thief{s, keys.now}
}

// rewrite seals the records anew, with change done to one of them.
func (h thief) rewrite(t testing.TB, dir string, n int, change func(text []byte) []byte) {
	t.Helper()
	s := load(t, dir)
	p, from := start(), start()
	var log []byte
	for i, line := range lines(s.log) {
		text, next, fault := h.seal.check(from, line)
		if fault != nil {
			t.Fatal(fault)
		}
		from = next
		if i+1 == n {
			text = change(text)
		}
		var out []byte
		out, p = h.seal.line(p, text)
		log = append(log, out...)
	}
	state{log, h.seal.encodeHead(p)}.store(t, dir)
}

func hide(text []byte) []byte { return bytes.Replace(text, []byte(`"true"`), []byte(`"ls"`), 1) }

// TestWhatWasSignedCannotBeRewritten, not even by somebody who has all keys that
// are there now.
func TestWhatWasSignedCannotBeRewritten(t *testing.T) {
	dir := folder(t)
	for range 4 {
		run(t, dir, 3, Options{})
	}
	whole := copyOf(t, dir)
	for name, attack := range map[string]func(h thief){
		"a record":        func(h thief) { h.rewrite(t, dir, 2, hide) },
		"the last record": func(h thief) { h.rewrite(t, dir, len(lines(whole[logFile])), hide) },
		"and the epochs from there on": func(h thief) {
			h.rewrite(t, dir, 8, hide)
			all := lines(whole[epochsFile])
			must(t, os.WriteFile(filepath.Join(dir, epochsFile), join(all[:len(all)-2]), 0o600))
		},
		"and an epoch signed with the present key": func(h thief) {
			h.rewrite(t, dir, len(lines(whole[logFile])), hide) // which only the last epoch signs
			all := lines(whole[epochsFile])
			e, ok := parseEpoch(all[len(all)-1])
			if !ok {
				t.Fatal("no epoch")
			}
			head, err := h.seal.readHead(osDisk{}, filepath.Join(dir, headFile))
			must(t, err)
			e.last = head.prev
			all[len(all)-1] = e.sign(h.key, h.key).line()
			must(t, os.WriteFile(filepath.Join(dir, epochsFile), join(all), 0o600))
		},
		"and no epochs any more": func(h thief) {
			h.rewrite(t, dir, 2, hide)
			must(t, os.Remove(filepath.Join(dir, epochsFile)))
		},
		"and no key any more": func(h thief) {
			h.rewrite(t, dir, 2, hide)
			must(t, os.Remove(filepath.Join(dir, epochKeyFile)))
		},
		"records cut off": func(h thief) {
			all := lines(whole[logFile])
			p := position{seq: 7, size: int64(len(join(all[:7])))}
			tail := all[6]
			copy(p.prev[:], tail[len(tail)-len(partEnd)-1-sealLen:])
			state{join(all[:7]), h.seal.encodeHead(p)}.store(t, dir)
		},
	} {
		t.Run(name, func(t *testing.T) {
			attack(steal(t, dir))
			var fault *Fault
			if _, err := Verify(dir, ""); !errors.As(err, &fault) || fault.Recoverable {
				t.Errorf("Verify: %v", err)
			} else {
				t.Log(err)
			}
			whole.store(t, dir)
			verified(t, dir)
		})
	}
}

// TestTheWholeWrittenAnew: with all keys, the ledger can be written anew from its
// first record. What is known elsewhere refutes it.
func TestTheWholeWrittenAnew(t *testing.T) {
	dir, heads := folder(t), filepath.Join(t.TempDir(), "heads")
	for range 3 {
		run(t, dir, 3, Options{Heads: heads})
	}
	h := steal(t, dir)
	h.seal.root = "" // as an older nod would have left it
	h.rewrite(t, dir, 9, func(text []byte) []byte { return text })
	must(t, os.Remove(filepath.Join(dir, epochsFile)))
	must(t, os.Remove(filepath.Join(dir, epochKeyFile)))
	verified(t, dir) // by itself it holds
	var fault *Fault
	if _, err := Verify(dir, heads); !errors.As(err, &fault) {
		t.Errorf("Verify: %v", err)
	}
	l, err := Open(dir, Options{Heads: heads})
	must(t, err)
	if !strings.Contains(l.Lost(), "anew") {
		t.Errorf("lost: %q", l.Lost())
	}
	must(t, l.Close())
}

// TestDamagedEpochsAreNoticed: no change to the files of the epochs passes, and the
// next start says so, too.
func TestDamagedEpochsAreNoticed(t *testing.T) {
	dir := folder(t)
	var history []copied
	for range 5 {
		run(t, dir, 2, Options{})
		history = append(history, copyOf(t, dir))
	}
	good := history[len(history)-1]
	r := rand.New(rand.NewPCG(3, 4))
	for n := range 180 {
		bad := copied{epochsFile: bytes.Clone(good[epochsFile]), epochKeyFile: bytes.Clone(good[epochKeyFile])}
		l := lines(good[epochsFile])
		name := ""
		switch n % 9 {
		case 0:
			name = "a byte"
			bad[epochsFile][r.IntN(len(bad[epochsFile]))] ^= byte(1 + r.IntN(255))
		case 1:
			name = "a line removed"
			at := r.IntN(len(l))
			bad[epochsFile] = join(slices.Delete(l, at, at+1))
		case 2:
			name = "two swapped"
			a := r.IntN(len(l) - 1)
			l[a], l[a+1] = l[a+1], l[a]
			bad[epochsFile] = join(l)
		case 3:
			name = "one repeated"
			at := r.IntN(len(l))
			bad[epochsFile] = join(slices.Insert(l, at, l[at]))
		case 4:
			name = "cut off"
			bad[epochsFile] = bad[epochsFile][:r.IntN(len(bad[epochsFile]))]
		case 5:
			name = "older epochs"
			bad[epochsFile] = history[r.IntN(len(history)-1)][epochsFile]
		case 6:
			name = "an older key"
			bad[epochKeyFile] = history[r.IntN(len(history)-1)][epochKeyFile]
		case 7:
			name = "an older key with its epochs"
			old := history[r.IntN(len(history)-1)]
			bad[epochsFile], bad[epochKeyFile] = old[epochsFile], old[epochKeyFile]
			if n%18 == 7 {
				bad[epochKeyFile] = nil
			}
		case 8:
			name = "a digit of a signature"
			at := r.IntN(len(l))
			digit := len(join(l[:at+1])) - len(partEnd) - 2 - r.IntN(2*ed25519.SignatureSize)
			bad[epochsFile][digit] = "1032547698badcfe"[bytes.IndexByte([]byte("0123456789abcdef"), bad[epochsFile][digit])]
		}
		bad.store(t, dir)
		_, err := Verify(dir, "")
		var fault *Fault
		if name == "an older key with its epochs" && len(bad[epochKeyFile]) > 0 {
			// Everything is there, and is in an epoch that has not ended yet.
			if err != nil {
				t.Errorf("%d: %s: %v", n, name, err)
			}
			continue
		}
		if !errors.As(err, &fault) {
			t.Errorf("%d: %s: %v", n, name, err)
		}
	}
	good.store(t, dir)
	verified(t, dir)
	copied{epochKeyFile: history[0][epochKeyFile]}.store(t, dir)
	l, err := Open(dir, Options{})
	must(t, err)
	if _, err := l.Intend(t.Context(), Intent{Command: "true"}); err == nil || l.Healthy() == nil {
		t.Error("with another key it goes on")
	}
	good.store(t, dir)
	must(t, l.Healthy())
	must(t, l.Close())
	verified(t, dir)
}

// TestAnEpochEndsInTime: after so many records, after a minute, and at the end.
func TestAnEpochEndsInTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := folder(t)
		signed := func() uint64 { return verified(t, dir).Signed }
		l, err := Open(dir, Options{})
		must(t, err)
		for range sealEvery - 1 {
			intend(t, l, "true")
		}
		if n := signed(); n != 0 {
			t.Errorf("%d are signed too early", n)
		}
		intend(t, l, "true")
		if n := signed(); n != sealEvery {
			t.Errorf("%d are signed, want %d", n, sealEvery)
		}
		intend(t, l, "true")
		time.Sleep(sealWithin + time.Second)
		synctest.Wait()
		if n := signed(); n != sealEvery+1 {
			t.Errorf("%d are signed after a minute, want %d", n, sealEvery+1)
		}
		intend(t, l, "true")
		must(t, l.Close())
		if n := signed(); n != sealEvery+2 {
			t.Errorf("%d are signed at the end, want %d", n, sealEvery+2)
		}
	})
}

// TestNoKeySignsTwice and none stays behind.
func TestNoKeySignsTwice(t *testing.T) {
	dir := folder(t)
	seen := map[string]bool{}
	for range 5 {
		run(t, dir, 1, Options{})
		keys, err := readEpochKeys(osDisk{}, filepath.Join(dir, epochKeyFile))
		must(t, err)
		if !bytes.Equal(keys.now, keys.next) {
			t.Error("there are two keys between two epochs")
		}
		seen[string(keys.now)] = true
	}
	for key := range seen {
		for _, name := range []string{epochsFile, logFile, headFile} {
			text, err := os.ReadFile(filepath.Join(dir, name))
			must(t, err)
			if bytes.Contains(text, []byte(hex.EncodeToString([]byte(key)))) {
				t.Errorf("a key is in %s", name)
			}
		}
	}
	signers := map[string]bool{}
	for _, line := range lines(copyOf(t, dir)[epochsFile]) {
		e, ok := parseEpoch(line)
		if !ok || signers[string(e.key)] {
			t.Errorf("%s signs again", line)
		}
		signers[string(e.key)] = true
	}
	if len(seen) != 5 || len(signers) != 6 {
		t.Errorf("%d keys, %d signers", len(seen), len(signers))
	}
}

// TestACrashWhileAnEpochEnds at each operation of it leaves a ledger that goes on
// and holds.
func TestACrashWhileAnEpochEnds(t *testing.T) {
	for failAt := 1; ; failAt++ {
		dir := folder(t)
		l, d := openFaulty(t, dir)
		intend(t, l, "true")
		d.arm(failAt, 1<<30)
		must(t, l.Close())
		if d.n < failAt {
			if failAt < 7 {
				t.Errorf("an epoch ends with %d operations, that cannot be all", d.n)
			}
			break
		}
		var fault *Fault
		if _, err := Verify(dir, ""); err != nil && (!errors.As(err, &fault) || !fault.Recoverable) {
			t.Errorf("operation %d: %v", failAt, err)
		}
		run(t, dir, 1, Options{})
		if r := verified(t, dir); r.Signed != r.Records {
			t.Errorf("operation %d: %d of %d are signed", failAt, r.Signed, r.Records)
		}
	}
}

// older makes the ledger of a nod that had no epochs.
func older(t testing.TB, dir string, n int) {
	t.Helper()
	must(t, open(t, dir).Close())
	key, err := readKey(osDisk{}, dir)
	must(t, err)
	s, p := newSealer(key), start()
	var log []byte
	for i := range n {
		text, err := body{Type: TypeNote, Note: &Note{Kind: "old", Text: fmt.Sprint(i)}}.encode()
		must(t, err)
		var line []byte
		line, p = s.line(p, text)
		log = append(log, line...)
	}
	state{log, s.encodeHead(p)}.store(t, dir)
	must(t, os.Remove(filepath.Join(dir, epochsFile)))
	must(t, os.Remove(filepath.Join(dir, epochKeyFile)))
}

// TestAnOlderLedgerGoesOn: it holds, is extended, and is signed from then on.
func TestAnOlderLedgerGoesOn(t *testing.T) {
	for _, n := range []int{0, 5} {
		dir := folder(t)
		older(t, dir, n)
		if r := verified(t, dir); r.Records != uint64(n) || r.Signed != 0 {
			t.Errorf("%+v", r)
		}
		for failAt := 1; failAt < 12; failAt++ { // a crash while the epochs begin
			d := &faulty{left: 1 << 40}
			d.arm(failAt, 1<<30)
			if l, err := Open(dir, Options{disk: d}); err == nil {
				must(t, l.Close())
			}
			verified(t, dir)
		}
		run(t, dir, 2, Options{})
		if r := verified(t, dir); r.Records != uint64(n)+2 || r.Signed != r.Records {
			t.Errorf("%+v", r)
		}
	}
}

// TestARollbackIsNoticed: the folder is put back to an older state as a whole, with
// its keys. It holds by itself; the head that is kept elsewhere refutes it.
func TestARollbackIsNoticed(t *testing.T) {
	dir, heads := folder(t), filepath.Join(t.TempDir(), "heads")
	opt := Options{Heads: heads}
	run(t, dir, 3, opt)
	old := copyOf(t, dir)
	run(t, dir, 2, opt)
	if _, err := Verify(dir, heads); err != nil {
		t.Fatal(err)
	}
	old.store(t, dir)
	verified(t, dir)
	var fault *Fault
	if _, err := Verify(dir, heads); !errors.As(err, &fault) {
		t.Errorf("Verify: %v", err)
	}
	l, err := Open(dir, opt)
	must(t, err)
	if !strings.Contains(l.Lost(), "put back to an older state") {
		t.Errorf("lost: %q", l.Lost())
	}
	must(t, l.Healthy())
	must(t, l.Close())
	noted := 0
	for _, r := range records(t, dir) {
		if r.Note != nil && r.Note.Kind == LossKind {
			noted++
		}
	}
	if noted != 1 {
		t.Errorf("noted %d times", noted)
	}
	// It went on, past the number of before: the head is another one then.
	run(t, dir, 1, Options{})
	old.store(t, dir)
	run(t, dir, 9, Options{})
	if _, err := Verify(dir, heads); !errors.As(err, &fault) {
		t.Errorf("Verify of one that went on: %v", err)
	}
	other := folder(t)
	run(t, other, 1, opt) // another ledger's head is another file's
	if _, err := Verify(other, heads); err != nil {
		t.Error(err)
	}
}

// TestHeadsThatCannotBeKeptStopNothing.
func TestHeadsThatCannotBeKeptStopNothing(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, nil, 0o600))
	l, err := Open(folder(t), Options{Heads: filepath.Join(file, "heads")})
	must(t, err)
	intend(t, l, "true")
	if l.Warning() != "" || l.Healthy() != nil {
		t.Errorf("warning %q, healthy %v", l.Warning(), l.Healthy())
	}
	must(t, l.Close())
}

// FuzzVerify: whatever somebody writes who has the key, Verify and Open answer.
func FuzzVerify(f *testing.F) {
	f.Add(uint64(1), int64(-1), []byte("{}"), []byte("\n"))
	f.Add(uint64(1<<63), int64(1<<62), []byte{}, []byte(nil))
	f.Add(uint64(0), int64(5), []byte("x"), []byte(`{"epoch":0,"key":"`))
	dir := folder(f)
	run(f, dir, 2, Options{})
	whole := copyOf(f, dir)
	h := steal(f, dir)
	f.Fuzz(func(t *testing.T, seq uint64, size int64, log, epochs []byte) {
		whole.store(t, dir)
		p := position{seq: seq, size: size, prev: start().prev}
		all := whole[logFile]
		if len(log) > 0 {
			all = log
		}
		state{all, h.seal.encodeHead(p)}.store(t, dir)
		if len(epochs) > 0 {
			copied{epochsFile: epochs}.store(t, dir)
		}
		if _, err := Verify(dir, ""); err == nil {
			t.Errorf("a forged head passed: %d, %d", seq, size)
		}
		l, err := Open(dir, Options{})
		if err != nil {
			return
		}
		if l.Healthy() == nil && seq > 2 {
			t.Error("healthy")
		}
		_ = l.Close()
	})
}

func BenchmarkVerifyOneShot(b *testing.B) {
	dir := folder(b)
	must(b, open(b, dir).Close())
	h := steal(b, dir)
	text, err := body{Type: TypeIntent, Ref: "r", Intent: &Intent{Command: "du -xh --max-depth=1 /var", Target: "ssh:web-1", Dir: strings.Repeat("x", 200)}}.encode() // as long as those of "nod run"
	must(b, err)
	p := start()
	var log []byte
	all := copyOf(b, dir)[epochsFile]
	key := h.key
	for n := uint64(1); p.size < 4<<20; n++ {
		for range 2 {
			var line []byte
			line, p = h.seal.line(p, text)
			log = append(log, line...)
		}
		next := newSeed()
		e := epoch{number: n, records: p.seq, last: p.prev}.sign(key, next)
		key = next
		all = append(all, e.line()...)
	}
	state{log, h.seal.encodeHead(p)}.store(b, dir)
	copied{epochsFile: all, epochKeyFile: append(slot(key), slot(key)...)}.store(b, dir)
	b.SetBytes(p.size)
	for b.Loop() {
		verified(b, dir)
	}
}
