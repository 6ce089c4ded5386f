package screen

import "strings"

// CleanLines is [Clean] for text of several lines, which stay.
func CleanLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = Clean(l)
	}
	return strings.Join(lines, "\n")
}
