package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/nod-console/nod/agent/ledger/recording"
	"github.com/nod-console/nod/backends/vt"
	"github.com/nod-console/nod/cmd/nod/internal/app/process"
)

// demo is a command whose output has colours, wide and combined characters, a
// line that is rewritten, and a visit to the alternate screen.
const demo = `printf '\033[1;31mrot\033[0m \033[38;5;208;4munder\033[m 日本語 é 👍 \033[48;2;10;60;30mgrün   \033[m\n'
for i in 1 2 3; do printf '\rprogress %s' $i; done; echo
printf '\033[?1049h\033[5;5Helsewhere\033[?1049l'
printf '%300s\n' x | tr ' ' .; ls /nosuch; echo; seq 3`

// recorded runs a command in a pane and returns the world and the recording.
func recorded(t *testing.T, command string) (*world, string) {
	t.Helper()
	w := newWorld(t)
	if _, errs, status := w.do("run", "--pane", "--dangerously-approve-all", "--", command); status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	all, err := filepath.Glob(filepath.Join(w.home, ".local/state/nod/recordings/*.cast"))
	if err != nil || len(all) != 1 {
		t.Fatalf("recordings %q, %v", all, err)
	}
	return w, all[0]
}

// pictureOf is how a recording ends, as nod's own emulator shows it.
func pictureOf(t *testing.T, path string) *vt.Snapshot {
	t.Helper()
	rec, err := recording.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	p := recording.Play(rec)
	p.Seek(rec.Duration())
	return p.Screen()
}

// looks is a picture cell by cell; what is not a picture but a terminal's answer
// to "capture-pane -e" is one after it was shown.
func looks(s *vt.Snapshot) string {
	var b strings.Builder
	for y := range s.Size.Rows {
		for _, c := range s.Row(y) {
			if text := s.Text(c); text != " " || s.Style(c) != (vt.Style{}) {
				fmt.Fprintf(&b, "%s%v", text, s.Style(c))
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// captured is what the terminal shows, as looks has it.
func captured(s *display) string {
	s.t.Helper()
	seed, err := vt.ParseSeed(s.tmux("display-message", "-p", vt.SeedFormat))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, line := range strings.Split(s.tmux("capture-pane", "-p", "-e", "-N"), "\n") {
		seed.Lines = append(seed.Lines, []byte(line))
	}
	term := vt.New(seed.Size, vt.Options{})
	term.Seed(seed)
	return looks(term.Snapshot())
}

// TestARecordingPlaysInAsciinemaAndInNod: both end with the same picture, cell
// by cell, which is the pane's.
func TestARecordingPlaysInAsciinemaAndInNod(t *testing.T) {
	t.Parallel()
	needs(t, "asciinema")
	w, path := recorded(t, demo)
	own := pictureOf(t, path)
	for _, wanted := range []string{"rot under 日本語 é 👍 grün", "progress 3", "cannot access '/nosuch'", "ready$"} {
		if !strings.Contains(own.String(), wanted) {
			t.Fatalf("%q is not in the recording:\n%s", wanted, own)
		}
	}

	other := openDisplay(t, own.Size.Cols, own.Size.Rows, []string{"HOME=" + w.home},
		"sh", "-c", `asciinema play -i 0.01 -s 50 "$1" && exec cat`, "sh", path)
	want := strings.TrimRight(own.String(), "\n")
	other.until("see the end of the recording", func(text string) bool {
		return strings.TrimRight(text, "\n ") == want
	})
	if different := differences(looks(own), captured(other)); different != "" {
		t.Errorf("asciinema ends with another picture: %s", different)
	}

	// The frame of the player takes two columns and three rows.
	player := w.console(own.Size.Cols+2, own.Size.Rows+3, "replay", "--paused", "--at", "9h", path)
	player.see(filepath.Base(path), "‖")
	inside := player.until("see the end of the recording", func(text string) bool { return strings.TrimRight(within(text), "\n ") == want })
	if got := within(inside); strings.TrimRight(got, "\n ") != want {
		t.Error(differences(want, got))
	}
	player.press("q")
	if status := player.ended(); status != "0" {
		t.Errorf("exit status %s", status)
	}
	text, errs, status := w.do("replay", "--export", "text", path)
	if status != 0 || strings.TrimRight(text, "\n") != want {
		t.Errorf("status %d %s: %s", status, errs, differences(want, text))
	}
}

// differences are the lines in which two texts differ; "" where they are the same. (go-cmp
// would be a sixth of the work before main of each nod that a test starts.)
func differences(want, got string) string {
	return string(diff.Diff("want", []byte(want), "got", []byte(got)))
}

// within is what stands in a frame that fills the terminal.
func within(text string) string {
	var b strings.Builder
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if i == 0 || i >= len(lines)-2 {
			continue
		}
		b.WriteString(strings.TrimRight(strings.TrimSuffix(strings.TrimPrefix(l, "│"), "│"), " ") + "\n")
	}
	return b.String()
}

// TestATornRecordingPlays in both, up to where it is torn.
func TestATornRecordingPlays(t *testing.T) {
	t.Parallel()
	needs(t, "asciinema")
	w, path := recorded(t, "echo all is well")
	own := pictureOf(t, path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`[9.5, "o", "and th`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	other := openDisplay(t, own.Size.Cols, own.Size.Rows, []string{"HOME=" + w.home},
		"sh", "-c", `asciinema play -i 0.01 -s 50 "$1"; echo "[left $?]"; exec cat`, "sh", path)
	other.see("all is well", "[left 0]")
	text, errs, status := w.do("replay", "--export", "text", path)
	if status != 0 || !strings.Contains(text, "all is well") || !strings.Contains(errs, "is no event") {
		t.Errorf("status %d: %s%s", status, text, errs)
	}
}

// TestReplayOfARun: the record says where a run is seen, and replay takes its
// name, however it ended.
func TestReplayOfARun(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, command := range []string{"echo one; sleep 0.2", "echo two; false"} {
		w.do("run", "--pane", "--dangerously-approve-all", "--", command)
	}
	out, _, _ := w.do("audit", "show")
	var names []string
	for line := range strings.Lines(out) {
		if f := strings.Fields(line); f[3] == "intent" {
			names = append(names, f[4])
		} else if last := f[len(f)-1]; !strings.Contains(last, ".cast@") {
			t.Errorf("no recording in %q", line)
		} else if _, errs, status := w.do("replay", "--export", "text", last); status != 0 {
			t.Errorf("%s: %s", last, errs)
		}
	}
	if len(names) != 2 {
		t.Fatal(out)
	}
	for i, want := range []string{"one", "two"} {
		text, errs, status := w.do("replay", "--export", "text", names[i])
		if status != 0 || !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("%s: status %d: %s%s", want, status, text, errs)
		}
		begun, _, _ := w.do("replay", "--export", "text", "--at", "0s", names[i])
		if strings.Contains(begun, "\n"+want) {
			t.Errorf("%s: its beginning shows its end: %s", want, begun)
		}
	}
	for _, bad := range [][]string{
		{"replay", "--export", "text", "nosuch"}, {"replay", "--export", "doc"}, {"replay"}, {"replay", "--speed", "0"},
		{"replay", "--export", "text", "/etc/passwd"}, {"replay", "-o", "x"},
	} {
		if _, errs, status := w.do(bad...); status != process.StatusFailed || !strings.HasPrefix(errs, "nod: replay: ") {
			t.Errorf("%q: status %d: %s", bad, status, errs)
		}
	}
	// As version 3 and back it is the same.
	v2, _, _ := w.do("replay", "--export", "v2")
	v3 := w.write("three.cast", first(w.do("replay", "--export", "v3")), 0o600)
	if again, errs, _ := w.do("replay", "--export", "v2", v3); again != v2 {
		t.Errorf("%s%s", errs, differences(v2, again))
	}
	if svg, _, _ := w.do("replay", "--export", "svg"); !strings.HasPrefix(svg, "<svg ") || !strings.Contains(svg, ">two</text>") {
		t.Errorf("%.300s", svg)
	}
	if list, _, _ := w.do("recordings", "list"); strings.Count(list, "main/shared") != 2 {
		t.Error(list)
	}
	list, _, _ := w.do("recordings", "list", "--json")
	var one struct{ Name string }
	if err := json.NewDecoder(strings.NewReader(list)).Decode(&one); err != nil {
		t.Fatal(err)
	}
	name := one.Name
	if out, errs, status := w.do("recordings", "rm", name); status != 0 || out != "removed "+name+"\n" {
		t.Errorf("status %d: %s%s", status, out, errs)
	}
	if out, _, _ := w.do("audit", "show"); !strings.Contains(out, "to be removed: "+name) {
		t.Errorf("the removal is not on record:\n%s", out)
	}
	if _, errs, _ := w.do("replay", "--export", "text", names[0]); !strings.Contains(errs, "is not there any more") {
		t.Error(errs)
	}
	if out, _, status := w.do("recordings", "rm", "--older-than", "1ns"); status != 0 || strings.Count(out, "removed") != 1 {
		t.Errorf("status %d: %s", status, out)
	}
}

func first(a, _ string, _ int) string { return a }

// TestPlayingInTheConsole: a run's recording, and back to where one was.
func TestPlayingInTheConsole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.do("run", "--pane", "--dangerously-approve-all", "--", "echo far away")
	out, _, _ := w.do("audit", "show")
	run := strings.Fields(out)[4]
	s := w.console(100, 30)
	s.see("ready$")
	s.typed("/replay " + run)
	s.press("Enter")
	s.see("_local_main_shared_", "far away", "‖", "Space pause")
	s.press("q")
	s.seeNo("Space pause")
	s.typed("/replay nosuch")
	s.press("Enter")
	s.see("\"nosuch\" is no file")
	quit(s)
}

// TestPlaying in a terminal that is smaller than the recording, and is resized.
func TestPlaying(t *testing.T) {
	t.Parallel()
	w, path := recorded(t, "echo begin; sleep 0.3; seq 100; echo end")
	s := w.console(60, 12, "replay", path)
	s.see("‖", "end")
	s.press("g")
	s.press("n")
	s.see("runs: echo begin")
	s.tmux("resize-window", "-x", "140", "-y", "45")
	s.see("120×40")
	s.press("G")
	s.see("99", "end", "exited 0")
	s.tmux("resize-window", "-x", "20", "-y", "5")
	s.see("end")
	s.press("Escape")
	if status := s.ended(); status != "0" {
		t.Errorf("exit status %s", status)
	}
}

// TestWhatIsTypedMaskedIsNotRecorded: an answer to a question with the echo off
// is in no recording, and what is echoed is.
func TestWhatIsTypedMaskedIsNotRecorded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.console(120, 30)
	s.see("ready$")
	s.press("C-]")
	s.see("typing")
	s.typed(`read -sp 'Password: ' x; echo; echo "it has ${#x} characters"`)
	s.press("Enter")
	s.see("Password:")
	s.typed("correct horse")
	s.press("Enter")
	s.see("it has 13 characters")
	s.press("C-]")
	s.seeNo("typing into")
	quit(s)
	text := allRecordings(t, w)
	if strings.Contains(text, "correct") || strings.Contains(text, "horse") || !strings.Contains(text, "it has 13 characters") {
		t.Errorf("%s", text)
	}
	if !strings.Contains(text, `"m", "run: read -sp 'Password: ' x;`) || !strings.Contains(text, `"m", "exited 0: read -sp`) {
		t.Errorf("a command that was typed by hand is not marked: %s", text)
	}
}

func allRecordings(t *testing.T, w *world) string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(w.home, ".local/state/nod/recordings/*.cast"))
	if err != nil || len(all) == 0 {
		t.Fatalf("recordings %q, %v", all, err)
	}
	var b strings.Builder
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(text)
	}
	return b.String()
}

// TestARecordThatFailsIsToldWithinASecond: a banner, what runs goes on, what acts
// is refused; and it heals by itself.
func TestARecordThatFailsIsToldWithinASecond(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.console(120, 30)
	s.see("ready$")
	s.press("C-]")
	s.see("typing")
	s.typed("while sleep 0.05; do echo it runs $((i++)); done")
	s.press("Enter")
	s.see("it runs 3")
	s.press("C-]")
	s.seeNo("typing into")
	dir := filepath.Join(w.home, ".local/state/nod/recordings")
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// A file that is not written any more goes on until it is full: this one is
	// taken away.
	all, err := filepath.Glob(dir + ".away/*")
	if err != nil {
		t.Fatal(err)
	}
	broken := time.Now()
	for _, path := range all {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	s.see("! only plain looks run now: recording: local main/shared:")
	t.Logf("the banner came after %v", time.Since(broken))
	if took := time.Since(broken); took > time.Second && thorough() {
		t.Errorf("the banner took %v", took)
	}
	before := s.text()
	s.until("see it go on", func(text string) bool { return text != before && strings.Contains(text, "it runs") })
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(dir+".away", dir); err != nil {
		t.Fatal(err)
	}
	s.seeNo("! only plain looks run now")
	s.see("commands can run again")
	s.press("C-]")
	s.see("typing into")
	s.press("C-c")
	s.see("^C")
	s.press("C-]")
	s.seeNo("typing into")
	quit(s)
	if text := allRecordings(t, w); !strings.Contains(text, `"part":2`) || !strings.Contains(text, "it runs") {
		t.Errorf("it was not taken up again: %.2000s", text)
	}
}
