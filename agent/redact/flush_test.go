package redact

import (
	"strings"
	"testing"
)

// TestFlushEndsWhatIsOpen: a key whose end never came does not swallow the text after
// it, and is not in it.
func TestFlushEndsWhatIsOpen(t *testing.T) {
	d, err := NewDetector()
	if err != nil {
		t.Fatal(err)
	}
	s := d.Stream(nil)
	const secret = "MIIEowIBAAKCAQEAyx3tLk9vQw"
	var out strings.Builder
	out.Write(s.Push([]byte("-----BEGIN RSA PRIVATE KEY-----\n" + secret + "\n")))
	out.Write(s.Flush())
	if s.Held() != 0 {
		t.Errorf("%d bytes are held", s.Held())
	}
	if got := string(s.Push([]byte("the next text\n"))); got != "the next text\n" {
		t.Errorf("the next text is %q", got)
	}
	if strings.Contains(out.String(), secret) {
		t.Errorf("the key is in %q", out.String())
	}
}
