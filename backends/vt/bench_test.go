package vt

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

const benchSize = 4 << 20

var benchWords = strings.Fields("alpha beta gamma connection established from host upstream timeout while " +
	"reading response header GET /api/v1/items HTTP/1.1 200 error warn info debug kernel: eth0 link")

func benchLines(line func(b *bytes.Buffer, r *rand.Rand)) []byte {
	r := rand.New(rand.NewPCG(1, 1))
	var b bytes.Buffer
	for b.Len() < benchSize {
		line(&b, r)
	}
	return b.Bytes()
}

func asciiStream() []byte {
	return benchLines(func(b *bytes.Buffer, r *rand.Rand) {
		for range 3 + r.IntN(20) {
			b.WriteString(benchWords[r.IntN(len(benchWords))] + " ")
		}
		b.WriteString("\r\n")
	})
}

func sgrStream() []byte {
	return benchLines(func(b *bytes.Buffer, r *rand.Rand) {
		for range 3 + r.IntN(20) {
			w := benchWords[r.IntN(len(benchWords))]
			switch r.IntN(5) {
			case 0:
				fmt.Fprintf(b, "\x1b[%dm%s\x1b[0m ", 30+r.IntN(8), w)
			case 1:
				fmt.Fprintf(b, "\x1b[38;5;%dm%s\x1b[39m ", r.IntN(256), w)
			case 2:
				fmt.Fprintf(b, "\x1b[38;2;%d;%d;%dm%s\x1b[m ", r.IntN(256), r.IntN(256), r.IntN(256), w)
			case 3:
				fmt.Fprintf(b, "\x1b[1;4;48;5;%dm%s\x1b[0m ", r.IntN(256), w)
			default:
				fmt.Fprintf(b, "\x1b[3;7m%s\x1b[27;23m ", w)
			}
		}
		b.WriteString("\r\n")
	})
}

func utf8Stream() []byte {
	words := []string{"日本語", "テスト", "中文字符", "한국어", "🙂", "🚀", "éà", "naïve", "ß", "漢字かな", "✓", "─┼─", "Ω"}
	return benchLines(func(b *bytes.Buffer, r *rand.Rand) {
		for range 3 + r.IntN(22) {
			b.WriteString(words[r.IntN(len(words))] + " ")
		}
		b.WriteString("\r\n")
	})
}

// redrawStream is what a full-screen program sends: cursor, colour, a bit of text.
func redrawStream() []byte {
	return benchLines(func(b *bytes.Buffer, r *rand.Rand) {
		b.WriteString("\x1b[H")
		for y := 1; y <= 40; y++ {
			fmt.Fprintf(b, "\x1b[%d;1H\x1b[%dm", y, 30+r.IntN(8))
			for b2 := 0; b2 < 100; {
				w := benchWords[r.IntN(len(benchWords))]
				b2 += len(w) + 1
				b.WriteString(w + " ")
			}
			b.WriteString("\x1b[m\x1b[K")
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	for _, s := range []struct {
		name   string
		stream []byte
	}{{"ascii", asciiStream()}, {"sgr", sgrStream()}, {"redraw", redrawStream()}, {"utf8", utf8Stream()}} {
		b.Run(s.name, func(b *testing.B) {
			term := New(Size{120, 40}, Options{Scrollback: DefaultScrollback})
			b.SetBytes(int64(len(s.stream)))
			b.ReportAllocs()
			for b.Loop() {
				for p := s.stream; len(p) > 0; {
					n := min(len(p), 4096)
					_, _ = term.Write(p[:n])
					p = p[n:]
				}
			}
		})
	}
}

// BenchmarkSnapshot is one frame of a pane in which one row has changed.
func BenchmarkSnapshot(b *testing.B) {
	term := New(Size{120, 40}, Options{Scrollback: DefaultScrollback})
	_, _ = term.Write(asciiStream())
	b.ReportAllocs()
	for b.Loop() {
		_, _ = term.Write([]byte("\rx"))
		term.Snapshot()
	}
}
