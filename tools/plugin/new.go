package plugin

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/nod-console/nod/tools/plugin/lua"
)

//go:embed template
var template embed.FS

// New writes a plugin that works, with its test, into a new folder.
func New(dir, name string) error {
	if !lua.ValidName(name) {
		return fmt.Errorf("a plugin cannot be called %q; use small letters, digits, _ and -, a letter first", name)
	}
	if err := os.Mkdir(dir, 0o755); err != nil { //nolint:gosec // what the operator writes in it is no secret
		if errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("%q is there already; choose another name", dir)
		}
		return err
	}
	entries, err := template.ReadDir("template")
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := template.ReadFile(path.Join("template", e.Name()))
		if err != nil {
			return err
		}
		filled := strings.ReplaceAll(string(text), "NAME", name)
		if err := os.WriteFile(filepath.Join(dir, e.Name()), []byte(filled), 0o644); err != nil { //nolint:gosec // as above
			return err
		}
	}
	return nil
}
