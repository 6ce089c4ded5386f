package ssh

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Names lists the hosts that the operator's ssh_config names: those of its Host
// lines, also in files that it includes, that are no patterns. Conditions are
// not looked at, since only ssh can judge them. Missing files name none.
func Names(opt Options) ([]string, error) {
	opt = opt.withDefaults()
	files := []string{filepath.Join(opt.Home, ".ssh/config"), "/etc/ssh/ssh_config"}
	if opt.Config != "" {
		files = []string{opt.Config}
	}
	var names []string
	for _, file := range files {
		if err := collectNames(file, opt.Home, 0, &names); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrConfig, err)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

func collectNames(file, home string, depth int, names *[]string) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.Replace(strings.TrimSpace(line), "=", " ", 1), " ")
		switch strings.ToLower(name) {
		case "host":
			for _, w := range words(value) {
				if !strings.ContainsAny(w, "*?!") {
					*names = append(*names, w)
				}
			}
		case "include":
			if depth == maxIncludes {
				return fmt.Errorf("%s: more than %d files include each other", file, maxIncludes)
			}
			for _, p := range words(value) {
				for _, f := range included(p, file, home) {
					if err := collectNames(f, home, depth+1, names); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// included are the files that a pattern of Include in a file stands for.
func included(pattern, file, home string) []string {
	p := expander{home: home, getenv: os.Getenv}.path(pattern)
	if !filepath.IsAbs(p) {
		base := filepath.Join(home, ".ssh")
		if strings.HasPrefix(file, "/etc/ssh/") {
			base = "/etc/ssh"
		}
		p = filepath.Join(base, p)
	}
	found, err := filepath.Glob(p)
	if err != nil {
		return nil // ssh finds nothing with it either
	}
	return found
}
