package main

import (
	"strings"
	"testing"
)

// A command of nod run can have a revert, too: nod ends only when a new login has
// shown that it is not needed, or when it has come.
func TestARunWithARevertWaitsForIt(t *testing.T) {
	t.Parallel()
	const command = "ip route add blackhole 203.0.113.0/24"
	w, h := newIsland(t, revertLate)
	s := w.console(100, 40, "run", "-t", "ssh:box", "--", command)
	s.see("the host itself brings back", `"r ssh:box" arms the revert before`, "type the target's name")
	s.typed("r ssh:box")
	s.press("Enter")
	s.see("revert armed on ssh:box", "cancelled: a new login works")
	if status := s.ended(); status != "0" {
		t.Errorf("exit status %s\n%s", status, s.text())
	}
	if routes := h.inside("ip route"); !strings.Contains(routes, "203.0.113.0/24") {
		t.Errorf("what was approved is gone: %s", routes)
	}
	h.nothingLeft()
	h.complete(command, "revert armed", "cancelled: a new login works")
}
