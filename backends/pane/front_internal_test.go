package pane

import (
	"os"
	"strings"
	"testing"
)

// A process that is ending has no memory, and what it was cannot be told from that.
func TestAnEndingProcessIsNoOtherProgram(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		t.Skip("the kernel shows no /proc")
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
