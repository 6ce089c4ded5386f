package risk_test

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/tools/risk"
)

func TestFetchingIsPlainForHostsThatAreKnownAndNeverAuto(t *testing.T) {
	v := risk.Fetch("https://Docs.Example.com:443/a?b=c")
	if v.Auto || !v.Plain || v.Effect != risk.Observe || len(v.Reaches) != 1 || v.Reaches[0].Host != "docs.example.com" {
		t.Errorf("%+v", v)
	}
	for _, url := range []string{"", "https://", "http://localhost/", "https://" + strings.Repeat("x", 60) + ".example.com/", "https://example.com/" + strings.Repeat("x", 5000)} {
		if v := risk.Fetch(url); v.Auto || v.Plain && len(v.Reaches) == 0 {
			t.Errorf("%.40s: %+v", url, v)
		}
	}
}
