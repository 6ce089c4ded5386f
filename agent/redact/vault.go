package redact

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Hidden stands in the place of a secret that is not remembered, so that nothing
// can be filled in for it.
const Hidden = "⟦secret⟧"

const (
	// maxKnown bounds the secrets that a vault remembers; later ones are Hidden.
	maxKnown = 1024
	// minKnown is the least length of a secret that is remembered. Whatever is
	// remembered is taken out wherever it stands, so it must be nothing that
	// stands elsewhere by chance.
	minKnown = 8
	// minPiece is the least length of a line of a key that is known by itself.
	minPiece = 32
	// maxNumber bounds the numbers of placeholders, so that text which only
	// looks like one cannot use them up.
	maxNumber = 1 << 30
)

// placeholder is what stands for a secret; the group is its number.
var placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`⟦secret:([1-9][0-9]{0,9})⟧`) })

// Placeholder is what stands for the secret with a number.
func Placeholder(number int) string { return "⟦secret:" + strconv.Itoa(number) + "⟧" }

// isPlaceholder reports whether a value is nothing but placeholders.
func isPlaceholder(v []byte) bool {
	if !bytes.HasPrefix(v, []byte("⟦secret")) {
		return false
	}
	rest := placeholder().ReplaceAll(v, nil)
	return len(bytes.ReplaceAll(rest, []byte(Hidden), nil)) == 0
}

// Names are the placeholders in a text, each once, in order. One whose number is
// 0 is no placeholder that was ever given.
func Names(texts ...string) []Name {
	var names []Name
	seen := map[string]bool{}
	for _, text := range texts {
		if !strings.Contains(text, "⟦secret") {
			continue
		}
		for _, m := range placeholder().FindAllStringSubmatch(text, -1) {
			if seen[m[0]] {
				continue
			}
			seen[m[0]] = true
			n, err := strconv.Atoi(m[1])
			if err != nil || n > maxNumber {
				n = 0
			}
			names = append(names, Name{Text: m[0], Number: n})
		}
		if strings.Contains(text, Hidden) && !seen[Hidden] {
			seen[Hidden] = true
			names = append(names, Name{Text: Hidden})
		}
	}
	return names
}

// Name is a placeholder in a text.
type Name struct {
	Text   string // "⟦secret:3⟧"
	Number int
}

// Keeper numbers the secrets of a process and remembers what they are, for each
// conversation by itself: what one has seen cannot be filled in for another.
// Nothing of it is ever written anywhere. Safe for concurrent use.
type Keeper struct {
	detector *Detector
	last     atomic.Int64 // number given
	mu       sync.Mutex
	vaults   map[string]*Vault
}

// NewKeeper returns a keeper without secrets.
func NewKeeper(d *Detector) *Keeper { return &Keeper{detector: d, vaults: map[string]*Vault{}} }

// Vault is the one of a conversation.
func (k *Keeper) Vault(conversation string) *Vault {
	k.mu.Lock()
	defer k.mu.Unlock()
	v := k.vaults[conversation]
	if v == nil {
		v = &Vault{keeper: k, number: map[string]int{}, secret: map[int]Secret{}}
		k.vaults[conversation] = v
	}
	return v
}

// Share makes a conversation have the vault of another one: the same placeholders
// mean the same in both.
func (k *Keeper) Share(conversation, with string) {
	v := k.Vault(with)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.vaults[conversation] = v
}

// Forget drops a conversation's secrets.
func (k *Keeper) Forget(conversation string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.vaults, conversation)
}

// Stream returns a stream that takes out what looks like a secret, and whatever
// any conversation remembers as one, all as [Hidden]: for recordings.
func (k *Keeper) Stream() *Stream {
	s := k.detector.Stream(nil)
	s.known = k.everything()
	return s
}

// everything are the secrets of all vaults.
func (k *Keeper) everything() func() *needles {
	var at int64
	var count int
	var all *needles
	return func() *needles {
		now := k.last.Load()
		k.mu.Lock()
		defer k.mu.Unlock()
		if now == at && count == len(k.vaults) {
			return all
		}
		at, count, all = now, len(k.vaults), nil
		for _, v := range k.vaults {
			v.mu.RLock()
			all = all.join(v.needles)
			v.mu.RUnlock()
		}
		return all
	}
}

// Secret is something that a vault remembers.
type Secret struct {
	Number int
	Kind   string
	value  string
}

// Vault remembers the secrets of one conversation. Safe for concurrent use.
type Vault struct {
	keeper *Keeper

	mu      sync.RWMutex
	number  map[string]int
	secret  map[int]Secret
	needles *needles
}

// Adopt takes note of the numbers that a text uses, so that none of them gets
// another meaning: those of a conversation that an earlier process has had.
func (v *Vault) Adopt(text string) {
	for _, n := range Names(text) {
		for {
			last := v.keeper.last.Load()
			if int64(n.Number) <= last || v.keeper.last.CompareAndSwap(last, int64(n.Number)) {
				break
			}
		}
	}
}

// Text takes the secrets out of a text. What it remembers of them is taken out
// of it wherever it stands, and of every later one.
func (v *Vault) Text(text string) string {
	before := v.known()
	out := v.pass(text)
	if v.known() != before {
		out = v.pass(out) // what was learnt at the end may stand at the beginning
	}
	return out
}

func (v *Vault) pass(text string) string {
	s := v.Stream()
	head := string(s.Push([]byte(text)))
	return head + string(s.Flush())
}

// Stream returns a stream whose secrets the vault remembers.
func (v *Vault) Stream() *Stream {
	s := v.keeper.detector.Stream(v.mark)
	s.known = v.known
	return s
}

// known is what the vault remembers at the moment; nil if that is nothing.
func (v *Vault) known() *needles {
	v.mu.RLock()
	defer v.mu.RUnlock()
	return v.needles
}

// mark gives a secret its placeholder.
func (v *Vault) mark(kind string, secret []byte) string {
	value := strings.TrimRight(string(secret), "\n")
	v.mu.Lock()
	defer v.mu.Unlock()
	if n, ok := v.number[value]; ok {
		return Placeholder(n)
	}
	if n, ok := v.needles.has(value); ok && kind == knownKind {
		return Placeholder(n) // a line of a key
	}
	if !memorable(value) || len(v.secret) >= maxKnown {
		return Hidden
	}
	number := int(v.keeper.last.Add(1))
	if number > maxNumber {
		return Hidden
	}
	v.number[value] = number
	v.secret[number] = Secret{Number: number, Kind: kind, value: value}
	v.needles = v.needles.with(pieces(value, number)...)
	return Placeholder(number)
}

// memorable reports whether a value is long and odd enough to be known again by
// itself.
func memorable(value string) bool {
	if strings.Contains(value, "\n") {
		return true
	}
	if strings.Contains(Placeholder(0), strings.TrimRight(value, "0123456789")) {
		return false // it would be found in placeholders
	}
	b := []byte(value)
	return len(value) >= minKnown && !bytes.ContainsAny(b, " \t\x1b") && !strings.Contains(value, "⟦") &&
		(mixed(b) || len(value) >= 2*minKnown) && (!isDigits(b) || len(value) >= 2*minKnown)
}

// pieces are what a secret is known by: itself, or the lines of a key.
func pieces(value string, number int) []needle {
	if !strings.Contains(value, "\n") {
		return []needle{{value, number}}
	}
	var all []needle
	for line := range strings.SplitSeq(value, "\n") {
		if len(line) >= minPiece && !strings.Contains(line, " ") {
			all = append(all, needle{line, number})
		}
	}
	return all
}

// Known are the vault's secrets, without their values, for those that are named.
// ok is false if one of them is not known.
func (v *Vault) Known(names []Name) (all []Secret, ok bool) {
	v.mu.RLock()
	defer v.mu.RUnlock()
	ok = true
	for _, n := range names {
		s, known := v.secret[n.Number]
		if !known {
			ok = false
			continue
		}
		s.value = ""
		all = append(all, s)
	}
	return all, ok
}

// Errors of filling in.
var (
	// ErrUnknown: nothing is known for a placeholder.
	ErrUnknown = errors.New("nothing is known that it stands for")
	// ErrUnsafe: in a command line, the secret would be read as more than text.
	ErrUnsafe = errors.New("it holds characters that a shell would not take literally")
)

// Fill puts the secrets in the place of their placeholders. With command set,
// the text is read by a shell: a secret with a character that means something
// there is ErrUnsafe, in whatever quotes it stands.
func (v *Vault) Fill(text string, command bool) (string, error) {
	names := Names(text)
	if len(names) == 0 {
		return text, nil
	}
	v.mu.RLock()
	defer v.mu.RUnlock()
	for _, n := range names {
		s, ok := v.secret[n.Number]
		switch {
		case !ok:
			return "", fmt.Errorf("redact: %s: %w", n.Text, ErrUnknown)
		case command && !literal(s.value):
			return "", fmt.Errorf("redact: %s: %w", n.Text, ErrUnsafe)
		}
		text = strings.ReplaceAll(text, n.Text, s.value)
	}
	return text, nil
}

// literal reports whether every shell takes a value as it is, quoted or not, and
// every shell that is within the first, too.
func literal(value string) bool {
	for i := range len(value) {
		b := value[i]
		if !isDigit(b) && !isLower(b) && !isUpper(b) && strings.IndexByte("_@%+=:,./-", b) < 0 {
			return false
		}
	}
	return value != "" && value[0] != '-' && value[0] != '='
}

// knownKind is the kind of a span that was found by its value.
const knownKind = "known"

// needle is a text that is to be found.
type needle struct {
	text   string
	number int
}

// needles finds any of several texts. It never changes. The nil one finds nothing.
//
// Its texts lie in shelves, each at least twice as full as the next one, so that one
// more text costs little however many there are: only small shelves are made anew.
type needles struct {
	shelves []*shelf
	filter  [1 << 10]uint64 // of hashes of the first four bytes
}

// shelf is a part of the texts. It never changes. Many that begin alike, as
// somebody may make them, are no slower to look for than a few.
type shelf struct {
	list    []needle
	number  map[string]int
	lengths map[uint32][]int // by the first four bytes, each length once, the longest first
}

func newShelf(list []needle) *shelf {
	s := &shelf{list: list, number: make(map[string]int, len(list)), lengths: make(map[uint32][]int, len(list))}
	for _, x := range list {
		s.number[x.text] = x.number
		four := first4(x.text)
		shorter, found := slices.BinarySearchFunc(s.lengths[four], len(x.text), func(a, b int) int { return b - a })
		if !found {
			s.lengths[four] = slices.Insert(s.lengths[four], shorter, len(x.text))
		}
	}
	return s
}

func first4(text string) uint32 { return binary.LittleEndian.Uint32([]byte(text[:4])) }

func slot(four uint32) uint32 { return four * 0x9E3779B1 >> 16 }

// with returns a set that has more in it. Every text has four bytes at least.
func (n *needles) with(more ...needle) *needles {
	if len(more) == 0 {
		return n
	}
	next := &needles{}
	if n != nil {
		next.filter = n.filter
		next.shelves = slices.Clone(n.shelves)
	}
	for _, x := range more {
		h := slot(first4(x.text))
		next.filter[h>>6] |= 1 << (h & 63)
	}
	list := slices.Clone(more)
	for k := len(next.shelves); k > 0 && len(next.shelves[k-1].list) < 2*len(list); k-- {
		list = append(slices.Clone(next.shelves[k-1].list), list...)
		next.shelves = next.shelves[:k-1]
	}
	next.shelves = append(next.shelves, newShelf(list))
	return next
}

// join returns a set with the texts of both.
func (n *needles) join(other *needles) *needles {
	if n == nil || other == nil {
		return cmp.Or(n, other)
	}
	both := &needles{shelves: slices.Concat(n.shelves, other.shelves)}
	for i := range both.filter {
		both.filter[i] = n.filter[i] | other.filter[i]
	}
	return both
}

func (n *needles) has(text string) (number int, ok bool) {
	if n == nil {
		return 0, false
	}
	for _, s := range n.shelves {
		if number, ok := s.number[text]; ok {
			return number, true
		}
	}
	return 0, false
}

// next is where the next needle begins, from a place on; -1 if there is none.
func (n *needles) next(p []byte, from int) int {
	at, _ := n.at(p, from)
	return at
}

// at is where the next needle begins and how long it is; of several, the longest.
func (n *needles) at(p []byte, from int) (at, length int) {
	if n == nil {
		return -1, 0
	}
	for i := from; i+4 <= len(p); i++ {
		four := binary.LittleEndian.Uint32(p[i:])
		if h := slot(four); n.filter[h>>6]&(1<<(h&63)) == 0 {
			continue
		}
		for _, s := range n.shelves {
			for _, l := range s.lengths[four] {
				if l <= length {
					break
				}
				if len(p)-i < l {
					continue
				}
				if _, found := s.number[string(p[i:i+l])]; found {
					at, length = i, l
					break
				}
			}
		}
		if length > 0 {
			return at, length
		}
	}
	return -1, 0
}

// find adds a span for each needle in the text.
func (n *needles) find(p []byte, spans []span) []span {
	for from := 0; ; {
		at, length := n.at(p, from)
		if at < 0 {
			return spans
		}
		spans = append(spans, span{at, at + length, knownKind})
		from = at + length
	}
}
