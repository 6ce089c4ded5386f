package mux

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
)

// bites is a reader that brings some bytes with each read, and notes how many there was room
// for.
type bites struct {
	sizes []int
	rooms []int
	end   error
	sent  bytes.Buffer
}

func (b *bites) Read(p []byte) (int, error) {
	b.rooms = append(b.rooms, len(p))
	if len(b.sizes) == 0 {
		return 0, b.end
	}
	n := min(b.sizes[0], len(p))
	if b.sizes[0] -= n; b.sizes[0] == 0 {
		b.sizes = b.sizes[1:]
	}
	for i := range n {
		p[i] = byte(b.sent.Len() + i)
	}
	b.sent.Write(p[:n])
	return n, nil
}

// TestACopyAtRestHoldsLittle: a large buffer is there while much comes.
func TestACopyAtRestHoldsLittle(t *testing.T) {
	const small, large = restingBuffer, 256 << 10
	src := &bites{sizes: []int{1, 100, small, large, large / 2, small, 7, 8}, end: io.EOF}
	var got bytes.Buffer
	if err := copyAll(&got, src); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), src.sent.Bytes()) {
		t.Errorf("%d bytes, want %d, or others", got.Len(), src.sent.Len())
	}
	want := []int{small, small, small, large, large, large, large, small, small}
	if !slices.Equal(src.rooms, want) {
		t.Errorf("read with room for %d, want %d", src.rooms, want)
	}
}

// filling takes some bytes and no more.
type filling struct{ most int }

var errFull = errors.New("full")

func (r *filling) Write(p []byte) (int, error) {
	if r.most -= len(p); r.most < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestACopyEndsWithTheFirstError, of either side and with any buffer.
func TestACopyEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	for _, sizes := range [][]int{nil, {5}, {restingBuffer}, {1 << 20}} {
		if err := copyAll(io.Discard, &bites{sizes: slices.Clone(sizes), end: broken}); !errors.Is(err, broken) {
			t.Errorf("%d: %v, want %v", sizes, err, broken)
		}
	}
	for _, most := range []int{0, restingBuffer, 100 << 10} {
		if err := copyAll(&filling{most}, &bites{sizes: []int{5, 1 << 20}, end: io.EOF}); !errors.Is(err, errFull) {
			t.Errorf("%d bytes are taken: %v, want %v", most, err, errFull)
		}
	}
	src := strings.NewReader(strings.Repeat("x", 1<<20))
	if drain(&filling{10}, src); src.Len() > 0 {
		t.Errorf("%d bytes were not read", src.Len())
	}
}
