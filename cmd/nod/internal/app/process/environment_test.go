package process

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestKeysStayInNodsOwnHands(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "hidden-1")
	t.Setenv("WORK_KEY", "hidden-2")
	t.Setenv("PLAIN", "shown")
	var e Environment
	e.Hide("OPENAI_API_KEY")
	e.Hide("WORK_KEY", "ABSENT")
	e.Hide("WORK_KEY") // a second time changes nothing
	for name, want := range map[string]string{"OPENAI_API_KEY": "hidden-1", "WORK_KEY": "hidden-2", "PLAIN": "shown", "ABSENT": ""} {
		if got := e.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	out, err := exec.Command("env").Output()
	if err != nil || strings.Contains(string(out), "hidden-") || !strings.Contains(string(out), "PLAIN=shown") {
		t.Errorf("%v\n%s", err, out)
	}
	if _, there := os.LookupEnv("OPENAI_API_KEY"); there {
		t.Error("it is still in nod's environment")
	}
}
