// Command docs writes nod's documents as a site of static HTML: the topics of nod help,
// the help of each command and the keys, with the pictures that make shots takes.
//
//	make docs
//
// The words are the program's own: it is run for each page, without a configuration.
// The pages need no network and no script, and each has its style inside.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

func main() {
	nod := flag.String("nod", "bin/nod", "the program whose documents these are")
	shots := flag.String("shots", ".shots", "the folder with the pictures")
	out := flag.String("out", ".docs", "the folder for the site")
	flag.Parse()
	if err := build(*nod, *shots, *out); err != nil {
		fmt.Fprintln(os.Stderr, "docs:", err)
		os.Exit(1)
	}
}

// build writes the site of the program at nod into the folder out.
func build(nod, shots, out string) error {
	ask, done, err := running(nod)
	if err != nil {
		return err
	}
	defer done()
	files, err := site(ask, shots)
	if err != nil {
		return err
	}
	if err := prepare(out); err != nil {
		return err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(out, name), content, 0o644); err != nil {
			return err
		}
	}
	fmt.Printf("%s: %d files\n", filepath.Join(out, "index.html"), len(files))
	return nil
}

// program runs nod with arguments and returns what it prints.
type program func(args ...string) (string, error)

// running is the program at path, in a home of its own that done removes.
func running(path string) (ask program, done func(), err error) {
	if path, err = filepath.Abs(path); err != nil {
		return nil, nil, err
	}
	home, err := os.MkdirTemp("", "nod-docs-")
	if err != nil {
		return nil, nil, err
	}
	ask = func(args ...string) (string, error) {
		cmd := exec.Command(path, args...)
		cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8"}
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		text, err := cmd.Output()
		if err == nil && complaint.Len() > 0 {
			err = errors.New("it complains")
		}
		if err != nil {
			return "", fmt.Errorf("%s %q: %w\n%s", path, args, err, &complaint)
		}
		return string(text), nil
	}
	return ask, func() { _ = os.RemoveAll(home) }, nil
}

// prepare makes a folder, or removes the pages of an earlier site from it. In what is not
// a site it removes nothing, and it is an error if that is not empty.
func prepare(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) == 0 {
		return err
	}
	index, err := os.ReadFile(filepath.Join(folder, "index.html"))
	if err != nil || !bytes.Contains(index, []byte(`<meta name="generator" content="nod, make docs">`)) {
		return fmt.Errorf("the folder %q has other things in it than a site of nod; name an empty or a new one", folder)
	}
	pages, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil {
		return err
	}
	for _, page := range pages {
		if err := os.Remove(page); err != nil {
			return err
		}
	}
	return nil
}
