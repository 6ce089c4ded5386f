package main

import (
	"os"
	"reflect"
	"strings"
	"testing"
)

// Whoever reads the JSON of "nod run" finds each of its fields and outcomes in
// the manual, and the outcomes in the README.
func TestTheManualHasAllOutcomes(t *testing.T) {
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, outcome := range []string{"exited", "signalled", outcomeTimeout, outcomeInterrupted, outcomeDenied, outcomeRefused, outcomeUnknown} {
		if !strings.Contains(manualRest, "\n.B "+outcome+"\n") {
			t.Errorf("the manual misses the outcome %s", outcome)
		}
		if !strings.Contains(string(readme), "| `"+outcome+"` |") {
			t.Errorf("the README misses the outcome %s", outcome)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[runReport]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && !strings.Contains(manualRest, name) {
			t.Errorf("the manual misses the field %s", name)
		}
	}
}
