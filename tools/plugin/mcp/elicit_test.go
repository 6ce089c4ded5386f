package mcp_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/mcp"
)

// asked has a server ask for a form of these properties, and returns what it was answered.
func asked(t *testing.T, message, properties string, ask mcp.Asker) (answer, warned string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "form")
	text := fmt.Sprintf(`{"message":%q,"requestedSchema":{"type":"object","properties":{%s}}}`, message, properties)
	if err := os.WriteFile(file, []byte(strings.Join(strings.Fields(text), " ")), 0o600); err != nil {
		t.Fatal(err)
	}
	f := newSet(t, func(o *mcp.Options) { o.Ask = ask }, program(t, "bad", "form", file))
	f.accept("bad")
	answer = content(f.call(t.Context(), "bad_act", `{}`, tools.Env{}))
	return answer, f.warnings()
}

func TestFormsOfAllKinds(t *testing.T) {
	properties := `
		"a_text":{"type":"string","minLength":2,"maxLength":4,"default":"abc","format":"email","title":"A","description":"text"},
		"b_enum":{"type":"string","enum":["r","g"],"enumNames":["red","green"],"default":"g"},
		"c_titled":{"type":"string","oneOf":[{"const":"x","title":"ex"},{"const":"y","title":"why"}]},
		"d_flag":{"type":"boolean","default":true},
		"e_int":{"type":"integer","minimum":1,"maximum":9,"default":5},
		"f_number":{"type":"number","default":1.5},
		"g_some":{"type":"array","items":{"type":"string","enum":["p","q","s"]},"maxItems":2,"default":["q","p"]},
		"h_titled":{"type":"array","items":{"anyOf":[{"const":"m","title":"em"},{"const":"n","title":"en"}]},"minItems":1}`
	var form mcp.Form
	got, warned := asked(t, "How?", properties, func(_ context.Context, f mcp.Form) (map[string]string, bool, error) {
		form = f
		return map[string]string{
			"a_text": "ab", "b_enum": "red", "c_titled": "why", "d_flag": "false", "e_int": "9", "f_number": "-2.5", "g_some": "3, 1,3", "h_titled": "2",
		}, true, nil
	})
	want := `"content":{"a_text":"ab","b_enum":"r","c_titled":"y","d_flag":false,"e_int":9,"f_number":-2.5,"g_some":["s","p"],"h_titled":["n"]}`
	if !strings.Contains(got, want) || strings.Contains(warned, "declined") {
		t.Errorf("answered %s\nwant %s\nwarned %q", got, want, warned)
	}
	defaults := []string{"abc", "green", "", "true", "5", "1.5", "2,1", ""}
	for i, f := range form.Fields {
		if f.Default != defaults[i] {
			t.Errorf("%s: default %q, want %q", f.Name, f.Default, defaults[i])
		}
	}
	if f := form.Fields[0]; f.About != "A text (email)" {
		t.Errorf("about %q", f.About)
	}
	if f := form.Fields[7]; !slices.Equal(f.Options, []string{"em", "en"}) {
		t.Errorf("options %q", f.Options)
	}
	for _, c := range []struct {
		field      int
		text, says string
	}{
		{0, "a", `"a" is below the least, which is 2 characters`},
		{0, "abcde", "above the most, which is 4 characters"},
		{1, "blue", `"blue" is none of red, green`},
		{3, "perhaps", "neither true nor false"},
		{4, "0", `"0" is below the least, which is 1`},
		{4, "1.5", "no whole number"},
		{5, "NaN", "no number"},
		{6, "1,2,3", "above the most, which is 2 options"},
		{6, "4", `"4" is no number from 1 to 3`},
		{7, "", "below the least, which is 1 options"},
	} {
		if _, err := form.Fields[c.field].Value(c.text); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s = %q: %v", form.Fields[c.field].Name, c.text, err)
		}
	}
}

func TestFormsThatAreRefused(t *testing.T) {
	nobody := func(context.Context, mcp.Form) (map[string]string, bool, error) {
		t.Error("the operator was asked")
		return nil, false, nil
	}
	text := `"value":{"type":"string"}`
	for _, c := range []struct{ message, properties, says string }{
		{"Log in", `"password":{"type":"string"}`, `something secret ("password")`},
		{"Log in", `"userPassword":{"type":"string"}`, `something secret ("password")`},
		{"Log in", `"api_key":{"type":"string"}`, `something secret ("api key")`},
		{"Log in", `"key":{"type":"string"}`, `something secret ("key")`},
		{"Log in", `"x":{"type":"string","title":"Client secret"}`, `something secret ("secret")`},
		{"Log in", `"x":{"type":"string","description":"the SSH key, whole"}`, `something secret ("ssh key")`},
		{"Log in", `"pin":{"type":"integer"}`, `something secret ("pin")`},
		{"Paste your access token.", text, `something secret ("token")`},
		{"How?", `"x":{"type":"string","oneOf":[{"const":"a","title":"same"},{"const":"b","title":"same"}]}`, "look the same"},
	} {
		got, warned := asked(t, c.message, c.properties, nobody)
		if !strings.Contains(got, `"decline"`) || !strings.Contains(warned, c.says) {
			t.Errorf("%s %s: answered %s, warned %q", c.message, c.properties, got, warned)
		}
	}
	for _, properties := range []string{`"issue_key":{"type":"string"}`, `"rotate_token":{"type":"boolean"}`, `"pinned":{"type":"string"}`} {
		done := false
		asked(t, "How?", properties, func(context.Context, mcp.Form) (map[string]string, bool, error) {
			done = true
			return nil, false, nil
		})
		if !done {
			t.Errorf("%s was refused", properties)
		}
	}
}
