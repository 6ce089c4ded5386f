package decision

import "testing"

// TestADiffHasTheFilesNumbers, and marks the words that have changed.
func TestADiffHasTheFilesNumbers(t *testing.T) {
	text := "--- /etc/a\n+++ /etc/a\n@@ -9,4 +9,5 @@ server {\n same\n-listen 80;\n+listen 8080;\n+new 日本\n end\n@@ -40 +41 @@\n-für\n+fur\n"
	d := readDiff(text)
	for i, want := range []int{0, 0, 0, 9, 10, 10, 11, 12, 0, 40, 41} {
		if got := d.lines[i].number; got != want {
			t.Errorf("line %d has the number %d, want %d", i+1, got, want)
		}
	}
	marked := func(i int) string { return text[d.lines[i].from:d.lines[i].to] }
	if got := marked(4) + marked(5); got != "" { // two removed or added lines to one: nothing to compare
		t.Errorf("marked %q", got)
	}
	d = readDiff("@@ -1,1 +1,1 @@\n-listen 80 default;\n+listen 8080 default;\n")
	if from := d.lines[1]; from.to-from.from != len("80") || !from.first || d.lines[2].to-d.lines[2].from != len("8080") || d.lines[2].first {
		t.Errorf("%+v", d.lines)
	}
	if d.last != 1 {
		t.Errorf("last is %d", d.last)
	}
}

// FuzzReadDiff: every line has its entry, and what is marked is within it.
func FuzzReadDiff(f *testing.F) {
	f.Add("@@ -1 +1 @@\n-a b\n+a c\n")
	f.Add("@@ -1,1 +1,1 @@\n-\xe6\x97\n+\xe6\x98\n")
	f.Fuzz(func(t *testing.T, text string) {
		d := readDiff(text)
		for _, l := range d.lines {
			if l.from < 0 || l.to < l.from || l.to > len(text) {
				t.Fatalf("%+v of %q", l, text)
			}
		}
	})
}
