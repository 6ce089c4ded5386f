package risk

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nod-console/nod/backends/backendtest"
)

// gitQuestions are asked in a hostile repository: those that count as plain run
// nothing, and of the others some really do.
var gitQuestions = []string{
	"git --version",
	"git version",
	"git --no-pager rev-parse --show-toplevel",
	"git --no-pager rev-parse --git-dir",
	"git --no-pager rev-parse --is-inside-work-tree",
	"git --no-pager rev-parse HEAD",
	"git -P rev-parse --verify HEAD",
	"git --no-pager rev-parse --abbrev-ref HEAD",
	"git --no-pager branch --show-current",
	"git --no-pager remote -v",
	"git rev-parse HEAD",
	"git -p remote -v",
	"git --paginate branch --show-current",
	"git remote -v",
	"git branch --show-current",
	"git status",
	"git --no-pager status --short",
	"git -c core.fsmonitor=false status",
	"git log -1",
	"git --no-pager log -1",
	"git --no-pager log -1 -p",
	"git --no-pager diff",
	"git --no-pager show HEAD",
	"git branch -a",
	"git --no-pager stash list",
	"git --no-pager ls-files -m",
	"git --no-pager describe --always --dirty",
	"git --no-pager ls-remote origin",
	"git --no-pager blame a.bin",
	"git --no-pager cat-file -p HEAD~7",
}

// TestWhatGitRuns: no command of git that is auto runs a program that the
// repository's own configuration names, at a terminal either, and the reason for
// refusing the others is real.
func TestWhatGitRuns(t *testing.T) {
	for _, tool := range []string{"git", "script"} {
		if _, err := exec.LookPath(tool); err != nil {
			if os.Getenv("CI") == "true" || os.Getenv("NOD_TEST_ALL") == "1" {
				t.Fatalf("%s is missing: apt-get install git bsdutils", tool)
			}
			t.Skipf("%s is missing", tool)
		}
	}
	h := newHostile(t)
	dangerous := 0
	for _, question := range gitQuestions {
		ran := h.runs(t, question)
		v := Command(question, Bash)
		switch {
		case v.Auto && ran != "":
			t.Errorf("%q runs by itself, and has run the repository's %s", question, ran)
		case ran != "":
			dangerous++
			t.Logf("%q runs the repository's %s", question, ran)
		}
		if !v.Auto && v.Effect == Observe && !hasRule(v, RuleFolder) && !hasRule(v, "git.config") {
			t.Errorf("%q: the verdict does not say why it asks: %v", question, v.Findings)
		}
	}
	if dangerous < 8 {
		t.Errorf("only %d commands ran what the repository names: it is not hostile enough to prove anything", dangerous)
	}
}

func hasRule(v Verdict, rule string) bool {
	for _, f := range v.Findings {
		if f.Rule == rule {
			return true
		}
	}
	return false
}

// hostile is a repository that somebody else has prepared.
type hostile struct {
	folder, mark, home string
}

// newHostile makes a repository in which everything that can name a program
// names one that leaves a mark.
func newHostile(t *testing.T) hostile {
	t.Helper()
	top := t.TempDir()
	h := hostile{folder: filepath.Join(top, "repository"), mark: filepath.Join(top, "mark"), home: filepath.Join(top, "home")}
	for _, dir := range []string{h.folder, h.home, filepath.Join(top, "hooks")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	trap := func(name string) string {
		file := filepath.Join(top, "trap-"+name)
		text := fmt.Sprintf("#!/bin/sh\necho %s >>%s\nexit 1\n", name, h.mark)
		backendtest.WriteProgram(t, file, text)
		return file
	}
	h.git(t, "init", "-q")
	for _, name := range []string{"a.bin", "b.txt"} {
		h.write(t, name, "one\n")
		h.git(t, "add", name)
		h.git(t, "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-q", "-m", name)
	}
	h.write(t, "a.bin", "two\n")
	h.write(t, ".gitattributes", "*.bin filter=trap diff=trap\n")
	if err := os.Rename(trap("post-index-change"), filepath.Join(top, "hooks", "post-index-change")); err != nil {
		t.Fatal(err)
	}
	pager := trap("pager")
	settings := map[string]string{
		"core.pager": pager, "core.fsmonitor": trap("fsmonitor"), "core.hooksPath": filepath.Join(top, "hooks"),
		"core.sshCommand": trap("ssh"), "core.editor": trap("editor"), "core.askPass": trap("askpass"),
		"filter.trap.clean": trap("clean"), "filter.trap.smudge": trap("smudge"), "diff.trap.textconv": trap("textconv"),
		"diff.external": trap("external"), "log.showSignature": "true", "gpg.program": trap("gpg"),
		"credential.helper": "!" + trap("credential"), "remote.origin.url": "ext::" + trap("ext"), "protocol.ext.allow": "always",
		"remote.origin.promisor": "true", "extensions.partialClone": "origin", "core.repositoryFormatVersion": "1",
		"alias.version": "!" + trap("alias"), "core.alternateRefsCommand": trap("alternates"),
	}
	for _, name := range []string{"rev-parse", "branch", "remote", "status", "log", "diff", "stash", "describe", "ls-files", "version", "symbolic-ref"} {
		settings["pager."+name] = pager
	}
	for key, value := range settings {
		h.git(t, "config", key, value)
	}
	if err := os.Remove(h.mark); err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return h
}

func (h hostile) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(h.folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (h hostile) environment() []string {
	return []string{"HOME=" + h.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm", "GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C"}
}

func (h hostile) git(t *testing.T, args ...string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "git", args...)
	c.Dir, c.Env = h.folder, h.environment()
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
}

// runs runs a command at a terminal in the repository and returns which traps it
// has sprung.
func (h hostile) runs(t *testing.T, command string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "script", "-qec", command, "/dev/null")
	c.Dir, c.Env = h.folder, append(h.environment(), "SHELL=/bin/sh")
	_ = c.Run() // many fail, since the traps do
	sprung, err := os.ReadFile(h.mark)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	if err == nil {
		if err := os.Remove(h.mark); err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(strings.Fields(string(sprung)), " ")
}
