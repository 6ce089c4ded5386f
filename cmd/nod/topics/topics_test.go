package topics

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nod-console/nod/ui/keys"
)

// Each page is a topic, and begins with its title.
func TestEveryPageIsATopic(t *testing.T) {
	files, err := fs.Glob(pages, "*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(file, ".md")
		if !slices.ContainsFunc(All, func(t Topic) bool { return t.Name == name }) {
			t.Errorf("%s is no topic", file)
		}
		if !strings.HasPrefix(Page(name), "# ") {
			t.Errorf("%s has no title", file)
		}
		for _, line := range strings.Split(Page(name), "\n") {
			if utf8.RuneCountInString(line) > width {
				t.Errorf("%s: too long: %s", file, line)
			}
		}
	}
	if len(files) != len(All) {
		t.Errorf("%d pages, %d topics", len(files), len(All))
	}
	manual := Manual()
	for _, t0 := range All {
		title, _, _ := strings.Cut(Page(t0.Name), "\n")
		if !strings.Contains(manual, ".SH "+strings.ToUpper(title[2:])+"\n") {
			t.Errorf("the manual has no section %q", title)
		}
	}
}

func TestKeysNameWhatCanBeBound(t *testing.T) {
	page := Keys(nil)
	if !strings.HasPrefix(page, "The keys and commands of the console.\n\n") || !strings.Contains(page, "[keys.pane]") {
		t.Errorf("%s", page)
	}
	for _, name := range keys.BindableNames() {
		if !strings.Contains(page, " "+name) {
			t.Errorf("%s is not named", name)
		}
	}
}
