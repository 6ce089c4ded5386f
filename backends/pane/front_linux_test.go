package pane

import (
	"context"
	"os"
	"strings"
	"testing"
)

// A process that is ending has no memory, and what it was cannot be told from that.
func TestAnEndingProcessIsNoOtherProgram(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, stat, _ := strings.Cut(string(text), ") ")
	if p := programOf(stat); p == "" || p == hasEnded {
		t.Fatalf("this process is %q", p)
	}
	fields := strings.Fields(stat)
	for _, n := range []int{23, 26, 27, 28, 29, 30, 45, 46, 47, 48, 49, 50, 51} { // proc(5)
		fields[n-3] = "0"
	}
	if p := programOf(strings.Join(fields, " ")); p != "" {
		t.Errorf("one that is ending is %q", p)
	}
	if p := programOf("Z " + strings.Join(fields[1:], " ")); p != hasEnded {
		t.Errorf("one that has ended is %q", p)
	}
}

// kernel is a terminal of which only the kernel is asked.
type kernel struct {
	wire
	says front
}

func (k kernel) front(context.Context, int, int) (front, error) { return k.says, nil }
func (k kernel) look(then func(sight, error))                   { then(sight{}, nil) }

// The end of the pane's own shell is told by the terminal: to the kernel's word that it
// has ended, nothing is concluded, and least of all that exec has replaced it.
func TestAShellThatHasEndedWasNotReplaced(t *testing.T) {
	t.Parallel()
	for said, replaced := range map[program]bool{hasEnded: false, "": false, "1.2": false, "1.3": true} {
		p := &Pane{level: newLevel(""), change: make(chan struct{}), wire: kernel{says: front{home: said}}}
		p.phase, p.home, p.exec = executing, 7, "1.2"
		if err := p.lookAround(t.Context(), sight{pid: 7}); err != nil {
			t.Fatal(err)
		}
		if got := p.generation > 0; got != replaced {
			t.Errorf("%q: replaced %t, want %t", said, got, replaced)
		}
	}
}
