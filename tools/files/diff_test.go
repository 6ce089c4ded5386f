package files

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDiffReadsLikeDiff(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"a\n", "a\n", ""},
		{"", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"a\n", "a", "@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
			"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n"},
		{"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n", "x\n2\n3\n4\n5\n6\n7\n8\n9\ny\n",
			"@@ -1,4 +1,4 @@\n-1\n+x\n 2\n 3\n 4\n@@ -7,4 +7,4 @@\n 7\n 8\n 9\n-10\n+y\n"},
	} {
		got := unified("/f", []byte(c.old), []byte(c.new), true)
		if got = strings.TrimPrefix(got, "--- /f\n+++ /f\n"); got != c.want {
			t.Errorf("%q to %q:\n%s\nwant:\n%s", c.old, c.new, got, c.want)
		}
	}
	if got := unified("/f\n@@ -1 +1 @@\n+x", []byte("a\n"), []byte("b\n"), true); strings.Count(got, "\n@@") != 1 || strings.Count(got, "\n+x") != 0 {
		t.Errorf("the path writes lines of its own: %q", got)
	}
	if got := unified("/f", nil, []byte("a\n"), false); !strings.HasPrefix(got, "--- /dev/null\n+++ /f\n@@") {
		t.Errorf("a new file: %q", got)
	}
}

// What the operator sees is what is written: applied to the old content, the
// difference gives exactly the new one.
func TestDiffLeadsFromOldToNew(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "-", "+x", "@@ -1 +1 @@", `\ No`, "\r"}), 0, 40).Draw(t, "lines")
		return strings.Join(lines, "\n") + rapid.SampledFrom([]string{"", "\n"}).Draw(t, "end")
	})
	rapid.Check(t, func(t *rapid.T) {
		old, new := text.Draw(t, "old"), text.Draw(t, "new")
		diff := unified("/f", []byte(old), []byte(new), true)
		got, err := apply(old, diff)
		if err != nil || got != new {
			t.Fatalf("%q + %q = %q, %v; want %q", old, diff, got, err, new)
		}
	})
}

// apply applies a unified difference strictly.
func apply(old, diff string) (string, error) {
	if diff == "" {
		return old, nil
	}
	from := splitLines(old)
	lines := splitLines(diff)[2:]
	var out strings.Builder
	at := 0
	for i := 0; i < len(lines); {
		var i1 int
		head := strings.Fields(lines[i])
		if len(head) != 4 || head[0] != "@@" {
			return "", fmt.Errorf("no hunk: %q", lines[i])
		}
		first, count, one := strings.Cut(strings.TrimPrefix(head[1], "-"), ",")
		if _, err := fmt.Sscan(first, &i1); err != nil {
			return "", err
		}
		if !one || count != "0" {
			i1--
		}
		left := [2]int{number(head[1]), number(head[2])}
		for ; at < i1; at++ {
			out.WriteString(from[at])
		}
		for i++; left[0]+left[1] > 0 && i < len(lines); i++ {
			sign, text := lines[i][0], lines[i][1:]
			if i+1 < len(lines) && strings.HasPrefix(lines[i+1], `\`) {
				text = strings.TrimSuffix(text, "\n")
			}
			if sign == '\\' {
				continue
			}
			if sign != '+' {
				if at >= len(from) || from[at] != text {
					return "", fmt.Errorf("line %d is not %q", at, text)
				}
				at++
				left[0]--
			}
			if sign != '-' {
				out.WriteString(text)
				left[1]--
			}
		}
		for i < len(lines) && strings.HasPrefix(lines[i], `\`) {
			i++
		}
	}
	return out.String() + strings.Join(from[at:], ""), nil
}

// number is the count in "-3,4", 1 in "-3".
func number(r string) int {
	n := 1
	if _, count, ok := strings.Cut(r, ","); ok {
		if _, err := fmt.Sscan(count, &n); err != nil {
			return -1
		}
	}
	return n
}

func TestDiffEffortIsBounded(t *testing.T) {
	var old, new strings.Builder
	for i := range 200_000 {
		fmt.Fprintf(&old, "same\nold %d\n", i%7)
		fmt.Fprintf(&new, "same\nnew %d\n", i%5)
	}
	began := time.Now()
	got := unified("/f", []byte(old.String()), []byte(new.String()), true)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("took %s", took)
	}
	if len(got) < old.Len()+new.Len()-len("same\n") {
		t.Errorf("only %d bytes of difference", len(got))
	}
}
