package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/app/controller"
)

// The main job, as an operator does it, with the guide and no network.
func TestOperatorAsksWatchesApprovesAndFindsItOnRecord(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.console(120, 40)
	s.see("local", "F1")

	s.typed("what is filling the disk? Look in /etc")
	s.press("Enter")
	s.see("du -xak", "The fullest file system is") // in the mirror, and in the summary

	file := filepath.Join(w.home, "hello.txt")
	proposal := "create a file " + file + " with hello"
	s.typed(proposal)
	s.press("Enter")
	s.see("APPROVE", "hello.txt")
	answer(s, "n")
	s.see("denied")
	if _, err := os.Stat(file); err == nil {
		t.Fatal("denied, and the file is there")
	}

	s.typed(proposal)
	s.press("Enter")
	s.see("APPROVE", "hello.txt")
	answer(s, "y")
	eventually(t, "the file is there", func() bool {
		data, err := os.ReadFile(file)
		return err == nil && strings.TrimSpace(string(data)) == "hello"
	})

	mine := filepath.Join(w.home, "mine")
	s.typed("!mkdir " + mine)
	s.press("Enter")
	s.see("APPROVE", "mkdir "+mine[:20])
	answer(s, "n")
	s.see("✗ denied", "nothing running")
	s.typed("!echo mine | tr a-z A-Z")
	s.press("Enter")
	s.see("MINE") // it only looks
	if _, err := os.Stat(mine); err == nil {
		t.Error("denied, and the folder is there")
	}

	// A file of this machine is offered by its name, unless it may hold secrets.
	for name, text := range map[string]string{"errands.txt": "fetch the milk", "id_rsa": "none of your business"} {
		if err := os.WriteFile(filepath.Join(w.home, name), []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s.typed("read @~/id_")
	s.see("left out: 1 that may hold secrets")
	s.press("C-u")
	s.typed("read @~/err")
	s.see("› errands.txt")
	s.press("Tab", "Enter")
	s.see("fetch the milk", "nothing running")

	if out, errs, status := w.do("audit", "verify"); status != 0 || !strings.HasPrefix(out, "ok: ") {
		t.Errorf("audit verify: %d %s%s", status, out, errs)
	}

	if err := syscall.Kill(s.pid(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	s.see("nod was killed", "press Enter")
	again := w.console(120, 40)
	again.see("what is filling the disk?", "/resume")
	again.see("ready$") // the pane that was left behind is taken over, and ends with the console
	quit(again)

	resumed := w.console(120, 40, "--resume")
	resumed.see("You denied writing", "is written")
	resumed.see("ready$")
	quit(resumed)
}

// answer presses a key of the dialog once it listens: what was typed before
// that is ignored.
func answer(s *display, key string) {
	s.t.Helper()
	asked := asks(readsOn(s, "y approves"))
	s.press(key)
	s.until("see it answered", func(text string) bool { return asks(text) != asked })
}

// readsOn scrolls down in a dialog until it shows what is wanted.
func readsOn(s *display, wanted string) string {
	s.t.Helper()
	for {
		text := s.until("see "+wanted, func(text string) bool { return strings.Contains(text, wanted) || wantsReading(text) })
		if strings.Contains(text, wanted) {
			return text
		}
		s.press("PgDn")
		s.until("see the next rows", func(now string) bool { return now != text })
	}
}

// asks is the first line of what a dialog asks about, empty without one.
// Another dialog may follow one so soon that nothing is seen in between.
func asks(text string) string {
	_, body, _ := strings.Cut(text, "APPROVE")
	_, line, _ := strings.Cut(body, "\n")
	line, _, _ = strings.Cut(line, "\n")
	return line
}

// wantsReading reports whether a dialog has rows that have not been seen.
func wantsReading(text string) bool {
	return strings.Contains(text, " rows more") || strings.Contains(text, " row more")
}

// quit leaves the console as an operator does. Its exit status is 0, unless
// another one is wanted.
func quit(s *display, want ...string) {
	s.t.Helper()
	s.see("nothing running") // else it would ask
	s.press("C-d")
	if status := s.ended(); status != append(want, "0")[0] {
		s.t.Errorf("exit status %s", status)
	}
}

// The same with a model behind HTTP that makes several calls in one reply.
func TestScriptedModelWorksThroughTheSameGate(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := filepath.Join(w.home, "made")
	m := serveModel(t,
		calls(shell("a", "uname -s", false), shell("b", "touch "+made, true)),
		says("Linux it is, and the file is made."),
	)
	w.extra = []string{"NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	s := w.console(120, 40)
	s.see("scripted")
	s.typed("do both")
	s.press("Enter")
	s.see("APPROVE", "touch")
	answer(s, "y")
	s.see("Linux it is, and the file is made.")
	if _, err := os.Stat(made); err != nil {
		t.Error(err)
	}
	asked := m.asked()
	if len(asked) != 2 {
		t.Fatalf("%d requests", len(asked))
	}
	var results []string
	for _, msg := range asked[1].Messages {
		if msg.Role == "tool" {
			results = append(results, msg.ToolCallID)
			if msg.ToolCallID == "a" && !strings.Contains(msg.Content, `"stdout":"Linux`) {
				t.Errorf("result of a: %s", msg.Content)
			}
		}
	}
	if strings.Join(results, " ") != "a b" {
		t.Errorf("results of %v", results)
	}
	last := asked[1].Messages[len(asked[1].Messages)-1]
	if last.Role != "tool" || !strings.Contains(last.Content, "\n<screen-") || !strings.Contains(last.Content, "touch ") {
		t.Errorf("the pane's picture is not in the last thing that is sent: %s", last.Content)
	}
	// Another one answers, in the middle of the conversation.
	s.typed("/context")
	s.press("Enter")
	s.see("context of scripted", "5 messages")
	s.typed("/model guide")
	s.press("Enter")
	s.see("model: guide")
	s.typed("what is the load?")
	s.press("Enter")
	s.see("load average")
	quit(s)
}

// Whatever ends the console, the terminal is as it was: for the next program at once,
// unless nod had no time for anything.
func TestTerminalIsRestored(t *testing.T) {
	t.Parallel()
	for _, end := range []struct {
		name string
		how  func(*testing.T, *world, *display)
		says string // on the screen behind the end
	}{
		{"quit", func(_ *testing.T, _ *world, s *display) { s.press("C-d") }, ""},
		{"slash quit", func(_ *testing.T, _ *world, s *display) { s.typed("/quit"); s.press("Enter") }, ""},
		{"TERM", func(t *testing.T, w *world, _ *display) { signalNod(t, w, syscall.SIGTERM) }, ""},
		{"HUP", func(t *testing.T, w *world, _ *display) { signalNod(t, w, syscall.SIGHUP) }, ""},
		{"INT", func(t *testing.T, w *world, _ *display) { signalNod(t, w, syscall.SIGINT) }, ""},
		{"QUIT", func(t *testing.T, w *world, _ *display) { signalNod(t, w, syscall.SIGQUIT) }, "nod has crashed"},
		{"KILL", func(t *testing.T, w *world, _ *display) { signalNod(t, w, syscall.SIGKILL) }, "nod was killed"},
		{"panic", func(_ *testing.T, w *world, _ *display) { w.write("panic", "", 0o600) }, "nod has crashed"},
	} {
		t.Run(end.name, func(t *testing.T) {
			w := newWorld(t)
			w.extra = []string{"NOD_TEST_PANIC=" + filepath.Join(w.home, "panic")}
			after := "stty -g >after"
			if end.name == "KILL" {
				after = `until test "$(stty -g)" = "$(cat before)"; do sleep 0.1; done; stty -g >after`
			}
			w.write("story", "cd\nstty -g >before\nsh -c 'echo $$ >pid; exec "+w.nod+"'\n"+after+"\necho the end\nexec cat\n", 0o700)
			s := openDisplay(t, 80, 24, w.env(), "sh", filepath.Join(w.home, "story"))
			s.see("F1", "ready$")
			if end.says != "" {
				eventually(t, "the guard is there", func() bool { return guardOf(t, w) != "" })
			}
			end.how(t, w, s)
			s.see("the end", end.says)
			if before, after := read(t, w, "before"), read(t, w, "after"); before != after {
				t.Errorf("before %s\nafter %s", before, after)
			}
			eventually(t, "every mode is off", func() bool {
				return s.tmux("display-message", "-p", "#{alternate_on} #{cursor_flag} #{mouse_any_flag} #{keypad_cursor_flag}") == "0 1 0 0"
			})
			if end.says == "" {
				return
			}
			if report := filepath.Join(".local", "state", "nod", controller.CrashReport); end.name == "panic" && !strings.Contains(read(t, w, report), "panic: once\n\ngoroutine ") {
				t.Errorf("the report says %s", read(t, w, report))
			}
			w.extra = nil
			again := w.console(80, 24) // takes the pane that was left behind
			again.see("ready$")
			quit(again)
		})
	}
}

// guardOf is the process that would give the terminal back, empty if there is none.
func guardOf(t *testing.T, w *world) string {
	t.Helper()
	pid := strings.TrimSpace(read(t, w, "pid"))
	children, err := filepath.Glob("/proc/" + pid + "/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, list := range children {
		pids, err := os.ReadFile(list)
		if err != nil {
			continue // that thread has ended
		}
		for child := range strings.FieldsSeq(string(pids)) {
			if args, err := os.ReadFile("/proc/" + child + "/cmdline"); err == nil && strings.Contains(string(args), "\x00nod-guard\x00") {
				return child
			}
		}
	}
	return ""
}

// signalNod sends a signal to the nod whose process id the story wrote down.
func signalNod(t *testing.T, w *world, sig syscall.Signal) {
	t.Helper()
	pid, err := strconv.Atoi(strings.TrimSpace(read(t, w, "pid")))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, sig); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, w *world, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(w.home, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// The console opens in any terminal, however small.
func TestSmallTerminals(t *testing.T) {
	t.Parallel()
	for _, size := range [][2]int{{80, 24}, {40, 10}, {20, 5}} {
		w := newWorld(t)
		s := w.console(size[0], size[1])
		s.see(">")
		s.typed("hi")
		s.see("hi")
		s.press("C-u")
		quitAny(s)
	}
}

func quitAny(s *display) {
	s.t.Helper()
	s.typed("/quit")
	s.press("Enter")
	if status := s.ended(); status != "0" {
		s.t.Errorf("exit status %s", status)
	}
}

// Keys that terminals report as an escape and a control byte are what they are
// called in the help.
func TestAltKeysOfARealTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.console(80, 24)
	s.see("ready$")
	s.typed("first")
	s.press("M-Enter")
	s.typed("second word")
	s.see("> first ", "  second word")
	s.press("M-BSpace")
	s.seeNo("word")
	s.see("  second")
	s.press("C-c")
	quit(s)
}
