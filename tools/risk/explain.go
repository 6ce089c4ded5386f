package risk

import (
	"fmt"
	"strings"
	"unicode"
)

// Explain says in plain words why a verdict is what it is: one line for the
// verdict, one for each finding. What it quotes of the text is rendered so that
// nothing looks like what it is not.
func Explain(v Verdict, text string) string {
	var b strings.Builder
	switch {
	case v.Auto:
		b.WriteString("It only reads and leaves nothing behind.")
	case v.Effect.AtLeast(Destroy):
		b.WriteString("It can lose something that is hard to get back.")
	case v.Effect.AtLeast(Mutate):
		b.WriteString("It can change something.")
	case v.Plain:
		b.WriteString("It only reads, and runs by itself only where the hosts that it asks are your own or were named by you.")
	default:
		b.WriteString("It only reads, as far as it is understood, but it does not run by itself.")
	}
	if words := v.Flags.Words(); len(words) > 0 {
		fmt.Fprintf(&b, " Flags: %s.", strings.Join(words, ", "))
	}
	for _, f := range v.Findings {
		b.WriteString("\n")
		if piece := excerpt(text, f.Start, f.End); piece != "" {
			b.WriteString(piece + ": ")
		}
		b.WriteString(sentence(f.Why))
	}
	return b.String()
}

func excerpt(text string, start, end int) string {
	start, end = max(0, min(start, len(text))), max(0, min(end, len(text)))
	if start >= end {
		return ""
	}
	return `"` + rendered(strings.Trim(text[start:end], " \t\n"), 60) + `"`
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	r := []rune(s)
	if len(r) > 1 && unicode.IsLower(r[0]) && unicode.IsLower(r[1]) {
		r[0] = unicode.ToUpper(r[0])
	}
	return strings.TrimRight(string(r), ".") + "."
}
