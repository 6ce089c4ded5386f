package confine

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/local"
)

//go:embed helper/cage-amd64
var forAMD64 []byte

//go:embed helper/cage-arm64
var forARM64 []byte

//go:embed install.sh
var installScript string

// NotHeldError says why commands cannot be held on a target.
type NotHeldError struct{ Why string }

func (e *NotHeldError) Error() string { return "commands cannot be held there: " + e.Why }

// Lasting is a target whose connection may go on after nod's end.
type Lasting interface {
	backends.Target
	// AtEnd has a command run right before the connection ends, once for all who ask for
	// the same. It reports whether somebody has promised that. Without a command it tells
	// whether anybody would.
	AtEnd(ctx context.Context, argv []string) bool
}

// Install puts the helper on a target, in one command, into the first folder that lets
// programs run ($XDG_RUNTIME_DIR, /dev/shm, /tmp, /var/tmp, the home folder), where only
// its user can reach it. The error is a [*NotHeldError] where the target has none or
// its kernel no wall. On a [Lasting] target that another start has installed it on, and
// that promises to remove it in the end, that one serves.
//
// secrets are the patterns of files that a closed cage hides, a line each: "*" stands for
// any part of a name, "**" across folders, "!" takes out again, and the last line that
// matches counts. A pattern without a slash is for a file's own name. Letter case does
// not matter. Folders that connections which have ended left behind are removed.
func Install(ctx context.Context, t backends.Target, secrets string) (*Cage, error) {
	if secrets = strings.ToLower(secrets); secrets == "" {
		secrets = "\n"
	}
	lasting, ok := t.(Lasting)
	i := installation{target: t, secrets: secrets, kept: ok && lasting.AtEnd(ctx, nil)}
	line, err := i.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("confine: install on %s: %w", t.Name(), err)
	}
	c, err := i.answered(ctx, line)
	if err != nil {
		return nil, fmt.Errorf("confine: %s: %w", t.Name(), err)
	}
	c.local = t.Name() == local.Name
	c.secrets = digestOf([]byte(secrets))
	return c, nil
}

// installation is one attempt to install the helper.
type installation struct {
	target  backends.Target
	secrets string
	kept    bool // for whoever comes after nod on the same connection
}

// sent is what goes to a target: the helper, and behind it the list of secrets.
func (i *installation) sent(helper []byte) []byte {
	return slices.Concat(helper, []byte(i.secrets))
}

// run runs the script, anew for each folder that does not let the helper run, and returns
// what it says in the end.
func (i *installation) run(ctx context.Context) (string, error) {
	argv := []string{
		"sh", "-c", installScript, "sh", digestOf(i.sent(forAMD64)), digestOf(i.sent(forARM64)),
		strconv.Itoa(len(forAMD64)), strconv.Itoa(len(forARM64)), "", "0",
	}
	if i.kept {
		argv[8] = "kept"
	}
	for {
		line, err := i.once(ctx, argv)
		folder, next := strings.CutPrefix(line, "next ")
		if err != nil || !next {
			return line, err
		}
		if folder == argv[9] {
			return "", fmt.Errorf("unexpected answer %q", line)
		}
		argv[9] = folder
	}
}

// once runs the script and sends it the helper that it wants.
func (i *installation) once(ctx context.Context, argv []string) (string, error) {
	in, feed := io.Pipe()
	defer func() { _ = in.Close() }() // ends what still writes
	said := &answers{feed: feed, sent: i.sent}
	var complaints bytes.Buffer
	p, err := i.target.Exec(ctx, backends.Command{Argv: argv, Stdin: in, Stdout: said, Stderr: &complaints})
	if err != nil {
		return "", err
	}
	o, err := p.Wait()
	if err != nil {
		return "", err
	}
	if !o.OK() {
		return "", fmt.Errorf("the script %v: %s", o, strings.TrimSpace(complaints.String()))
	}
	return strings.TrimSpace(said.text.String()), nil
}

// answers takes what the script says. When it wants a helper, that is sent.
type answers struct {
	text bytes.Buffer // without what it wants
	feed *io.PipeWriter
	sent func(helper []byte) []byte
}

func (a *answers) Write(p []byte) (int, error) {
	a.text.Write(p)
	processor, wants := strings.CutPrefix(a.text.String(), "want ")
	processor, _, whole := strings.Cut(processor, "\n")
	if !wants || !whole {
		return len(p), nil
	}
	a.text.Next(len("want " + processor + "\n"))
	helper := forAMD64
	if processor == "arm64" {
		helper = forARM64
	}
	go func() {
		_, _ = a.feed.Write(a.sent(helper)) // the script's end closes it
		_ = a.feed.Close()
	}()
	return len(p), nil
}

// answered makes a cage of what the script has printed.
func (i *installation) answered(ctx context.Context, line string) (*Cage, error) {
	if how, ok := strings.CutPrefix(line, "memory "); ok {
		interpreter, processor, _ := strings.Cut(how, " ")
		run, err := fromMemory(interpreter, processor)
		if err != nil {
			return nil, err
		}
		can, err := printed(ctx, i.target, append(run, "?"))
		if err != nil {
			return nil, &NotHeldError{"no folder there lets programs run, and from memory neither: " + err.Error()}
		}
		c := &Cage{run: run}
		return c, c.read(can, i.sent)
	}
	at, can, err := parse(line)
	if err != nil {
		return nil, err
	}
	c := &Cage{run: []string{at}}
	if lasting, ok := i.target.(Lasting); ok && i.kept {
		c.kept = lasting.AtEnd(ctx, removal(at))
	}
	if err = c.read(can, i.sent); err != nil {
		return nil, errors.Join(err, c.Remove(ctx, i.target))
	}
	return c, nil
}

// printed is what a command prints that has to succeed.
func printed(ctx context.Context, t backends.Target, argv []string) (string, error) {
	var out, complaints bytes.Buffer
	p, err := t.Exec(ctx, backends.Command{Argv: argv, Stdout: &out, Stderr: &complaints})
	if err != nil {
		return "", err
	}
	o, err := p.Wait()
	if err == nil && !o.OK() {
		err = fmt.Errorf("%v: %s", o, strings.TrimSpace(complaints.String()))
	}
	return strings.TrimSpace(out.String()), err
}

// parse reads the path of the helper and what it says.
func parse(line string) (at, can string, err error) {
	if why, ok := strings.CutPrefix(line, "none "); ok {
		return "", "", &NotHeldError{why}
	}
	at, can, ok := strings.Cut(line, "\t")
	if !ok || !strings.HasPrefix(at, "/") {
		return "", "", fmt.Errorf("install: unexpected answer %q", line)
	}
	return at, can, nil
}

// read takes in what the helper says of itself and of its kernel. What it says matters
// for its own target alone. sent is what a helper's file holds.
func (c *Cage) read(says string, sent func(helper []byte) []byte) error {
	can := map[string]int{}
	for word := range strings.FieldsSeq(says) {
		name, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("install: unexpected answer %q", says)
		}
		can[name] = n
	}
	c.digest = digestOf(sent(forAMD64))
	if can["processor"] == 64 {
		c.digest = digestOf(sent(forARM64))
	}
	c.asking = can["asking"] > 0
	switch {
	case can["seccomp"] == 0:
	case can["landlock"] > 0:
		c.wall = Landlock
		return nil
	case c.asking:
		c.wall = SystemCalls
		return nil
	case can["mounts"] > 0 && can["uid"] == 0:
		// Others would need a user namespace, in which all files seem to be nobody's.
		c.wall = ReadOnlyMounts
		return nil
	}
	return &NotHeldError{"its kernel has neither Landlock nor seccomp with a supervisor (Linux 5.9), and read-only mounts are for root alone"}
}

// Remove takes the helper and its folder from the target. What is held at the moment
// goes on. Where it is kept for others on the same connection, whoever holds that removes
// it: of a connection that was lost and made again, that is told once more.
func (c *Cage) Remove(ctx context.Context, t backends.Target) error {
	if c.inMemory() {
		return nil // it is in no folder
	}
	argv := removal(c.run[0])
	if lasting, ok := t.(Lasting); ok && c.kept && lasting.AtEnd(ctx, argv) {
		return nil
	}
	if _, err := printed(ctx, t, argv); err != nil {
		return fmt.Errorf("confine: remove the helper from %s: %w", t.Name(), err)
	}
	return nil
}

// removal is the command that removes the helper and its folder.
func removal(helper string) []string {
	return []string{"rm", "-rf", "--", path.Dir(helper)}
}
