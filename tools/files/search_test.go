package files_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/files"
)

// tree makes files by name.
func (b *bench) tree(content map[string]string) {
	b.t.Helper()
	for name, text := range content {
		if at := strings.LastIndexByte(name, '/'); at > 0 {
			if err := os.MkdirAll(b.dir+"/"+name[:at], 0o700); err != nil {
				b.t.Fatal(err)
			}
		}
		b.put(name, text)
	}
}

func (b *bench) matches(args map[string]any) ([]string, files.GrepValue) {
	b.t.Helper()
	a, r := b.call(b.grep, args)
	v, ok := r.Value.(files.GrepValue)
	if !ok || r.IsError || a.Kind != tools.Read {
		b.t.Fatalf("%v: %+v", args, r)
	}
	all := []string{}
	for _, m := range v.Matches {
		all = append(all, fmt.Sprintf("%s:%d:%s", m.File, m.Line, m.Text))
	}
	return all, v
}

func TestGrepFindsLines(t *testing.T) {
	b := newBench(t)
	b.tree(map[string]string{
		"a.conf": "listen 80\nserver_name x\n", "sites/b.conf": "  listen 8080;\r\n", "sites/c.txt": "listen\n", "bin": "listen\x00",
		"sites/.env": "listen=secret\n", ".ssh/id_rsa": "listen\n", "latin": "listen caf\xe9\n",
	})
	b.grep.Hides = func(target, path string) bool { return target == "local" && strings.HasSuffix(path, "c.txt") }
	got, v := b.matches(map[string]any{"pattern": `(?i)LISTEN`, "path": b.dir})
	if want := []string{"a.conf:1:listen 80", "latin:1:listen caf\uFFFD", "sites/b.conf:1:  listen 8080;"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	notices := strings.Join(v.Notices, "; ")
	for _, want := range []string{"3 files that may hold secrets are left out", "1 binary file matches", "not UTF-8"} {
		if !strings.Contains(notices, want) {
			t.Errorf("%q is not in %q", want, notices)
		}
	}
	if got, _ := b.matches(map[string]any{"pattern": `listen`, "path": b.dir + "/", "include": "*.conf"}); len(got) != 2 {
		t.Errorf("%q", got)
	}
	if got, _ := b.matches(map[string]any{"pattern": `listen`, "path": b.dir, "include": "sites/*.conf"}); len(got) != 1 {
		t.Errorf("%q", got)
	}
	if got, _ := b.matches(map[string]any{"pattern": `name`, "path": b.dir + "/a.conf"}); !slices.Equal(got, []string{"a.conf:2:server_name x"}) {
		t.Errorf("%q", got)
	}
	if got, v := b.matches(map[string]any{"pattern": `nothing`, "path": b.dir}); len(got) != 0 || v.Matches == nil || v.Notices[0] != "nothing matches" {
		t.Errorf("%q %q", got, v.Notices)
	}
}

func TestGrepIsCutWithAWayToGoOn(t *testing.T) {
	b := newBench(t)
	b.put("many", strings.Repeat("line\n", 3000)+strings.Repeat("é", 1000)+"\n")
	for limit, want := range map[int]int{0: 100, 7: 7, 5000: 1000} {
		args := map[string]any{"pattern": "line", "path": b.dir}
		if limit > 0 {
			args["limit"] = limit
		}
		got, v := b.matches(args)
		if len(got) != want || len(v.Notices) != 1 || !strings.Contains(v.Notices[0], fmt.Sprintf("from many line %d on", want+1)) {
			t.Errorf("limit %d: %d lines, %q", limit, len(got), v.Notices)
		}
	}
	if got, v := b.matches(map[string]any{"pattern": "éé", "path": b.dir}); len(got) != 1 || got[0] != "many:3001:"+strings.Repeat("é", 300)+"…" || !strings.Contains(v.Notices[0], "cut at 300") {
		t.Errorf("%q %q", got, v.Notices)
	}
}

func (b *bench) paths(args map[string]any) files.GlobValue {
	b.t.Helper()
	_, r := b.call(b.glob, args)
	v, ok := r.Value.(files.GlobValue)
	if !ok || r.IsError {
		b.t.Fatalf("%v: %+v", args, r)
	}
	return v
}

func TestGlobFindsPaths(t *testing.T) {
	b := newBench(t)
	b.tree(map[string]string{"b.conf": "", "a/x.conf": "", "a/b/y.conf": "", ".c": ""})
	if v := b.paths(map[string]any{"pattern": "*", "path": b.dir}); !slices.Equal(v.Found, []string{".c", "a/", "b.conf"}) || v.Path != b.dir {
		t.Errorf("%+v", v)
	}
	if v := b.paths(map[string]any{"pattern": "**/*.conf", "path": b.dir}); !slices.Equal(v.Found, []string{"a/b/y.conf", "a/x.conf", "b.conf"}) {
		t.Errorf("%+v", v)
	}
	if v := b.paths(map[string]any{"pattern": "a/b/*", "path": b.dir}); !slices.Equal(v.Found, []string{"y.conf"}) || v.Path != b.dir+"/a/b" {
		t.Errorf("%+v", v)
	}
	if v := b.paths(map[string]any{"pattern": "*", "path": b.dir, "limit": 2}); len(v.Found) != 2 || !strings.Contains(v.Notices[0], "1 more behind a/") {
		t.Errorf("%+v", v)
	}
	if v := b.paths(map[string]any{"pattern": "z*", "path": b.dir}); v.Found == nil || v.Notices[0] != "nothing fits" {
		t.Errorf("%+v", v)
	}
	for path, code := range map[string]string{b.dir + "/none": "not_found", b.dir + "/b.conf": "", "/proc": "system_folder"} {
		if _, r := b.call(b.glob, map[string]any{"pattern": "*", "path": path}); problem(t, r) != code {
			t.Errorf("%s: %+v", path, r)
		}
	}
}
