package jsagent

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/nod-console/nod/backends/posix"
	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/terminal"
)

// how is how a command is run.
type how struct {
	Cwd      string
	Stdin    *string
	Mutation *bool
	Wait     any
}

// args are run_shell's arguments.
func (h how) args(at place, command string) map[string]any {
	args := map[string]any{"command": command, "cwd": at.dir}
	if h.Cwd != "" {
		args["cwd"] = at.abs(h.Cwd)
	}
	if h.Stdin != nil {
		args["stdin"] = *h.Stdin
	}
	if h.Mutation != nil {
		args["mutation"] = *h.Mutation
	}
	if h.Wait != nil {
		args["wait"] = h.Wait
	}
	return args
}

// shell has a command run. What it has printed is whole, as far as it was kept.
func (q ask) shell(ctx context.Context, command string, h how, permit func(tools.Action) error) (terminal.ShellValue, error) {
	var v terminal.ShellValue
	if err := q.call(ctx, "run_shell", h.args(q.at, command), &v, permit); err != nil {
		return v, err
	}
	notices := v.Notices
	v.Notices = nil
	for _, n := range notices {
		stream, ref := cutOutput(n)
		if stream == "" || q.env.Outputs == nil {
			v.Notices = append(v.Notices, n)
			continue
		}
		text, err := q.env.Outputs.Text(ctx, ref)
		if err != nil {
			return v, err
		}
		if stream == "stdout" {
			v.Stdout = text
		} else {
			v.Stderr = text
		}
	}
	return v, nil
}

var cutNotice = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(stdout|stderr) is cut: .*read_file \{"path": "(output:[^"]+)"`)
})

// cutOutput is which output a notice says is cut, and where all of it is.
func cutOutput(notice string) (stream, ref string) {
	if m := cutNotice().FindStringSubmatch(notice); m != nil {
		return m[1], m[2]
	}
	return "", ""
}

// allowed permits any command, if the agent has asked for commands.
func (q ask) allowed(tools.Action) error { return q.Permissions.command() }

// exactly permits one command, which nod has written itself.
func exactly(command string) func(tools.Action) error {
	return func(a tools.Action) error {
		if a.Command != command {
			return fmt.Errorf("the command is %.80q, want %.80q", a.Command, command)
		}
		return nil
	}
}

type command struct {
	how
	Command string
}

// runCommand is a command's output as text: what it has printed, and how it ended if not
// well.
func (q ask) runCommand(ctx context.Context, p command) (any, error) {
	v, err := q.shell(ctx, p.Command, p.how, q.allowed)
	if err != nil {
		return nil, err
	}
	text := v.Stdout
	add := func(more string) {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		text += more
	}
	if v.Stderr != "" {
		add(v.Stderr)
	}
	switch {
	case v.Signal != "":
		add("(ended by signal " + v.Signal + ")")
	case v.ExitCode != nil && *v.ExitCode != 0:
		add(fmt.Sprintf("(exit status %d)", *v.ExitCode))
	}
	for _, n := range v.Notices {
		add("(" + n + ")")
	}
	return text, nil
}

type program struct {
	how
	Program string
	Args    []string
}

// spawn runs one program with its arguments as they are.
func (q ask) spawn(ctx context.Context, p program) (any, error) {
	if p.Program == "" {
		return nil, errors.New("the program has no name")
	}
	words := []string{word(p.Program)}
	for _, a := range p.Args {
		words = append(words, word(a))
	}
	v, err := q.shell(ctx, strings.Join(words, " "), p.how, q.allowed)
	if err != nil {
		return nil, err
	}
	return map[string]any{"exit_code": v.ExitCode, "signal": v.Signal, "stdout": v.Stdout, "stderr": v.Stderr, "notices": append([]string{}, v.Notices...)}, nil
}

var plainWord = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_./:@%+,-]+$`) })

// word is a word of a command, quoted if it must be.
func word(w string) string {
	if plainWord().MatchString(w) {
		return w
	}
	return posix.Quote(w)
}
