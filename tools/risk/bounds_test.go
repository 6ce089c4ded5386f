package risk

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// heavy are texts that cost much to read: for the parser, for a shell, or for
// whoever follows what is in them.
func heavy(size int) map[string]string {
	fill := func(s string) string { return strings.Repeat(s, size/len(s)) }
	nest := func(open, inner, shut string, depth int) string {
		return strings.Repeat(open, depth) + inner + strings.Repeat(shut, depth)
	}
	var names strings.Builder
	for i := 0; names.Len() < size; i++ {
		fmt.Fprintf(&names, "a%d=1&&", i)
	}
	return map[string]string{
		"commands": fill("ls;"), "words": "ls " + fill("a "), "one word": "ls " + fill("a"), "pipes": fill("ls|") + "ls", "conditions": fill("a && ") + "b",
		"redirections": fill("ls >a "), "comments": fill("#\n"), "comments that go on": fill("# \\\n"), "cases": "case x in " + fill("a) ls;; ") + "esac",
		"heredocs": fill("cat <<A\nA\n"), "heredocs in one line": fill("cat <<A;") + "\n" + fill("A\n"), "substitutions": fill("echo \"$(echo $x)\";"),
		"substitutions within": nest("echo $(", "ls", ")", 60), "defaults within": nest("echo ${x:-$(echo ", "a", ")}", 14), "subshells within": nest("( ls | ", "ls", ")", 60),
		"assignments within": nest("X=$(", "ls", ")", 60), "conditions within": strings.Repeat("if true; ", 14) + strings.Repeat("then ls; fi; ", 14),
		"processes within": nest("cat <(", "ls", ")", 60), "brackets": fill("(((("), "parameters": fill("${x:-"), "quotes": fill("'\""), "backslashes": fill("\\"),
		"backquotes": fill("echo `ls`;"), "arithmetic": fill("echo $((1+"), "doubled": "a=x; " + strings.Repeat("a=$a$a; ", 40) + "ls $a", "in turn": "a=ls; " + fill("b=$a; a=$b; ") + "$a",
		"doubled in quotes": "a=x; " + strings.Repeat(`a="$a$a"; `, 40) + `echo "$a"`, "many names": names.String() + "ls", "braces": "ls " + fill("{a,b}"), "braces within": nest("ls {a,", "b", "}", size/6),
		"loops": nest("for a in 1 2 3 4 5 6 7 8; do ", "ls $a; ", "done; ", 16), "shells within": nestedShells(12), "eval": "x='" + strings.Repeat("a", 2000) + "'; " + fill("eval $x;"),
		"wrappers": fill("sudo ") + "ls", "xargs": fill("xargs ") + "ls", "actions": "find . " + fill("-exec ls {} \\; "), "roots and actions": "find " + fill("a ") + fill("-exec ls {} \\; "),
		"paths": fill("cat $x/a;"), "a deep path": "cat " + fill("/a"), "dots": "cat /" + fill("../") + "etc/shadow", "stars": "cat /" + fill("*"), "stars between": "cat /etc/" + strings.Repeat("*a", 300) + "b",
		"awk": "awk '{" + fill("a/b/c;") + "}' f", "sed": "sed '" + fill("s/a/b/;") + "'", "sql": "psql -c \"select " + fill("a(") + "\"", "jq": "jq '" + fill(".a|") + ".'",
		"not to be parsed": fill("a;rm b)|") + "'", "unknown programs": fill("frob -rf /a$x;"), "unknown names": "x=rm; " + fill("$x a;"), "separators": "ls " + fill("a$IFS"), "history": fill("!a "),
		"control": fill("ls \x01"), "invalid": fill("\x80"), "sockets": fill("ss dst a;"), "folders": fill("cd a;") + "cat x", "let": fill("let 'a=$(ls)';"),
	}
}

// Whatever a text is, its verdict costs a bounded amount of work and memory, and
// what is beyond the bounds is opaque. Time is a matter of BenchmarkBounds.
func TestBoundsOfWork(t *testing.T) {
	for _, size := range []int{maxText - 600, 1 << 20} {
		if raced && size > maxText {
			continue
		}
		for name, text := range heavy(size) {
			for _, d := range []Dialect{Bash, POSIX, Zsh, Fish} {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				a := &assessor{dialect: d, effect: Observe, work: &budget{left: maxWork}}
				a.script(text)
				runtime.ReadMemStats(&after)
				if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 && !raced {
					t.Errorf("%s, %d bytes in %v: %d bytes of memory", name, len(text), d, used)
				}
				v := a.verdict()
				checkVerdict(t, v, len(text))
				if (a.work.left < 0 || len(text) > maxText) && !v.Flags.Has(Opaque) {
					t.Errorf("%s, %d bytes in %v: beyond the bounds, and not opaque", name, len(text), d)
				}
				if a.work.left < -maxText {
					t.Errorf("%s, %d bytes in %v: went on for %d units when the budget was spent", name, len(text), d, -a.work.left)
				}
			}
			ShellKillers(text, Bash)
		}
	}
}

// What is lost in a text that is too long to be read is still seen.
func TestLossInATextThatIsTooLong(t *testing.T) {
	if v := Command(strings.Repeat("ls; ", maxText)+"rm -rf /srv", Bash); v.Effect != Destroy || !v.Flags.Has(Opaque) {
		t.Errorf("%v %v", v.Effect, v.Flags)
	}
}

func BenchmarkBounds(b *testing.B) {
	for name, text := range heavy(maxText - 600) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Command(text, POSIX)
			}
		})
	}
}
