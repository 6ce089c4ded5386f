package jsagent

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nod-console/nod/tools/plugin/js"
)

// template is an agent that works, with its test. NAME stands for its name.
//
//go:embed new
var template embed.FS

// New writes a new agent into a folder of its name in the working folder. The folder must
// not be there.
func New(name string) error {
	if !js.ValidName(name) {
		return fmt.Errorf("an agent cannot be called %q; use small letters, digits, _ and -, a letter first", name)
	}
	if err := os.Mkdir(name, 0o755); err != nil { //nolint:gosec // as a shell would make it
		return err
	}
	return fs.WalkDir(template, "new", func(from string, d fs.DirEntry, err error) error {
		if err != nil || from == "new" {
			return err
		}
		to := filepath.Join(name, strings.TrimPrefix(from, "new/"))
		if d.IsDir() {
			return os.Mkdir(to, 0o755) //nolint:gosec // as a shell would make it
		}
		text, err := template.ReadFile(from)
		if err != nil {
			return err
		}
		return os.WriteFile(to, []byte(strings.ReplaceAll(string(text), "NAME", name)), 0o644) //nolint:gosec // as an editor would write it
	})
}
