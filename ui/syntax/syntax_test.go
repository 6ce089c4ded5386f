package syntax_test

import (
	"strings"
	"testing"

	"github.com/nod-console/nod/ui/syntax"
)

// letters are the kinds in one letter each, for the table below.
const letters = ".csnkv+-@"

// kinds is what each byte of a text is.
func kinds(l *syntax.Language, text string) string {
	var b strings.Builder
	var s syntax.State
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			b.WriteString("\n")
		}
		var pieces []syntax.Piece
		pieces, s = l.Line(line, s)
		for _, p := range pieces {
			b.WriteString(strings.Repeat(letters[p.Kind:p.Kind+1], len(p.Text)))
		}
	}
	return b.String()
}

func TestThePartsOfCodeAreToldApart(t *testing.T) {
	for _, c := range []struct{ language, code, want string }{
		{"go", `if x1 := "a\"b"; true { // why`, "kk.......ssssss..vvvv...cccccc"},
		{"go", "s := `one\n// two`; y = 0x1F /* a\nb */ + 2", ".....ssss\nsssssss......nnnn.cccc\ncccc...n"},
		{"sh", `for f in "$x" ${y} it; do rm -- $f # gone`, "kkk...kk.ssss.vvvv.....kk.vv....vv.cccccc"},
		{"bash", "echo a#b 'it\n$x' && ls", "vvvv.....sss\nsss....vv"},
		{"py", "def f(self): return '''a\nb''' # x", "kkk...vvvv...kkkkkk.ssss\nssss.ccc"},
		{"yaml", "web: {image: \"nginx\", on: true} # c", "vvv...vvvvv..sssssss..vv..vvvv..ccc"},
		{"json", `{"a": [1, 2.5, null]}`, ".sss...n..nnn..vvvv.."},
		{"sql", "SELECT count(*) FROM t WHERE a = 'it''s' -- all", "kkkkkk.vvvvv....kkkk...kkkkk.....sssssss.cccccc"},
		{"rust", "let c: char = 'a'; // b", "kkk....vvvv........cccc"},
		{"ini", "; c\n[unit]\nAfter=net # x", "ccc\n......\nvvvvv.....ccc"},
		{"diff", "@@ -1 +1 @@\n-a\n+b\n c", "@@@@@@@@@@@\n--\n++\n.."},
		{"C++ {.numbers}", "int x = 1;", "vvv.....n."},
	} {
		l := syntax.Of(c.language)
		if l == nil {
			t.Errorf("%s is not known", c.language)
			continue
		}
		if got := kinds(l, c.code); got != c.want {
			t.Errorf("%s:\n%s\n%s, want\n%s", c.language, c.code, got, c.want)
		}
	}
	for _, name := range []string{"", "klingon", " "} {
		if syntax.Of(name) != nil {
			t.Errorf("%q is a language", name)
		}
	}
}

// FuzzPiecesAreTheLine: whatever the code, its pieces are the code, in order.
func FuzzPiecesAreTheLine(f *testing.F) {
	for _, name := range []string{"go", "sh", "python", "sql", "html", "diff", "lua", "yaml"} {
		f.Add(name, "a 'b\" /* c\n# ${x $ \\ 日本\xff\n\"\"\"")
	}
	f.Fuzz(func(t *testing.T, name, code string) {
		l := syntax.Of(name)
		if l == nil {
			return
		}
		var s syntax.State
		for line := range strings.SplitSeq(code, "\n") {
			var pieces []syntax.Piece
			pieces, s = l.Line(line, s)
			text := ""
			for _, p := range pieces {
				text += p.Text
			}
			if text != line {
				t.Fatalf("%q became %q", line, text)
			}
		}
	})
}
