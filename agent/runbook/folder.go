package runbook

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"unicode"

	"golang.org/x/sys/unix"
)

// Limits.
const (
	MaxFile   = 64 << 10 // bytes of a file that is read
	MaxTold   = 16 << 10 // bytes of all files that a request gets
	maxSkills = 50       // in a folder of skills
)

// names are the files that speak to agents.
var names = []string{"AGENTS.md", "RUNBOOK.md"}

// SkillFolders are where a working folder has its skills.
var SkillFolders = []string{".agents/skills", ".claude/skills"}

// File is one of them.
type File struct {
	Name string // within the folder, with slashes
	Text string
}

// Folder is what a folder says.
type Folder struct {
	Dir   string
	Files []File
	// Left are the files that are not told, each with the reason.
	Left []string
}

// Look reads what a folder says. One that says nothing has no Files.
func Look(dir string) (Folder, error) {
	f := Folder{Dir: dir}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return f, fmt.Errorf("guidance: %w", err)
	}
	defer func() { _ = root.Close() }() // nothing was written
	all := append([]string(nil), names...)
	for _, folder := range SkillFolders {
		found, err := fs.ReadDir(root.FS(), folder)
		if err != nil {
			continue // there is none, or it leads out of the folder
		}
		for _, d := range found[:min(len(found), maxSkills)] {
			if d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
				all = append(all, path.Join(folder, d.Name(), "SKILL.md"))
			}
		}
	}
	for _, name := range all {
		text, err := read(root, name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			f.Left = append(f.Left, clean(name)+": "+err.Error())
		default:
			f.Files = append(f.Files, File{name, text})
		}
	}
	return f, nil
}

func read(root *os.Root, name string) (string, error) {
	for at := name; at != "."; at = path.Dir(at) {
		info, err := root.Lstat(at)
		if err != nil {
			return "", err
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return "", errors.New("a symbolic link is not followed")
		}
	}
	file, err := root.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // opened for reading
	info, err := file.Stat()
	switch {
	case err != nil:
		return "", err
	case !info.Mode().IsRegular():
		return "", errors.New("it is no regular file")
	case info.Size() > MaxFile:
		return "", fmt.Errorf("it has %d bytes, and it may have %d", info.Size(), MaxFile)
	}
	text, err := io.ReadAll(io.LimitReader(file, MaxFile))
	return strings.ToValidUTF8(string(text), "\uFFFD"), err
}

// Empty reports whether there is nothing to ask about.
func (f Folder) Empty() bool { return len(f.Files) == 0 }

// Digest is that of all files: names, lengths and bytes.
func (f Folder) Digest() string {
	h := sha256.New()
	for _, file := range f.Files {
		// A hash's Write never fails.
		_, _ = fmt.Fprintf(h, "%d %s\n%d\n%s\n", len(file.Name), file.Name, len(file.Text), file.Text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Describe is what the operator is asked about, with the first lines of each file.
func (f Folder) Describe() string {
	const most, lines = 12, 5
	var b strings.Builder
	fmt.Fprintf(&b, "%s (sha256 %.12s)\n", clean(f.Dir), f.Digest())
	for i, file := range f.Files {
		if i == most {
			fmt.Fprintf(&b, "and %d more\n", len(f.Files)-most)
			break
		}
		fmt.Fprintf(&b, "\n%s, %d bytes\n", clean(file.Name), len(file.Text))
		n := 0
		for line := range strings.Lines(file.Text) {
			if line = strings.TrimSpace(clean(line)); line == "" {
				continue
			}
			if n++; n > lines {
				break
			}
			if len(line) > 100 {
				line = strings.ToValidUTF8(line[:100], "") + "…"
			}
			b.WriteString("  " + line + "\n")
		}
	}
	for _, l := range f.Left {
		b.WriteString("\nnot read: " + l + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// Text is what a model is told of the folder, without its skills: MaxTold bytes at
// most, and where the rest is.
func (f Folder) Text() string {
	var b strings.Builder
	room := MaxTold
	for _, file := range f.Files {
		if strings.HasSuffix(file.Name, "/SKILL.md") {
			continue
		}
		text := clean(file.Text)
		head := fmt.Sprintf("# %s\n\n", clean(filepath.Join(f.Dir, file.Name)))
		if len(text) > room {
			cut := strings.ToValidUTF8(text[:max(0, room)], "")
			text = fmt.Sprintf("%s\n[%d bytes more: read the file]\n", cut, len(text)-len(cut))
		}
		room -= len(text)
		b.WriteString(head + strings.TrimRight(text, "\n") + "\n\n")
	}
	return strings.TrimSpace(b.String())
}

// Skills are the files that are skills, with their folders.
func (f Folder) Skills() []File {
	var all []File
	for _, file := range f.Files {
		if strings.HasSuffix(file.Name, "/SKILL.md") {
			all = append(all, file)
		}
	}
	return all
}

// clean leaves out what a terminal would obey, and what hides.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return r
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r >= 0xE0000 && r <= 0xE007F, r >= 0x200B && r <= 0x200F, r == 0xFEFF, r == 0x2060:
			return -1
		}
		return r
	}, text)
}
