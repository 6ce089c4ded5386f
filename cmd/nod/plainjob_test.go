package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write what was said as what is wanted")

// What a screen reader reads of the main job, word for word: a prompt, a look, a
// question, an approval, a change, how it is taken back, and an answer.
func TestTheTranscriptOfTheMainJob(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := filepath.Join(w.home, "made")
	m := serveModel(t,
		calls(shell("a", "printf 'one\\ntwo\\n'", false)),
		calls(call{"b", "question", map[string]any{"question": "Which of them is to be made?", "options": []string{"one", "two"}}}),
		calls(shell("c", "mkdir "+made, true)),
		says("It is made."),
	)
	w.extra = []string{"TERM=dumb", "NOD_BASE_URL=" + m.URL + "/v1", "NOD_MODEL=scripted"}
	s := w.console(500, 90, "--plain")
	// ready waits for a text, and for the question or the prompt that is behind it.
	ready := func(text, question string) {
		s.until(text, func(shown string) bool {
			return strings.Contains(shown, text) && strings.HasSuffix(strings.TrimRight(shown, " \n"), question)
		})
	}
	ready("to watch it: tmux", "\nyou:")
	for _, step := range []struct{ typed, text, question string }{
		{"make one of them", "Which of them is to be made?", "nothing for none]"},
		{"2", "APPROVE", "the rule for always]"},
		{"y", "It is made.", "\nyou:"},
		{"/undo", "rmdir -- ", "the rule for always]"},
		{"a", "[[rule]]", "write that rule]"},
		{"n", "not taken back", "\nyou:"},
	} {
		s.typed(step.typed)
		s.press("Enter")
		ready(step.text, step.question)
	}
	_, said, _ := strings.Cut(s.text(), "you: make one of them")
	got := "you: make one of them" + strings.TrimRight(regexp.MustCompile(` +\n`).ReplaceAllString(said, "\n"), " \n") + "\n"
	got = strings.ReplaceAll(got, made, "/srv/made")
	for pattern, with := range map[string]string{
		`  "h" runs it held .*\n`: "", // where the kernel can hold it
		`\d+(\.\d+)? m?s\b`:       "TIME",
		` as \w+`:                 " as USER",
		`, in /\S+`:               ", in FOLDER",
		`: writes /\S+`:           ": writes PLACE", // cut, if it is long
	} {
		got = regexp.MustCompile(pattern).ReplaceAllString(got, with)
	}
	golden := filepath.Join("testdata", "plain-main-job.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Error(err)
	}
	if got != string(want) {
		t.Errorf("%s; what was said is\n%s", golden, got)
	}
	s.typed("/quit")
	s.press("Enter")
	s.ended()
}
