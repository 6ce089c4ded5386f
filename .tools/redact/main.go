// Command redact brings what package redact takes from others: the rules of
// gitleaks, and the fixtures that it is measured with.
//
//	redact rules                 gitleaks' rules as the data of package redact
//	redact fixtures              gitleaks' own fixtures, a line of JSON each
//	redact fixtures CHECKOUT     those of a checkout of trufflehog
package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed validate.go.txt
var validate string

const gitleaks = "github.com/zricethezav/gitleaks/v8"

// fixture is a text, and the secrets that stand in it; nil says that it has none.
type fixture struct {
	Rule    string   `json:"rule"`
	Text    string   `json:"text"`
	Secrets []string `json:"secrets"`
}

func main() {
	err := fmt.Errorf("want rules, fixtures or fixtures CHECKOUT")
	switch {
	case len(os.Args) == 2 && os.Args[1] == "rules":
		err = rules(os.Stdout)
	case len(os.Args) == 2 && os.Args[1] == "fixtures":
		err = record(os.Stdout)
	case len(os.Args) == 3 && os.Args[1] == "fixtures":
		var all []fixture
		if all, err = trufflehog(os.Args[2]); err == nil {
			enc := json.NewEncoder(os.Stdout)
			for _, f := range all {
				if err = enc.Encode(f); err != nil {
					break
				}
			}
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "redact:", err)
		os.Exit(1)
	}
}

// moduleDir is where the module of gitleaks is.
func moduleDir() (string, error) {
	if out, err := exec.Command("go", "mod", "download", gitleaks).CombinedOutput(); err != nil {
		return "", fmt.Errorf("go mod download: %w: %s", err, out)
	}
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", gitleaks).Output()
	if err != nil {
		return "", fmt.Errorf("go list: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// record runs gitleaks' own generator with a Validate that prints what it is called with.
func record(w io.Writer) error {
	dir, err := moduleDir()
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "redact")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	copied := filepath.Join(tmp, "gitleaks")
	if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(copied, "cmd/generate/config/utils/validate.go"), []byte(validate), 0o600); err != nil {
		return err
	}
	program := filepath.Join(tmp, "fixtures")
	build := exec.Command("go", "build", "-o", program, "./cmd/generate/config")
	build.Dir, build.Stderr = copied, os.Stderr
	if err := build.Run(); err != nil {
		return fmt.Errorf("go build: %w", err)
	}
	// It writes its configuration, too; the template of that stands beside the program's source.
	run := exec.Command(program, filepath.Join(tmp, "gitleaks.toml"))
	run.Dir, run.Stdout = filepath.Join(copied, "cmd/generate/config"), w
	return run.Run()
}
