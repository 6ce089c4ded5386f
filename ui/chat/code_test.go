package chat

import (
	"fmt"
	"strings"
	"testing"
)

// toned is a line as text, with the tone of each piece of it.
func toned(l line) string {
	var b strings.Builder
	for _, s := range l {
		if strings.TrimSpace(s.text) != "" {
			fmt.Fprintf(&b, "%d%q ", s.tone, s.text)
		}
	}
	return b.String()
}

const sample = "So:\n\n```go\n// one\nfunc f() { /* two\nthree */ return \"x\", 42 }\n```\n\n```\nfunc f()\n```\n"

// Code is set by its language, the same in whatever pieces it arrives; a line that has
// come to its end is never drawn otherwise again. What is copied is what was written.
func TestCodeIsSetByItsLanguage(t *testing.T) {
	whole := prose{parser: newParser}
	whole.add(sample)
	var want []string
	for i := range whole.layout(40) {
		want = append(want, toned(whole.line(i)))
	}
	if text := strings.Join(want, "\n"); !strings.Contains(text, fmt.Sprintf(`%d"// one"`, comment)) || !strings.Contains(text, fmt.Sprintf(`%d"func"`, keyword)) ||
		!strings.Contains(text, fmt.Sprintf(`%d"three */"`, comment)) || !strings.Contains(text, fmt.Sprintf(`%d"\"x\""`, good)) || !strings.Contains(text, fmt.Sprintf(`%d"42"`, warn)) {
		t.Errorf("set as\n%s", text)
	}
	if last := want[len(want)-1]; last != fmt.Sprintf(`%d"func f()" `, code) {
		t.Errorf("a block without a language is set as %s", last)
	}
	streamed := prose{parser: newParser}
	for i := range len(sample) {
		streamed.add(sample[i : i+1])
		n := streamed.layout(40)
		for k := range n {
			if complete := strings.Count(sample[:i+1], "\n"); k < n-1 && complete > 3 && k < len(want) && k > 1 && toned(streamed.line(k)) != want[k] {
				t.Fatalf("after %q line %d is %s, want %s", sample[:i+1], k, toned(streamed.line(k)), want[k])
			}
		}
	}
	if streamed.source.String() != sample {
		t.Error("the source is not what came")
	}
	inList := prose{parser: newParser}
	inList.add("- so:\n\n  ```sh\n  if true; then\n  ```\n")
	found := false
	for i := range inList.layout(40) {
		found = found || strings.Contains(toned(inList.line(i)), fmt.Sprintf(`%d"if"`, keyword))
	}
	if !found {
		t.Error("code in a list is not set by its language")
	}
}

// However narrow the chat is, no character of code is lost, and none is drawn twice.
func TestCodeIsCutInItsPieces(t *testing.T) {
	const src = "for i := range 10 { fmt.Println(\"日本語\", i) } // 数える"
	for width := 4; width < 70; width++ {
		var b strings.Builder
		for _, l := range codeLines(src, codingOf("```go", "```"), width) {
			if n := spansWidth(l); n > width {
				t.Errorf("a line of %d cells in %d", n, width)
			}
			b.WriteString(strings.TrimPrefix(l.text(), "  "))
		}
		if b.String() != src {
			t.Errorf("%d: %q", width, b.String())
		}
	}
}
