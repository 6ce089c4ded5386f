package fleet

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/fleet/nodeset"
)

// MostGroups bounds the outcomes that a result tells one by one.
const MostGroups = 20

// Group is targets on which the same came out.
type Group struct {
	Targets []string
	First   tools.Part // of the first of them
}

// Set is the folded name of the group.
func (g Group) Set() string { return nodeset.Fold(g.Targets) }

// Groups folds parts by what came of them: those with the same key are one group, the
// largest first. What failed is told apart by its message, without the target's name in it.
func Groups(parts []tools.Part, key func(tools.Part) string) []Group {
	var groups []Group
	at := map[string]int{}
	for _, p := range parts {
		k := "value\x00"
		if problem, failed := Problem(p); failed {
			k = "problem\x00" + problem.Code + "\x00" + anonymous(problem.Error, p.Action.Target)
		} else {
			k += key(p)
		}
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k] = i
			groups = append(groups, Group{First: p})
		}
		groups[i].Targets = append(groups[i].Targets, p.Action.Target)
	}
	slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(len(b.Targets), len(a.Targets)) })
	return groups
}

// Problem is why a part has no outcome; failed is false if it has one.
func Problem(p tools.Part) (problem tools.Problem, failed bool) {
	problem, failed = p.Result.Value.(tools.Problem)
	return problem, failed
}

// anonymous is a message without the names of its target.
func anonymous(text, target string) string {
	names := append([]string{target}, short(target)...)
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	for _, name := range names {
		text = strings.ReplaceAll(text, name, "…")
	}
	return text
}

// Count says how many targets ended how, in the order of the groups: "40 targets: 38 exited
// 0, 2 not reached".
func Count(groups []Group, word func(Group) string) string {
	var order []string
	counts, all := map[string]int{}, 0
	for _, g := range groups {
		w := word(g)
		if counts[w] == 0 {
			order = append(order, w)
		}
		counts[w] += len(g.Targets)
		all += len(g.Targets)
	}
	for i, w := range order {
		order[i] = fmt.Sprintf("%d %s", counts[w], w)
	}
	return fmt.Sprintf("%d targets: %s", all, strings.Join(order, ", "))
}

// Word is a problem in a word or two, for Count.
func Word(problem tools.Problem) string {
	if problem.Code == "" {
		return "failed"
	}
	return strings.ReplaceAll(problem.Code, "_", " ")
}

// Value is the Value of a Result of several targets.
type Value struct {
	Targets  string    `json:"targets"`
	Count    string    `json:"count"` // see Count
	Outcomes []Outcome `json:"outcomes"`
	Notices  []string  `json:"notices,omitempty"`
}

// Outcome is what targets have in common.
type Outcome struct {
	Targets string
	Value   any // a struct, whose fields stand beside the targets
}

// MarshalJSON implements [json.Marshaler].
func (o Outcome) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(o.Value); err != nil {
		return nil, err
	}
	fields := bytes.TrimPrefix(bytes.TrimSpace(b.Bytes()), []byte("{"))
	name, err := json.Marshal(o.Targets)
	if err != nil {
		return nil, err
	}
	sep := ","
	if bytes.Equal(fields, []byte("}")) {
		sep = ""
	}
	return fmt.Appendf(nil, `{"targets":%s%s%s`, name, sep, fields), nil
}

// leastShare is what an outcome may take of a result at least, in characters.
const leastShare = 200

// Share is how many characters each of some outcomes may take of a budget.
func Share(budget, outcomes int) int {
	return max(leastShare, budget/max(1, min(outcomes, MostGroups)))
}

// Shown are the groups that a result tells one by one, and a notice about the others; it is
// empty if there are none.
func Shown(groups []Group) (shown []Group, notice string) {
	if len(groups) <= MostGroups {
		return groups, ""
	}
	var names []string
	for _, g := range groups[MostGroups:] {
		names = append(names, g.Targets...)
	}
	return groups[:MostGroups], fmt.Sprintf("%d more outcomes, each other ones, are left out: of %s", len(groups)-MostGroups, folded(names))
}
