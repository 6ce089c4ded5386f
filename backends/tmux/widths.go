package tmux

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/vt"
)

// Widths asks the server how many columns the code points take that releases of
// tmux and C libraries disagree about, in one round trip to the target. A server
// must be running. Ask once for each connection: the answer holds for as long as
// the server runs and nobody sets its "codepoint-widths".
//
// It sets no option and leaves nothing behind. The obvious format, #{w:…}, must
// never be used for this: format_width of tmux 3.3a and 3.5a turns for ever on a
// code point that the C library does not know, and the server with all its panes
// stands still. Padding counts the same columns, and ends.
func (s *Server) Widths(ctx context.Context) (*vt.Widths, error) {
	return s.widthsIn(ctx, len(widthProbes()))
}

// WidthsInParts is Widths for a slow link, in several round trips: the question
// is long (20 KB), and the link would be silent meanwhile as if it were dead.
func (s *Server) WidthsInParts(ctx context.Context) (*vt.Widths, error) {
	return s.widthsIn(ctx, partRows*rowSize)
}

// widthsIn asks for at most so many code points at once.
func (s *Server) widthsIn(ctx context.Context, most int) (*vt.Widths, error) {
	ask := widthProbes()
	var said string
	columns := make([]int, 0, len(ask))
	for part := range slices.Chunk(ask, most) {
		set, some, err := s.askWidths(ctx, part)
		if err != nil {
			return nil, err
		}
		said, columns = set, append(columns, some...)
	}
	return s.widthsOf(ask, columns, said), nil
}

// askWidths asks once. It returns what is set by hand, and the columns.
func (s *Server) askWidths(ctx context.Context, ask []widthProbe) (set string, columns []int, err error) {
	script, tmux := widthScript, shellLine(s.argv("source-file", "-"))
	if !s.version.Has(SourceInput) {
		script, tmux = widthScriptByMessage, shellLine(s.argv("display-message", "-p"))
	}
	argv := append([]string{"sh", "-c", countSpaces + fmt.Sprintf(script, tmux, padTo), "sh"}, widthRows(ask)...)
	out, errs, outcome, err := s.exec(ctx, argv)
	if err == nil && !outcome.OK() {
		err = &CommandError{Command: "display-message -p", Message: refusal(errs, outcome)}
	}
	if err != nil {
		return "", nil, fmt.Errorf("tmux: ask for the widths of characters: %w", err)
	}
	set, answers, _ := strings.Cut(string(out), "\n")
	columns, err = paddedColumns(answers, len(ask))
	return set, columns, err
}

func refusal(errs []byte, outcome backends.Outcome) string {
	if said := strings.TrimSpace(string(errs)); said != "" {
		return said
	}
	return outcome.String()
}

// widthProbe asks for the width of one code point, and takes it for that of all
// up to hi that have the same one in tmux 3.3a. Where the probe before is for hi
// itself and has another answer, it is for this code point alone.
type widthProbe struct{ at, hi rune }

// unassigned is a code point that no version of Unicode has used so far.
const unassigned rune = 0x0378

const hangulFiller rune = 0x3164

// shortRun is the length up to which each code point of a run is asked for.
const shortRun = 16

// widthProbes lists what is asked for: the code points of all short runs that do
// not take one column in tmux 3.3a, both ends of the long ones, and those of one
// column that are wide elsewhere.
func widthProbes() []widthProbe {
	all := []widthProbe{{unassigned, unassigned}}
	each := func(lo, hi rune) {
		for r := lo; r <= hi; r++ {
			all = append(all, widthProbe{r, r})
		}
	}
	for _, run := range vt.Runs() {
		if run.Hi-run.Lo < shortRun {
			each(run.Lo, run.Hi)
			continue
		}
		all = append(all, widthProbe{run.Hi, run.Hi}, widthProbe{run.Lo, run.Hi})
	}
	for _, r := range textEmoji {
		each(r[0], r[1])
	}
	for _, r := range disputed {
		all = append(all, widthProbe{r[0], r[1]})
	}
	return all
}

// textEmoji are the emoji that take one column unless something makes them wide
// (emoji-data.txt: Emoji, not Emoji_Presentation).
var textEmoji = [][2]rune{
	{0x203c, 0x203c}, {0x2049, 0x2049}, {0x2122, 0x2122}, {0x2139, 0x2139}, {0x2194, 0x2199}, {0x21a9, 0x21aa},
	{0x2328, 0x2328}, {0x23cf, 0x23cf}, {0x23ed, 0x23ef}, {0x23f1, 0x23f2}, {0x23f8, 0x23fa}, {0x24c2, 0x24c2},
	{0x25aa, 0x25ab}, {0x25b6, 0x25b6}, {0x25c0, 0x25c0}, {0x25fb, 0x25fc}, {0x2600, 0x2604}, {0x260e, 0x260e},
	{0x2611, 0x2611}, {0x2618, 0x2618}, {0x261d, 0x261d}, {0x2620, 0x2620}, {0x2622, 0x2623}, {0x2626, 0x2626},
	{0x262a, 0x262a}, {0x262e, 0x262f}, {0x2638, 0x263a}, {0x2640, 0x2640}, {0x2642, 0x2642}, {0x265f, 0x2660},
	{0x2663, 0x2663}, {0x2665, 0x2666}, {0x2668, 0x2668}, {0x267b, 0x267b}, {0x267e, 0x267e}, {0x2692, 0x2692},
	{0x2694, 0x2697}, {0x2699, 0x2699}, {0x269b, 0x269c}, {0x26a0, 0x26a0}, {0x26a7, 0x26a7}, {0x26b0, 0x26b1},
	{0x26c8, 0x26c8}, {0x26cf, 0x26cf}, {0x26d1, 0x26d1}, {0x26d3, 0x26d3}, {0x26e9, 0x26e9}, {0x26f0, 0x26f1},
	{0x26f4, 0x26f4}, {0x26f7, 0x26f9}, {0x2702, 0x2702}, {0x2708, 0x2709}, {0x270c, 0x270d}, {0x270f, 0x270f},
	{0x2712, 0x2712}, {0x2714, 0x2714}, {0x2716, 0x2716}, {0x271d, 0x271d}, {0x2721, 0x2721}, {0x2733, 0x2734},
	{0x2744, 0x2744}, {0x2747, 0x2747}, {0x2763, 0x2764}, {0x27a1, 0x27a1}, {0x2934, 0x2935}, {0x2b05, 0x2b07},
	{0x1f170, 0x1f171}, {0x1f17e, 0x1f17f}, {0x1f321, 0x1f321}, {0x1f324, 0x1f32c}, {0x1f336, 0x1f336},
	{0x1f37d, 0x1f37d}, {0x1f396, 0x1f397}, {0x1f399, 0x1f39b}, {0x1f39e, 0x1f39f}, {0x1f3cb, 0x1f3ce},
	{0x1f3d4, 0x1f3df}, {0x1f3f3, 0x1f3f3}, {0x1f3f5, 0x1f3f5}, {0x1f3f7, 0x1f3f7}, {0x1f43f, 0x1f43f},
	{0x1f441, 0x1f441}, {0x1f4fd, 0x1f4fd}, {0x1f549, 0x1f54a}, {0x1f56f, 0x1f570}, {0x1f573, 0x1f579},
	{0x1f587, 0x1f587}, {0x1f58a, 0x1f58d}, {0x1f590, 0x1f590}, {0x1f5a5, 0x1f5a5}, {0x1f5a8, 0x1f5a8},
	{0x1f5b1, 0x1f5b2}, {0x1f5bc, 0x1f5bc}, {0x1f5c2, 0x1f5c4}, {0x1f5d1, 0x1f5d3}, {0x1f5dc, 0x1f5de},
	{0x1f5e1, 0x1f5e1}, {0x1f5e3, 0x1f5e3}, {0x1f5e8, 0x1f5e8}, {0x1f5ef, 0x1f5ef}, {0x1f5f3, 0x1f5f3},
	{0x1f5fa, 0x1f5fa}, {0x1f6cb, 0x1f6cb}, {0x1f6cd, 0x1f6cf}, {0x1f6e0, 0x1f6e5}, {0x1f6e9, 0x1f6e9},
	{0x1f6f0, 0x1f6f0}, {0x1f6f3, 0x1f6f3},
}

// disputed are rows of code points that change together.
var disputed = [][2]rune{
	{0x1f1e6, 0x1f1ff}, // regional indicators: wide in 3.5
	// Of East Asian ambiguous width.
	{0x00a1, 0x00a1}, {0x00a7, 0x00a8}, {0x00b0, 0x00b4}, {0x00d7, 0x00d7}, {0x0391, 0x03c9}, {0x0410, 0x044f},
	{0x2010, 0x2027}, {0x2030, 0x203b}, {0x2160, 0x217f}, {0x2190, 0x2193}, {0x2200, 0x22ff}, {0x2460, 0x24b5},
	{0x24b6, 0x24ea}, {0x2500, 0x254b}, {0x2550, 0x2573}, {0x2580, 0x258f}, {0x2592, 0x2595}, {0x25a0, 0x25a1},
	{0x25b2, 0x25b3}, {0x25bc, 0x25bd}, {0x25c6, 0x25c8}, {0x25cb, 0x25cb}, {0x25ce, 0x25d1}, {0x2605, 0x2606},
	{0x2776, 0x277f}, {0xe000, 0xf8ff}, {0xfffd, 0xfffd}, {0xf0000, 0xffffd}, {0x100000, 0x10fffd},
	// Hangul jamo that combine with the one before.
	{0x1160, 0x11ff}, {0xd7b0, 0xd7fb},
	// Wide from Unicode 16: trigrams, hexagrams, tetragrams, counting rods.
	{0x2630, 0x2637}, {0x268a, 0x268f}, {0x4dc0, 0x4dff}, {0x1d300, 0x1d356}, {0x1d360, 0x1d376},
	// New from Unicode 15 to 17: ideographs, Tangut, Kawi, symbols.
	{0x31350, 0x323af}, {0x2ebf0, 0x2ee5d}, {0x323b0, 0x33479}, {0x18d09, 0x18d1e}, {0x18d80, 0x18df2},
	{0x11f04, 0x11f33}, {0x1cc00, 0x1ccf9}, {0x1fa75, 0x1fa77}, {0x1fbcb, 0x1fbef},
}

const (
	padTo = 6 // columns, more than any code point takes
	// rowSize is how many code points one format asks for: tmux 3.1 cuts at 8192
	// bytes.
	rowSize  = 400
	partRows = 4 // rows of a part, about 7 KB
)

// widthScript asks with one format for each row of code points: each is padded
// with spaces, which are what is left of it when it is printed. Its answer is a
// line with what is set by hand, and a digit for each code point: how many spaces
// there were. The formats are made, and their answers counted, at the other side,
// since both are long for a slow link.
const widthScript = `{
	echo "display-message -p '#{codepoint-widths}'"
	for row; do
		f=
		for c in $row; do f="$f#{l;p%[2]d:$c}|"; done
		echo "display-message -p '$f'"
	done
} | %[1]s | {
	IFS= read -r set || exit
	printf '%%s\n' "$set"
	count
}`

// widthScriptByMessage does the same where commands cannot be read from standard input. A
// start of tmux asks for two rows: more would be longer than a message to its server can be
// (16384 bytes, MAX_IMSGSIZE in imsg.h).
const widthScriptByMessage = `show() { %[1]s "$@" || exit; }
show '#{codepoint-widths}'
first=
{
	for row; do
		f=
		for c in $row; do f="$f#{l;p%[2]d:$c}|"; done
		if [ "$first" ]; then
			show "$first" ';' display-message -p "$f"
			first=
		else
			first=$f
		fi
	done
	[ -z "$first" ] || show "$first"
} | count`

// countSpaces begins both scripts.
const countSpaces = `set -f
count() {
	LC_ALL=C sed 's/[^ |]*      |/6|/g
s/[^ |]*     |/5|/g
s/[^ |]*    |/4|/g
s/[^ |]*   |/3|/g
s/[^ |]*  |/2|/g
s/[^ |]* |/1|/g' | tr -d '|\n'
}
`

// widthRows are the code points to ask for, with spaces in between.
func widthRows(ask []widthProbe) []string {
	var rows []string
	for row := range slices.Chunk(ask, rowSize) {
		var b strings.Builder
		for _, p := range row {
			b.WriteString(string(p.at) + " ")
		}
		rows = append(rows, b.String())
	}
	return rows
}

// paddedColumns reads the answers: n digits, the spaces behind each code point.
func paddedColumns(answers string, n int) ([]int, error) {
	columns := make([]int, 0, n)
	for _, d := range []byte(answers) {
		if d < '1' || d > '0'+padTo {
			break
		}
		columns = append(columns, padTo-int(d-'0'))
	}
	if len(columns) != n || len(answers) != n {
		return nil, fmt.Errorf("tmux: asked for the widths of %d characters, got %d: %q", n, len(columns), clip(answers))
	}
	return columns, nil
}

// widthsOf makes widths of what was measured, and of what the operator has set.
func (s *Server) widthsOf(ask []widthProbe, columns []int, set string) *vt.Widths {
	none := columns[0]
	m := s.measure(none)
	if m.drops {
		none = -1
	}
	runes := map[rune]int{}
	for i, p := range ask {
		n, was := m.width(p, columns[i]), m.table.Width(p.at)
		if n == was && was >= 0 || n == none && was < 0 {
			continue // as NewWidths has it
		}
		hi := p.hi
		if i > 0 && ask[i-1].at == hi && m.width(ask[i-1], columns[i-1]) != n {
			hi = p.at
		}
		for r := p.at; r <= hi; r++ {
			if m.table.Width(r) == was {
				runes[r] = n
			}
		}
	}
	for r, n := range setWidths(set) {
		runes[r] = n
	}
	if s.version.AtLeast(3, 6) {
		runes[hangulFiller] = -1 // it has two columns, but is never drawn
	}
	return vt.NewWidths(runes, none)
}

// measure is how the columns that a server pads tell widths.
type measure struct {
	table      *vt.Widths // as in 3.3a
	drops      bool       // what the C library does not know is not drawn
	bytesCount bool       // padding counts a column for each byte of what cannot be shown
}

// measure is the measure of a server that pads so many columns for what no version of Unicode
// has.
func (s *Server) measure(none int) measure {
	old := !s.version.AtLeast(3, 4)
	// Where char has no sign (ARM), padding counts a column for each byte of
	// what cannot be shown; otherwise none.
	bytesCount := old && none == utf8.RuneLen(unassigned)
	return measure{drops: old && (none == 0 || bytesCount), bytesCount: bytesCount}
}

// width is the width of a character for which n columns were padded; -1 if it is not drawn.
func (m measure) width(p widthProbe, n int) int {
	switch was := m.table.Width(p.at); {
	case n == 0 && was < 0:
		return was // dropped, or combined out of sight
	case m.drops && m.bytesCount && n >= 2 && n == utf8.RuneLen(p.at) && was != n,
		m.drops && n == 0 && was > 0:
		return -1
	default:
		return min(n, 2)
	}
}

// setWidths reads the option "codepoint-widths" of tmux 3.6: "U+2603=2",
// "U+2500-U+257F=1" or "☃=2", with spaces in between. What is not of that form
// is left out, as tmux does.
func setWidths(option string) map[rune]int {
	runes := map[rune]int{}
	for entry := range strings.FieldsSeq(option) {
		i := strings.LastIndexByte(entry, '=')
		if i <= 0 {
			continue
		}
		n, err := strconv.Atoi(entry[i+1:])
		if err != nil || n < 0 || n > 2 {
			continue
		}
		lo, hi, ok := codePoints(entry[:i])
		for r := lo; ok && r <= hi; r++ {
			runes[r] = n
		}
	}
	return runes
}

// codePoints reads "U+2500-U+257F", "U+2603" or one character.
func codePoints(s string) (lo, hi rune, ok bool) {
	if utf8.RuneCountInString(s) == 1 {
		lo, _ = utf8.DecodeRuneInString(s)
		return lo, lo, lo != utf8.RuneError
	}
	first, last, isRange := strings.Cut(s, "-")
	if !isRange {
		last = first
	}
	number := func(s string) (rune, bool) {
		s, prefixed := strings.CutPrefix(s, "U+")
		n, err := strconv.ParseUint(s, 16, 32)
		return rune(n), prefixed && err == nil && n <= utf8.MaxRune
	}
	lo, ok1 := number(first)
	hi, ok2 := number(last)
	return lo, hi, ok1 && ok2 && lo <= hi
}
