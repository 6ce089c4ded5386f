package filenames_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/filenames"
)

// house is a folder with some files, and a source that begins there.
func house(t *testing.T) (dir string, src filenames.Source) {
	t.Helper()
	dir = t.TempDir()
	for _, name := range []string{
		"work/main.go", "work/Makefile", "work/my notes.txt", "work/.env", "work/.hidden", "work/key.pem", "work/cmd/tool.go",
		"work/two words/in it.txt", "home/list", "work/line\nbreak", "work/line\tdir/x",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"work/linked": "cmd", "work/innocent": "key.pem", "work/nowhere": "gone"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	secret := func(path string) bool { return strings.HasSuffix(path, ".pem") || strings.HasSuffix(path, ".env") }
	return dir, filenames.Source{Dir: dir + "/work", Home: dir + "/home", Secret: secret}
}

func TestNamesThatAreBeingWritten(t *testing.T) {
	dir, src := house(t)
	for _, c := range []struct {
		written string
		quoted  bool
		want    string // what is put in
		note    string
	}{
		{written: "ma", want: "W/Makefile W/main.go"}, // capitals count only if there are any
		{written: "Ma", want: "W/Makefile"},
		{written: "c", want: "@cmd/"},
		{written: "cmd/", want: "W/cmd W/cmd/tool.go"},
		{written: "cmd/../cmd/t", want: "W/cmd/tool.go"},
		{written: "link", want: "@linked/"},
		{written: "nowh", want: "W/nowhere"},
		{written: "my", want: `"W/my notes.txt"`},
		{written: "tw", want: `@"two words/`},
		{written: "two words/", quoted: true, want: `"W/two words" "W/two words/in it.txt"`},
		{written: "line\n", quoted: true, want: `"W/line\nbreak"`},
		{written: "line\t", quoted: true, want: `"W/line\tdir"`},
		{written: "~/l", want: "D/home/list"},
		{written: "~", want: "D/home D/home/list"},
		{written: ".", want: "W/.hidden", note: "left out: 1 that may hold secrets"},
		{written: "./ma", want: "W/Makefile W/main.go"},
		{written: "k", want: "", note: "left out: 1 that may hold secrets"},
		{written: "inn", want: "", note: "left out: 1 that may hold secrets"}, // it leads to one
		{written: "gone/x", want: ""},
		{written: "main.go/x", want: ""},
		{written: "D/home/", want: "D/home D/home/list"},
	} {
		found, err := src.Find(t.Context(), strings.Replace(c.written, "D/", dir+"/", 1), c.quoted)
		if err != nil {
			t.Errorf("%q: %v", c.written, err)
		}
		var got []string
		for _, f := range found.All {
			put := strings.ReplaceAll(strings.ReplaceAll(f.Put, dir+"/work", "W"), dir, "D")
			got = append(got, put)
		}
		if all := strings.Join(got, " "); all != c.want || found.Note != c.note {
			t.Errorf("%q: %s (%s), want %s (%s)", c.written, all, found.Note, c.want, c.note)
		}
	}
	found, err := src.Find(t.Context(), "", false)
	if err != nil || len(found.All) < 8 || found.All[0].Text != "./" || found.All[0].Put != dir+"/work" {
		t.Errorf("%+v %v", found, err)
	}
	for _, f := range found.All {
		if f.Text != "./" && strings.HasPrefix(f.Text, ".") {
			t.Errorf("%q was not asked for", f.Text)
		}
	}
	src.Where = " on local"
	if found, err = src.Find(t.Context(), "main", false); err != nil || found.All[0].Put != dir+"/work/main.go on local" {
		t.Errorf("%+v %v", found, err)
	}
}

func TestALargeFolderIsOfferedInPart(t *testing.T) {
	dir := t.TempDir()
	for i := range 2100 {
		if err := os.WriteFile(fmt.Sprintf("%s/f%04d", dir, i), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	src := filenames.Source{Dir: dir, Secret: func(string) bool { return false }}
	found, err := src.Find(t.Context(), "f", false)
	if err != nil || len(found.All) != 200 || found.All[0].Text != "f0000" || found.Note != "1900 more: write on" {
		t.Errorf("%d %q %v", len(found.All), found.Note, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := src.Find(ctx, "f", false); err == nil {
		t.Error("it does not stop")
	}
}

func TestAFolderThatCannotBeReadSaysSo(t *testing.T) {
	_, src := house(t)
	if _, err := src.Find(t.Context(), strings.Repeat("x", 300)+"/", false); err == nil || !strings.Contains(err.Error(), "too long") {
		t.Error(err)
	}
}
