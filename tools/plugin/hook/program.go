package hook

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/plugin/harmless"
)

// Bounds of a program's hook.
const (
	DefaultTimeout = 10 * time.Second
	mostOutput     = 64 << 10 // bytes of each stream
	leftBehind     = time.Second
)

// Program is a hook's program as the configuration has it.
type Program struct {
	Name     string
	Events   []string
	Command  []string // a path or a name to be found in PATH, and arguments
	Timeout  time.Duration
	Required bool
}

// ConfigError says which key of a hook's section is wrong.
type ConfigError struct{ Key, Why string }

// Error implements error.
func (e *ConfigError) Error() string { return e.Key + ": " + e.Why }

// Check returns the first fault, as a *ConfigError.
func (p Program) Check() error {
	if !tools.ValidName(p.Name) {
		return &ConfigError{"name", fmt.Sprintf("%q is no name of a hook; use small letters, digits, _ and -, a letter first", p.Name)}
	}
	if len(p.Events) == 0 {
		return &ConfigError{"events", "is missing: want a list of " + strings.Join(Events(), ", ")}
	}
	for _, e := range p.Events {
		if err := Known(e); err != nil {
			return &ConfigError{"events", err.Error()}
		}
	}
	if len(p.Command) == 0 || p.Command[0] == "" {
		return &ConfigError{"command", `is missing: want a program and its arguments, such as ["/usr/local/bin/ticket", "--check"]`}
	}
	if name := p.Command[0]; strings.Contains(name, "/") && name[0] != '/' {
		return &ConfigError{"command", fmt.Sprintf("%q depends on the folder in which nod is started; write the whole path", name)}
	}
	return nil
}

// Hook is the program as a hook.
func (p Program) Hook() Hook {
	h := Hook{Name: p.Name, Events: p.Events, Timeout: p.Timeout, Call: p.call}
	if h.Timeout <= 0 {
		h.Timeout = DefaultTimeout
	}
	if p.Required {
		h.Required = p.Events
	}
	return h
}

// call runs the program once. Its process group is killed when ctx ends, when it writes
// too much, and when it leaves something behind that holds its output.
func (p Program) call(ctx context.Context, e Event) (Answer, error) {
	text, err := json.Marshal(e)
	if err != nil {
		return Answer{}, err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	out := &bounded{full: func() { stop(fmt.Errorf("it wrote more than %d KiB, and was ended", mostOutput>>10)) }}
	said := &bounded{full: func() {}}
	cmd := exec.CommandContext(ctx, p.Command[0], p.Command[1:]...) //nolint:gosec // the operator's own configuration
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(append(text, '\n')), out, said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = leftBehind
	err = cmd.Run()
	switch {
	case ctx.Err() != nil:
		return Answer{}, context.Cause(ctx)
	case errors.Is(err, exec.ErrWaitDelay):
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // whoever holds the output is in the group
		return Answer{}, errors.New("it left a process behind that holds its output")
	case err != nil && !errors.Is(err, syscall.EPIPE): // it need not read the event
		why := err.Error()
		if first, _, _ := strings.Cut(strings.TrimSpace(said.text.String()), "\n"); first != "" {
			why += ": " + harmless.Line(first, 200)
		}
		return Answer{}, errors.New(why)
	}
	return Decode(out.text.Bytes())
}

// bounded keeps what is written to it up to a bound, tells once that it is full, and takes
// no more.
type bounded struct {
	full func()
	once sync.Once
	text bytes.Buffer
}

// Write implements io.Writer. It never fails: what is too much is dropped.
func (b *bounded) Write(text []byte) (int, error) {
	left := mostOutput - b.text.Len()
	b.text.Write(text[:min(len(text), left)])
	if len(text) > left {
		b.once.Do(b.full)
	}
	return len(text), nil
}
