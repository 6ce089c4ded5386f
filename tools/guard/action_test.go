package guard

import (
	"reflect"
	"slices"
	"testing"

	"github.com/nod-console/nod/tools"
)

// A field that is added to the action must be known here, or a guarded call
// could ignore it.
func TestEveryFieldOfAnActionIsKnown(t *testing.T) {
	known := []string{"Tool", "Kind", "Target", "User", "Claim", "Diff"}
	for _, f := range fields {
		known = append(known, f.name)
	}
	var all []string
	for i := range reflect.TypeFor[tools.Action]().NumField() {
		all = append(all, reflect.TypeFor[tools.Action]().Field(i).Name)
	}
	slices.Sort(known)
	slices.Sort(all)
	if !slices.Equal(known, all) {
		t.Errorf("known %q, an action has %q", known, all)
	}
}
