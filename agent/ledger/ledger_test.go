package ledger

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("NOD_LEDGER_HELPER"); dir != "" {
		helper(dir)
		return
	}
	if dir := os.Getenv("NOD_LEDGER_TINY"); dir != "" {
		tiny(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

// helper appends intents and says so, until it is killed.
func helper(dir string) {
	l, err := Open(dir, Options{})
	if err != nil {
		panic(err)
	}
	for {
		ref, err := l.Intend(context.Background(), Intent{Tool: "run_shell", Command: "sleep 1"})
		if err != nil {
			panic(err)
		}
		_, _ = os.Stdout.WriteString(ref.ID + "\n") // whoever does not listen any more has killed us
	}
}

func folder(t testing.TB) string { return filepath.Join(t.TempDir(), "ledger") }

func open(t testing.TB, dir string) *Ledger {
	t.Helper()
	l, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func intend(t testing.TB, l *Ledger, command string) Ref {
	t.Helper()
	ref, err := l.Intend(context.Background(), Intent{Tool: "run_shell", Target: "local", Command: command})
	if err != nil {
		t.Fatal(err)
	}
	return ref
}

func records(t testing.TB, dir string) []Record {
	t.Helper()
	var all []Record
	if err := Read(dir, func(r Record) error { all = append(all, r); return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// outcomes maps each intent to its conclusion's outcome, "" if it is open.
func outcomes(t testing.TB, dir string) map[string]string {
	t.Helper()
	m := map[string]string{}
	for _, r := range records(t, dir) {
		switch r.Type {
		case TypeIntent:
			m[r.Ref] = ""
		case TypeConclusion:
			if m[r.Ref] != "" {
				t.Errorf("%s was concluded twice", r.Ref)
			}
			m[r.Ref] = r.Conclusion.Outcome
		}
	}
	return m
}

func verified(t testing.TB, dir string) Report {
	t.Helper()
	report, err := Verify(dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestRecordsComeBackAsTheyWereWritten(t *testing.T) {
	dir := folder(t)
	l := open(t, dir)
	want := Intent{
		ID: "a", Time: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Conversation: "c", Call: "1", Tool: "run_shell",
		Kind: "run", Target: "ssh:web-1", User: "deploy", Pane: "%3", Dir: "/srv/\xff", Path: "/tmp/\xfe", Stdin: "in\xfd", Dialect: "sh", Content: "00",
		Command: "printf '\xff\x00\u202e<&>'\n", Digest: "9f2c", Verdict: json.RawMessage(`{"effect":"mutate"}`),
		Claim: json.RawMessage(`{"risk":"low"}`), Decision: "approved", Rule: "r", By: "op", PID: 7,
		Recording: &Recording{File: "x.cast", At: time.Minute},
	}
	ref, err := l.Intend(context.Background(), want)
	if err != nil {
		t.Fatal(err)
	}
	code := 3
	end := Conclusion{Outcome: Exited, ExitCode: &code, Bytes: 12, Duration: time.Second, Truncated: true, Recording: &Recording{File: "x.cast", At: time.Minute}}
	if err := l.Conclude(ref, end); err != nil {
		t.Fatal(err)
	}
	note := Note{Kind: "denied", Text: "no", By: "op", Proposal: &want}
	if err := l.Note(note); err != nil {
		t.Fatal(err)
	}
	got := records(t, dir)
	if len(got) != 3 {
		t.Fatalf("%d records, want 3", len(got))
	}
	if d := cmp.Diff(&want, got[0].Intent); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(&end, got[1].Conclusion); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff(&note, got[2].Note); d != "" {
		t.Error(d)
	}
	if err := l.Conclude(ref, end); !errors.Is(err, ErrNoIntent) {
		t.Errorf("a second conclusion: %v", err)
	}
	if err := l.Conclude(Ref{}, end); !errors.Is(err, ErrNoIntent) {
		t.Errorf("a conclusion of nothing: %v", err)
	}
}

func TestSeveralLedgersOnOneFolder(t *testing.T) {
	dir := folder(t)
	const ledgers, each = 4, 25
	var wg sync.WaitGroup
	for range ledgers {
		l := open(t, dir)
		wg.Go(func() {
			for range each {
				ref, err := l.Intend(context.Background(), Intent{Command: "true"})
				if err == nil {
					err = l.Conclude(ref, Conclusion{Outcome: Exited})
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if r := verified(t, dir); r.Records != 2*ledgers*each || r.Open != 0 {
		t.Errorf("%d records, %d open; want %d and 0", r.Records, r.Open, 2*ledgers*each)
	}
}

func TestOpenLeavesTheIntentsOfALivingProcessAlone(t *testing.T) {
	dir := folder(t)
	first := open(t, dir)
	ref := intend(t, first, "sleep 9")
	open(t, dir)
	if got := outcomes(t, dir)[ref.ID]; got != "" {
		t.Errorf("outcome %q, want none", got)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, dir)
	if got := outcomes(t, dir)[ref.ID]; got != Unknown {
		t.Errorf("outcome %q after its ledger was closed, want unknown", got)
	}
}

func TestKillLosesNoAcknowledgedRecord(t *testing.T) {
	dir := folder(t)
	for round := range 5 {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), "NOD_LEDGER_HELPER="+dir)
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(stdout)
		var acknowledged []string
		for range 20 + 7*round {
			line, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			acknowledged = append(acknowledged, strings.TrimSpace(line))
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		acknowledged = append(acknowledged, strings.Fields(string(rest))...)
		_ = cmd.Wait() // it was killed

		var fault *Fault
		if _, err := Verify(dir, ""); err != nil && (!errors.As(err, &fault) || !fault.Recoverable) {
			t.Fatalf("after a kill: %v", err)
		}
		l := open(t, dir)
		if err := l.Healthy(); err != nil {
			t.Fatal(err)
		}
		verified(t, dir)
		got := outcomes(t, dir)
		for _, id := range acknowledged {
			if got[id] != Unknown {
				t.Errorf("outcome of %s: %q, want unknown", id, got[id])
			}
		}
	}
	live, err := filepath.Glob(filepath.Join(dir, livePrefix+"*"))
	if err != nil || len(live) != 5 {
		t.Errorf("%d live files, want the 5 of the open ledgers (%v)", len(live), err)
	}
}

func TestRefusedFolders(t *testing.T) {
	for name, prepare := range map[string]func(t *testing.T, dir string){
		"a link": func(t *testing.T, dir string) { must(t, os.Symlink(t.TempDir(), dir)) },
		"open to others": func(t *testing.T, dir string) {
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Chmod(dir, 0o755))
		},
		"a file": func(t *testing.T, dir string) { must(t, os.WriteFile(dir, nil, 0o600)) },
		"a linked log": func(t *testing.T, dir string) {
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Symlink(filepath.Join(t.TempDir(), "x"), filepath.Join(dir, logFile)))
		},
		"a log with two names": func(t *testing.T, dir string) {
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.WriteFile(filepath.Join(dir, logFile), nil, 0o600))
			must(t, os.Link(filepath.Join(dir, logFile), filepath.Join(dir, "other")))
		},
		"another user's": func(t *testing.T, dir string) {
			if os.Geteuid() != 0 {
				t.Skip("only root can give a folder away")
			}
			must(t, os.Mkdir(dir, 0o700))
			must(t, os.Chown(dir, 65534, 65534))
		},
		"a log without its key": func(t *testing.T, dir string) {
			intend(t, open(t, dir), "true")
			must(t, os.Remove(filepath.Join(dir, keyFile)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := folder(t)
			prepare(t, dir)
			l, err := Open(dir, Options{})
			if err == nil {
				t.Fatal(errors.Join(errors.New("it opened"), l.Close()))
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestExports(t *testing.T) {
	dir := folder(t)
	l := open(t, dir)
	ref := intend(t, l, "echo '```' # \u202e")
	must(t, l.Conclude(ref, Conclusion{Outcome: Exited, ExitCode: new(int)}))
	must(t, l.Note(Note{Kind: "denied", Text: "too *bold*", Proposal: &Intent{Command: "rm -rf /"}}))
	var j, m strings.Builder
	must(t, ExportJSON(&j, dir, nil))
	if n := strings.Count(j.String(), "\n"); n != 3 {
		t.Errorf("%d lines of JSON, want 3", n)
	}
	must(t, ExportMarkdown(&m, dir, nil))
	for _, want := range []string{"````\n\"echo '```' # \\u202e\"\n````", "exited 0", `too \*bold\*`, "rm -rf /", "verified"} {
		if !strings.Contains(m.String(), want) {
			t.Errorf("no %q in\n%s", want, m.String())
		}
	}
}

func TestExportsShowInputAndContent(t *testing.T) {
	dir := folder(t)
	l := open(t, dir)
	for _, i := range []Intent{{Command: "bash", Stdin: "rm -rf /srv\n"}, {Path: "/etc/motd", Content: "abc123"}} {
		_, err := l.Intend(t.Context(), i)
		must(t, err)
	}
	var m strings.Builder
	must(t, ExportMarkdown(&m, dir, nil))
	for _, want := range []string{"```\nrm -rf /srv\n\n```", "SHA-256 abc123"} {
		if !strings.Contains(m.String(), want) {
			t.Errorf("no %q in\n%s", want, m.String())
		}
	}
}

// No line of a command can pass for another one's quoted form.
func TestExportedLinesDoNotLookAlike(t *testing.T) {
	if a, b := printable("rm é"), printable(`"rm \u00e9"`); a == b {
		t.Errorf("both are shown as %s", a)
	}
}

func TestVerifyOfNothing(t *testing.T) {
	if _, err := Verify(folder(t), ""); !errors.Is(err, ErrNone) {
		t.Errorf("%v, want ErrNone", err)
	}
}
