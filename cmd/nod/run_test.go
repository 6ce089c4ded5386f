package main

import (
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nod-console/nod/cmd/nod/internal/app/oneshot"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

// reference are all topics, as "nod help" prints them.
func reference() string {
	var all strings.Builder
	for _, t := range topics {
		all.WriteString(page(t.name))
	}
	return all.String()
}

// The reference has all keys of the configuration.
func TestTheReferenceHasAllKeys(t *testing.T) {
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

// Each page is a topic, and begins with its title.
func TestEveryPageIsATopic(t *testing.T) {
	files, err := fs.Glob(pages, "topics/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "topics/"), ".md")
		if !slices.ContainsFunc(topics, func(t topic) bool { return t.name == name }) {
			t.Errorf("%s is no topic", file)
		}
		if !strings.HasPrefix(page(name), "# ") {
			t.Errorf("%s has no title", file)
		}
		for _, line := range strings.Split(page(name), "\n") {
			if utf8.RuneCountInString(line) > pageWidth {
				t.Errorf("%s: too long: %s", file, line)
			}
		}
	}
	if len(files) != len(topics) {
		t.Errorf("%d pages, %d topics", len(files), len(topics))
	}
	for _, t0 := range topics {
		title, _, _ := strings.Cut(page(t0.name), "\n")
		if !strings.Contains(manualPages(), ".SH "+strings.ToUpper(title[2:])+"\n") {
			t.Errorf("the manual has no section %q", title)
		}
	}
}
