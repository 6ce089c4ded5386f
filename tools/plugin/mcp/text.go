package mcp

import "fmt"

// Count is a number with its noun: "1 tool", "2 tools".
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// Counts is numbers of tools and resources: "2 tools and 1 resource". Of nothing at all
// it is "0 tools".
func Counts(tools, resources int) string {
	switch {
	case resources == 0:
		return Count(tools, "tool")
	case tools == 0:
		return Count(resources, "resource")
	}
	return Count(tools, "tool") + " and " + Count(resources, "resource")
}
