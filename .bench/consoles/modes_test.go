package main

import (
	"slices"
	"testing"
)

func TestLeftNamesWhatIsStillOn(t *testing.T) {
	for stream, want := range map[string][]string{
		"": nil,
		"\x1b[?1049h\x1b[?25l\x1b[>4;2m\x1b[>1u\x1b=text\x1b[<u\x1b[>4m\x1b>\x1b[?25h\x1b[?1049l": nil,
		"\x1b[?1000;1006h\x1b[?1000l":                     {"?1006"},
		"\x1b[?25l\x1b[>4;2m\x1b[>1u\x1b[>1u\x1b[<u\x1b=": {"?25", "keypad", "kitty keys", "modifyOtherKeys"},
	} {
		if got := left([]byte(stream)); !slices.Equal(got, want) {
			t.Errorf("%q leaves %q on, want %q", stream, got, want)
		}
	}
}
