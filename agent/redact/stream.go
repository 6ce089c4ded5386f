package redact

import (
	"bytes"
	"io"
	"strings"
)

// maxLine bounds what is looked at together: a longer line is cut where nothing
// that belongs together is torn apart, if there is such a place.
const maxLine = 64 << 10

// Beyond these lengths, what a line begins with waits for its end.
const (
	maxEarly     = 1 << 10
	maxEarlyNear = 1 << 9 // where one of the words stands in it
)

// lineEnds are the bytes that end a line: of text, of a terminal, of an
// environment, of a terminal's title.
const lineEnds = "\n\r\x00\a"

// Marker gives what stands in the place of a secret.
type Marker func(kind string, secret []byte) string

// hide is the Marker of those who remember nothing.
func hide(string, []byte) string { return Hidden }

// Stream takes secrets out of text that comes in pieces. How the text was cut
// into pieces makes no difference to what comes out. It holds less than 256 KiB.
// Not safe for concurrent use; make one with [Detector.Stream] or [Vault.Stream].
type Stream struct {
	scan  scan
	mark  Marker
	known func() *needles

	line  []byte // what has come of a line that has not ended
	sent  int    // how much of it was given out
	carry []byte // what of the lines before is looked at with this one
	block block
	out   []byte
}

// Stream returns a stream in which mark stands for each secret; nil means [Hidden].
func (d *Detector) Stream(mark Marker) *Stream {
	if mark == nil {
		mark = hide
	}
	return &Stream{scan: scan{d: d}, mark: mark, known: func() *needles { return nil }}
}

// Push takes the next piece and returns all that is certain now: whole lines,
// and of the last one what can be no part of a secret, such as a prompt. The
// result is good until the next call.
func (s *Stream) Push(p []byte) []byte {
	s.out = s.out[:0]
	if len(s.line) == 0 && !s.block.open && len(s.carry) == 0 {
		if last := bytes.LastIndexByte(p, '\n'); last >= 0 {
			p = p[s.bulk(p[:last+1]):]
		}
	}
	s.feed(p)
	s.early()
	return s.out
}

// Flush ends the text and returns the rest of it. The stream can then be used
// for another one.
func (s *Stream) Flush() []byte {
	s.out = s.out[:0]
	if len(s.line) > 0 {
		s.end(s.line, nil)
		s.line = s.line[:0]
	}
	s.closeBlock()
	s.carry = s.carry[:0]
	return s.out
}

// Held is how many bytes wait for what follows them.
func (s *Stream) Held() int { return len(s.line) - s.sent + len(s.block.body) + len(s.block.raw) }

// bulk takes whole lines and returns how much it took. Lines in which no word
// stands are passed on at once.
func (s *Stream) bulk(p []byte) int {
	w, from, state := builtIn().words, 0, uint16(0)
	known := s.known()
	needle := known.next(p, 0)
	if len(s.scan.d.own) > 0 {
		s.feed(p)
		return len(p)
	}
	for i := 0; i < len(p); i++ {
		state = w.next[int(state)*w.width+int(w.class[p[i]])]
		if w.found[state] == 0 && i != needle {
			continue
		}
		start := bytes.LastIndexByte(p[from:i], '\n') + 1 + from
		stop := bytes.IndexByte(p[i:], '\n') + 1 + i
		s.out = append(s.out, p[from:start]...)
		s.feed(p[start:stop])
		for (s.block.open || len(s.carry) > 0) && stop < len(p) {
			n := bytes.IndexByte(p[stop:], '\n') + 1
			s.feed(p[stop : stop+n])
			stop += n
		}
		from, i, state = stop, stop-1, 0
		if now := s.known(); now != known || needle < stop {
			known = now
			needle = known.next(p, stop)
		}
	}
	s.out = append(s.out, p[from:]...)
	return len(p)
}

// feed takes text of any sort.
func (s *Stream) feed(p []byte) {
	for len(p) > 0 {
		n := min(len(p), maxLine)
		if len(s.line) > 0 {
			s.line = append(s.line, p[:n]...)
			rest := s.lines(s.line)
			s.line = append(s.line[:0], rest...)
		} else {
			s.line = append(s.line, s.lines(p[:n])...)
		}
		p = p[n:]
	}
}

// lines takes what is whole of p and returns the rest.
func (s *Stream) lines(p []byte) []byte {
	for len(p) > 0 {
		body, all := endOfLine(p[:min(len(p), maxLine)])
		switch {
		case all > 0:
			s.end(p[:body], p[body:all])
			p = p[all:]
		case len(p) >= maxLine:
			p = p[s.cut(p[:maxLine]):]
		default:
			return p
		}
	}
	return nil
}

// endOfLine returns where the first line of p ends without and with its end;
// all is 0 if there is no end.
func endOfLine(p []byte) (body, all int) {
	for i := 0; i < len(p); {
		n := bytes.IndexAny(p[i:], lineEnds+"\x1b")
		if n < 0 {
			return 0, 0
		}
		i += n
		if p[i] != escape {
			return i, i + 1
		}
		length, parts := sequence(p[i:])
		switch {
		case length == 0:
			return 0, 0
		case parts:
			return i, i + length
		}
		i += length
	}
	return 0, 0
}

// end takes a line and its end.
func (s *Stream) end(line, end []byte) {
	sent := s.sent
	s.sent = 0
	if s.block.open {
		if s.block.take(line, end) {
			return
		}
		s.closeBlock()
	}
	spans := s.scan.lookBehind(s.carry, line, s.known())
	opens := s.scan.opens()
	if len(line) > 0 || len(end) == 0 || end[0] != '\n' { // a line may end with two bytes
		s.carry = s.scan.carries(s.carry, line)
	}
	s.give(line, sent, spans)
	s.out = append(s.out, end...)
	s.block.open = opens
}

// give passes a line on, from sent, with the secrets taken out.
func (s *Stream) give(line []byte, sent int, spans []span) {
	for _, x := range spans {
		if x.end <= sent {
			continue
		}
		if x.start > sent {
			s.out = append(s.out, line[sent:x.start]...)
		}
		s.out = append(s.out, s.mark(x.kind, line[x.start:x.end])...)
		sent = x.end
	}
	s.out = append(s.out, line[min(sent, len(line)):]...)
}

// cut takes the greater part of a line that is too long, and returns how much.
func (s *Stream) cut(line []byte) int {
	if s.block.open {
		s.closeBlock()
	}
	sent := s.sent
	s.sent, s.carry = 0, s.carry[:0]
	spans := s.scan.look(line, s.known(), false)
	at := len(line)
	if i := bytes.LastIndexAny(line[maxLine/2:], " \t,;&"); i >= 0 {
		at = maxLine/2 + i + 1
	}
	for i, x := range spans {
		if x.start < at && at < x.end || x.start >= at {
			if x.start >= maxLine/2 {
				at = min(at, x.start)
			} else {
				at = x.end
			}
			spans = spans[:i]
			if x.start < at {
				spans = spans[:i+1]
			}
			break
		}
	}
	s.give(line[:at], sent, spans)
	return at
}

// closeBlock gives what stands for a block that is over.
func (s *Stream) closeBlock() {
	b := &s.block
	if !b.open {
		return
	}
	if len(b.body) > 0 {
		secret := b.body
		if b.long {
			secret = nil // not all of it is known
		}
		s.out = append(s.out, s.mark(blockKind, secret)...)
	}
	s.out = append(s.out, b.raw...)
	*b = block{body: b.body[:0], raw: b.raw[:0]}
}

// early gives out the beginning of a line that has not ended, as far as it can
// be no part of a secret whatever follows.
func (s *Stream) early() {
	n := len(s.line)
	if n == 0 || n > maxEarly || s.block.open || len(s.carry) > 0 || len(s.scan.d.own) > 0 {
		return
	}
	if safe := s.safe(s.line); safe > s.sent {
		s.out = append(s.out, s.line[s.sent:safe]...)
		s.sent = safe
	}
}

// safe is how much of a line's beginning is no part of a secret.
func (s *Stream) safe(line []byte) int {
	hold := len(line)
	if i := bytes.LastIndexByte(line, escape); i >= 0 {
		if n, _ := sequence(line[i:]); n == 0 {
			hold = i // a sequence that has not ended
		}
	}
	known := s.known()
	first, depth := s.firstWord(line)
	if first < 0 && known == nil {
		return min(hold, len(line)-depth)
	}
	if first >= 0 && len(line) > maxEarlyNear {
		return s.sent
	}
	hold = min(hold, bytes.LastIndexAny(line, " \t")+1, len(line)-depth)
	spans := s.scan.look(line, known, true) // what is known stands beside any word, and beside none
	if len(spans) > 0 {
		hold = min(hold, spans[0].start)
	}
	if first < 0 {
		return hold
	}
	if s.scan.block >= 0 {
		return min(hold, first)
	}
	return min(hold, openQuote(line, first))
}

// firstWord is where the first word of a line begins, or -1; depth is how much
// of the line's end may be the beginning of another.
func (s *Stream) firstWord(line []byte) (first, depth int) {
	text := line
	if bytes.IndexByte(line, escape) >= 0 {
		s.scan.bare(line)
		text = s.scan.text
	}
	w, state := builtIn().words, uint16(0)
	first = -1
	for i, b := range text {
		state = w.step(state, b)
		if first < 0 && w.named[w.found[state]] {
			first = i + 1 - int(w.depth[state])
		}
	}
	depth = int(w.depth[state])
	if len(text) == len(line) || depth == 0 {
		return first, depth
	}
	return first, len(line) - s.scan.at[len(text)-depth]
}

// openQuote is where a value begins, after the first word, whose quote has not
// been closed.
func openQuote(line []byte, from int) int {
	for i := max(from, 1); i < len(line); i++ {
		if b := line[i]; (b == '"' || b == '\'') && begins(line[:i]) && bytes.IndexByte(line[i+1:], b) < 0 {
			return i
		}
	}
	return len(line)
}

// begins reports whether a value may begin after what stands before its quote.
func begins(before []byte) bool {
	before = bytes.TrimRight(before, `\`)
	return len(before) == 0 || strings.IndexByte(" \t:=>(,", before[len(before)-1]) >= 0
}

// Writer takes secrets out of what is written to it. Close, or Flush, writes
// what it holds.
type Writer struct {
	to     io.Writer
	stream *Stream
}

// NewWriter returns a writer that passes on to w what s makes of the text.
func NewWriter(w io.Writer, s *Stream) *Writer { return &Writer{to: w, stream: s} }

// Write implements io.Writer. An error is the underlying writer's; the text is
// taken all the same.
func (w *Writer) Write(p []byte) (int, error) {
	if out := w.stream.Push(p); len(out) > 0 {
		if _, err := w.to.Write(out); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// Flush ends the text and writes the rest of it.
func (w *Writer) Flush() error {
	if out := w.stream.Flush(); len(out) > 0 {
		if _, err := w.to.Write(out); err != nil {
			return err
		}
	}
	return nil
}

// Close is Flush; the underlying writer is left open.
func (w *Writer) Close() error { return w.Flush() }

var _ io.WriteCloser = (*Writer)(nil)
