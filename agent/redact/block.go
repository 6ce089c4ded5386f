package redact

import (
	"bytes"
	"regexp"
	"sync"
)

// Keys in armour take many lines: PEM, OpenSSH, OpenPGP and PuTTY. The lines that
// say what it is stay; what is between them is the secret.

const (
	blockKind = "private-key"
	blockRule = -1
	// maxBlock bounds what is kept of a key in order to know it again. All of it
	// is taken out of the text, however long it is.
	maxBlock = 64 << 10
)

// blockWords stand in the first line of a block, at its end.
var blockWords = []string{"private key-----", "private key block-----", "private key ----", "private-lines:"}

var (
	// blockBegin is a first line up to the end of what says so.
	blockBegin = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)-{4,5} ?BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)? ?-{4,5}|^Private-Lines: *[0-9]+`)
	})
	blockEnd = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`-{4,5} ?END `) })
	// blockInline is what follows within the same line where line ends are
	// written as \n, or as spaces.
	blockInline = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:\\+[nr]|[A-Za-z0-9+/=]|[ ,:-])*`) })
	blockText   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[A-Za-z0-9+/=]{16}`) })
	// blockLine is a line of a block, as it is or quoted, indented, numbered or
	// in a diff; the group is what counts of it.
	blockLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(?:[\s>+\-|#"'*]|[0-9]{1,6}[:\t-])*((?:(?:Proc-Type|DEK-Info|Comment|Version|Hash|Charset|MessageID|Subject|X-[A-Za-z-]+): .*)|[A-Za-z0-9+/]*={0,2})(?:\\+[nr])*["',\s\\+]*$`)
	})
)

// inline finds the rest of a block within the line where it begins.
func (s *scan) inline() {
	for _, at := range blockBegin().FindAllIndex(s.text, -1) {
		rest := s.text[at[1]:]
		end := len(blockInline().Find(rest))
		if stop := blockEnd().FindIndex(rest); stop != nil {
			end = min(end, stop[0])
		}
		body := rest[:end]
		skip := len(body) - len(bytes.TrimLeft(body, " ,:-"))
		body = bytes.TrimRight(body[skip:], " ,:-")
		if blockText().Match(body) {
			s.spans = append(s.spans, span{at[1] + skip, at[1] + skip + len(body), blockKind})
		}
	}
}

// opens reports whether a block begins in the text that goes on in the next line.
func (s *scan) opens() bool {
	if s.block < 0 {
		return false
	}
	all := blockBegin().FindAllIndex(s.text, -1)
	if all == nil {
		return false
	}
	rest := s.text[all[len(all)-1][1]:]
	return blockEnd().Find(rest) == nil && len(bytes.Trim(rest, " \t\"',\\nr")) == 0
}

// block is a key that is being read.
type block struct {
	open bool
	body []byte // the first maxBlock bytes, line ends as "\n"
	raw  []byte // line ends and blanks since the last line of the body
	long bool   // there was more
}

// take adds a line with its end; false means that the block is over before it.
func (b *block) take(line, end []byte) bool {
	if blockEnd().Match(line) {
		return false
	}
	m := blockLine().FindSubmatchIndex(line)
	if m == nil {
		return false
	}
	what := line[m[2]:m[3]]
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		b.raw = append(append(b.raw, line...), end...)
		if len(b.raw) > maxBlock {
			return false
		}
		return true
	case len(b.body) >= maxBlock:
		b.long = true
	default:
		b.body = append(append(b.body, what...), '\n')
	}
	b.raw = append(b.raw[:0], end...)
	return true
}
