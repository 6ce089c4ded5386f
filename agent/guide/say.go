package guide

import (
	"fmt"
	"strconv"
	"strings"
)

// code shows text from a machine as code, so that nothing in it is read as markup.
func code(s string) string {
	s = oneLine(s)
	if s == "" {
		return "(empty)"
	}
	if strings.Contains(s, "`") {
		return "`` " + s + " ``"
	}
	return "`" + s + "`"
}

// block shows lines from a machine as they are.
func block(s string) string {
	fence := "```"
	for strings.Contains(s, fence) {
		fence += "`"
	}
	return fence + "\n" + strings.TrimRight(s, "\n") + "\n" + fence
}

// series joins words as a sentence does.
func series(items []string) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return items[0]
	}
	return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	switch {
	case strings.HasSuffix(noun, "ss"):
		return fmt.Sprintf("%d %ses", n, noun)
	case strings.HasSuffix(noun, "ry"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(noun, "y"))
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func hasHave(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// mebibytes writes a size given in MiB.
func mebibytes(n float64) string {
	if n >= 1024 {
		return fmt.Sprintf("%.1f GiB", n/1024)
	}
	return fmt.Sprintf("%.0f MiB", n)
}

// number reads a figure as programs write it, with a point or a comma.
func number(s string) (float64, bool) {
	v, err := strconv.ParseFloat(strings.Replace(s, ",", ".", 1), 64)
	return v, err == nil
}
