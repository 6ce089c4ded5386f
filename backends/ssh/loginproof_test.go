package ssh_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/ssh"
)

// A new login is one of its own: seen by the server, over another connection, and
// it leaves the target's alone.
func TestReconnectsIsANewLogin(t *testing.T) {
	w := newWorld(t)
	host, err := ssh.Parse("box")
	if err != nil {
		t.Fatal(err)
	}
	target, err := ssh.Open(w.context(), host, w.options())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = target.Close() }() // it gives no error
	conn, err := target.Conn()
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Count(w.sshd.Log(), "Accepted ")
	if err := target.Reconnects(w.context()); err != nil {
		t.Fatal(err)
	}
	until(t, "another login", func() bool { return strings.Count(w.sshd.Log(), "Accepted ") == before+1 })
	if now, err := target.Conn(); err != nil || now != conn {
		t.Errorf("the target's own connection is another one: %v", err)
	}

	// No login, no proof: although the connection that is there still works.
	w.write("authorized", "")
	if err := target.Reconnects(w.context()); err == nil {
		t.Error("a login without a key")
	}
	if o, out, _ := run(t, target, "echo", "still here"); o.Code != 0 || out != "still here\n" {
		t.Errorf("%s %q", o, out)
	}
	w.freeze()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := target.Reconnects(ctx); err == nil {
		t.Error("a login to a frozen host")
	}
	w.sshd.HangUp()
}
