package pane

import "testing"

func TestWhatWasTypedBehindAPrompt(t *testing.T) {
	t.Parallel()
	for row, want := range map[string]string{
		"$ echo half":              "echo half",
		"$":                        "",
		"$ $ echo half":            "echo half", // a line was entered ahead
		"echo half$ echo half":     "echo half", // typed ahead
		"echo ha$ echo half":       "echo half", // and on behind the prompt
		"echo $x$ echo $x":         "echo $x",
		"a program's output $ 7":   "",
		"echo half":                "",
		"echo $x $y":               "",
		"$ echo $x; for i in $y":   "echo $x; for i in $y",
		"ls | grep 'x$'$ ls | gre": "",
	} {
		if got := typedBehind(row, "$"); got != want {
			t.Errorf("%q: %q, want %q", row, got, want)
		}
	}
}
