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
	"github.com/nod-console/nod/backends/posix"
)

//go:embed helper/cage-amd64
var forAMD64 []byte

//go:embed helper/cage-arm64
var forARM64 []byte

// The scripts: what installs the helper, and the two ways of running that.
var (
	//go:embed install.sh
	installScript string
	//go:embed session.sh
	sessionScript string
	//go:embed stay.sh
	stayScript string
)

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
	shell := stayingShell(ctx, t)
	line, err := "", error(nil)
	if shell != nil {
		line, err = i.byShell(ctx, shell)
	}
	if shell == nil || errors.Is(err, errNoShell) {
		shell = nil
		line, err = i.run(ctx)
	}
	if err != nil {
		return nil, fmt.Errorf("confine: install on %s: %w", t.Name(), err)
	}
	c, err := i.answered(ctx, line)
	if err != nil {
		return nil, fmt.Errorf("confine: %s: %w", t.Name(), err)
	}
	c.local = t.Name() == local.Name
	if c.opened != "" {
		c.ended = shell.Ended()
	}
	return c, nil
}

// installation is one attempt to install the helper.
type installation struct {
	target  backends.Target
	secrets string
	kept    bool // for whoever comes after nod on the same connection

	processor string // what the shell that stays there wants a helper for
}

// sent is what goes to a target: the helper, and behind it the list of secrets, of which
// the helper knows by its length, in eight digits.
func (i *installation) sent(helper []byte) []byte {
	return fmt.Appendf(slices.Clone(helper), "%s%08d", i.secrets, len(i.secrets))
}

// stays is the word for it in scripts.
func (i *installation) stays() string { return posix.Flag(i.kept, "kept") }

// run installs it in a session of its own: anew for each folder that does not let the
// helper run. It returns what the script says in the end.
func (i *installation) run(ctx context.Context) (string, error) {
	argv := []string{
		"sh", "-c", posix.Brief(installScript) + posix.Brief(sessionScript), "sh", i.stays(),
		digestOf(i.sent(forAMD64)), digestOf(i.sent(forARM64)), "0", posix.NewNonce(),
	}
	const place = 7
	for {
		line, err := i.once(ctx, argv)
		folder, next := strings.CutPrefix(line, "next ")
		if err != nil || !next {
			return line, err
		}
		if folder == argv[place] {
			return "", fmt.Errorf("unexpected answer %q", line)
		}
		argv[place] = folder
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
	go func() {
		_, _ = a.feed.Write(a.sent(helperFor(processor))) // the script's end closes it
		_ = a.feed.Close()
	}()
	return len(p), nil
}

// helperFor is the helper for a processor, by its name in the scripts.
func helperFor(processor string) []byte {
	if processor == "arm64" {
		return forARM64
	}
	return forAMD64
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
	at, can, opened, err := parse(line)
	if err != nil {
		return nil, err
	}
	c := &Cage{run: []string{at}, opened: opened}
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

// parse reads the path of the helper, what it says, and the name by which a shell holds it
// open.
func parse(line string) (at, can, opened string, err error) {
	if why, ok := strings.CutPrefix(line, "none "); ok {
		return "", "", "", &NotHeldError{why}
	}
	at, can, ok := strings.Cut(line, "\t")
	if !ok || !strings.HasPrefix(at, "/") {
		return "", "", "", fmt.Errorf("install: unexpected answer %q", line)
	}
	can, opened, held := strings.Cut(can, "\t")
	if held && !strings.HasPrefix(opened, "/") {
		return "", "", "", fmt.Errorf("install: unexpected answer %q", line)
	}
	return at, can, opened, nil
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
