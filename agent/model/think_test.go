package model

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSplitter(t *testing.T) {
	for _, tc := range []struct{ in, said, thought string }{
		{"hello", "hello", ""},
		{"\n <think>a\nb</think>\n\nhello", "hello", "a\nb"},
		{"<THINKING>a</Thinking>b", "b", "a"},
		{"<think>never closed", "", "never closed"},
		{"<think>a</thi", "", "a</thi"},
		{"<thi", "<thi", ""},
		{"use the <think> tag", "use the <think> tag", ""},
		{"one\n<think>a</think>\ntwo", "one\ntwo", "a"},
		{"```\n<think>\n```\nx", "```\n<think>\n```\nx", ""},
		{"`<think>` is a tag", "`<think>` is a tag", ""},
		{"<think>if a < b && c</think>1 < 2", "1 < 2", "if a < b && c"},
		{"  indented", "indented", ""},
		{"a\n  b", "a\n  b", ""},
		{"<think></think>x", "x", ""},
		{"<thinker>x", "<thinker>x", ""},
		{"[THINK]a[/THINK]b", "b", "a"},
		{"yes <think>a</think> b", "yes b", "a"},
		{"the tag `[THINK]` opens, `[/THINK]` closes", "the tag `[THINK]` opens, `[/THINK]` closes", ""},
		{"◁think▷a◁/think▷b", "b", "a"},
		{"<|START_THINKING|>a<|END_THINKING|>b", "b", "a"},
		{"Here is my thought process: a Here is my response: b", "b", " a "},
		{"Here is my plan", "Here is my plan", ""},
		{"x Here is my thought process: a Here is my response: b", "x Here is my thought process: a Here is my response: b", ""},
	} {
		said, thought := splitAll([]string{tc.in})
		if said != tc.said || thought != tc.thought {
			t.Errorf("%q: said %q, thought %q; want %q and %q", tc.in, said, thought, tc.said, tc.thought)
		}
	}
}

// TestSplitterIgnoresCuts proves that the pieces' borders make no difference.
func TestSplitterIgnoresCuts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.SampledFrom([]string{
			"<think>", "</think>", "<thinking>", "</thinking>", "[THINK]", "[/THINK]", "◁think▷", "◁/think▷", "Here is my thought process:", "Here is my response:", "[", "<", "th", "\n", " ", "```", "`", "word", "é"})).Draw(t, "parts")
		whole := strings.Join(parts, "")
		var pieces []string
		for rest := whole; rest != ""; {
			n := rapid.IntRange(1, len(rest)).Draw(t, "n")
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		s1, t1 := splitAll([]string{whole})
		s2, t2 := splitAll(pieces)
		if s1 != s2 || t1 != t2 {
			t.Fatalf("%q cut as %q: %q/%q against %q/%q", whole, pieces, s1, t1, s2, t2)
		}
	})
}

func splitAll(pieces []string) (said, thought string) {
	var s splitter
	for _, p := range pieces {
		a, b := s.add(p)
		said, thought = said+a, thought+b
	}
	a, b, c := s.end()
	return said + a + c, thought + b
}
