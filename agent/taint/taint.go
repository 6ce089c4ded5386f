package taint

import (
	_ "embed"
	"hash/maphash"
	"strings"
	"sync"
	"unicode"

	"github.com/nod-console/nod/tools/risk"
)

// Limits.
const (
	// MinPart is the length of the shortest piece that is looked at, in bytes.
	MinPart = 4
	// FilterBytes is what a conversation's output takes. With 800,000 different
	// pieces in it, one in a hundred others counts as printed, too.
	FilterBytes = 1 << 20
	// MaxSaid bounds the operator's words that are kept.
	MaxSaid = 1 << 16
	// MaxParts bounds the parts that are reported for a command.
	MaxParts = 32
)

// hashes is how many bits of the filter stand for a piece.
const hashes = 6

// Memory is what a conversation has said and printed. The zero value is ready.
type Memory struct {
	mu      sync.Mutex
	said    map[uint64]struct{}
	named   map[uint64]struct{} // what the operator alone said, whole
	printed []uint64            // a Bloom filter
	seed    maphash.Seed
}

// Part is a tainted part of a command, in bytes.
type Part struct{ Start, End int }

// Said takes in the operator's words.
func (m *Memory) Said(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready()
	pieces(text, func(piece string, _ int) {
		if len(m.said) < MaxSaid {
			m.said[m.hash(piece)] = struct{}{}
		}
	})
	names(text, func(name string) {
		if len(m.named) < MaxSaid && name != "" {
			m.named[m.hash(name)] = struct{}{}
		}
	})
}

// Named reports whether the operator has named a host: by this very name or
// address, alone or within an address, a user@host or a host:port. Parts of a name
// and names below one are not it. A bucket counts with its scheme: "s3://backups".
func (m *Memory) Named(host string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready()
	_, ok := m.named[m.hash(host)]
	return ok && host != ""
}

// names cuts a text into what can be the name of a host.
func names(text string, each func(name string)) {
	for _, field := range strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`()<>{},;|&=", r)
	}) {
		if scheme, rest, ok := strings.Cut(field, "://"); ok {
			host, _, _ := strings.Cut(rest, "/")
			each(scheme + "://" + strings.TrimRight(host, ".:!?"))
		}
		for _, piece := range strings.FieldsFunc(field, func(r rune) bool { return r == '/' || r == '@' || r == '[' || r == ']' }) {
			piece = strings.TrimRight(piece, ".:!?")
			each(piece)
			if host, _, ok := strings.Cut(piece, ":"); ok && strings.Count(piece, ":") == 1 {
				each(strings.TrimRight(host, "."))
			}
		}
	}
}

// Thought takes in what the model wrote of its own accord. A piece that nobody
// has printed before is its own from then on: it did not first appear in output.
func (m *Memory) Thought(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready()
	pieces(text, func(piece string, _ int) {
		if len(m.said) < MaxSaid && !m.seen(piece) {
			m.said[m.hash(piece)] = struct{}{}
		}
	})
}

// Printed takes in what a target has printed. What every system has is told apart when a
// command is asked about: the tables for that take time to load (measured: 140 ms), and
// most conversations begin without a command.
func (m *Memory) Printed(text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready()
	if m.printed == nil {
		m.printed = make([]uint64, FilterBytes/8)
	}
	pieces(text, func(piece string, _ int) {
		for _, bit := range m.bits(piece) {
			m.printed[bit/64] |= 1 << (bit % 64)
		}
	})
}

// Of returns the parts of a command that were printed and never said, in their
// order.
func (m *Memory) Of(command string) []Part {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ready()
	parts := m.of(command)
	if plain := unquoted.Replace(command); parts == nil && plain != command && m.of(plain) != nil {
		return []Part{{0, len(command)}} // put together from quoted pieces
	}
	return parts
}

var unquoted = strings.NewReplacer("'", "", `"`, "", `\`, "")

func (m *Memory) of(command string) []Part {
	var parts []Part
	pieces(command, func(piece string, at int) {
		if _, ok := m.said[m.hash(piece)]; ok || common(piece) || len(parts) == MaxParts {
			return
		}
		if m.seen(piece) {
			parts = append(parts, Part{at, at + len(piece)})
		}
	})
	return parts
}

// seen reports whether a piece has been printed.
func (m *Memory) seen(piece string) bool {
	if m.printed == nil {
		return false
	}
	for _, bit := range m.bits(piece) {
		if m.printed[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
	}
	return true
}

func (m *Memory) ready() {
	if m.said == nil {
		m.said, m.named, m.seed = map[uint64]struct{}{}, map[uint64]struct{}{}, maphash.MakeSeed()
	}
}

func (m *Memory) hash(piece string) uint64 { return maphash.String(m.seed, strings.ToLower(piece)) }

// bits are the places of a piece in the filter, by two halves of its hash.
func (m *Memory) bits(piece string) [hashes]uint64 {
	h := m.hash(piece)
	low, high := h&0xffffffff, h>>32|1
	var all [hashes]uint64
	for i := range all {
		all[i] = (low + uint64(i)*high) % (FilterBytes * 8)
	}
	return all
}

// pieces cuts a text into words and the names in them: "https://a.example/x.sh"
// is "https", "a.example" and "x.sh". Plain numbers are left out, addresses are
// not.
func pieces(text string, each func(piece string, at int)) {
	start := -1
	for i := 0; i <= len(text); i++ {
		if i < len(text) && inside(text[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 {
			piece := strings.Trim(text[start:i], ".-_")
			if at := start + strings.Index(text[start:i], piece); len(piece) >= MinPart && strings.Trim(piece, "0123456789.") != "" || strings.Count(piece, ".") == 3 {
				each(piece, at)
			}
		}
		start = -1
	}
}

// inside reports whether a byte belongs to a name.
func inside(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_' || c >= 0x80
}

//go:embed common.txt
var commonText string

var commonNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for line := range strings.Lines(commonText) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		for _, name := range strings.Fields(line) {
			names[name] = true
		}
	}
	return names
})

// common reports whether every system has a piece.
func common(piece string) bool {
	piece = strings.ToLower(piece)
	return commonNames()[piece] || risk.Vocabulary(piece)
}
