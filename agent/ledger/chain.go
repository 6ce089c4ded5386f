package ledger

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"strconv"
)

const (
	sealLen = 2 * sha256.Size           // hexadecimal digits
	rootLen = 2 * ed25519.PublicKeySize // the same
)

// The fixed parts of a line. Everything between them is checked byte by byte.
const (
	partSeq  = `{"seq":`
	partPrev = `,"prev":"`
	partBody = `","body":`
	partMAC  = `,"mac":"`
	partEnd  = `"}`
	tailLen  = len(partMAC) + sealLen + len(partEnd)
)

// Fault is the first thing that is wrong with a ledger.
type Fault struct {
	// Record is the number of the first bad record, from 1. It is 0 where no
	// record is to blame: the head or the key is missing.
	Record uint64
	Reason string
	// Recoverable marks a state that a crash leaves. Nothing acknowledged is
	// missing, and the next append puts it right.
	Recoverable bool
}

// Error implements error.
func (f *Fault) Error() string {
	if f.Record == 0 {
		return "ledger: " + f.Reason
	}
	return fmt.Sprintf("ledger: record %d: %s", f.Record, f.Reason)
}

// position is a place in the chain: how many records came before, the last
// one's seal, and where the next one starts in the file.
type position struct {
	seq  uint64
	prev [sealLen]byte
	size int64
}

// start is the position of the first record.
func start() position {
	var p position
	for i := range p.prev {
		p.prev[i] = '0'
	}
	return p
}

// sealer computes seals. It is not safe for concurrent use.
type sealer struct {
	root string // the public key of the first epoch, in hexadecimal; empty if there are no epochs
	mac  hash.Hash
	sum  [sha256.Size]byte
	hex  [sealLen]byte
}

func newSealer(key []byte) *sealer { return &sealer{mac: hmac.New(sha256.New, key)} }

// seal returns the seal of text in hexadecimal; it is valid until the next call.
func (s *sealer) seal(text []byte) []byte {
	s.mac.Reset()
	s.mac.Write(text) // a hash's Write never fails
	hex.Encode(s.hex[:], s.mac.Sum(s.sum[:0]))
	return s.hex[:]
}

// line encodes text as the record after p and returns it, with its newline, and
// the position behind it.
func (s *sealer) line(p position, text []byte) ([]byte, position) {
	b := make([]byte, 0, len(text)+256)
	b = prefix(b, p)
	b = append(b, text...)
	next := position{seq: p.seq + 1}
	copy(next.prev[:], s.seal(b))
	b = append(b, partMAC...)
	b = append(b, next.prev[:]...)
	b = append(b, partEnd+"\n"...)
	next.size = p.size + int64(len(b))
	return b, next
}

// prefix appends what a line after p starts with, up to its body.
func prefix(b []byte, p position) []byte {
	b = append(b, partSeq...)
	b = strconv.AppendUint(b, p.seq+1, 10)
	b = append(b, partPrev...)
	b = append(b, p.prev[:]...)
	return append(b, partBody...)
}

// check proves that line, with its newline, is the record after p. It returns
// its body and the position behind it.
func (s *sealer) check(p position, line []byte) (text []byte, next position, fault *Fault) {
	bad := func(reason string) ([]byte, position, *Fault) {
		return nil, p, &Fault{Record: p.seq + 1, Reason: reason}
	}
	if len(line) < tailLen+1 || line[len(line)-1] != '\n' {
		return bad("the line is cut off")
	}
	content, tail := line[:len(line)-1-tailLen], line[len(line)-1-tailLen:len(line)-1]
	var room [160]byte
	want := prefix(room[:0], p)
	if !bytes.HasPrefix(content, want) {
		return bad(misplaced(p, content))
	}
	if !bytes.HasPrefix(tail, []byte(partMAC)) || !bytes.HasSuffix(tail, []byte(partEnd)) {
		return bad("the line does not end in a seal")
	}
	seal := tail[len(partMAC) : len(partMAC)+sealLen]
	if !hmac.Equal(s.seal(content), seal) {
		return bad("its seal does not fit its content: the record was edited, or the key is another one")
	}
	next = position{seq: p.seq + 1, size: p.size + int64(len(line))}
	copy(next.prev[:], seal)
	return content[len(want):], next, nil
}

// misplaced says what is wrong with a line that does not start as the record
// after p does.
func misplaced(p position, content []byte) string {
	after, ok := bytes.CutPrefix(content, []byte(partSeq))
	end := bytes.IndexByte(after, ',')
	if !ok || end < 0 {
		return "the line is not a record"
	}
	seq, err := strconv.ParseUint(string(after[:end]), 10, 64)
	switch {
	case err != nil || strconv.FormatUint(seq, 10) != string(after[:end]):
		return "the line has no number"
	case seq != p.seq+1:
		return fmt.Sprintf("record %d stands in its place: a record was removed, repeated, inserted or moved", seq)
	default:
		return "it does not follow the record before it: a record was replaced, or the line was edited"
	}
}

// scan checks the records in r from p on and calls fn for each. It returns the
// position behind the last good one and a *Fault for the first bad one, or fn's
// or the reader's error. The text that fn gets is valid until it returns.
func (s *sealer) scan(r io.Reader, p position, fn func(p position, text []byte) error) (position, error) {
	lines := bufio.NewReaderSize(r, 256<<10)
	var long []byte
	for {
		line, err := lines.ReadSlice('\n')
		long = long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			if len(long) > MaxRecord+1024 {
				return p, &Fault{Record: p.seq + 1, Reason: "the line is longer than a record can be"}
			}
			line, err = lines.ReadSlice('\n')
		}
		if len(long) > 0 {
			long = append(long, line...)
			line = long
		}
		if err == io.EOF && len(line) == 0 {
			return p, nil
		}
		if err != nil && err != io.EOF {
			return p, fmt.Errorf("ledger: read record %d: %w", p.seq+1, err)
		}
		text, next, fault := s.check(p, line)
		if fault != nil {
			return p, fault
		}
		p = next
		if err := fn(p, text); err != nil {
			return p, err
		}
	}
}
