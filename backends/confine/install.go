package confine

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

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

// packed are both helpers as the script reads them: base64 of gzip, a line each.
var packed = sync.OnceValue(func() string { return pack(forAMD64) + "\n" + pack(forARM64) + "\n" })

func pack(program []byte) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // the level is known
	if _, err := z.Write(program); err != nil {
		panic(err) // a Buffer's Write never fails
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// Install puts the helper on a target, in one command, into the first folder that lets
// programs run ($XDG_RUNTIME_DIR, /dev/shm, /tmp, /var/tmp, the home folder), where only
// its user can reach it. The error is a [*NotHeldError] where the target has none or
// its kernel no wall.
//
// secrets are the patterns of files that a closed cage hides, a line each: "*" stands for
// any part of a name, "**" across folders, "!" takes out again, and the last line that
// matches counts. A pattern without a slash is for a file's own name. Letter case does
// not matter. Folders that connections which have ended left behind are removed.
func Install(ctx context.Context, t backends.Target, secrets string) (*Cage, error) {
	if secrets = strings.ToLower(secrets); secrets == "" {
		secrets = "\n"
	}
	var out, complaints bytes.Buffer
	p, err := t.Exec(ctx, backends.Command{
		Argv: []string{"sh", "-c", installScript}, Stdin: strings.NewReader(packed() + secrets), Stdout: &out, Stderr: &complaints,
	})
	if err != nil {
		return nil, fmt.Errorf("confine: install on %s: %w", t.Name(), err)
	}
	o, err := p.Wait()
	if err != nil {
		return nil, fmt.Errorf("confine: install on %s: %w", t.Name(), err)
	}
	if !o.OK() {
		return nil, fmt.Errorf("confine: install on %s: the script %v: %s", t.Name(), o, strings.TrimSpace(complaints.String()))
	}
	c, err := answered(ctx, t, strings.TrimSpace(out.String()))
	if err == nil {
		c.local = t.Name() == local.Name
		c.secrets = digestOf([]byte(secrets))
	}
	if err != nil {
		return nil, fmt.Errorf("confine: %s: %w", t.Name(), err)
	}
	return c, nil
}

// answered makes a cage of what the script has printed.
func answered(ctx context.Context, t backends.Target, line string) (*Cage, error) {
	if how, ok := strings.CutPrefix(line, "memory "); ok {
		interpreter, processor, _ := strings.Cut(how, " ")
		run, err := fromMemory(interpreter, processor)
		if err != nil {
			return nil, err
		}
		can, err := printed(ctx, t, append(run, "?"))
		if err != nil {
			return nil, &NotHeldError{"no folder there lets programs run, and from memory neither: " + err.Error()}
		}
		c := &Cage{run: run}
		return c, c.read(can)
	}
	at, can, err := parse(line)
	if err != nil {
		return nil, err
	}
	c := &Cage{run: []string{at}}
	if err = c.read(can); err != nil {
		return nil, errors.Join(err, c.Remove(ctx, t))
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
// for its own target alone.
func (c *Cage) read(says string) error {
	can := map[string]int{}
	for word := range strings.FieldsSeq(says) {
		name, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("install: unexpected answer %q", says)
		}
		can[name] = n
	}
	c.digest = digestOf(forAMD64)
	if can["processor"] == 64 {
		c.digest = digestOf(forARM64)
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
// goes on.
func (c *Cage) Remove(ctx context.Context, t backends.Target) error {
	if len(c.run) > 1 {
		return nil // it is in no folder
	}
	if _, err := printed(ctx, t, []string{"sh", "-c", `rm -rf "${1%/*}"`, "sh", c.run[0]}); err != nil {
		return fmt.Errorf("confine: remove the helper from %s: %w", t.Name(), err)
	}
	return nil
}
