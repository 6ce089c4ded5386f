package files

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/guard"
)

// maxLine is how many bytes of one line are kept: enough for as many
// characters as are ever returned.
const maxLine = MaxCharacters * utf8.UTFMax

// page is what was read of a file.
type page struct {
	lines   []string // with their line feeds
	cut     int      // characters that were left out at the end of the only line
	more    bool     // there are lines behind
	invalid bool     // bytes were replaced that are no UTF-8
	binary  bool     // holds a zero byte
	bytes   int64    // read in all
	total   int      // lines in the file, if whole
	whole   bool     // the file was read to its end
	sha256  string   // of the content, if whole
}

// readPage reads the lines of a span, and the file to its end where that is
// not too far, to know how much there is and what it was.
func readPage(ctx context.Context, src io.Reader, s span) (page, error) {
	sum := sha256.New()
	r := &lineReader{ctx: ctx, r: bufio.NewReaderSize(io.TeeReader(src, sum), 64<<10)}
	var p page
	characters := 0
	for n := 1; ; n++ {
		line, err := r.next()
		if errors.Is(err, io.EOF) {
			p.whole, p.total = true, n-1
			break
		}
		if err != nil {
			return page{}, err
		}
		if p.binary = p.binary || line.zero; p.binary {
			p.bytes = r.bytes
			return p, nil
		}
		inside := n >= s.Offset && n-s.Offset < s.Limit && !p.more
		if inside {
			inside = p.add(line, &characters)
		}
		if !inside && n >= s.Offset {
			p.more = true
		}
		if p.more && r.bytes > guard.MaxPresent {
			break
		}
	}
	p.bytes = r.bytes
	if p.whole = p.whole && r.bytes <= guard.MaxPresent; p.whole {
		p.sha256 = hex.EncodeToString(sum.Sum(nil))
	}
	return p, nil
}

// add takes a line if there is room for it. The first one is taken in part if
// it must be.
func (p *page) add(line line, characters *int) bool {
	text := string(line.text)
	size := utf8.RuneCountInString(text) + line.more
	if *characters+size > MaxCharacters {
		if len(p.lines) > 0 {
			return false
		}
		head, omitted := tools.Head(text, MaxCharacters)
		text, p.cut = head, omitted+line.more
	}
	if !utf8.ValidString(text) {
		p.invalid = true
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	p.lines = append(p.lines, text)
	*characters += size
	return true
}

// result is what the model gets of the page.
func (p page) result(path string, s span) tools.Result {
	if p.binary {
		return tools.Failure("binary", fmt.Sprintf("%s is a binary file; look at it with run_shell: file, xxd | head, strings", path))
	}
	if len(p.lines) == 0 && p.total > 0 {
		return tools.Failure("past_end", fmt.Sprintf("%s has only %d lines; offset %d is behind its end", path, p.total, s.Offset))
	}
	v := ReadValue{
		Path:       path,
		Content:    strings.Join(p.lines, ""),
		FirstLine:  s.Offset,
		LastLine:   s.Offset + len(p.lines) - 1,
		TotalLines: p.total,
	}
	if len(p.lines) == 0 {
		v.FirstLine, v.LastLine = 0, 0
		v.Notices = append(v.Notices, "the file is empty")
	}
	if p.cut > 0 {
		v.Notices = append(v.Notices, fmt.Sprintf("line %d is cut: %d more characters; read them with run_shell and cut -c%d-", v.FirstLine, p.cut, MaxCharacters+1))
	}
	if p.more {
		v.Notices = append(v.Notices, fmt.Sprintf("there are more lines: read on with offset %d", v.LastLine+1))
	}
	if p.invalid {
		v.Notices = append(v.Notices, "bytes that are not UTF-8 are shown as \uFFFD; do not write this content back")
	}
	return tools.Result{Value: v, Record: tools.Record{
		Outcome:   backends.ExitedWith(0),
		Bytes:     p.bytes,
		Truncated: p.more || p.cut > 0,
	}}
}

// lineReader reads lines of any length in bounded memory.
type lineReader struct {
	ctx   context.Context
	r     *bufio.Reader
	bytes int64
}

// line is one line with its line feed, of at most maxLine bytes.
type line struct {
	text []byte
	more int  // characters beyond
	zero bool // there is a zero byte in it
}

// next returns io.EOF behind the last line.
func (l *lineReader) next() (line, error) {
	var got line
	for {
		if l.ctx.Err() != nil {
			return line{}, context.Cause(l.ctx)
		}
		part, err := l.r.ReadSlice('\n')
		l.bytes += int64(len(part))
		got.zero = got.zero || bytes.IndexByte(part, 0) >= 0
		keep := min(len(part), maxLine-len(got.text))
		got.text = append(got.text, part[:keep]...)
		for _, b := range part[keep:] {
			if utf8.RuneStart(b) {
				got.more++
			}
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case errors.Is(err, io.EOF) && len(got.text) > 0:
			return got, nil
		case err != nil:
			return line{}, err
		}
		return got, nil
	}
}
