package vt

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// sequences are probes of single behaviours, each on a screen of 20 by 6.
var sequences = []struct{ name, in string }{
	{"plain", "hello"},
	{"wrap", strings.Repeat("abcdefghij", 5)},
	{"wrap then BS", strings.Repeat("x", 21) + "\b\b\bY"},
	{"BS over an unwrapped line", strings.Repeat("x", 21) + "\x1b[A\n\b\b\bY"},
	{"pending wrap, CR", strings.Repeat("x", 20) + "\rY"},
	{"pending wrap, LF", strings.Repeat("x", 20) + "\nY"},
	{"pending wrap, BS", strings.Repeat("x", 20) + "\bY"},
	{"pending wrap, TAB", strings.Repeat("x", 20) + "\tY"},
	{"pending wrap, CUF", strings.Repeat("x", 20) + "\x1b[CY"},
	{"pending wrap, CUB", strings.Repeat("x", 20) + "\x1b[DY"},
	{"pending wrap, CUU", "\n" + strings.Repeat("x", 20) + "\x1b[AY"},
	{"pending wrap, CUD", strings.Repeat("x", 20) + "\x1b[BY"},
	{"pending wrap, VPA", strings.Repeat("x", 20) + "\x1b[3dY"},
	{"pending wrap, EL", strings.Repeat("x", 20) + "\x1b[41m\x1b[KY"},
	{"pending wrap, EL 1", strings.Repeat("x", 20) + "\x1b[41m\x1b[1KY"},
	{"pending wrap, ECH", strings.Repeat("x", 20) + "\x1b[41m\x1b[5XY"},
	{"pending wrap, ED", strings.Repeat("x", 20) + "\x1b[41m\x1b[JY"},
	{"pending wrap, ED 1", strings.Repeat("x", 20) + "\x1b[41m\x1b[1JY"},
	{"pending wrap, ICH", strings.Repeat("x", 20) + "\x1b[41m\x1b[2@Y"},
	{"pending wrap, DCH", strings.Repeat("x", 20) + "\x1b[41m\x1b[2PY"},
	{"pending wrap, DECSC", strings.Repeat("x", 20) + "\x1b7\x1b[H\x1b8Y"},
	{"pending wrap, no wrap", strings.Repeat("x", 20) + "\x1b[?7lYZ\x1b[?7h"},
	{"pending wrap, insert", strings.Repeat("x", 20) + "\x1b[4hYZ"},
	{"pending wrap, CBT", strings.Repeat("x", 20) + "\x1b[ZY"},
	{"pending wrap, HTS", strings.Repeat("x", 20) + "\x1bH\r\t\t\tY"},
	{"no wrap", "\x1b[?7l" + strings.Repeat("abcdefghij", 3) + "Z"},
	{"no wrap, wide", "\x1b[?7l" + strings.Repeat("x", 19) + "日本Z"},
	{"wide wraps", strings.Repeat("x", 19) + "日本"},
	{"wide overwritten first half", "日本\r\x1b[Cab"},
	{"wide overwritten", "日本語\x1b[1;2Hx\x1b[1;5Hyz"},
	{"wide over wide", "日本語\x1b[1;2H中"},
	{"combining", "e\u0301a\u0308\u0301x"},
	{"combining at the margin", "\u0301x"},
	{"combining after wrap", strings.Repeat("x", 20) + "\u0301y"},
	{"combining onto wide", "日\u0301x"},
	{"combining, too long", "a" + strings.Repeat("\u0301", 30) + "b"},
	{"combining onto blank", "ab\x1b[1;6H\u0301x"},
	{"ZWJ family", "👨\u200d👩\u200d👧x"},
	{"ZWJ then ASCII", "a\u200dbc"},
	{"ZWJ then CJK", "a\u200d日c"},
	{"ZWJ then é", "a\u200déc"},
	{"ZWJ moved", "👨\u200d\x1b[2;1H\x1b[1;3H👩x"},
	{"ZWJ overwritten", "👨\u200d\x1b[H👩x"},
	{"ZWJ at the margin", "\u200d日x"},
	{"ZWJ at the margin, moved", "ab\r\u200d\x1b[1;3H日x"},
	{"ZWJ then ASCII then é", "a\u200dbéc"},
	{"ZWJ twice", "a\u200d\u200déc"},
	{"ZWJ then mark", "a\u200d\u0301éc"},
	{"ZWJ, insert", "a\u200d\x1b[4hbc"},
	{"ZWJ, no wrap", "a\u200d\x1b[?7lbc"},
	{"ZWJ, ACS", "a\u200d\x1b(0qx"},
	{"ZWJ, unassigned", "a\u200d\u0378éc"},
	{"ZWJ, invalid", "a\u200d\xffé"},
	{"halved after combining", "x日\u0301\bab"},
	{"halved after joining", "x👨\u200d👩\bab"},
	{"halved after joining a narrow one", "x👨\u200dé\bab"},
	{"halved after joining, insert", "x👨\u200d👩\b\x1b[4hab"},
	{"halved after joining, no wrap", "x👨\u200d👩\b\x1b[?7lab"},
	{"halved", "x👨\bab"},
	{"second half alone", "日\x1b[1;1H\x1b[X\x1b[?7la"},
	{"skin tone", "👍🏽x"},
	{"flag", "🇫🇷🇩🇪x"},
	{"VS16", "❤\ufe0fx✌\ufe0fy"},
	{"keycap", "1\ufe0f\u20e3x"},
	{"skin tone alone", "a🏽x"},
	{"skin tone on what has none", "☃🏽x"},
	{"skin tones", "👍🏽🏽x"},
	{"flags apart", "🇫x🇷🇩"},
	{"VS16 at the edge", "\x1b[1;20H❤\ufe0fx"},
	{"VS16 over wide", "\x1b[1;3H日\x1b[1;2H❤\ufe0fx"},
	{"jamo alone", "a\u1161b\u11a8c"},
	{"old jamo", "\ua960\ud7b0\ud7cbx"},
	{"filler", "a\u3164x"},
	{"devanagari", "नमस्ते x"},
	{"hangul jamo", "\u1100\u1161\u11a8x"},
	{"invalid UTF-8", "a\xffb\xc3(c\xe2\x28\xa1d\xf0\x28\x8c\x28e\x80\x81f"},
	{"invalid continuation", "a\xc3\xc3\xa9b\xe2\xe2\x82\xacc"},
	{"overlong and surrogate", "a\xc0\xafb\xed\xa0\x80c\xf4\x90\x80\x80d\xf5\x80\x80\x80e"},
	{"split by a sequence", "a\xc3\x1b[m\xa9b"},
	{"split by a control", "a\xc3\r\xa9b"},
	{"noncharacter", "a\uffffb\U0001ffffc"},
	{"C1", "a\u0085b\u009bc"},
	{"unassigned", "a\u0378b"},
	{"DEL", "a\x7fb"},
	{"NUL", "a\x00b"},
	{"tabs", "a\tb\tc\td"},
	{"tab stops", "\x1b[3g\x1b[1;4H\x1bH\x1b[1;10H\x1bH\ra\tb\tc\td\x1b[0g\x1b[2Z!"},
	{"back tab", "\x1b[1;15H\x1b[Zx\x1b[2Zy\x1b[9Zz"},
	{"REP", "ab\x1b[3bc"},
	{"REP wide", "日\x1b[3bc"},
	{"REP ACS", "\x1b(0q\x1b[3b\x1b(Bc"},
	{"REP twice", "ab\x1b[3b\x1b[3bc"},
	{"REP after LF", "ab\n\x1b[3bc"},
	{"REP after SGR", "ab\x1b[31m\x1b[3bc"},
	{"REP to the edge", "ab\x1b[99bc"},
	{"REP combining", "e\u0301\x1b[3bc"},
	{"REP after invalid", "ab\xff\x1b[3bc"},
	{"REP after CSI ignored", "ab\x1b[?5$p\x1b[3bc"},
	{"REP after ESC (B", "ab\x1b(B\x1b[3bc"},
	{"REP after OSC", "ab\x1b]2;x\a\x1b[3bc"},
	{"ACS", "\x1b(0lqqk\x1b(Blqqk\x1b)0\x0elqqk\x0flqqk"},
	{"ACS all", "\x1b(0`abcdefghijklmnopq\x1b[2;1Hrstuvwxyz{|}~+,-.0\x1b(B"},
	{"ACS unknown set", "\x1b(0\x1b(Aqq\x1b(Bqq"},
	{"ACS DECSC", "\x1b(0\x1b7\x1b(B\x1b8qq"},
	{"SGR", "\x1b[1;3;4;7mA\x1b[22;23;24;27mB\x1b[38;5;200;48;2;1;2;3mC\x1b[39;49mD\x1b[91;102mE\x1b[mF"},
	{"SGR all", "\x1b[1ma\x1b[2mb\x1b[3mc\x1b[4md\x1b[5me\x1b[6mf\x1b[7mg\x1b[8mh\x1b[9mi\x1b[21mj\x1b[53mk\x1b[55ml\x1b[29mm\x1b[28mn\x1b[25mo"},
	{"SGR underline", "\x1b[4:3ma\x1b[4:0mb\x1b[4:5mc\x1b[58;5;9md\x1b[58:2::1:2:3me\x1b[59mf\x1b[4:9mg\x1b[4:mh"},
	{"SGR colon", "\x1b[38:5:20ma\x1b[48:2:1:2:3mb\x1b[38:2::4:5:6mc\x1b[38:5md\x1b[m\x1b[38:2:1:2me"},
	{"SGR bad", "\x1b[31m\x1b[38;5;300ma\x1b[31;48;5mb\x1b[38;2;1;2mc\x1b[38;9;1md\x1b[99me"},
	{"SGR many", "\x1b[" + strings.Repeat("1;", 22) + "7ma\x1b[m\x1b[" + strings.Repeat("1;", 23) + "7mb"},
	{"SGR long", "\x1b[" + strings.Repeat("0", 62) + "7ma\x1b[m\x1b[" + strings.Repeat("0", 63) + "7mb"},
	{"SGR huge", "\x1b[7m\x1b[99999999999ma\x1b[2147483648mb\x1b[2147483647mc"},
	{"SGR space", "\x1b[41ma   b\x1b[m c"},
	{"CSI with control", "ab\x1b[2\rCx\x1b[1\n;1HY"},
	{"CSI cancelled", "ab\x1b[2\x18Cx\x1b[3\x1aCy\x1b[3\x1b[Cz"},
	{"CSI private ignored", "\x1b[<1Ca\x1b[?1Cb\x1b[1?Cc\x1b[1 Cd"},
	{"CSI a and e", "a\x1b[3ab\x1b[ec"},
	{"CUP", "\x1b[3;5Hx\x1b[99;99Hy\x1b[0;0Hz\x1b[;3fw\x1b[2Hv"},
	{"CUP colon", "\x1b[3:5;2Hx"},
	{"CNL CPL", "abc\x1b[2Ex\x1b[Fy"},
	{"HPA", "abc\x1b[10Gx\x1b[3`y"},
	{"EL", "aaaaaaaaaa\x1b[1;4H\x1b[41m\x1b[K\nbbbbbbb\x1b[2;4H\x1b[1K\ncccccc\x1b[2K"},
	{"EL at margin", "\x1b[41m\x1b[2;20H\x1b[1K"},
	{"EL in wide", "日本語\x1b[1;2H\x1b[Kx"},
	{"EL 1 in wide", "日本語\x1b[1;3H\x1b[1Kx"},
	{"ECH in wide", "日本語x\x1b[1;2H\x1b[3X"},
	{"ED", "aaaa\r\nbbbb\r\ncccc\x1b[2;3H\x1b[42m\x1b[J"},
	{"ED 1", "aaaa\r\nbbbb\r\ncccc\x1b[2;3H\x1b[42m\x1b[1J"},
	{"ED 2", "aaaa\r\nbbbb\x1b[42m\x1b[2Jx"},
	{"ED home", "aaaa\r\nbbbb\x1b[42m\x1b[H\x1b[Jx"},
	{"ED 3", "aaaa\r\nbbbb\x1b[3Jx"},
	{"ICH", "abcdefghij\x1b[1;3H\x1b[41m\x1b[3@"},
	{"ICH half", "abcdefghijklmnopqrst\x1b[1;3H\x1b[41m\x1b[12@"},
	{"ICH all", "abcdefghijklmnopqrst\x1b[1;3H\x1b[41m\x1b[99@"},
	{"ICH last", "abcdefghijklmnopqrst\x1b[1;20H\x1b[41m\x1b[2@"},
	{"ICH in wide", "日本語\x1b[1;2H\x1b[@x"},
	{"DCH", "abcdefghij\x1b[1;3H\x1b[41m\x1b[3P"},
	{"DCH all", "abcdefghij\x1b[1;3H\x1b[41m\x1b[99P"},
	{"DCH in wide", "日本語x\x1b[1;2H\x1b[P"},
	{"IL", "a\r\nb\r\nc\r\nd\r\ne\r\nf\x1b[2;3H\x1b[41m\x1b[2Lx"},
	{"IL many", "a\r\nb\r\nc\r\nd\r\ne\r\nf\x1b[2;3H\x1b[41m\x1b[4Lx"},
	{"DL", "a\r\nb\r\nc\r\nd\r\ne\r\nf\x1b[2;3H\x1b[41m\x1b[2Mx"},
	{"DL many", "a\r\nb\r\nc\r\nd\r\ne\r\nf\x1b[2;3H\x1b[41m\x1b[99Mx"},
	{"IL in region", "a\r\nb\r\nc\r\nd\r\ne\r\nf\x1b[2;5r\x1b[3;2H\x1b[44m\x1b[2Lx"},
	{"IL below region", "a\r\nb\r\nc\r\nd\r\ne\r\nf\x1b[2;3r\x1b[5;2H\x1b[44m\x1b[Lx"},
	{"DL above region", "a\r\nb\r\nc\r\nd\r\ne\r\nf\x1b[3;4r\x1b[1;2H\x1b[44m\x1b[Mx"},
	{"region scroll", "\x1b[2;4r\x1b[4;1Ha\r\nb\r\nc\r\nd\x1b[45m\r\ne"},
	{"region RI", "a\r\nb\r\nc\r\nd\x1b[2;4r\x1b[2;1H\x1b[45m\x1bMx\x1b[1;1H\x1bMy"},
	{"region one line", "\x1b[3;3rx\x1b[4;2ry\x1b[2;99rz"},
	{"region, cursor below", "\x1b[1;3r\x1b[6;1Ha\nb\nc\x1b[9Bd\x1b[9Ae"},
	{"region, cursor above", "\x1b[3;5r\x1b[1;1Ha\x1b[9Bb\x1b[2;1H\x1b[9Ac"},
	{"origin", "\x1b[2;4r\x1b[?6hx\x1b[2;2Hy\x1b[99;1Hz\x1b[?6l\x1b[1;1Hw"},
	{"origin VPA", "\x1b[2;4r\x1b[?6h\x1b[2dx\x1b[99dy"},
	{"origin region", "\x1b[?6h\x1b[3;5rx"},
	{"origin DECSC", "\x1b[2;4r\x1b[?6h\x1b7\x1b[?6l\x1b8x\x1b[1;1Hy"},
	{"SU SD", "a\r\nb\r\nc\r\nd\x1b[46m\x1b[2S\x1b[1Tx"},
	{"SU 0", "a\r\nb\r\nc\x1b[0Sx\x1b[0Ty"},
	{"scroll fill by LF", "\x1b[41m\x1b[6;1Hab\nc"},
	{"scroll fill by wrap", "\x1b[41m\x1b[6;1H" + strings.Repeat("x", 25)},
	{"IND NEL", "a\x1bDb\x1bEc\x1b[6;3H\x1b[42m\x1bDd\x1bEe"},
	{"insert mode", "abcdef\x1b[1;3H\x1b[4hXY日\x1b[4lZ"},
	{"insert mode at the edge", "abcdefghijklmnopqrst\x1b[1;19H\x1b[4hXY日"},
	{"insert mode, wide pushed over", "abcdefghijklmnopqr日\x1b[1;3H\x1b[4hX"},
	{"alternate", "main\x1b[?1049halt\x1b[Hx"},
	{"alternate and back", "main\x1b[31m\x1b[?1049h\x1b[32malt\x1b[Hx\x1b[?1049lY"},
	{"alternate 47", "main\x1b[?47halt\x1b[?47lY"},
	{"alternate 1047", "main\x1b[?1047h\x1b[Hal\x1b[?1047lY"},
	{"alternate off twice", "ab\x1b[?1049h\x1b[?1049l\x1b[3;3Hx\x1b[31m\x1b[?1049ly"},
	{"alternate on twice", "ab\x1b[?1049hcd\x1b[?1049he\x1b[?1049lf"},
	{"alternate scroll", "ab\x1b[?1049h\x1b[6;1Ha\nb\n\x1b[44mc\nd"},
	{"alternate region", "ab\x1b[?1049h\x1b[2;4r\x1b[4;1Ha\nb\n\x1b[44mc\nd\x1b[?1049lx\x1b[4;1H\ny"},
	{"DECALN", "\x1b[31m\x1b[2;4r\x1b#8x"},
	{"RIS", "abc\x1b[31m\x1b[2;4r\x1b[?6h\x1b[4h\x1b(0\x1b[3g\x1bcx\ty"},
	{"RIS in alternate", "abc\x1b[?1049hdef\x1bcx\x1b[?1049ly"},
	{"DECCOLM", "abc\x1b[3;3H\x1b[41m\x1b[?3hx"},
	{"OSC title", "\x1b]0;hello\aa\x1b]2;w\xc3\xa9\x1b\\b"},
	{"OSC cut", "a\x1b]0;he\x18b\x1b]0;xx\x1b[31mc"},
	{"OSC unterminated", "a\x1b]52;c;abc\rdef\x01ghi"},
	{"OSC with UTF-8", "a\x1b]0;日\x9c本\ab"},
	{"DCS", "a\x1bPqabc\x18\x1a\adef\x1b[31m\x1b\\b"},
	{"DCS params", "a\x1bP1;2$qm\x1b\\b\x1bP1:2qx\x1b\\c\x1bP?1qx\x1b\\d"},
	{"DCS entry cancelled", "a\x1bP1;2\x18b"},
	{"APC PM SOS", "a\x1b_t\x1b\\b\x1b^p\ax\x1b\\c\x1bXs\x1b\\d\x1bkname\x1b\\e"},
	{"ESC unknown", "a\x1b%Gb\x1b zc\x1b!!!!!xd\x1b~e"},
	{"ESC with control", "a\x1b\rDb\x1b(\n0c\x1b(Bq"},
	{"hostile params", "\x1b[99999Aa\x1b[99999Bb\x1b[99999Xc\x1b[99999Md\x1b[99999Le\x1b[99999Sf\x1b[99999Tg"},
	{"CUF far", "\x1b[2147483647Ca\x1b[2147483647;2147483647Hb"},
	{"narrow wide pair", "\x1b[1;20H日x"},
	{"DECSCUSR", "a\x1b[5 qb"},
	{"window title stack", "\x1b]2;a\a\x1b[22;0t\x1b]2;b\a\x1b[23;0tx"},
	{"XTMODKEYS", "a\x1b[>4;1mb\x1b[>4nc"},
	{"line wrapped flags cleared", strings.Repeat("x", 25) + "\x1b[2;1H\x1b[2K\bY"},
	{"line wrapped, unused one erased", strings.Repeat("x", 25) + "\x1b[2;3r\x1b[3;1H\n\x1b[2;1H\x1b[K\bY"},
	{"line wrapped, scrolled", "\x1b[6;1H" + strings.Repeat("x", 25) + "\r\b\bY"},
	{"line wrapped, IL", strings.Repeat("x", 25) + "\r\x1b[L\bY"},
	{"line wrapped, DL", strings.Repeat("x", 25) + "\r\x1b[M\bY"},
	{"line wrapped, ED", strings.Repeat("x", 25) + "\r\x1b[J\bY"},
	{"line wrapped, rewritten", strings.Repeat("x", 25) + "\x1b[1;1Hab\x1b[2;1H\bY"},
	{"line wrapped, cut", strings.Repeat("x", 25) + "\x1b[1;5H\x1b[K\x1b[2;1H\bY"},
}

// TestSequencesEqualTmux proves single behaviours against real tmux.
func TestSequencesEqualTmux(t *testing.T) {
	f := startFeeder(t, Size{Cols: 20, Rows: 6})
	for _, c := range sequences {
		f.compare(c.name, []byte(c.in))
	}
}

// clean brings both terminals to the same beginning, whatever came before.
const clean = "\x18\x1b\\\x1b[?1049l\x1bc\x1b7\x1b[?1049h\x1b[?1049l\x1bc\x1b]2;\a"

// compare shows in from a clean state in both and reports what differs.
func (f *feeder) compare(name string, in []byte) bool {
	f.t.Helper()
	term := New(f.size, connected())
	both := append([]byte(clean), in...)
	_, _ = term.Write(both)
	f.feed(both)
	ok := true
	f.seed(func(s Seed) { ok = equal(f, name, in, term, s) })
	return ok
}

func equal(f *feeder, name string, in []byte, term *Terminal, s Seed) bool {
	ref := shown(s)
	got, want := term.Snapshot(), ref.Snapshot()
	ok := true
	bad := func(format string, args ...any) {
		ok = false
		f.t.Errorf("%s: %q: %s\ngot\n%swant\n%s", name, in, fmt.Sprintf(format, args...), got, want)
	}
	if n, first := differences(term, ref); n > 0 {
		bad("%d cells, %s", n, first)
	}
	if got.Cursor.Col != s.Cursor.Col || got.Cursor.Row != s.Cursor.Row || got.Cursor.Visible != s.Cursor.Visible {
		bad("cursor %+v, want %+v", got.Cursor, s.Cursor)
	}
	m, n := got.Modes, s.Modes
	m.BracketedPaste, m.Focus = n.BracketedPaste, n.Focus
	if m != n {
		bad("modes %+v, want %+v", m, n)
	}
	if got.Title != s.Title {
		bad("title %q, want %q", got.Title, s.Title)
	}
	if got.Alternate != s.Alternate {
		bad("alternate screen %v, want %v", got.Alternate, s.Alternate)
	}
	return ok
}

// TestRandomSequencesEqualTmux proves that no mixture of control functions
// makes a difference.
func TestRandomSequencesEqualTmux(t *testing.T) {
	n := 150
	if e2e() {
		n = 5000
	}
	f := startFeeder(t, Size{Cols: 20, Rows: 6})
	for i := range n {
		r := rand.New(rand.NewPCG(1, uint64(i)))
		if !f.compare(fmt.Sprintf("seed %d", i), mixture(r, 5+r.IntN(30))) && !e2e() {
			return
		}
	}
}

// mixture makes n random pieces: text, control functions, wide characters.
func mixture(r *rand.Rand, n int) []byte {
	var b []byte
	num := func() int {
		switch r.IntN(6) {
		case 0:
			return 0
		case 1:
			return 1 + r.IntN(30)
		default:
			return 1 + r.IntN(7)
		}
	}
	pick := func(s ...string) string { return s[r.IntN(len(s))] }
	for range n {
		switch r.IntN(14) {
		case 0, 1:
			b = append(b, "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"[:1+r.IntN(44)]...)
		case 2:
			b = append(b, pick("日本", "é", "👨\u200d👩", "e\u0301", "x\u200d日", "한", "✓", "─", "🙂", "a\ufe0f", "\u0301")...)
		case 3:
			b = append(b, pick("\r", "\n", "\b", "\t", "\r\n", "\x0b", "\b\b")...)
		case 4, 5:
			b = fmt.Appendf(b, "\x1b[%d%s", num(), pick("A", "B", "C", "D", "E", "F", "G", "d", "Z"))
		case 6:
			b = fmt.Appendf(b, "\x1b[%d;%dH", 1+r.IntN(7), 1+r.IntN(21))
		case 7:
			b = fmt.Appendf(b, "\x1b[%d%s", r.IntN(3), pick("J", "K", "K"))
		case 8, 9:
			b = fmt.Appendf(b, "\x1b[%d%s", num(), pick("@", "P", "X", "L", "M", "S", "T", "b"))
		case 10:
			b = fmt.Appendf(b, "\x1b[%sm", pick("", "41", "1;32", "38;5;77;4", "48;2;9;8;7", "7", "49", "22;24"))
		case 11:
			b = append(b, pick("\x1bD", "\x1bE", "\x1bM", "\x1b7", "\x1b8", "\x1bH", "\x1b[g", "\x1b[s", "\x1b[u")...)
		case 12:
			b = fmt.Appendf(b, "\x1b[%d;%dr", 1+r.IntN(6), 1+r.IntN(6))
		case 13:
			b = append(b, pick("\x1b[4h", "\x1b[4l", "\x1b[?7l", "\x1b[?7h", "\x1b[?6h", "\x1b[?6l", "\x1b[?1049h",
				"\x1b[?1049l", "\x1b[?47h", "\x1b[?47l", "\x1b(0", "\x1b(B", "\x1b[?25l", "\x1b[?1000h", "\x1b[?1006h", "\x1b[?1h", "\x1b=")...)
		}
	}
	return b
}
