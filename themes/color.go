package themes

import (
	"fmt"
	"strconv"
	"strings"
)

// Color is a colour of a palette. The zero value is the terminal's default.
type Color struct {
	kind  kind
	value uint32
}

type kind uint8

const (
	defaultColor kind = iota
	indexed
	rgb
)

// Indexed is a colour of the terminal's own palette of 256; the first sixteen
// are the ANSI colours.
func Indexed(i uint8) Color { return Color{indexed, uint32(i)} }

// RGB is an exact colour.
func RGB(r, g, b uint8) Color {
	return Color{rgb, uint32(r)<<16 | uint32(g)<<8 | uint32(b)}
}

// Default reports whether the colour is the terminal's own default.
func (c Color) Default() bool { return c.kind == defaultColor }

// Index is the colour's place in the terminal's palette, if it has one.
func (c Color) Index() (i uint8, ok bool) { return uint8(c.value), c.kind == indexed }

// RGB is the exact colour as 0xrrggbb, if it is one.
func (c Color) RGB() (rrggbb uint32, ok bool) { return c.value, c.kind == rgb }

var ansi = []string{
	"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white",
	"bright-black", "bright-red", "bright-green", "bright-yellow",
	"bright-blue", "bright-magenta", "bright-cyan", "bright-white",
}

// parseColor reads one colour word.
func parseColor(word string) (Color, error) {
	if word == "default" {
		return Color{}, nil
	}
	if digits, ok := strings.CutPrefix(word, "#"); ok {
		n, err := strconv.ParseUint(digits, 16, 32)
		if err != nil || len(digits) != 6 {
			return Color{}, fmt.Errorf("malformed colour %q: want #rrggbb", word)
		}
		return Color{rgb, uint32(n)}, nil
	}
	if word != "" && word[0] >= '0' && word[0] <= '9' {
		n, err := strconv.ParseUint(word, 10, 8)
		if err != nil {
			return Color{}, fmt.Errorf("malformed colour %q: want an index from 0 to 255", word)
		}
		return Indexed(uint8(n)), nil
	}
	for i, name := range ansi {
		if word == name {
			return Indexed(uint8(i)), nil
		}
	}
	return Color{}, fmt.Errorf("unknown word %q: did you mean %q?", word, nearest(word, words()))
}

// words are all words that a style may consist of.
func words() []string {
	return append([]string{"default", "on", "bold", "dim", "italic", "underline", "reverse"}, ansi...)
}
