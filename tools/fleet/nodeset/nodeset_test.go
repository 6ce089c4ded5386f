package nodeset_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/nod-console/nod/tools/fleet/nodeset"
)

var universe = nodeset.Universe{
	Names: []string{"local", "ssh:web-1", "ssh:web-2", "ssh:db-1", "docker:api"},
	Group: func(name string) (string, bool) {
		all := map[string]string{"web": "ssh:web-[1-2]", "all": "@web,ssh:db-1", "loop": "a,@loop"}
		expression, ok := all[name]
		return expression, ok
	},
}

func TestExpand(t *testing.T) {
	for expression, want := range map[string]string{
		"a":                     "a",
		"web[1-3]":              "web1 web2 web3",
		"web[08-10]":            "web08 web09 web10",
		"web[98-101/3]":         "web98 web101",
		"web[1,3-4]x[0-1]":      "web1x0 web1x1 web3x0 web3x1 web4x0 web4x1",
		"a,b,a":                 "a b",
		"a[1-4]!a2":             "a1 a3 a4",
		"a[1-4]&a[3-9]":         "a3 a4",
		"a[1-3]^a[3-4]":         "a1 a2 a4",
		"a[1-3]!a1,a1":          "a2 a3 a1",
		" a , b ":               "a b",
		"ssh:web-*":             "ssh:web-1 ssh:web-2",
		"ssh:??-1":              "ssh:db-1",
		"@web":                  "ssh:web-1 ssh:web-2",
		"@all!@web":             "ssh:db-1",
		"@*!local":              "ssh:web-1 ssh:web-2 ssh:db-1 docker:api",
		"ssh:[::1]:22":          "ssh:[::1]:22",
		"ssh:root@web-[1-2]":    "ssh:root@web-1 ssh:root@web-2",
		"web[001-003]":          "web001 web002 web003",
		"web[0-1][0-1]":         "web00 web01 web10 web11",
		"node[9-11]":            "node9 node10 node11",
		"ssh:10.0.0.[1-2]:2222": "ssh:10.0.0.1:2222 ssh:10.0.0.2:2222",
	} {
		got, err := nodeset.Expand(expression, universe)
		if err != nil || strings.Join(got, " ") != want {
			t.Errorf("%s: %q, %v; want %s", expression, got, err, want)
		}
	}
}

func TestWhatCannotBeReadIsQuoted(t *testing.T) {
	for expression, want := range map[string]string{
		"":               "a name is missing",
		"a,,b":           "a name is missing",
		"a!":             "a name is missing",
		"a[1-3":          "not closed",
		"a]1":            "brackets do not fit",
		"a[[1]]":         "brackets do not fit",
		"a[3-1]":         "no range",
		"a[]":            "no range",
		"a[x]":           "no range",
		"a[-1]":          "no range",
		"a[1-2/0]":       "no step",
		"@nobody":        `no group "nobody"`,
		"@loop":          "without an end",
		"x*":             "no name fits",
		"a[1-100000000]": "more than",
		"a[1-999][1-99]": "more than",
	} {
		got, err := nodeset.Expand(expression, universe)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), fmt.Sprintf("%q", expression)) {
			t.Errorf("%q: %q, %v; want %s", expression, got, err, want)
		}
	}
	if _, err := nodeset.Expand("a[1-10000],b", nodeset.Universe{}); !errors.Is(err, nodeset.ErrTooMany) {
		t.Error(err)
	}
}

func TestFold(t *testing.T) {
	for names, want := range map[string]string{
		"web01 web02 web03":                 "web[01-03]",
		"web03 web01 web01":                 "web[01,03]",
		"web9 web10 web11":                  "web[9-11]",
		"web08 web09 web10":                 "web[08-10]",
		"web1 web01":                        "web[1,01]",
		"web99 web100 web098":               "web[098,99-100]",
		"local ssh:db-1 ssh:web-1 ssh:web2": "local,ssh:db-1,ssh:web2,ssh:web-1",
		"ssh:h1:2222 ssh:h2:2222":           "ssh:h[1-2]:2222",
		"ssh:h1:22 ssh:h1:23":               "ssh:h1:22,ssh:h1:23",
		"ssh:10.0.0.1 ssh:10.0.0.2":         "ssh:10.0.0.[1-2]",
		"ssh:[::1] ssh:[::2]":               "ssh:[::1],ssh:[::2]",
		"a1.x a2.x a1.y":                    "a[1-2].x,a1.y",
		"docker:api-1 docker:api-2":         "docker:api-[1-2]",
		"":                                  "",
	} {
		if got := nodeset.Fold(strings.Fields(names)); got != want {
			t.Errorf("%s: %s, want %s", names, got, want)
		}
	}
}

// TestWhatIsFoldedExpandsToTheSame, whatever the names are.
func TestWhatIsFoldedExpandsToTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfN(rapid.StringMatching(`(ssh:)?[a-c]{0,2}0{0,2}[0-9]{0,3}(-[ab])?(:22)?`).Filter(func(s string) bool { return s != "" }), 1, 30).Draw(t, "names")
		folded := nodeset.Fold(names)
		got, err := nodeset.Expand(folded, nodeset.Universe{})
		if err != nil {
			t.Fatalf("%s: %v", folded, err)
		}
		slices.Sort(got)
		slices.Sort(names)
		if want := slices.Compact(names); !slices.Equal(got, want) {
			t.Fatalf("%q is folded to %s, which is %q", want, folded, got)
		}
	})
}

func FuzzExpand(f *testing.F) {
	for _, s := range []string{"a[1-3]", "@web!a", "x*,[::1]", "a[01-2/3]^b&c", "[[", "a[1-"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, expression string) {
		names, err := nodeset.Expand(expression, universe)
		if err == nil && (len(names) > nodeset.Most || slices.Contains(names, "")) {
			t.Fatalf("%q: %d names", expression, len(names))
		}
	})
}
