package main

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/app/oneshot"
	"github.com/nod-console/nod/cmd/nod/internal/config"
	"github.com/nod-console/nod/cmd/nod/topics"
)

// reference are all topics, as "nod help" prints them.
func reference() string {
	var all strings.Builder
	for _, t := range topics.All {
		all.WriteString(topics.Page(t.Name))
	}
	return all.String()
}

// The reference has all keys of the configuration.
func TestTheReferenceHasAllKeys(t *testing.T) {
	t.Parallel()
	var keys []string
	reference := reference()
	for _, of := range []reflect.Type{reflect.TypeFor[config.Model](), reflect.TypeFor[config.Target](), reflect.TypeFor[config.Redact]()} {
		for _, f := range reflect.VisibleFields(of) {
			keys = append(keys, f.Tag.Get("toml"))
		}
	}
	for _, v := range (&config.Config{}).Explain() {
		section, name, _ := strings.Cut(v.Key, ".")
		keys = append(keys, name)
		if !strings.Contains(reference, "["+section+"]") {
			t.Errorf("the reference misses the section %s", section)
		}
	}
	if len(keys) < 40 {
		t.Errorf("%d keys: %q", len(keys), keys)
	}
	for _, key := range keys {
		if !strings.Contains(reference, "`"+key+"`") && !strings.Contains(reference, "] "+key+"`") && !strings.Contains(reference, "\n    "+key+" = ") {
			t.Errorf("the reference misses the key %s", key)
		}
	}
}

// Whoever reads the JSON of "nod run" finds each of its fields and outcomes in
// the reference, and the outcomes in the README.
func TestTheReferenceHasAllOutcomes(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, outcome := range []string{"exited", "signalled", oneshot.OutcomeTimeout, oneshot.OutcomeInterrupted, oneshot.OutcomeDenied, oneshot.OutcomeRefused, oneshot.OutcomeUnknown} {
		if !strings.Contains(reference(), "\n`"+outcome+"`\n: ") {
			t.Errorf("the reference misses the outcome %s", outcome)
		}
		if !strings.Contains(string(readme), "| `"+outcome+"` |") {
			t.Errorf("the README misses the outcome %s", outcome)
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[oneshot.Report]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && !strings.Contains(reference(), name) {
			t.Errorf("the reference misses the field %s", name)
		}
	}
}
