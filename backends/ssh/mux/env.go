package mux

import "strings"

// permitted keeps those settings whose names match one of the patterns, as a
// master does with its own SendEnv.
func permitted(env, patterns []string) []string {
	var kept []string
	for _, kv := range env {
		name, _, ok := strings.Cut(kv, "=")
		if !ok || name == "" {
			continue
		}
		for _, p := range patterns {
			if Match(p, name) {
				kept = append(kept, kv)
				break
			}
		}
	}
	return kept
}

// Match knows the wildcards of ssh_config(5), PATTERNS: "*" stands for any bytes, "?"
// for one. Its time is at most the product of the two lengths.
func Match(pattern, name string) bool {
	star, mark := -1, 0
	n, p := 0, 0
	for n < len(name) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, n
			p++
		case p < len(pattern) && (pattern[p] == '?' || pattern[p] == name[n]):
			n++
			p++
		case star >= 0:
			mark++
			n, p = mark, star+1
		default:
			return false
		}
	}
	return strings.Trim(pattern[p:], "*") == ""
}
