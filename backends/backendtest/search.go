package backendtest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
)

func (s suite) searchCases() []testCase {
	return []testCase{
		{"lines are found as everywhere else", s.searchLines},
		{"paths are found as everywhere else", s.searchPaths},
		{"a search ends when enough was found", s.searchStops},
		{"what cannot be searched says so", s.searchFails},
	}
}

// tree makes the files that are searched.
const tree = `cd "$0" && mkdir -p a/b .hidden 'b lank' "$(printf 'new\nline')" links &&
printf 'one\ntwo words\r\nFOO bar\nfoo\tbar' >a/x.conf &&
printf 'foo in b\n\nna\303\257ve \316\251\n' >a/b/y.conf &&
printf 'foo:1:bar\n' >'a/1:2.conf' &&
printf 'a.b [c] {d} \\e $f ^g h|i (j) k* l+ m?\n' >a.txt &&
printf 'foo hidden\n' >.hidden/z.conf &&
printf 'blank foo\n' >'b lank/-e' &&
printf 'foo\000bin\n' >bin &&
printf 'foo in a strange place\n' >"$(printf 'new\nline')/f" &&
printf 'caf\351 foo\n' >latin &&
: >empty &&
ln -s ../a/x.conf links/file && ln -s ../a links/folder && ln -s nowhere links/dangling && mkfifo links/fifo`

// seek is a search with its answer in a few words: "path:line:text", relative to
// the root.
func (s suite) seek(t *testing.T, q backends.Query, found func(backends.Hit) bool) (backends.Survey, error) {
	t.Helper()
	searcher, ok := s.target.Files().(backends.Searcher)
	if !ok {
		t.Fatal("its files cannot be searched")
	}
	return searcher.Search(testContext(t), q, found)
}

func (s suite) answers(t *testing.T, dir string, q backends.Query) ([]string, backends.Survey) {
	t.Helper()
	q.Root = dir + q.Root
	var all []string
	survey, err := s.seek(t, q, func(h backends.Hit) bool {
		text := strings.TrimPrefix(strings.TrimPrefix(h.Path, dir), "/")
		if h.Line > 0 {
			text += fmt.Sprintf(":%d:%s", h.Line, h.Text)
		}
		if h.Dir {
			text += "/"
		}
		all = append(all, text)
		return true
	})
	if err != nil {
		t.Errorf("%+v: %v", q, err)
	}
	if q.Pattern == "" {
		slices.Sort(all)
	}
	return all, survey
}

func (s suite) searchLines(t *testing.T) {
	dir := s.folder(t)
	output(t, s.target, tree, dir)
	for _, c := range []struct {
		root, names, pattern string
		want                 []string
	}{
		{"", "", `foo`, []string{".hidden/z.conf:1:foo hidden", "a/1:2.conf:1:foo:1:bar", "a/b/y.conf:1:foo in b", "a/x.conf:4:foo\tbar", "b lank/-e:1:blank foo", "latin:1:caf\xe9 foo"}},
		{"", "**/*.conf", `(?i)^foo\b`, []string{".hidden/z.conf:1:foo hidden", "a/1:2.conf:1:foo:1:bar", "a/b/y.conf:1:foo in b", "a/x.conf:3:FOO bar", "a/x.conf:4:foo\tbar"}},
		{"", "*.conf", `foo`, nil},
		{"/a", "*.conf", `foo\s+bar$`, []string{"a/x.conf:4:foo\tbar"}},
		{"/a/x.conf", "", `o`, []string{"a/x.conf:1:one", "a/x.conf:2:two words", "a/x.conf:4:foo\tbar"}},
		{"", "", `words$`, []string{"a/x.conf:2:two words"}},
		{"", "", `words\r$`, []string{"a/x.conf:2:two words"}},
		{"/a/b", "", `^$`, []string{"a/b/y.conf:2:"}},
		{"", "", `na.ve|\p{Greek}`, []string{"a/b/y.conf:3:naïve Ω"}},
		{"", "", `na[à-ÿ]ve (?i:ω)`, []string{"a/b/y.conf:3:naïve Ω"}},
		{"", "", `\d:\d|\dx{0,2}:b`, []string{"a/1:2.conf:1:foo:1:bar"}},
		{"", "", `a\.b \[c\] \{d\} \\e \$f \^g h\|i \(j\) k\* l\+ m\?`, []string{`a.txt:1:a.b [c] {d} \e $f ^g h|i (j) k* l+ m?`}},
		{"", "", `nowhere to be found`, nil},
		{"", "a/{1*,x}.conf", `(|foo).*r$`, []string{"a/1:2.conf:1:foo:1:bar", "a/x.conf:3:FOO bar", "a/x.conf:4:foo\tbar"}},
		{"", "[!a]*/*", `foo`, []string{".hidden/z.conf:1:foo hidden", "b lank/-e:1:blank foo"}},
	} {
		got, _ := s.answers(t, dir, backends.Query{Root: c.root, Names: c.names, Pattern: c.pattern})
		if !slices.Equal(got, c.want) {
			t.Errorf("%s in %q of %q:\n got %q\nwant %q", c.pattern, c.names, c.root, got, c.want)
		}
	}
	if _, survey := s.answers(t, dir, backends.Query{Pattern: "foo"}); survey.Binary != 1 {
		t.Errorf("binary files: %+v", survey)
	}
}

func (s suite) searchPaths(t *testing.T) {
	dir := s.folder(t)
	output(t, s.target, tree, dir)
	for names, want := range map[string][]string{
		"*":                 {".hidden/", "a.txt", "a/", "b lank/", "bin", "empty", "latin", "links/", "new\nline/"},
		"**/*.conf":         {".hidden/z.conf", "a/1:2.conf", "a/b/y.conf", "a/x.conf"},
		"*/*.conf":          {".hidden/z.conf", "a/1:2.conf", "a/x.conf"},
		"links/*":           {"links/dangling", "links/fifo", "links/file", "links/folder"},
		"**/[xyz].{conf,c}": {".hidden/z.conf", "a/b/y.conf", "a/x.conf"},
		"{a,links}/?*":      {"a/1:2.conf", "a/b/", "a/x.conf", "links/dangling", "links/fifo", "links/file", "links/folder"},
		"{a/b,.hidden}/*":   {".hidden/z.conf", "a/b/y.conf"},
		"new*/**":           {"new\nline/f"},
		"**/b":              {"a/b/"},
		`b\ lank/\-e`:       {"b lank/-e"},
		"nothing*":          nil,
	} {
		if got, _ := s.answers(t, dir, backends.Query{Names: names}); !slices.Equal(got, want) {
			t.Errorf("%s:\n got %q\nwant %q", names, got, want)
		}
	}
}

func (s suite) searchStops(t *testing.T) {
	dir := s.folder(t)
	output(t, s.target, `cd "$0" && i=0 && while [ $i -lt 300 ]; do i=$((i+1)); echo "line of text"; done >many && cp many other`, dir)
	for _, q := range []backends.Query{{Root: dir, Pattern: "text"}, {Root: dir}} {
		n := 0
		if _, err := s.seek(t, q, func(backends.Hit) bool { n++; return false }); err != nil || n != 1 {
			t.Errorf("%+v: %d found, %v", q, n, err)
		}
	}
	ctx, cancel := context.WithCancel(testContext(t))
	_, err := s.target.Files().(backends.Searcher).Search(ctx, backends.Query{Root: dir, Pattern: "text"}, func(backends.Hit) bool { cancel(); return true })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search: %v", err)
	}
}

func (s suite) searchFails(t *testing.T) {
	dir := s.folder(t)
	output(t, s.target, tree, dir)
	for _, c := range []struct {
		q    backends.Query
		want error
	}{
		{backends.Query{Root: dir + "/none", Pattern: "x"}, fs.ErrNotExist},
		{backends.Query{Root: dir + "/none"}, fs.ErrNotExist},
		{backends.Query{Root: dir + "/links/fifo", Pattern: "x"}, backends.ErrNotRegular},
		{backends.Query{Root: dir + "/links/folder", Pattern: "x"}, backends.ErrChanged},
		{backends.Query{Root: dir + "/links/file", Pattern: "x"}, backends.ErrChanged},
		{backends.Query{Root: dir + "/links/folder/b", Pattern: "x"}, backends.ErrChanged},
	} {
		_, err := s.seek(t, c.q, func(h backends.Hit) bool { t.Errorf("%+v: %+v", c.q, h); return true })
		if !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.q, err, c.want)
		}
	}
	for _, q := range []backends.Query{{Root: dir, Pattern: "("}, {Root: dir, Names: "[a"}, {Root: dir, Names: "../x"}, {Root: "relative", Pattern: "x"}} {
		if _, err := s.seek(t, q, func(backends.Hit) bool { return true }); err == nil {
			t.Errorf("%+v: no error", q)
		}
	}
}
