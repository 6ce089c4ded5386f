package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is one of those that are compared.
type program struct {
	name    string
	command string // looked up in PATH, or a path
	args    []string
	version []string
	prepare func(home string) error // gives it something to show
	dir     string                  // in its home, where it is started

	first, content []string // what shows on its first frame, and when it shows what it is for
	help, helped   string   // the key for help, and a text of the help
	list           string   // keys to a list, in which up and down move the selection
	down, up       string
	quit           string

	path string // the executable
}

const (
	escape = "\x1b"
	f1     = "\x1bOP"
)

// programs are nod, which is the first, its peers, and the machine.
var programs = []*program{
	{
		name: "nod", version: []string{"version"}, prepare: shell,
		first: []string{"F1 help"}, content: []string{"ready$"},
		help: f1, helped: "/ searches", list: "\x10", down: "\x1b[B", up: "\x1b[A", quit: "\x04",
	},
	{
		name: "lazygit", command: "lazygit", version: []string{"--version"}, prepare: repository, dir: "repository",
		first: []string{"Keybindings: ?"}, content: []string{"file-01", "commit 100"},
		help: "?", helped: "Copy path to clipboard", down: "j", up: "k", quit: "q",
	},
	{
		name: "btop", command: "btop", version: []string{"--version"},
		first: []string{"proc", "mem", "cpu"}, content: []string{"select", "Command:", "Total:"},
		help: "h", helped: "Shows this window", down: "\x1b[B", up: "\x1b[A", quit: "q",
	},
	{
		name: "cat", command: "sh", args: []string{"-c", "stty raw -echo isig; echo ready; exec cat"},
		first: []string{"ready"}, down: "x", up: "y", quit: "\x03",
	},
}

// find sets the executable, and returns what it says about its version.
func (p *program) find() (string, error) {
	path, err := exec.LookPath(p.command)
	if err != nil {
		return "", fmt.Errorf("look for %s: %w", p.name, err)
	}
	p.path = path
	if len(p.version) == 0 {
		return p.name, nil
	}
	out, err := exec.Command(path, p.version...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("ask %s for its version: %w: %s", p.name, err, out)
	}
	return strings.Join(strings.Fields(string(out)), " "), nil
}

// build makes nod from the tree.
func build(dir string) (string, error) {
	path := filepath.Join(dir, "built") // beside the homes, one of which is called nod
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "./cmd/nod")
	cmd.Dir, cmd.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build nod: %w: %s", err, out)
	}
	return path, nil
}

// shell is for nod: a prompt that can be recognised.
func shell(home string) error {
	return write(home, ".bashrc", "PS1='ready$ '\n")
}

// repository is for lazygit: 100 commits, and 50 files that are not in any.
func repository(home string) error {
	const script = `git init -q repository && cd repository &&
for i in $(seq 100); do git commit -q --allow-empty -m "commit $i" || exit; done &&
for i in $(seq -w 50); do seq 200 >"file-$i"; done`
	if err := write(home, "gitconfig", "[user]\nname = bench\nemail = bench@localhost\n"); err != nil {
		return err
	}
	// It greets the first time, and asks the network for a newer release.
	if err := write(home, ".config/lazygit/config.yml", "disableStartupPopups: true\nupdate: {method: never}\n"); err != nil {
		return err
	}
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = home, environment(home)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("make a repository: %w: %s", err, out)
	}
	return nil
}

func write(home, name, text string) error {
	path := filepath.Join(home, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", name, err)
	}
	return nil
}
