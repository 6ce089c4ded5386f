package pane_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends/pane"
)

// pair is a pane of tmux's and one without, each with the same shell.
func pair(t *testing.T, shell string) [2]*pane.Pane {
	t.Helper()
	var both [2]*pane.Pane
	for i := range both {
		r := newRig(t, shell)
		r.opt.WithoutTmux = i == 1
		p, err := r.open(t).Shared(t.Context())
		must(t, err)
		both[i] = p
	}
	return both
}

func keyNames() []string {
	names := strings.Fields(`Enter Escape Tab BTab Space BSpace IC DC Insert Delete Home End NPage PageDown PgDn
		PPage PageUp PgUp Up Down Left Right F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12 F13
		KP/ KP* KP- KP7 KP8 KP9 KP+ KP4 KP5 KP6 KP1 KP2 KP3 KPEnter KP0 KP. up kpenter f1
		é 日 🙂 hello 0x3 0x41 0xe9 ^a ^A ^[ ^Up`)
	for c := byte(0x20); c < 0x7f; c++ {
		names = append(names, string(rune(c)))
	}
	all := names
	for _, mod := range []string{"C-", "M-", "S-", "C-M-", "C-S-", "M-S-", "C-M-S-", "c-", "m-", "M-C-"} {
		for _, name := range names {
			all = append(all, mod+name)
		}
	}
	return all
}

// TestKeysAreTmuxs holds what a program gets for each key against what it gets
// from tmux.
func TestKeysAreTmuxs(t *testing.T) {
	t.Parallel()
	names := keyNames()
	const between = "\x00\x00~"
	for mode, sequence := range map[string]string{
		"no mode": "", "cursor keys": `\033[?1h`, "keypad": `\033=`, "both and paste": `\033[?1h\033=\033[?2004h`,
	} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			var got [2][][]byte
			for i, p := range pair(t, "dash") {
				file := filepath.Join(t.TempDir(), "keys")
				r := start(t, p, pane.Request{Command: fmt.Sprintf(`printf '%s'; stty raw -echo; printf up; exec cat >%s`, sequence, file)})
				eventually(t, p, "the reader", func() bool { return strings.Contains(r.Result().Text, "up") })
				for _, name := range names {
					must(t, p.Keys(t.Context(), []string{name}))
					must(t, p.Type(t.Context(), []byte(between)))
				}
				eventually(t, p, "the last key", func() bool {
					typed, err := os.ReadFile(file)
					got[i] = bytes.Split(typed, []byte(between))
					return err == nil && len(got[i]) > len(names)
				})
			}
			for i, name := range names {
				if want, ours := got[0][i], got[1][i]; !bytes.Equal(want, ours) {
					t.Errorf("%s: %q, want %q", name, ours, want)
				}
			}
		})
	}
}

// captures are all ways to capture some lines.
func captures(start, end string) []pane.CaptureOptions {
	var all []pane.CaptureOptions
	for bits := range 32 {
		all = append(all, pane.CaptureOptions{
			Start: start, End: end,
			JoinWrapped: bits&1 != 0, TrailingSpaces: bits&2 != 0, Escapes: bits&4 != 0,
			EscapeNonPrintable: bits&8 != 0, Alternate: bits&16 != 0,
		})
	}
	return all
}

// blankless is text without the blanks at the end of lines.
func blankless(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return strings.Join(lines, "\n")
}

// TestCapturesAreTmuxs holds captures against tmux's of the same stream.
func TestCapturesAreTmuxs(t *testing.T) {
	t.Parallel()
	streams := map[string]string{
		"lines":   strings.Repeat("a line\n", 50),
		"wrapped": strings.Repeat("0123456789", 25) + "\nx\n" + strings.Repeat("日本", 60) + "\n" + strings.Repeat("y", 80) + "\nz\n",
		"blanks":  "a   \n   b\n\n\n" + strings.Repeat(" ", 30) + "\nlast  ",
		"colours": "\x1b[1mbold\x1b[0;31mred\x1b[42mgreen\x1b[39mdefault\x1b[0m plain\n\x1b[38;5;200mindexed\x1b[48;2;1;2;3mrgb\x1b[m\n" +
			"\x1b[4mu\x1b[4:2mdouble\x1b[4:3mcurly\x1b[58;5;3mcoloured\x1b[59mnot\x1b[24m\x1b[3mitalic\x1b[7mreverse\x1b[27;9mstrike\x1b[0m\n" +
			"\x1b[91;103mbright\x1b[1;2;5;8mall\x1b[22mless\nnext line\x1b[m\n\x1b[53mover\x1b[55mnot\n",
		"backslashes": `a\b\\c\033[1m` + "\n",
		"tabs":        "a\tb\tc\nlonger\tx\n",
		"erased":      "0123456789\x1b[5D\x1b[K\nabc\x1b[2Kdef\n\x1b[41m\x1b[K\x1b[m\nq\x1b[10Cz\n",
		"graphemes":   "e\u0301 👩\u200d💻 ❤\ufe0f x\n",
		"clear":       "before\n\x1b[2J\x1b[Hafter\n",
		"other":       "\x1b[?1049h\x1b[Hthe other\nscreen \x1b[1mbold\n",
	}
	for name, stream := range streams {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both := pair(t, "dash")
			file := filepath.Join(t.TempDir(), "stream")
			must(t, os.WriteFile(file, []byte(stream), 0o600))
			for _, p := range both {
				p := p
				r := start(t, p, pane.Request{Command: `printf '\033[H\033[2J\033[3Jmain\n'; cat ` + file + `; printf '\033]0;end\007'; read x`})
				eventually(t, p, "the stream", func() bool { return p.Screen().Title == "end" })
				defer func() {
					must(t, p.Type(t.Context(), []byte("\n")))
					finish(t, p, r)
				}()
			}
			for _, lines := range [][2]string{{"", ""}, {"-", "-"}, {"-5", ""}, {"-", "3"}, {"3", "1"}, {"-9999", "9999"}, {"99999", ""}, {"", "-"}} {
				for i, opt := range captures(lines[0], lines[1]) {
					if lines[0] != lines[1] && i%5 != 0 {
						continue // each option, but not all together
					}
					want, err := both[0].Capture(t.Context(), opt)
					must(t, err)
					got, err := both[1].Capture(t.Context(), opt)
					must(t, err)
					if name == "erased" { // tmux knows of more blanks at the end
						got.Text, want.Text = blankless(got.Text), blankless(want.Text)
					}
					if got.Text != want.Text || len(got.Notices) != len(want.Notices) {
						t.Errorf("%+v:\n%q %q, want\n%q %q", opt, got.Text, got.Notices, want.Text, want.Notices)
					}
				}
			}
		})
	}
}
