package input

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
	"pgregory.net/rapid"
)

// said is an event in words.
func said(ev tcell.Event) string {
	switch ev := ev.(type) {
	case *tcell.EventKey:
		mod := ""
		for _, m := range []struct {
			mask tcell.ModMask
			word string
		}{{tcell.ModShift, "Shift-"}, {tcell.ModAlt, "Alt-"}, {tcell.ModCtrl, "Ctrl-"}, {tcell.ModMeta, "Meta-"}} {
			if ev.Modifiers()&m.mask != 0 {
				mod += m.word
			}
		}
		if ev.Key() == tcell.KeyRune {
			return mod + string(ev.Rune())
		}
		if name, ok := tcell.KeyNames[ev.Key()]; ok {
			if strings.HasPrefix(name, "Ctrl-") {
				mod = strings.TrimSuffix(mod, "Ctrl-")
			}
			return mod + name
		}
		return fmt.Sprintf("%skey %d", mod, ev.Key())
	case *tcell.EventPaste:
		return map[bool]string{true: "<paste", false: "paste>"}[ev.Start()]
	case *tcell.EventFocus:
		return map[bool]string{true: "focus", false: "blur"}[ev.Focused]
	case *tcell.EventMouse:
		x, y := ev.Position()
		return fmt.Sprintf("mouse %d,%d %d %d", x, y, ev.Buttons(), ev.Modifiers())
	}
	return fmt.Sprintf("%T", ev)
}

func all(events []tcell.Event) string {
	words := make([]string, len(events))
	for i, ev := range events {
		words[i] = said(ev)
	}
	return strings.Join(words, " ")
}

func TestWhatATerminalSends(t *testing.T) {
	for _, c := range []struct{ bytes, want string }{
		{"aä漢🙂", "a ä 漢 🙂"},
		{"\r\n\t\x7f\b\x00\x03\x1d", "Enter Ctrl-J Tab Backspace Backspace Ctrl-Space Ctrl-C Ctrl-]"},
		// bytes that are not UTF-8
		{"caf\xe9 ok", "c a f \ufffd   o k"},
		{"\xff\x80\xc3(\xe2(\xa1\xc0\x80\xed\xa0\x80x", "\ufffd \ufffd \ufffd ( \ufffd ( \ufffd \ufffd \ufffd \ufffd \ufffd \ufffd x"},
		{"\xc3\x1b[A\xf0\x9f\r", "\ufffd Up \ufffd \ufffd Enter"},
		{"\x1b[1\xe9x\x1bO\xffx", "\ufffd x \ufffd x"},
		// keys with sequences
		{"\x1b[A\x1bOB\x1b[1;5C\x1b[H\x1b[4~\x1b[5;3~\x1b[Z", "Up Down Ctrl-Right Home End Alt-PgUp Backtab"},
		{"\x1bOP\x1b[[B\x1b[13~\x1b[1;2S\x1b[24~\x1b[34~\x1bOM\x1bOj", "F1 F2 F3 Shift-F4 F12 F20 Enter *"},
		{"\x1b[7^\x1b[3@\x1b[a\x1bOc\x1b\x1b[A", "Ctrl-Home Shift-Ctrl-Delete Shift-Up Ctrl-Right Alt-Up"},
		// Alt
		{"\x1bx\x1b\r\x1b\n\x1b\x7f\x1bä\x1b\x01\x1b\t", "Alt-x Alt-Enter Alt-Enter Alt-Backspace Alt-ä Alt-Ctrl-a Backtab"},
		// the kitty protocol, xterm's modifyOtherKeys, win32-input-mode
		{"\x1b[13;2u\x1b[13;3u\x1b[27u\x1b[99;5u\x1b[93;5u\x1b[9;2u\x1b[127;3u", "Shift-Enter Alt-Enter Esc Ctrl-C Ctrl-] Backtab Alt-Backspace"},
		{"\x1b[97:65;2u\x1b[97;1:1u\x1b[97;1:3u\x1b[57399u\x1b[57414u\x1b[57441u\x1b[97;65u", "A a 0 Enter a"},
		{"\x1b[27;2;13~\x1b[27;5;99~\x1b[27;5;9~\x1b[27;3;228~", "Shift-Enter Ctrl-C Ctrl-Tab Alt-ä"},
		{"\x1b[13;28;13;1;16;1_\x1b[65;30;97;1;0;1_\x1b[65;30;97;0;0;1_\x1b[0;0;27;1;0;1_\x1b[0;0;91;1;0;1_\x1b[0;0;65;1;0;1_", "Shift-Enter a Up"},
		{"\x1b[0;0;55357;1;0;1_\x1b[0;0;56832;1;0;1_\x1b[67;0;3;1;8;1_\x1b[69;0;8364;1;10;2_", "😀 Ctrl-C € €"},
		// the mouse and the window
		{"\x1b[<0;3;4M\x1b[<32;99;99M\x1b[<0;3;4m\x1b[<65;1;1M\x1b[<16;1;1M", "mouse 2,3 1 0 mouse 9,4 1 0 mouse 2,3 0 0 mouse 0,0 512 0 mouse 0,0 1 2"},
		{"\x1b[I\x1b[O", "focus blur"},
		{"\x1b[200~a\rb\x1b[201~", "<paste a Enter b paste>"},
		// answers to questions of others, what nobody knows, what was broken off
		{"\x1b[?1;2c\x1b[>0;10;1c\x1b[?2026;2$y\x1b[24;80R\x1b[99~\x1b[1 q\x1b\\x", "x"},
		{"\x1b[12\rx\x1b[12\x1b[Ax\x1b[5\x7fx", "Enter x Up x Backspace x"},
		{"\x1b[" + strings.Repeat("1;", 500) + "mx", "x"},
		{"\x1b[99999999999999999999u\x1b[55296u\x1b[0ux", "x"},
	} {
		d := &Decoder{}
		d.Size(10, 5)
		if got := all(d.Decode([]byte(c.bytes))); got != c.want || d.Pending() {
			t.Errorf("%q: %s, want %s (pending: %v)", c.bytes, got, c.want, d.Pending())
		}
	}
}

// What has begun is held until it ends, and given up when it does not.
func TestWhatHasBegun(t *testing.T) {
	for _, c := range []struct{ begun, rest, want, given string }{
		{"\xe6\xbc", "\xa2", "漢", "\ufffd \ufffd"},
		{"\xf0", "\x9f\x99\x82", "🙂", "\ufffd"},
		{"\x1b", "[A", "Up", "Esc"},
		{"\x1b[1;", "5A", "Ctrl-Up", ""},
		{"\x1bO", "P", "F1", ""},
		{"\x1b[[", "A", "F1", ""},
	} {
		d := &Decoder{}
		if got := all(d.Decode([]byte(c.begun))); got != "" || !d.Pending() {
			t.Errorf("%q: %s (pending: %v)", c.begun, got, d.Pending())
		}
		if got := all(d.Decode([]byte(c.rest))); got != c.want || d.Pending() {
			t.Errorf("%q %q: %s, want %s", c.begun, c.rest, got, c.want)
		}
		d.Decode([]byte(c.begun))
		if got := all(d.GiveUp()); got != c.given || d.Pending() {
			t.Errorf("%q given up: %s, want %s", c.begun, got, c.given)
		}
		if got := all(d.Decode([]byte("x"))); got != "x" {
			t.Errorf("%q given up, then x: %s", c.begun, got)
		}
	}
}

// However bytes are cut, the same events come of them.
func TestCutBytesAreTheSameEvents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		bytes := pieces(t)
		whole, cut := &Decoder{}, &Decoder{}
		want := append(whole.Decode(bytes), whole.GiveUp()...)
		var got []tcell.Event
		for len(bytes) > 0 {
			n := rapid.IntRange(1, len(bytes)).Draw(t, "cut")
			got = append(got, cut.Decode(bytes[:n])...)
			bytes = bytes[n:]
		}
		got = append(got, cut.GiveUp()...)
		if all(got) != all(want) {
			t.Errorf("%s, in one %s", all(got), all(want))
		}
	})
}

func pieces(t *rapid.T) []byte {
	var bytes []byte
	for range rapid.IntRange(0, 12).Draw(t, "pieces") {
		bytes = append(bytes, rapid.OneOf(
			rapid.SampledFrom([]string{"\x1b", "\x1b[", "\x1bO", "\x1b[200~", "\x1b[201~", "\x1b[<0;1;1M", "\x1b[13;2u", "\xe9", "漢", "\r", "x", ";", "1", "\x1b[0;0;27;1;0;1_"}),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 1, 4), func(b []byte) string { return string(b) }),
		).Draw(t, "piece")...)
	}
	return bytes
}

// No text is lost: each character of a valid text that has no control characters is
// a key, wherever the text is cut.
func TestNoCharacterIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.Rune()).Filter(func(s string) bool {
			return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f })
		}).Draw(t, "text")
		at := rapid.IntRange(0, len(text)).Draw(t, "cut")
		d := &Decoder{}
		var got strings.Builder
		for _, ev := range append(d.Decode([]byte(text[:at])), d.Decode([]byte(text[at:]))...) {
			got.WriteRune(ev.(*tcell.EventKey).Rune())
		}
		if got.String() != text {
			t.Errorf("%q of %q", got.String(), text)
		}
	})
}

// Whatever comes, one control character or GiveUp brings the decoder back, and what
// it keeps is bounded.
func FuzzDecoder(f *testing.F) {
	for _, seed := range []string{"\xe9", "\x1b[200~a\xe9b\x1b[201~", "\x1b[0;0;27;1;0;1_\x1b[0;0;91;1;0;1_", "\x1b[1;2", "\x1b[<0;1;1M", "\xf0\x9f"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		d := &Decoder{}
		d.Size(80, 24)
		for _, ev := range d.Decode(bytes) {
			if key, ok := ev.(*tcell.EventKey); ok && key.Key() == tcell.KeyRune && !utf8.ValidRune(key.Rune()) {
				t.Fatalf("%q: a key with %#x", bytes, key.Rune())
			}
		}
		if len(d.sequence) > maxSequence || len(d.char) >= utf8.UTFMax {
			t.Fatalf("%q: %d bytes of a sequence and %d of a character are kept", bytes, len(d.sequence), len(d.char))
		}
		d.GiveUp()
		if got := all(d.Decode([]byte("x\r"))); got != "x Enter" {
			t.Fatalf("behind %q: %s", bytes, got)
		}
	})
}
