package questions

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools/plugin/mcp"
	"github.com/nod-console/nod/ui/decision"
)

// What a form asks for is asked field by field; what is proposed is shown, and taken where
// nothing is said.
func TestAFormInDialogs(t *testing.T) {
	form := mcp.Form{Server: "tickets", Message: "Which ones?", Fields: []mcp.Field{
		{Name: "color", Kind: "string", Options: []string{"red", "blue"}, Required: true},
		{Name: "count", Kind: "integer", Default: "5", Required: true},
		{Name: "flag", Kind: "boolean", Options: []string{"true", "false"}},
		{Name: "note", Kind: "string"},
		{Name: "some", Kind: "array", Options: []string{"p", "q"}, Default: "2"},
	}}
	type said = decision.Answer
	for name, c := range map[string]struct {
		answers []said
		want    map[string]string
		ok      bool
	}{
		"declined": {[]said{{}}, nil, false},
		"answered": {
			[]said{{Given: true}, {Given: true, Option: 1}, {Given: true, Text: "many"}, {Given: true, Text: "7"}, {Given: true}, {Given: true, Text: "x"}, {Given: true}},
			map[string]string{"color": "blue", "count": "7", "flag": "true", "note": "x", "some": "2"}, true,
		},
		"proposed":               {[]said{{Given: true}, {Given: true}, {Given: true}, {}, {Given: true}, {Given: true}}, map[string]string{"color": "red", "count": "5", "some": "2"}, true},
		"a required one missing": {[]said{{Given: true}, {}}, nil, false},
	} {
		var asked []decision.Question
		fill := FormDialogs(func(_ context.Context, q decision.Question) (decision.Answer, error) {
			asked = append(asked, q)
			return c.answers[len(asked)-1], nil
		})
		got, ok, err := fill(t.Context(), form)
		if err != nil || ok != c.ok || !maps.Equal(got, c.want) {
			t.Errorf("%s: %v, %t, %v", name, got, ok, err)
		}
		if len(asked) != len(c.answers) {
			t.Errorf("%s: %d questions", name, len(asked))
		}
		if name != "answered" {
			continue
		}
		if !strings.Contains(asked[0].Text, "goes to that server") || !slices.Equal(asked[1].Options, []string{"red", "blue"}) ||
			!strings.Contains(asked[2].Text, "proposed: 5") || !strings.Contains(asked[3].Text, `"many" is no whole number`) ||
			!strings.Contains(asked[6].Text, "any of these, as numbers such as 1,2\n  1  p\n  2  q") {
			t.Errorf("asked %+v", asked)
		}
	}
}
