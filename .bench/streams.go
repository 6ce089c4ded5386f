package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
)

// stream is what an emulator reads.
type stream struct {
	name  string
	bytes []byte
}

var (
	words   = strings.Fields("accepted backend cache deploy elapsed GET handler index journal kernel latency mount node 200 503 queue retry sync timeout unit volume worker /var/log/app.log 10.0.4.17")
	scripts = strings.Fields("システム 再起動 磁盘空间 已用 메모리 사용량 ディスク 🙂 🚀 ✓ naïve Größe façade ─┼─ │ Ω жёлтый")
)

// streams are size bytes each, the same in every run.
func streams(size int) []stream {
	return []stream{
		{"ascii", fill(size, plain)},
		{"SGR", fill(size, colours)},
		{"redraw", fill(size, redraw)},
		{"UTF-8", fill(size, manyScripts)},
	}
}

func fill(size int, more func(b *bytes.Buffer, r *rand.Rand)) []byte {
	r := rand.New(rand.NewPCG(7, 11))
	var b bytes.Buffer
	for b.Len() < size {
		more(&b, r)
	}
	b.WriteString("\x1b[m\x1b[2J\x1b[H" + last)
	return b.Bytes()
}

// last is what the first row shows in the end.
const last = "the end of the stream"

func pick(from []string, r *rand.Rand) string { return from[r.IntN(len(from))] }

// line writes between 4 and 24 words, which sometimes wrap.
func line(b *bytes.Buffer, r *rand.Rand, word func()) {
	for range 4 + r.IntN(21) {
		word()
		b.WriteByte(' ')
	}
	b.WriteString("\r\n")
}

func plain(b *bytes.Buffer, r *rand.Rand) {
	line(b, r, func() { b.WriteString(pick(words, r)) })
}

func manyScripts(b *bytes.Buffer, r *rand.Rand) {
	line(b, r, func() { b.WriteString(pick(scripts, r)) })
}

// colours is text in which every word has a rendition of its own.
func colours(b *bytes.Buffer, r *rand.Rand) {
	line(b, r, func() {
		w := pick(words, r)
		switch r.IntN(6) {
		case 0:
			fmt.Fprintf(b, "\x1b[%dm%s\x1b[0m", 31+r.IntN(7), w)
		case 1:
			fmt.Fprintf(b, "\x1b[1;%dm%s\x1b[m", 90+r.IntN(8), w)
		case 2:
			fmt.Fprintf(b, "\x1b[38;5;%dm%s\x1b[39m", r.IntN(256), w)
		case 3:
			fmt.Fprintf(b, "\x1b[38;2;%d;%d;%dm%s\x1b[0m", r.IntN(256), r.IntN(256), r.IntN(256), w)
		case 4:
			fmt.Fprintf(b, "\x1b[4;48;5;%dm%s\x1b[24;49m", r.IntN(256), w)
		default:
			fmt.Fprintf(b, "\x1b[7m%s\x1b[27m", w)
		}
	})
}

// redraw is one frame of a program like top.
func redraw(b *bytes.Buffer, r *rand.Rand) {
	b.WriteString("\x1b[?25l\x1b[H")
	for y := 1; y <= 40; y++ {
		fmt.Fprintf(b, "\x1b[%d;1H\x1b[%dm", y, 31+r.IntN(7))
		for at := b.Len(); b.Len()-at < 100; {
			b.WriteString(pick(words, r) + " ")
		}
		b.WriteString("\x1b[m\x1b[K")
	}
	b.WriteString("\x1b[?25h")
}

// fullLines is n lines of cols columns, a part of each in colour.
func fullLines(n, cols int) []byte {
	r := rand.New(rand.NewPCG(3, 5))
	var b bytes.Buffer
	for range n {
		var text strings.Builder
		for text.Len() < cols {
			text.WriteString(pick(words, r) + " ")
		}
		s := text.String()[:cols]
		fmt.Fprintf(&b, "\x1b[%dm%s\x1b[m%s\r\n", 31+r.IntN(7), s[:cols/4], s[cols/4:])
	}
	return b.Bytes()
}
