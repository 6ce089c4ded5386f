package plugin

import (
	"testing"

	"github.com/nod-console/nod/tools"
)

// What a manifest does not name is not asked for.
func TestPermissions(t *testing.T) {
	p := Permissions{
		Tools: []string{"run_shell", "read_file", "fetch_url"}, Targets: []string{"local"},
		Hosts: []string{"one.example.com", "*.below.example"}, Paths: []string{"/srv/tickets", "/etc/hosts"},
	}
	for _, c := range []struct {
		a  tools.Action
		ok bool
	}{
		{tools.Action{Tool: "run_shell", Kind: tools.Exec, Target: "local"}, true},
		{tools.Action{Tool: "run_shell", Kind: tools.Exec, Target: "ssh:web"}, false},
		{tools.Action{Tool: "write_file", Kind: tools.Write, Target: "local", Path: "/srv/tickets/1"}, false},
		{tools.Action{Tool: "read_file", Kind: tools.Read, Target: "local", Path: "/srv/tickets/1"}, true},
		{tools.Action{Tool: "read_file", Kind: tools.Read, Target: "local", Path: "/srv/tickets"}, true},
		{tools.Action{Tool: "read_file", Kind: tools.Read, Target: "local", Path: "/srv/tickets-2/1"}, false},
		{tools.Action{Tool: "read_file", Kind: tools.Read, Target: "local", Path: "/etc/hosts"}, true},
		{tools.Action{Tool: "read_file", Kind: tools.Read, Target: "ssh:web", Path: "/etc/hosts"}, false},
		{tools.Action{Tool: "fetch_url", Kind: tools.Fetch, Command: "https://One.example.com/x"}, true},
		{tools.Action{Tool: "fetch_url", Kind: tools.Fetch, Command: "https://a.b.below.example:8443/"}, true},
		{tools.Action{Tool: "fetch_url", Kind: tools.Fetch, Command: "https://below.example/"}, false},
		{tools.Action{Tool: "fetch_url", Kind: tools.Fetch, Command: "https://below.example.evil/one.example.com"}, false},
		{tools.Action{Tool: "fetch_url", Kind: tools.Fetch, Command: "https://one.example.com@evil/"}, false},
	} {
		if err := p.permit(c.a); (err == nil) != c.ok {
			t.Errorf("%+v: %v", c.a, err)
		}
	}
	if err := (Permissions{}).permit(tools.Action{Tool: "run_shell", Kind: tools.Exec, Target: "local"}); err == nil {
		t.Error("nothing was asked for")
	}
	if err := (Permissions{Tools: []string{"run_shell"}, Targets: []string{"*"}}).permit(tools.Action{Tool: "run_shell", Kind: tools.Exec, Target: "ssh:web"}); err != nil {
		t.Error(err)
	}
}
