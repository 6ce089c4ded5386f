package memory

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/google/renameio/v2"
	"github.com/nod-console/nod/backends"
)

// Change is what a file would hold: planned, shown, then written.
type Change struct {
	Path    string
	Old     []byte
	Content []byte
	Expect  backends.Version // what the file holds now
}

// Check says why a text cannot be remembered; nil if it can. It returns the text
// as it would be.
func (m *Memory) Check(text string) (string, error) {
	text = line(text)
	switch {
	case text == "":
		return "", errors.New("there is nothing to remember: the text is empty")
	case len(text) > MaxEntry:
		return "", fmt.Errorf("%w: %d bytes, and an entry has at most %d", ErrTooLong, len(text), MaxEntry)
	case strings.Contains(text, "⟦secret"), m.opt.Secret(text):
		return "", ErrSecret
	}
	return text, nil
}

// PlanRemember plans to add a text to the file of a scope.
func (m *Memory) PlanRemember(scope Scope, target, conversation, text string, tainted bool) (Change, error) {
	text, err := m.Check(text)
	if err != nil {
		return Change{}, err
	}
	c, err := m.begin(scope, target)
	if err != nil {
		return Change{}, err
	}
	added := written(text, tainted, conversation, m.opt.Now())
	for _, e := range entries(scope, string(c.Old)) {
		if e.Text == text || e.Text == entries(scope, added)[0].Text {
			return Change{}, fmt.Errorf("%w: %s", ErrKnown, e.ID)
		}
	}
	content := string(c.Old)
	if content == "" {
		content = m.head(scope, target)
	}
	if !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	// An unclosed comment would swallow it.
	if i := strings.LastIndex(content, "<!--"); i >= 0 && !strings.Contains(content[i:], "-->") {
		content += "-->\n"
	}
	c.Content = []byte(content + added)
	if len(c.Content) > MaxFile {
		return Change{}, fmt.Errorf("%s: %w: it may have %d bytes; shorten it", c.Path, ErrTooLong, MaxFile)
	}
	return c, nil
}

// PlanForget plans to remove an entry from the file that has it. It is ErrNone if
// neither file of the target has it.
func (m *Memory) PlanForget(target, id string) (Change, Entry, error) {
	for _, scope := range []Scope{Project, Global} {
		c, err := m.begin(scope, target)
		if err != nil {
			return Change{}, Entry{}, err
		}
		for _, e := range entries(scope, string(c.Old)) {
			if e.ID == id {
				lines := strings.Split(string(c.Old), "\n")
				c.Content = []byte(strings.Join(slices.Delete(lines, e.from, e.to), "\n"))
				return c, e, nil
			}
		}
	}
	return Change{}, Entry{}, fmt.Errorf("%w: %q", ErrNone, id)
}

func (m *Memory) begin(scope Scope, target string) (Change, error) {
	c := Change{Path: m.Path(scope, target)}
	var err error
	if c.Old, err = readFile(c.Path); err != nil {
		return c, err
	}
	if c.Old != nil {
		c.Expect = backends.VersionOf(c.Old)
	}
	return c, nil
}

// head is how a new file begins.
func (m *Memory) head(scope Scope, target string) string {
	about := "everywhere"
	if scope == Project {
		about = "in " + line(m.ProjectOf(target))
	}
	return "# What nod remembers " + about + "\n\n" +
		"<!-- Edit this as you like: each item of a list and each paragraph is an entry. Behind\n" +
		"     what the model wrote stands where it comes from; without that, it counts as yours. -->\n\n"
}

// Write replaces the file of a planned change in one step, if it still holds what
// it held then; else it is ErrChanged and the file is left alone.
func (m *Memory) Write(path string, expect backends.Version, content []byte) (err error) {
	if rel, e := filepath.Rel(m.dir, path); e != nil || !filepath.IsLocal(rel) {
		return fmt.Errorf("memory: %s is none of its files", path)
	}
	if real, e := filepath.EvalSymlinks(path); e == nil {
		path = real // a person may keep the file elsewhere
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	leave, err := m.lock()
	if err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	defer leave()
	now, err := readFile(path)
	if err != nil {
		return err
	}
	present := backends.Version{}
	if now != nil {
		present = backends.VersionOf(now)
	}
	if present != expect {
		return fmt.Errorf("memory: %s: %w", path, ErrChanged)
	}
	if err := renameio.WriteFile(path, content, 0o600, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("memory: %w", err)
	}
	return nil
}

// lock keeps other processes of nod from writing between the look and the write.
func (m *Memory) lock() (leave func(), err error) {
	f, err := os.OpenFile(filepath.Join(m.dir, ".lock"), os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		if err = unix.Flock(int(f.Fd()), unix.LOCK_EX); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil // closing unlocks, and nothing was written
}

// Note remembers a text in a conversation and returns its ID.
func (m *Memory) Note(ctx context.Context, conversation, text string, tainted bool) (string, error) {
	text, err := m.Check(text)
	if err != nil {
		return "", err
	}
	n, err := m.store.Remember(ctx, conversation, text, tainted)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("c%d", n.ID), nil
}

// ForgetNote forgets what Note returned the ID of.
func (m *Memory) ForgetNote(ctx context.Context, conversation, id string) error {
	number, err := strconv.ParseInt(strings.TrimPrefix(id, "c"), 10, 64)
	if err != nil || !IsNote(id) {
		return fmt.Errorf("%w: %q", ErrNone, id)
	}
	found, err := m.store.ForgetRemembered(ctx, conversation, number)
	if err == nil && !found {
		err = fmt.Errorf("%w in this conversation: %q", ErrNone, id)
	}
	return err
}

// IsNote reports whether an ID is one of Note's: "c" and a number.
func IsNote(id string) bool {
	number, ok := strings.CutPrefix(id, "c")
	return ok && len(number) > 0 && len(number) < 8 && strings.Trim(number, "0123456789") == ""
}

func readFull(r io.Reader, p []byte) (int, error) {
	n, err := io.ReadFull(r, p)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}
