package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// state is a ledger's files.
type state struct{ log, head []byte }

func load(t testing.TB, dir string) state {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(dir, logFile))
	must(t, err)
	head, err := os.ReadFile(filepath.Join(dir, headFile))
	must(t, err)
	return state{log, head}
}

func (s state) store(t testing.TB, dir string) {
	t.Helper()
	must(t, os.WriteFile(filepath.Join(dir, logFile), s.log, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, headFile), s.head, 0o600))
}

func lines(log []byte) [][]byte {
	all := bytes.SplitAfter(log, []byte("\n"))
	return all[:len(all)-1]
}

// tamper is one kind of attack by somebody who has seen every state of the
// ledger but not its key. It returns the files and the first bad record, 0 if
// that is not certain.
type tamper struct {
	name string
	do   func(r *rand.Rand, history []state) (state, uint64)
}

func last(history []state) state { return history[len(history)-1] }

func join(l [][]byte) []byte { return bytes.Join(l, nil) }

var tampers = []tamper{
	{"edit a byte", func(r *rand.Rand, h []state) (state, uint64) {
		log := bytes.Clone(last(h).log)
		at := r.IntN(len(log))
		log[at] ^= byte(1 + r.IntN(255))
		return state{log, last(h).head}, 1 + uint64(bytes.Count(last(h).log[:at], []byte("\n")))
	}},
	{"insert bytes", func(r *rand.Rand, h []state) (state, uint64) {
		log := last(h).log
		at := r.IntN(len(log))
		return state{slices.Concat(log[:at], []byte{byte(r.IntN(256))}, log[at:]), last(h).head}, 0
	}},
	{"delete bytes", func(r *rand.Rand, h []state) (state, uint64) {
		log := last(h).log
		at := r.IntN(len(log))
		n := 1 + r.IntN(min(9, len(log)-at))
		return state{slices.Concat(log[:at], log[at+n:]), last(h).head}, 0
	}},
	{"insert a record", func(r *rand.Rand, h []state) (state, uint64) {
		l := lines(last(h).log)
		at := r.IntN(len(l))
		return state{join(slices.Insert(l, at, l[r.IntN(len(l))])), last(h).head}, 0
	}},
	{"delete a record", func(r *rand.Rand, h []state) (state, uint64) {
		l := lines(last(h).log)
		at := r.IntN(len(l))
		return state{join(slices.Delete(l, at, at+1)), last(h).head}, uint64(at + 1)
	}},
	{"swap two records", func(r *rand.Rand, h []state) (state, uint64) {
		l := lines(last(h).log)
		a := r.IntN(len(l) - 1)
		b := a + 1 + r.IntN(len(l)-a-1)
		l[a], l[b] = l[b], l[a]
		return state{join(l), last(h).head}, uint64(a + 1)
	}},
	{"duplicate a record", func(r *rand.Rand, h []state) (state, uint64) {
		l := lines(last(h).log)
		at := r.IntN(len(l))
		return state{join(slices.Insert(l, at+1, l[at])), last(h).head}, uint64(at + 2)
	}},
	{"truncate", func(r *rand.Rand, h []state) (state, uint64) {
		log := last(h).log
		at := r.IntN(len(log))
		return state{log[:at], last(h).head}, 1 + uint64(bytes.Count(log[:at], []byte("\n")))
	}},
	{"truncate to a whole record", func(r *rand.Rand, h []state) (state, uint64) {
		l := lines(last(h).log)
		n := r.IntN(len(l))
		return state{join(l[:n]), last(h).head}, uint64(n + 1)
	}},
	{"truncate and append what a foreign key sealed", func(r *rand.Rand, h []state) (state, uint64) {
		l := lines(last(h).log)
		n := r.IntN(len(l))
		foreign := newSealer([]byte("another key"))
		p := position{seq: uint64(n), prev: start().prev, size: int64(len(join(l[:n])))}
		if n > 0 {
			tail := l[n-1]
			copy(p.prev[:], tail[len(tail)-len(partEnd)-1-sealLen:])
		}
		out := join(l[:n])
		for range 1 + r.IntN(4) {
			var line []byte
			line, p = foreign.line(p, []byte(`{"type":"note","ref":"","process":""}`))
			out = append(out, line...)
		}
		head := last(h).head
		if r.IntN(2) == 0 {
			head = foreign.encodeHead(p)
		}
		return state{out, head}, 0
	}},
	{"show a part only", func(r *rand.Rand, h []state) (state, uint64) {
		// As if something had never been: a kind of records, or what one word
		// stands in, and with the head of a ledger of that length.
		l := lines(last(h).log)
		word := []byte([]string{`"type":"intent"`, `"type":"conclusion"`, fmt.Sprintf("echo %d ", r.IntN(24)), "echo 1", "xxxxxxx"}[r.IntN(5)])
		first := slices.IndexFunc(l, func(line []byte) bool { return bytes.Contains(line, word) })
		l = slices.DeleteFunc(l, func(line []byte) bool { return bytes.Contains(line, word) })
		head := last(h).head
		if r.IntN(2) == 0 {
			head = h[len(l)].head
		}
		return state{join(l), head}, uint64(first + 1)
	}},
	{"replay an older head", func(r *rand.Rand, h []state) (state, uint64) {
		n := r.IntN(len(h) - 1)
		return state{last(h).log, h[n].head}, uint64(n + 1)
	}},
	{"replay an older log", func(r *rand.Rand, h []state) (state, uint64) {
		n := r.IntN(len(h) - 1)
		return state{h[n].log, last(h).head}, uint64(n + 1)
	}},
	{"edit the head", func(r *rand.Rand, h []state) (state, uint64) {
		head := bytes.Clone(last(h).head)
		head[r.IntN(len(head))] ^= byte(1 + r.IntN(255))
		return state{last(h).log, head}, 0
	}},
	{"mix two heads", func(r *rand.Rand, h []state) (state, uint64) {
		a, b := last(h).head, h[r.IntN(len(h)-1)].head
		at := 1 + r.IntN(min(len(a), len(b))-2)
		mixed := slices.Concat(a[:at], b[at:])
		if bytes.Equal(mixed, a) || bytes.Equal(mixed, b) {
			mixed = nil
		}
		return state{last(h).log, mixed}, 0
	}},
	{"append garbage", func(r *rand.Rand, h []state) (state, uint64) {
		garbage := make([]byte, 1+r.IntN(300))
		for i := range garbage {
			garbage[i] = byte(r.IntN(256))
		}
		return state{append(bytes.Clone(last(h).log), garbage...), last(h).head}, uint64(len(h))
	}},
	{"append an old record", func(r *rand.Rand, h []state) (state, uint64) {
		l := lines(last(h).log)
		return state{append(bytes.Clone(last(h).log), l[r.IntN(len(l))]...), last(h).head}, uint64(len(h))
	}},
}

func TestNoTamperingGoesUnnoticed(t *testing.T) {
	dir := folder(t)
	l := open(t, dir)
	history := []state{load(t, dir)}
	for n := range 24 {
		ref := intend(t, l, fmt.Sprintf("echo %d %s", n, bytes.Repeat([]byte("x"), n*7)))
		history = append(history, load(t, dir))
		must(t, l.Conclude(ref, Conclusion{Outcome: Exited, ExitCode: new(int)}))
		history = append(history, load(t, dir))
	}
	good := last(history)
	total := 3000
	if os.Getenv("NOD_E2E") == "1" {
		total = 90000
	}
	r := rand.New(rand.NewPCG(1, 2))
	tried, undetected := 0, 0
	for n := 0; tried < total; n++ {
		attack := tampers[n%len(tampers)]
		s, want := attack.do(r, history)
		if bytes.Equal(s.log, good.log) && bytes.Equal(s.head, good.head) {
			continue // nothing was changed
		}
		tried++
		s.store(t, dir)
		_, err := Verify(dir, "")
		var fault *Fault
		switch {
		case err == nil:
			undetected++
			t.Errorf("%d: %s: undetected", n, attack.name)
		case !errors.As(err, &fault):
			t.Errorf("%d: %s: %v is no Fault", n, attack.name, err)
		case want != 0 && fault.Record != want:
			t.Errorf("%d: %s: blamed record %d, want %d: %v", n, attack.name, fault.Record, want, err)
		case fault.Recoverable && !bytes.HasPrefix(s.log, good.log):
			t.Errorf("%d: %s: an acknowledged record is gone, but it counts as a crash: %v", n, attack.name, err)
		}
	}
	good.store(t, dir)
	verified(t, dir)
	t.Logf("%d mutations, %d undetected", tried, undetected)
}

// TestTamperingStopsEverythingThatActs proves that a running nod notices, too.
func TestTamperingStopsEverythingThatActs(t *testing.T) {
	dir := folder(t)
	l := open(t, dir)
	history := []state{load(t, dir)}
	for range 5 {
		intend(t, l, "true")
		history = append(history, load(t, dir))
	}
	good, whole := last(history), copyOf(t, dir)
	for name, bad := range map[string]state{
		"truncated":       {history[3].log, good.head},
		"older head":      {good.log, history[2].head},
		"older both":      history[3],
		"emptied":         {nil, history[0].head},
		"head is rubbish": {good.log, []byte("{}")},
	} {
		t.Run(name, func(t *testing.T) {
			bad.store(t, dir)
			if _, err := l.Intend(t.Context(), Intent{Command: "true"}); err == nil {
				t.Error("it went on record")
			}
			if l.Healthy() == nil {
				t.Error("healthy")
			}
			good.store(t, dir)
			if err := l.Healthy(); err != nil {
				t.Errorf("not healed: %v", err)
			}
			intend(t, l, "true")
			verified(t, dir)
		})
		// Each case starts where the good state ends.
		must(t, l.Close())
		whole.store(t, dir)
		l = open(t, dir)
		good, whole = load(t, dir), copyOf(t, dir)
	}
}

// copied is a copy of a ledger's folder.
type copied map[string][]byte

func copyOf(t testing.TB, dir string) copied {
	t.Helper()
	c := copied{}
	for _, name := range []string{logFile, headFile, keyFile, epochsFile, epochKeyFile} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		must(t, err)
		c[name] = text
	}
	return c
}

func (c copied) store(t testing.TB, dir string) {
	t.Helper()
	for name, text := range c {
		must(t, os.WriteFile(filepath.Join(dir, name), text, 0o600))
	}
}

func FuzzScan(f *testing.F) {
	s := newSealer(make([]byte, keyLen))
	line, _ := s.line(start(), []byte(`{"type":"note","ref":"","process":"p"}`))
	f.Add(line)
	f.Add([]byte(`{"seq":1,"prev":"`))
	f.Add([]byte("\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		end, err := s.scan(bytes.NewReader(log), start(), func(position, []byte) error { return nil })
		if err == nil && end.size != int64(len(log)) {
			t.Errorf("%d of %d bytes were checked", end.size, len(log))
		}
		if end.size > 0 && !bytes.HasPrefix(log, line) && end.seq > 0 {
			// Only the key's holder can make a first record; the seed is the
			// only one that was sealed.
			t.Errorf("a forged record passed: %q", log)
		}
	})
}

func FuzzHead(f *testing.F) {
	s := newSealer(make([]byte, keyLen))
	head := s.encodeHead(start())
	f.Add(head)
	f.Add([]byte(`{"records":1,"size":2,"last":"`))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := s.decodeHead(text); err == nil && !bytes.Equal(text, head) {
			t.Errorf("a forged head passed: %q", text)
		}
	})
}
