package chat

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"github.com/nod-console/nod/ui/keys"
)

// vied types keys into an input as the console does: vi's first. ⎋ is Esc, ⏎ a new line,
// ® is Ctrl-R.
func vied(in *Input, script string) {
	for _, r := range script {
		switch name := string(r); {
		case r == '⎋':
			in.ViKey("Esc")
		case r == '®':
			in.ViKey("Ctrl-R")
		case in.ViKey(name):
		case r == '⏎':
			in.Do(keys.Newline)
		default:
			in.Key(tcell.NewEventKey(tcell.KeyRune, r, tcell.ModNone))
		}
	}
}

// at is what is written, with a mark at the cursor.
func at(in *Input) string {
	lines := append([]string(nil), in.lines...)
	lines[in.row] = lines[in.row][:in.offset] + "|" + lines[in.row][in.offset:]
	return strings.Join(lines, "\n")
}

// TestVi is what the keys of vi do with "one two_3 (x)" and a second line.
func TestVi(t *testing.T) {
	for script, want := range map[string]string{
		"":          "one two_3 (x)\nab cd|",
		"⎋":         "one two_3 (x)\nab c|d",
		"⎋0w":       "one two_3 (x)\nab |cd",
		"⎋gg":       "|one two_3 (x)\nab cd",
		"⎋ggw":      "one |two_3 (x)\nab cd",
		"⎋gg3w":     "one two_3 (|x)\nab cd",
		"⎋gge":      "on|e two_3 (x)\nab cd",
		"⎋gg2e":     "one two_|3 (x)\nab cd",
		"⎋gg$":      "one two_3 (x|)\nab cd",
		"⎋gg$b":     "one two_3 (|x)\nab cd",
		"⎋gg$bbb":   "one |two_3 (x)\nab cd",
		"⎋kj":       "one two_3 (x)\nab c|d",
		"⎋0iX⎋":     "one two_3 (x)\n|Xab cd",
		"⎋0aX⎋":     "one two_3 (x)\na|Xb cd",
		"⎋hhIX⎋":    "one two_3 (x)\n|Xab cd",
		"⎋0AX⎋":     "one two_3 (x)\nab cd|X",
		"⎋ggoX⎋":    "one two_3 (x)\n|X\nab cd",
		"⎋OX⎋":      "one two_3 (x)\n|X\nab cd",
		"⎋x":        "one two_3 (x)\nab |c",
		"⎋02x":      "one two_3 (x)\n| cd",
		"⎋ggdw":     "|two_3 (x)\nab cd",
		"⎋ggd2w":    "|(x)\nab cd",
		"⎋gg2dw":    "|(x)\nab cd",
		"⎋ggcwX⎋":   "|X two_3 (x)\nab cd",
		"⎋ggde":     "| two_3 (x)\nab cd",
		"⎋ggwd$":    "one| \nab cd",
		"⎋ggwD":     "one| \nab cd",
		"⎋ggwCX⎋":   "one |X\nab cd",
		"⎋ggdd":     "|ab cd",
		"⎋dd":       "|one two_3 (x)",
		"⎋gg2dd":    "|",
		"⎋ccX⎋":     "one two_3 (x)\n|X",
		"⎋ggddp":    "ab cd\n|one two_3 (x)",
		"⎋ggddP":    "|one two_3 (x)\nab cd",
		"⎋ggyyP":    "|one two_3 (x)\none two_3 (x)\nab cd",
		"⎋0ywP":     "one two_3 (x)\nab| ab cd",
		"⎋0xp":      "one two_3 (x)\nb|a cd",
		"⎋0rX":      "one two_3 (x)\n|Xb cd",
		"⎋02rX":     "one two_3 (x)\nX|X cd",
		"⎋09rX":     "one two_3 (x)\n|ab cd",
		"⎋0~":       "one two_3 (x)\nA|b cd",
		"⎋03~":      "one two_3 (x)\nAB |cd",
		"⎋ggdwu":    "|one two_3 (x)\nab cd",
		"⎋ggdwdwuu": "|one two_3 (x)\nab cd",
		"⎋ggdw.":    "|(x)\nab cd",
		"⎋0iXY⎋w.":  "one two_3 (x)\nXYab X|Ycd",
		"⎋ggcwN⎋w.": "N |N (x)\nab cd",
		"⎋0d⎋x":     "one two_3 (x)\n|b cd",
		"⎋0dqx":     "one two_3 (x)\n|b cd",
		"⎋0cwX⏎Y⎋":  "one two_3 (x)\nX\n|Y cd",
		"⎋0dbx":     "one two_3 (x|b cd",
		"⎋o\t⎋":     "one two_3 (x)\nab cd\n|",
		"⎋03ldh":    "one two_3 (x)\nab|cd",
		"⎋0~⎋.":     "one two_3 (x)\nAB| cd",
		"⎋ggwsX⎋":   "one |Xwo_3 (x)\nab cd",
		"⎋0X$X":     "one two_3 (x)\nab |d",
		"⎋ggSX⎋":    "|X\nab cd",
		"⎋gg^Gx":    "one two_3 (x)\n|b cd",
		"⎋0yypddu":  "one two_3 (x)\nab cd\n|ab cd",
		"⎋qzQ:":     "one two_3 (x)\nab c|d",
		"⎋5ggx":     "|ne two_3 (x)\nab cd",
		"⎋ggdG":     "|ab cd",
		"⎋ggywjP":   "one two_3 (x)\none| ab cd",

		// words that end at a blank only
		"⎋gg2W":     "one two_3 |(x)\nab cd",
		"⎋gg3W":     "one two_3 (x)\n|ab cd",
		"⎋gg$B":     "one two_3 |(x)\nab cd",
		"⎋gg3E":     "one two_3 (x|)\nab cd",
		"⎋gg2WdW":   "one two_3| \nab cd",
		"⎋gg2WcWX⎋": "one two_3 |X\nab cd",
		"⎋gg$dB":    "one two_3 |)\nab cd",
		"⎋ggdE":     "| two_3 (x)\nab cd",

		// characters of the line
		"⎋ggfo":     "one tw|o_3 (x)\nab cd",
		"⎋gg2fo":    "|one two_3 (x)\nab cd",
		"⎋ggto":     "one t|wo_3 (x)\nab cd",
		"⎋gg$Fo":    "one tw|o_3 (x)\nab cd",
		"⎋gg$2Fo":   "|one two_3 (x)\nab cd",
		"⎋gg$To":    "one two|_3 (x)\nab cd",
		"⎋ggfcx":    "|ne two_3 (x)\nab cd",
		"⎋gg$Fo;":   "|one two_3 (x)\nab cd",
		"⎋gg$Fo;,":  "one tw|o_3 (x)\nab cd",
		"⎋gg$To;":   "o|ne two_3 (x)\nab cd",
		"⎋gg$To;,":  "one t|wo_3 (x)\nab cd",
		"⎋ggt t ":   "on|e two_3 (x)\nab cd",
		"⎋ggt ;":    "one two_|3 (x)\nab cd",
		"⎋ggdfo":    "|_3 (x)\nab cd",
		"⎋ggdto":    "|o_3 (x)\nab cd",
		"⎋ggd2t ":   "| (x)\nab cd",
		"⎋gg$dFo":   "one tw|)\nab cd",
		"⎋gg$dTo":   "one two|)\nab cd",
		"⎋ggdfq":    "|one two_3 (x)\nab cd",
		"⎋ggdf .":   "|(x)\nab cd",
		"⎋ggct X⎋":  "|X two_3 (x)\nab cd",
		"⎋gg;,d;x":  "|ne two_3 (x)\nab cd",
		"⎋ggf_f3;":  "one two_|3 (x)\nab cd",
		"⎋ggf⎋x":    "|ne two_3 (x)\nab cd",
		"⎋ggfod;":   "one tw|o_3 (x)\nab cd",
		"⎋gg0yf $p": "one two_3 (x)one| \nab cd",

		// what was taken back comes again, until something else is changed
		"⎋ggdwu®":     "|two_3 (x)\nab cd",
		"⎋ggdwdwuu®":  "|two_3 (x)\nab cd",
		"⎋ggdwdwuu2®": "|(x)\nab cd",
		"⎋ggdwuxu®®":  "|ne two_3 (x)\nab cd",
		"⎋ggdwux®":    "|ne two_3 (x)\nab cd",
		"⎋ggdwu®u":    "|one two_3 (x)\nab cd",
		"⎋®x":         "one two_3 (x)\nab |c",
		"⎋0iXY⎋u®":    "one two_3 (x)\nX|Yab cd",
	} {
		in := NewInput(styles(t), nil)
		in.Height(80, 5)
		in.UseVi()
		vied(in, "one two_3 (x)⏎ab cd"+script)
		if got := at(in); got != want {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}

// The input begins in insert mode, and does so again for the next prompt.
func TestViBeginsInInsertMode(t *testing.T) {
	in := NewInput(styles(t), nil)
	if in.ViMode() != "" || in.ViKey("Esc") {
		t.Error("vi's keys without vi")
	}
	in.UseVi()
	vied(in, "uptime⎋")
	if in.ViMode() != "normal" || in.ViKey("Enter") || in.ViKey("Ctrl-C") {
		t.Error("keys that are the console's are taken by vi")
	}
	if in.Take(); in.ViMode() != "insert" {
		t.Error("the next prompt begins in " + in.ViMode() + " mode")
	}
}

// What was deleted comes back elsewhere, and changes are taken back one by one; letters
// typed one after the other are one.
func TestDeletedTextComesBackAndChangesAreTakenBack(t *testing.T) {
	in := NewInput(styles(t), nil)
	do := func(ids ...keys.ID) {
		for _, id := range ids {
			in.Do(id)
		}
	}
	vied(in, "one two three")
	do(keys.WordLeft, keys.WordLeft, keys.DeleteWordAfter, keys.LineStart, keys.Yank)
	if got := at(in); got != "two|one  three" {
		t.Error(got)
	}
	do(keys.UndoEdit, keys.UndoEdit)
	if got := at(in); got != "one |two three" {
		t.Error(got)
	}
	if do(keys.UndoEdit); at(in) != "|" || in.Do(keys.UndoEdit) {
		t.Errorf("%q", at(in))
	}
}

// FuzzVi: whatever is typed, the cursor stands on a character of a line that is there.
func FuzzVi(f *testing.F) {
	f.Add("⎋ggd2wi日本⎋.3xuP~")
	f.Add("⎋ddpkcc⏎⎋yyP9p")
	f.Add("日本 語x⎋F語;,dT本Wu®BcEf⎋tx;")
	f.Fuzz(func(t *testing.T, script string) {
		if len(script) > 200 {
			return
		}
		in := NewInput(styles(t), []string{"earlier"})
		in.Height(10, 5)
		in.UseVi()
		for _, r := range script {
			vied(in, string(r))
			if len(in.Text()) > 1<<20 {
				return
			}
			if in.row < 0 || in.row >= len(in.lines) || in.offset < 0 || in.offset > len(in.line()) || !utf8.ValidString(in.line()[:in.offset]) && utf8.ValidString(in.line()) {
				t.Fatalf("%q: row %d of %d, offset %d", script, in.row, len(in.lines), in.offset)
			}
		}
	})
}
