package spec_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/internal/spec"
	"github.com/nod-console/nod/tools/internal/spec/spectest"
)

func TestDecodeIsStrict(t *testing.T) {
	type args struct {
		Path  string `json:"path"`
		Limit int    `json:"limit"`
	}
	for text, want := range map[string]args{
		`{"path":"/x","limit":3}`: {"/x", 3}, ` {"path":"/x"} `: {Path: "/x"}, "": {}, "null": {}, "{}": {},
	} {
		var got args
		if err := spec.Decode(json.RawMessage(text), &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		`{"path":1}`, `{"limit":"3"}`, `{"limit":1.5}`, `{"pth":"/x"}`, `{"path":"/x"`, `[]`, `"x"`, `{}{}`, `{} x`,
	} {
		var got args
		var invalid *tools.Error
		if err := spec.Decode(json.RawMessage(text), &got); !errors.As(err, &invalid) || invalid.Code != tools.InvalidArgs {
			t.Errorf("%s: %+v, %v", text, got, err)
		}
	}
}

func TestClaimsMustBeComplete(t *testing.T) {
	for text, want := range map[string]string{
		`{"risk":"low","mutation":false,"privesc":false,"why":"look"}`: "",
		`{"mutation":false,"privesc":false,"why":"look"}`:              "missing: risk",
		`{}`: "missing: risk, mutation, privesc, why",
		`{"risk":"LOW","mutation":false,"privesc":false,"why":"look"}`: `risk is "LOW"`,
		`{"risk":"low","mutation":false,"privesc":false,"why":" "}`:    "why is empty",
	} {
		var c spec.Claim
		if err := spec.Decode(json.RawMessage(text), &c); err != nil {
			t.Fatal(err)
		}
		claim, err := c.Check()
		if want == "" && (err != nil || claim != tools.Claim{Risk: "low", Why: "look"}) {
			t.Errorf("%s: %+v, %v", text, claim, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestTheSchemaCheckFinds(t *testing.T) {
	schema := func() map[string]any {
		return spec.Schema(spec.Acting(map[string]any{"n": spec.Count(1, ""), "target": spec.Target()}), spec.ClaimNames("n")...)
	}
	good := `"risk":"low","mutation":false,"privesc":false,"why":"x"`
	if err := spectest.Fits(schema(), []byte(`{"n":1,`+good+`}`)); err != nil {
		t.Error(err)
	}
	for _, text := range []string{
		`{` + good + `}`, `{"n":0,` + good + `}`, `{"n":1.5,` + good + `}`, `{"n":"1",` + good + `}`,
		`{"n":1,"x":1,` + good + `}`, `{"n":1,` + strings.Replace(good, "low", "none", 1) + `}`, `[]`,
	} {
		if err := spectest.Fits(schema(), []byte(text)); err == nil {
			t.Errorf("%s fits", text)
		}
	}
}
