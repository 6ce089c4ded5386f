package ssh

import "testing"

// The quick way of quoting is used for the shells that it is right for, and for
// no others.
func TestDialects(t *testing.T) {
	line, err := commandLine("", "true", dialect{posix: true})
	if err != nil || line != "exec /bin/sh -c 'true'" {
		t.Errorf("%q, %v", line, err)
	}
	line, err = commandLine("setsid ", "a'\n!", dialect{})
	if err != nil || line != `exec setsid /bin/sh -c 'eval "$(printf %b "$0")"' 'a\0047\0012\0041'` {
		t.Errorf("%q, %v", line, err)
	}
}
