package screen

import (
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"
)

// cell is one place of a frame. Cells that look the same are equal: what a cell
// shows and its style are numbers in the screen's tables, so frames are compared
// without looking at text.
type cell struct {
	glyph int32 // a rune, or -1-i for the cluster i of the table
	style int16 // of the table
	width int8  // 0 in the second cell of a wide character
}

// blank is an empty place in the terminal's own colours.
var blank = cell{' ', 0, 1}

// Most entries of a table. Text from elsewhere decides what they hold.
const (
	maxClusters = 1 << 16
	maxStyles   = 1 << 14
)

// tables number grapheme clusters of more than one rune, and styles. The style 0 is
// the default.
type tables struct {
	clusters   []string
	clusterNum map[string]int32
	styles     []tcell.Style
	styleNum   map[tcell.Style]int16

	recent    tcell.Style // the last style that was looked up, and its number
	recentNum int16
}

func newTables() tables {
	return tables{
		clusterNum: map[string]int32{},
		styles:     []tcell.Style{tcell.StyleDefault}, styleNum: map[tcell.Style]int16{tcell.StyleDefault: 0},
	}
}

// full reports whether a table has to be begun anew before the next frame.
func (t *tables) full() bool {
	return len(t.clusters) > maxClusters || len(t.styles) > maxStyles
}

func (t *tables) glyph(cluster string) int32 {
	if r, n := utf8.DecodeRuneInString(cluster); n == len(cluster) {
		return r
	}
	n, ok := t.clusterNum[cluster]
	if !ok {
		n = int32(-1 - len(t.clusters))
		t.clusters = append(t.clusters, cluster)
		t.clusterNum[cluster] = n
	}
	return n
}

func (t *tables) text(glyph int32) string {
	if glyph < 0 {
		return t.clusters[-1-glyph]
	}
	if glyph < utf8.RuneSelf {
		return ascii[glyph : glyph+1]
	}
	return string(glyph)
}

// ascii holds each ASCII character at its place.
var ascii = func() string {
	var b [utf8.RuneSelf]byte
	for i := range b {
		b[i] = byte(i)
	}
	return string(b[:])
}()

func (t *tables) style(style tcell.Style) int16 {
	if style == t.recent {
		return t.recentNum
	}
	n, ok := t.styleNum[style]
	if !ok {
		if len(t.styles) > maxStyles+maxStyles/2 { // in one frame: it is drawn plainly
			return 0
		}
		n = int16(len(t.styles))
		t.styles = append(t.styles, style)
		t.styleNum[style] = n
	}
	t.recent, t.recentNum = style, n
	return n
}
