package ledger

import (
	"bytes"
	"math/big"
	"slices"
	"testing"
)

// TestSignaturesAreProvedTogether: a batch holds only if each of its signatures does, also
// where two errors would cancel out, and the first that does not is named.
func TestSignaturesAreProvedTogether(t *testing.T) {
	var good []unproved
	key := newSeed()
	for n := range uint64(40) {
		next := newSeed()
		good = append(good, unproved{epoch: epoch{number: n, records: 2 * n}.sign(key, next), line: n + 1})
		key = next
	}
	if !signedTogether(good) || firstBad(good) != nil {
		t.Fatal("good signatures do not hold")
	}
	changed := func(i int, change func(*epoch)) []unproved {
		all := slices.Clone(good)
		all[i].sig, all[i].key = bytes.Clone(all[i].sig), bytes.Clone(all[i].key)
		change(&all[i].epoch)
		return all
	}
	for i := range good {
		for name, change := range map[string]func(*epoch){
			"the point":     func(e *epoch) { e.sig[3] ^= 1 },
			"the scalar":    func(e *epoch) { e.sig[40] ^= 1 },
			"a wide scalar": func(e *epoch) { e.sig[63] |= 0x80 },
			"the key":       func(e *epoch) { e.key = good[(i+1)%len(good)].key },
			"what is said":  func(e *epoch) { e.records++ },
		} {
			all := changed(i, change)
			if signedTogether(all) {
				t.Errorf("%d, %s: it passes", i, name)
			}
			if bad := firstBad(all); bad == nil || bad.line != uint64(i+1) { //nolint:gosec // small
				t.Errorf("%d, %s: %v", i, name, bad)
			}
		}
	}
	// One scalar too large by one and another too small by one: their sum is as it was.
	order, _ := new(big.Int).SetString("7237005577332262213973186563042994240857116359379907606001950938285454250989", 10)
	add := func(e *epoch, n int64) {
		s := slices.Clone(e.sig[32:])
		slices.Reverse(s)
		v := new(big.Int).Add(new(big.Int).SetBytes(s), big.NewInt(n))
		copy(e.sig[32:], make([]byte, 32))
		b := v.Mod(v, order).Bytes()
		slices.Reverse(b)
		copy(e.sig[32:], b)
	}
	all := changed(5, func(e *epoch) { add(e, 1) })
	all[9].sig = bytes.Clone(all[9].sig)
	add(&all[9].epoch, -1)
	if signedTogether(all) {
		t.Error("errors cancel out")
	}
	add(&all[5].epoch, -1)
	add(&all[9].epoch, 1)
	if !signedTogether(all) {
		t.Error("what was mended does not hold")
	}
}

// FuzzEpoch: only what line writes is read, and it is read as it was.
func FuzzEpoch(f *testing.F) {
	e := epoch{number: 3, records: 9, last: start().prev}.sign(newSeed(), newSeed())
	f.Add(e.line())
	f.Add([]byte(`{"epoch":,"key":"","records":,"last":"","next":"","sig":""}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		if e, ok := parseEpoch(line); ok && !bytes.Equal(e.line(), line) {
			t.Errorf("%q was read as %q", line, e.line())
		}
	})
}
