package fleet

import (
	"slices"

	"github.com/nod-console/nod/tools/fleet/nodeset"
)

// Memberships returns in which groups targets are, by their names, each list sorted; group
// is what a group's name stands for, and names are all groups. A target that a group names
// and that is not known is in it, too. A group that cannot be read has no members.
func Memberships(names []string, group func(name string) (expression string, ok bool), known []string) map[string][]string {
	in := map[string][]string{}
	u := nodeset.Universe{
		Names: known, Also: short, Group: group,
		Meant: func(name string) (string, error) {
			if target, err := meantBy(name, known); err == nil {
				return target, nil
			}
			return name, nil
		},
	}
	for _, name := range slices.Sorted(slices.Values(names)) {
		members, err := nodeset.Expand("@"+name, u)
		if err != nil {
			continue
		}
		for _, target := range members {
			in[target] = append(in[target], name)
		}
	}
	return in
}
