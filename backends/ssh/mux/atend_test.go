package mux

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/crypto/ssh"
)

// What clients in proxy mode have asked for runs once when the master ends a connection in
// order, also when they have left long ago.
func TestAtEnd(t *testing.T) {
	f := startNod(t, startSSHD(t))
	ran := filepath.Join(f.dir, "ran")
	for i, ask := range []struct {
		line     string
		promised bool
	}{
		{"", true},
		{"echo one >>" + ran, true},
		{"echo one >>" + ran, true},
		{"echo two >>" + ran, true},
		{"echo three >>" + ran + strings.Repeat(" ", maxLastLine), false},
	} {
		client, err := DialProxy(t.Context(), f.socket)
		check(t, err)
		ok, _, err := client.SendRequest(AtEnd, true, ssh.Marshal(struct{ Line string }{ask.line}))
		if err != nil || ok != ask.promised {
			t.Errorf("%d: %v, %v", i, ok, err)
		}
		if ok, _, err := client.SendRequest(AtEnd, true, []byte("no string")); err != nil || ok {
			t.Errorf("%d: a payload that is none: %v, %v", i, ok, err)
		}
		check(t, client.Close())
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("it has run before the end")
	}
	check(t, Terminate(t.Context(), f.socket))
	<-f.ended
	text, err := os.ReadFile(ran)
	check(t, err)
	if got := string(text); got != "one\ntwo\n" && got != "two\none\n" {
		t.Errorf("%q", got)
	}
	if !errors.Is(f.err, ErrTerminated) {
		t.Error(f.err)
	}
}

// A line more than there is room for is not promised.
func TestAtEndIsBounded(t *testing.T) {
	m := &master{}
	for i := range maxLast {
		if !m.promise(ssh.Marshal(struct{ Line string }{strings.Repeat("x", i+1)})) {
			t.Fatalf("line %d", i)
		}
	}
	if m.promise(ssh.Marshal(struct{ Line string }{"more"})) || !m.promise(ssh.Marshal(struct{ Line string }{"x"})) {
		t.Error("more is promised, or what is promised is not")
	}
}
