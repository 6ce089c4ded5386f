package plain

import (
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/nod-console/nod/ui/screen"
)

// Whose a line is.
const (
	you   = "you"
	nod   = "nod"
	run   = "run"
	end   = "end"
	note  = "note"
	fault = "fault"
)

// printer adds lines.
type printer struct {
	mu     sync.Mutex
	to     io.Writer
	err    error   // of the first write that failed
	asking bool    // the last line is the prompt, and somebody may be writing in it
	whose  string  // of the piece of text that is under way
	begun  bool    // a line of it has been printed
	rest   string  // of it, until its line is complete
	later  []aside // what waits for the end of that text
	held   *held   // not nil while a question stands
}

// aside is a text that belongs to nothing that is under way.
type aside struct{ whose, text string }

// held is what comes while a question stands. It is printed behind the answer, so
// that the question stays the last thing that is seen.
type held struct {
	text strings.Builder
	left int // lines that were left out
}

// maxHeld bounds what is held, in bytes.
const maxHeld = 256 << 10

// hold keeps what comes until release.
func (p *printer) hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush()
	p.held = &held{}
}

func (p *printer) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	h := p.held
	p.held = nil
	if h.text.Len() > 0 {
		p.write(h.text.String())
	}
	if h.left > 0 {
		p.lines(note, fmt.Sprintf("%d lines more came meanwhile and are left out", h.left))
	}
}

// say adds a text of somebody's: its first line with the word, the others below.
func (p *printer) say(whose, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush()
	p.lines(whose, text)
}

// stream adds pieces of a text, line by line as they are complete.
func (p *printer) stream(whose, piece string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.whose != whose {
		p.flush()
		p.whose = whose
	}
	p.rest += piece
	if at := strings.LastIndexByte(p.rest, '\n'); at >= 0 {
		text := p.rest[:at]
		p.rest = p.rest[at+1:]
		p.more(text)
	}
}

// sayBetween adds a text that may come in the middle of another one: it stands between
// two lines of it, never in one.
func (p *printer) sayBetween(whose, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lines(whose, text)
	p.begun = false // the next line says again whose it is
}

// sayAfter adds a text that can wait for the end of one that is under way.
func (p *printer) sayAfter(whose, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.whose == "" {
		p.lines(whose, text)
		return
	}
	p.later = append(p.later, aside{whose, text})
}

// flush ends the text that is under way.
func (p *printer) flush() {
	if p.rest != "" {
		p.more(p.rest)
	}
	p.whose, p.rest, p.begun = "", "", false
	later := p.later
	p.later = nil
	for _, a := range later {
		p.lines(a.whose, a.text)
	}
}

// more adds lines to the text that is under way.
func (p *printer) more(text string) {
	whose := p.whose
	if p.begun {
		whose = ""
	}
	p.begun = true
	p.lines(whose, text)
}

// end is flush for what follows.
func (p *printer) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush()
}

// lines writes a text: its first line behind the word, if there is one, the
// others below.
func (p *printer) lines(whose, text string) {
	lead := "     "
	if whose != "" {
		lead = whose + ": "
	}
	var b strings.Builder
	for l := range strings.SplitSeq(strings.TrimRight(text, "\n"), "\n") {
		fmt.Fprintf(&b, "%s%s\n", lead, screen.Clean(strings.TrimRight(l, " \r")))
		lead = "     "
	}
	p.write(b.String())
}

// output adds what a program wrote.
func (p *printer) output(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush()
	var b strings.Builder
	all := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, l := range all {
		if left := len(all) - headLines - tailLines; left > 0 && i >= headLines && i < headLines+left {
			if i == headLines {
				fmt.Fprintf(&b, "  … %d lines left out\n", left)
			}
			continue
		}
		fmt.Fprintf(&b, "  | %s\n", screen.Clean(strings.TrimRight(l, " \r")))
	}
	p.write(b.String())
}

// Of long output, this many lines are printed.
const headLines, tailLines = 20, 60

// prompt asks for a line.
func (p *printer) prompt() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush()
	p.asking = false
	p.write(you + ": ")
	p.asking = true
}

// answered says that the line that was asked for is there, or that nobody asks
// for it any more.
func (p *printer) answered(complete bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asking = false
	if !complete {
		p.write("\n")
	}
}

// write writes lines. What somebody is writing stays above them, and he is asked
// anew.
func (p *printer) write(text string) {
	if h := p.held; h != nil {
		if h.left > 0 || h.text.Len()+len(text) > maxHeld {
			h.left += strings.Count(text, "\n")
		} else {
			h.text.WriteString(text)
		}
		return
	}
	if p.asking {
		text = "\n" + text + you + ": "
	}
	if _, err := io.WriteString(p.to, text); err != nil && p.err == nil {
		p.err = err
	}
}

func (p *printer) failed() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}
