package process

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestATextGoesThroughTheEditor(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	for _, c := range []struct{ editor, text, want, fault string }{
		{`f() { grep -qx "a draft" "$1" && printf 'first\r\nsecond\n' > "$1"; }; f`, "a draft", "first\nsecond", ""},
		{"true", "as it\nwas\n", "as it\nwas\n", ""},
		{"false", "x", "", `editor "false": exit status 1`},
		{"f() { stat -c %a \"$1\" > \"$1\"; }; f", "x", "600", ""},
	} {
		s := &System{Getenv: func(name string) string {
			return map[string]string{"VISUAL": c.editor, "EDITOR": "false"}[name]
		}}
		got, err := s.Edit(context.Background(), c.text)
		if got != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %q, %v", c.editor, got, err)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

// What is typed into the editor must not end nod.
func TestAnInterruptIsForWhoTookIt(t *testing.T) {
	var told signals
	ctx, stop := told.Until(t.Context())
	defer stop()
	got := make(chan struct{}, 1)
	giveBack := told.OnInterrupt(func() { got <- struct{}{} })
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := self.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		<-got
	}
	if ctx.Err() != nil {
		t.Fatal("nod was told to stop")
	}
	giveBack()
	if err := self.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	<-ctx.Done()
	if got := InterruptedStatus(ctx); got != 130 {
		t.Errorf("status %d", got)
	}
}
