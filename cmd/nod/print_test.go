package main

import (
	"errors"
	"strings"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/app/process"
)

func TestPrintedValues(t *testing.T) {
	var out strings.Builder
	all := []string{"a", "long\x1b[2J"}
	if err := printRows(&out, all, func(s string) []string { return []string{s, unless("", "not used", s)} }); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, "\x1b") || !strings.HasPrefix(got, "a    ") || strings.Count(got, "\n") != 2 {
		t.Errorf("%q", got)
	}
	out.Reset()
	if err := printObjects(&out, []map[string]int{{"n": 1}, {"n": 2}}); err != nil || out.String() != "{\"n\":1}\n{\"n\":2}\n" {
		t.Errorf("%q, %v", &out, err)
	}
}

func TestAnExitStatusHasNoName(t *testing.T) {
	if err := named("skill install", process.ExitStatus(126)); !errors.Is(err, process.ExitStatus(126)) || strings.Contains(err.Error(), "skill") {
		t.Error(err)
	}
	if err := named("skill install", errors.New("no such folder")); err.Error() != "skill install: no such folder" || named("x", nil) != nil {
		t.Error(err)
	}
}
