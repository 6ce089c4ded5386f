package config

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/agnivade/levenshtein"
)

// unknownKey is the error for a key that nod does not know.
func unknownKey(name string) error {
	if near := nearest(name, knownKeys()); near != "" {
		return fmt.Errorf("unknown key %q; did you mean %q?", name, near)
	}
	return fmt.Errorf("unknown key %q; \"nod config explain\" lists the known ones", name)
}

func knownKeys() []string {
	var keys []string
	for _, s := range settings {
		keys = append(keys, s.key)
	}
	for _, record := range []any{Model{}, Target{}, Redact{}, Server{}, Command{}} {
		t := reflect.TypeOf(record)
		for i := range t.NumField() {
			keys = append(keys, t.Field(i).Tag.Get("toml"))
		}
	}
	return keys
}

// nearest is the candidate with the smallest edit distance to s, or "" if none
// is near enough to be a typing mistake.
func nearest(s string, candidates []string) string {
	best, distance := "", len(s)/3+1
	for _, c := range candidates {
		if d := levenshtein.ComputeDistance(strings.ToLower(s), c); d <= distance && (best == "" || d < distance) {
			best, distance = c, d
		}
	}
	return best
}
