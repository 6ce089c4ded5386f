package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nod-console/nod/cmd/nod/internal/app/process"
)

func TestTheDoctorNamesWhatIsInTheWayOfTracking(t *testing.T) {
	for name, c := range map[string]struct{ shell, file, text, want string }{
		"readonly":       {"/bin/bash", ".bashrc", "PS1='x '\nPROMPT_COMMAND=:; readonly PROMPT_COMMAND PS0\n", ".bashrc:2 makes PROMPT_COMMAND and PS0 readonly"},
		"declared":       {"/bin/zsh", ".zshrc", "typeset -gr PS1\n", ".zshrc:1 makes PS1 readonly"},
		"nothing":        {"/bin/bash", ".bashrc", "# readonly PS0\nreadonly HISTFILE\nPS1='readonly PS1 '\n", ""},
		"another shell":  {"/bin/tcsh", ".tcshrc", "", "not tracked in tcsh"},
		"no such a file": {"/bin/mksh", ".profile", "", ""},
		"named by ENV":   {"/bin/dash", ".shrc", "readonly PS2\n", ".shrc:1 makes PS2 readonly"},
	} {
		home := t.TempDir()
		if err := os.WriteFile(filepath.Join(home, c.file), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		e := &examination{&process.System{}}
		e.sys.Getenv = func(name string) string {
			return map[string]string{"HOME": home, "SHELL": c.shell, "ENV": filepath.Join(home, ".shrc")}[name]
		}
		f := e.checkStartUp()
		if f.OK != (c.want == "") || !strings.Contains(f.Detail, c.want) || !f.Optional {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
