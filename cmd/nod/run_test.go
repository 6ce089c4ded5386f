package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// The help says that the manual has all keys of the configuration.
func TestTheManualHasAllKeys(t *testing.T) {
	var keys []string
	for _, of := range []reflect.Type{reflect.TypeFor[config.Model](), reflect.TypeFor[config.Target](), reflect.TypeFor[config.Redact]()} {
		for _, f := range reflect.VisibleFields(of) {
			keys = append(keys, f.Tag.Get("toml"))
		}
	}
	for _, v := range (&config.Config{}).Explain() {
		section, name, _ := strings.Cut(v.Key, ".")
		keys = append(keys, name)
		if !strings.Contains(manualRest, "["+section+"]") {
			t.Errorf("the manual misses the section %s", section)
		}
	}
	if len(keys) < 40 {
		t.Errorf("%d keys: %q", len(keys), keys)
	}
	for _, key := range keys {
		if !strings.Contains(manualRest, "\\fB"+key+"\\fP") && !strings.Contains(manualRest, "] "+key+"\\fP") && !strings.Contains(manualRest, "\n"+key+" = ") {
			t.Errorf("the manual misses the key %s", key)
		}
	}
}

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
