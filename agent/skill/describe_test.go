package skill

import (
	"strings"
	"testing"
)

func TestDescribeSaysWhichToolsItMayCall(t *testing.T) {
	for want, s := range map[string]Skill{
		"tools: it names none, so it may call what any task may": {},
		"tools: none":            {Tools: []string{}},
		"tools: only grep, jobs": {Tools: []string{"grep", "jobs"}},
	} {
		if got := s.Describe(nil); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q at its end", got, want)
		}
	}
	if got := (Skill{Tags: []string{"a", "b"}}).Describe([]string{"run.sh"}); !strings.HasSuffix(got, "\ntags:  a, b\nfiles: run.sh") {
		t.Errorf("%q", got)
	}
}
