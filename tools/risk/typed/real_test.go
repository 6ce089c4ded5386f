package typed

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"github.com/nod-console/nod/tools/risk"
)

// rounds is how many texts are tried with each real program.
func rounds() int {
	if os.Getenv("NOD_E2E") != "" {
		return 4000
	}
	return 500
}

// sentences makes texts for one program of pieces that look, pieces that act, and glue.
type sentences struct {
	*rand.Rand
	pieces, glue []string
}

func (s sentences) next() string {
	var b strings.Builder
	for range 1 + s.IntN(4) {
		b.WriteString(s.pieces[s.IntN(len(s.pieces))])
		b.WriteString(s.glue[s.IntN(len(s.glue))])
	}
	return b.String()
}

// looks are texts that are looks for a program, made at random of pieces.
func looks(t *testing.T, program string, pieces, glue []string) []string {
	t.Helper()
	s := sentences{rand.New(rand.NewPCG(1, 2)), pieces, glue}
	seen := map[string]bool{}
	var all []string
	for range rounds() {
		text := s.next()
		if !seen[text] && entered(program, text).Auto {
			all = append(all, text)
		}
		seen[text] = true
	}
	if len(all) < 10 {
		t.Fatalf("%d of %d texts are looks", len(all), rounds())
	}
	return all
}

// state is what a folder holds, by name.
func state(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			all[name] = "folder"
			return err
		}
		body, err := os.ReadFile(name)
		all[name] = fmt.Sprintf("%x", sha256.Sum256(body))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// unchanged runs do in a folder and wants it to be as it was, and says which of the texts
// was at fault, as far as do can tell.
func unchanged(t *testing.T, dir string, texts []string, do func(texts []string)) {
	t.Helper()
	before := state(t, dir)
	do(texts)
	if maps.Equal(before, state(t, dir)) {
		return
	}
	t.Errorf("one of %d looks has changed a file: %v\n%q", len(texts), state(t, dir), texts)
}

// fed runs a program with lines for its standard input, with nothing of the user's.
func fed(t *testing.T, dir, lines string, argv ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // programs that the tests name
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(lines)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LC_ALL=C", "TERM=dumb", "SHELL=/bin/sh", "PYTHONDONTWRITEBYTECODE=1"}
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		t.Fatalf("%s does not end: %v\n%s", argv[0], err, out)
	}
	return string(out)
}

// What is a look for sqlite3 changes no file and starts no program, whatever a line is
// made of.
func TestLooksInTheRealSQLite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if out := fed(t, dir, "create table t(a,b); insert into t values(1,'x'),(2,'y'); create view v as select a from t;", "sqlite3", "x.db"); out != "" {
		t.Fatal(out)
	}
	all := looks(t, "sqlite3", []string{
		"select * from t", "select count(*) from v", "select 1", "pragma table_info(t)", "pragma journal_mode", "pragma user_version", "explain select a from t", "select a from t where b = ';'",
		"select \"a\" from [t]", "values(1)", "with x as (select 1) select * from x", ".tables", ".schema t", ".schema", ".headers on", ".mode csv", ".mode insert z", ".width 3", ".show", ".databases", ".timer on", ".help mode",
		"drop table t", "delete from t", "update t set a=9", "insert into t values(3,4)", ".shell touch canary", ".system touch canary", ".output canary", ".once canary", ".save canary", ".backup canary", ".log canary",
		".once |touch canary", ".read |touch canary", ".import x y", ".open canary", ".cd /", ".clone canary", ".excel", "select writefile('canary','x')", "select edit('x','touch canary')", "attach 'canary' as c", "vacuum into 'canary'",
		"create table c(a)", "pragma journal_mode=wal", "pragma user_version=7", "begin", "commit", "select load_extension('canary')", "select * from fsdir('.')", "replace into t values(1,1)", "-- x", "/* x */", "select '", ".trace canary", ".dump",
	}, []string{";", ";\n", "\n", " ", "; ", " ;\n.", "\\\n", "'", "\"", ";;", "\n.shell touch canary\n", " limit 1;", "\n/\n", "\ngo\n", "\n/\n.output canary\n"})
	unchanged(t, dir, all, func(texts []string) {
		for _, text := range texts[:min(len(texts), 4)] { // as it is alone
			fed(t, dir, text+"\n", "sqlite3", "x.db")
		}
		fed(t, dir, strings.Join(texts, "\n;\n")+"\n", "sqlite3", "x.db")
	})
}

// What is a look for Python changes no file.
func TestLooksInTheRealPython(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := looks(t, "python3", []string{
		"1", "23", "4.5", "(7)", "8 + 9", "(3 - 2)", "(", ")", "+", "-", "*", "/", "//", "%", "==", "<", ">", "**", "import os", "os.system('touch canary')", "open('canary','w')", "__import__('os').system('touch canary')", "x", "print(1)", "'a'", "[1]", "lambda: 0",
		"exec('1')", "1e3", "0x10", "_",
	}, []string{"", "", " ", " + ", "*", ";", "\n", "-"})
	unchanged(t, dir, all, func(texts []string) {
		fed(t, dir, strings.Join(texts, "\n")+"\n", "python3", "-q", "-i")
	})
}

// What is a look for bc changes no file.
func TestLooksInTheRealBC(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	all := looks(t, "bc", []string{"1", "23", "4.5", "(2)", "sqrt(2)", "scale=3", "2^8", "!touch canary", "read()", "print \"x\"", "while(1) 1", "x", "9^9^9", "a(1)", "length(33)", "define f(x) { }"},
		[]string{"", " + ", "*", ";", "\n", "/"})
	unchanged(t, dir, all, func(texts []string) {
		fed(t, dir, strings.Join(texts, "\n")+"\nquit\n", "bc", "-l")
	})
}

// onTerminal runs a full-screen program on a terminal, types keys into it, and waits for its
// end, which the keys ask for.
func onTerminal(t *testing.T, dir string, keys []byte, argv ...string) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...) //nolint:gosec // programs that the tests name
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "LC_ALL=C", "TERM=xterm", "SHELL=/bin/sh", "LESSHISTFILE=-"}
	tty, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close() //nolint:errcheck // it has ended
	shown := make(chan bool, 1)
	read := make(chan struct{})
	go func() {
		defer close(read)
		var seen bytes.Buffer
		p := make([]byte, 4096)
		for {
			n, err := tty.Read(p)
			if seen.Len() < 1<<20 {
				seen.Write(p[:n])
			}
			if bytes.Contains(seen.Bytes(), []byte("first line")) {
				select {
				case shown <- true:
				default:
				}
			}
			if err != nil {
				return
			}
		}
	}()
	select {
	case <-shown:
	case <-ctx.Done():
		t.Fatalf("%s shows nothing", argv[0])
	}
	if _, err := tty.Write(keys); err != nil && err != io.ErrClosedPipe { //nolint:errorlint // as it comes
		t.Errorf("%s: %v", argv[0], err)
	}
	err = cmd.Wait()
	<-read
	if ctx.Err() != nil {
		t.Fatalf("%s does not end: the keys have led elsewhere", argv[0])
	}
	return err
}

// typedAs are the bytes of keys by their names.
var typedAs = map[string]string{"Escape": "\x1b", "Enter": "\r", "Space": " ", "C-f": "\x06", "C-b": "\x02", "C-d": "\x04", "C-u": "\x15", "C-g": "\x07", "C-c": "\x03", "C-v": "\x16", "C-z": "\x1a", "C-r": "\x12", "C-w": "\x17"}

// strokes are sequences of keys that are looks for a program and do not end it, made at
// random, and their bytes.
func strokes(t *testing.T, program string, from []string) (all []string, typed []byte) {
	t.Helper()
	r := rand.New(rand.NewPCG(3, 4))
	for range rounds() {
		keys := make([]string, 0, 6)
		if program == "vim" {
			keys = append(keys, "Escape")
		}
		for range 1 + r.IntN(5) {
			keys = append(keys, strings.Fields(from[r.IntN(len(from))])...)
		}
		if !Keys(risk.Keystrokes{Keys: keys, Dialect: risk.Bash}, program).Auto || ends(program, keys) {
			continue
		}
		all = append(all, strings.Join(keys, " "))
		for _, k := range keys {
			if b, ok := typedAs[k]; ok {
				k = b
			}
			typed = append(typed, k...)
		}
	}
	if len(all) < 10 {
		t.Fatalf("%d of %d sequences are looks", len(all), rounds())
	}
	return all, typed
}

// ends reports whether keys, which are looks, end the program.
func ends(program string, keys []string) bool {
	last := keys[len(keys)-1]
	line := strings.Join(keys, " ")
	if program == "vim" {
		return strings.Contains(line, ": q")
	}
	return last == "q" || last == "Q"
}

// Keys that are looks for less and vim change no file and start no program: after them the
// program ends as it does where nothing was changed.
func TestLooksInTheRealPagerAndEditor(t *testing.T) {
	t.Parallel()
	for program, c := range map[string]struct {
		argv []string
		from []string
		end  string
	}{
		"less": {
			[]string{"less", "f"},
			[]string{"j", "k", "G", "g", "Space", "5", "/ l i n e Enter", "? 3 Enter", "n", "N", "& 1 Enter", "- S", "- N", "d", "u", "=", "C-f", "C-b", "! t o u c h Space c Enter", "s c Enter", "v", "| $ t e e Space c Enter", "- o c Enter", "o c Enter", "q", "#", ": e Space f Enter", ": n", ": p", "p", "%", "r", "R", "m a", "Escape", "z", "w", "<", ">"},
			"q",
		},
		"vim": {
			[]string{"vim", "-u", "NONE", "-i", "NONE", "-N", "-n", "f"},
			[]string{"j", "k", "h", "l", "G", "g g", "w", "b", "e", "0", "$", "3", "/ l i n e Enter", "n", "N", "C-f", "C-b", ": 5 Enter", ": s e t Space n u Enter", ": n o h Enter", "d d", "x", "i a", ": w Enter", ": w Space c Enter", ": ! t o u c h Space c Enter", ": q Enter", "u", "p", "J", "@ a", "q a", "Z Z", "g f", "g e", "z t", "{", "}", "%", ": % s / a / b / Enter", "D", "o", "r x", "Escape", "Z Q", ": r Space ! l s Enter", "~", "C-c", "\" a", "."},
			"\x1b:q\r",
		},
	} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			var text strings.Builder
			text.WriteString("first line\n")
			for i := range 200 {
				fmt.Fprintf(&text, "line %d (of them)\n", i)
			}
			if err := os.WriteFile(filepath.Join(dir, "f"), []byte(text.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			all, typed := strokes(t, program, c.from)
			unchanged(t, dir, all, func([]string) {
				if err := onTerminal(t, dir, append(typed, c.end...), c.argv...); err != nil {
					t.Errorf("%v", err)
				}
			})
		})
	}
}

// FuzzKeys: whatever is typed, a verdict comes, is consistent, and does not pass what a
// client runs or writes.
func FuzzKeys(f *testing.F) {
	for _, seed := range []string{"select 1;", `\! touch x`, ".shell touch x", "flushall", "1+1", "q", ":q!\n", "!sh\n", "\\dt\nselect"} {
		f.Add(uint8(0), "", seed, "Up Enter", true)
	}
	names := make([]string, 0, len(languages)+len(screens))
	for i := range languages {
		names = append(names, languages[i].name, languages[i].name+inTransaction)
	}
	for i := range screens {
		names = append(names, screens[i].name)
	}
	f.Fuzz(func(t *testing.T, which uint8, pending, literal, keys string, enter bool) {
		program := names[int(which)%len(names)]
		if !isLine(program) {
			pending = "" // there is no line
		}
		k := risk.Keystrokes{Pending: pending, Literal: literal, Keys: strings.Fields(keys), Enter: enter, Tracked: which%2 == 0, Dialect: risk.Bash}
		v := Keys(k, program)
		whole := len(pending) + len(literal)
		for _, found := range v.Findings {
			if found.Start < 0 || found.Start > found.End || found.End > max(whole, len(pending+literal+keys)) {
				t.Errorf("the finding %+v in %d bytes", found, whole)
			}
		}
		if !v.Auto {
			return
		}
		if v.Effect != risk.Observe || v.Flags != 0 {
			t.Errorf("unasked: %+v", v)
		}
		if k.Moves() {
			return
		}
		for _, line := range strings.Split(pending+literal, "\n") {
			line = strings.TrimSpace(line)
			for _, runs := range []string{`\!`, ".shell", ".system", ".output", ".once", ".read", ".import", "!", "system ", "source ", "eval "} {
				if strings.HasPrefix(strings.ToLower(line), runs) && !strings.Contains(keys, "C-u") && !strings.Contains(keys, "C-c") && (enter || literal != "") && program != "top" && program != "htop" {
					t.Errorf("%s: unasked: %q %q", program, line, keys)
				}
			}
		}
		// What is a look as it stands is one for who types it in two parts.
		if len(literal) > 1 && len(keys) == 0 && pending == "" {
			half := len(literal) / 2
			for half > 0 && literal[half]&0xC0 == 0x80 {
				half--
			}
			if !strings.Contains(literal[:half], "\n") && strings.TrimSpace(literal[:half]) != "" {
				rest := Keys(risk.Keystrokes{Pending: literal[:half], Literal: literal[half:], Enter: enter, Tracked: k.Tracked, Dialect: risk.Bash}, program)
				if isLine(program) && !rest.Auto {
					t.Errorf("%s: %q is a look, and not behind %q", program, literal, literal[:half])
				}
			}
		}
	})
}

// isLine reports whether a program reads lines.
func isLine(program string) bool {
	for i := range languages {
		if strings.HasPrefix(program, languages[i].name) {
			return true
		}
	}
	return false
}
