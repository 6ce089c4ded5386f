package main

import (
	"io"
	"strings"

	xvt "github.com/charmbracelet/x/vt"
	headless "github.com/danielgatis/go-headless-term"
	"github.com/hinshun/vt10x"
	"github.com/vito/midterm"

	"github.com/nod-console/nod/backends/vt"
)

const (
	cols       = 120
	rows       = 40
	scrollback = 10_000
)

// emulator is one of those that are compared.
type emulator struct {
	name  string
	keeps bool // it has a scrollback
	open  func() terminal
}

// terminal is an emulator at work.
type terminal struct {
	io.Writer
	firstRow func() string
}

// emulators are nod's own, which is the first, and its peers.
var emulators = []emulator{
	{"nod backends/vt", true, func() terminal {
		t := vt.New(vt.Size{Cols: cols, Rows: rows}, vt.Options{Scrollback: scrollback})
		return terminal{t, func() string { return t.Snapshot().RowText(0) }}
	}},
	{"charmbracelet/x/vt", true, func() terminal {
		t := xvt.NewEmulator(cols, rows)
		t.SetScrollbackSize(scrollback)
		return terminal{t, func() string {
			var b strings.Builder
			for x := range cols {
				if c := t.CellAt(x, 0); c != nil {
					b.WriteString(c.Content)
				}
			}
			return b.String()
		}}
	}},
	{"hinshun/vt10x", false, func() terminal {
		t := vt10x.New(vt10x.WithSize(cols, rows))
		return terminal{t, func() string { return before(t.String()) }}
	}},
	{"vito/midterm", false, func() terminal {
		t := midterm.NewTerminal(rows, cols)
		return terminal{t, func() string { return string(t.Content[0]) }}
	}},
	{"danielgatis/go-headless-term", true, func() terminal {
		t := headless.New(headless.WithSize(rows, cols), headless.WithScrollback(headless.NewMemoryScrollback(scrollback)))
		return terminal{t, func() string { return before(t.String()) }}
	}},
}

func before(text string) string {
	first, _, _ := strings.Cut(text, "\n")
	return first
}
