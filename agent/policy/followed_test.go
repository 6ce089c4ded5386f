package policy

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/creack/pty"
)

// A yes that came together with more lines, as within a paste, approves nothing; it is
// asked again.
func TestAYesWithinAPasteDoesNotCount(t *testing.T) {
	operator, rw, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer operator.Close() //nolint:errcheck // the test's own
	defer rw.Close()       //nolint:errcheck // as above
	term := NewTerminal(rw)
	result := make(chan Answer, 1)
	go func() {
		a, err := term.Approve(context.Background(), Request{ID: "1"})
		if err != nil {
			t.Error(err)
		}
		result <- a
	}()
	var got strings.Builder
	see := func(end string) {
		t.Helper()
		b := make([]byte, 1)
		for !strings.HasSuffix(got.String(), end) {
			if _, err := operator.Read(b); err != nil {
				t.Fatalf("%v after %q", err, got.String())
			}
			got.Write(b)
		}
	}
	see("[y/N] ")
	if _, err := io.WriteString(operator, "y\nls -l\n"); err != nil {
		t.Fatal(err)
	}
	see("it does not count")
	see("[y/N] ")
	if _, err := io.WriteString(operator, "y\n"); err != nil {
		t.Fatal(err)
	}
	if a := <-result; !a.Approved {
		t.Errorf("%+v", a)
	}
}
