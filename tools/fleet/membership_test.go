package fleet_test

import (
	"reflect"
	"testing"

	"github.com/nod-console/nod/tools/fleet"
)

func TestMemberships(t *testing.T) {
	groups := map[string]string{
		"web": "web[1-2]", "db": "ssh:db-*,docker:pg", "all": "@web,@db", "loop": "@loop", "bad": "web[1-",
	}
	got := fleet.Memberships([]string{"web", "loop", "db", "bad", "all"}, func(name string) (string, bool) {
		e, ok := groups[name]
		return e, ok
	}, []string{"local", "ssh:web1", "ssh:db-1", "ssh:ops@db-2:2222"})
	want := map[string][]string{
		"ssh:web1": {"all", "web"}, "web2": {"all", "web"},
		"ssh:db-1": {"all", "db"}, "docker:pg": {"all", "db"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}
