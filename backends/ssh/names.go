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
	all, err := Known(opt)
	var names []string
	for _, k := range all {
		names = append(names, k.Name)
	}
	return names, err
}

// KnownHost is a host that the operator's ssh_config names.
type KnownHost struct {
	Name string
	// HostName is its address, where the file says it plainly; empty where a pattern or a
	// condition may say another one, which only ssh can judge.
	HostName string
}

// Known lists the same hosts as Names, by name. It starts no process.
func Known(opt Options) ([]KnownHost, error) {
	opt = opt.withDefaults()
	files := []string{filepath.Join(opt.Home, ".ssh/config"), "/etc/ssh/ssh_config"}
	if opt.Config != "" {
		files = []string{opt.Config}
	}
	c := collector{home: opt.Home, address: map[string]string{}}
	for _, file := range files {
		if err := c.read(file, 0, false); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrConfig, err)
		}
	}
	slices.Sort(c.names)
	var all []KnownHost
	for _, name := range slices.Compact(c.names) {
		all = append(all, KnownHost{Name: name, HostName: c.address[name]})
	}
	return all, nil
}

// collector reads the files in the order in which ssh does, of which the first word counts.
type collector struct {
	home    string
	names   []string
	address map[string]string
	unsure  bool // a pattern or a condition has said an address by now
}

// read reads a file; within says that it is included for some hosts only.
func (c *collector) read(file string, depth int, within bool) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var block []string // the hosts that a line is about
	open := true       // it may be about others, too
	top := !within     // no condition stands before it
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.Replace(strings.TrimSpace(line), "=", " ", 1), " ")
		switch strings.ToLower(name) {
		case "host":
			block, open, top = nil, within, false
			for _, w := range words(value) {
				if strings.ContainsAny(w, "*?!") {
					open = true
				} else {
					block = append(block, w)
				}
			}
			c.names = append(c.names, block...)
		case "match":
			block, open, top = nil, true, false
		case "hostname":
			c.says(block, open, words(value))
		case "include":
			if depth == maxIncludes {
				return fmt.Errorf("%s: more than %d files include each other", file, maxIncludes)
			}
			for _, p := range words(value) {
				for _, f := range included(p, file, c.home) {
					if err := c.read(f, depth+1, !top); err != nil {
						return err
					}
				}
			}
		}
	}
	return nil
}

// says takes note of an address.
func (c *collector) says(block []string, open bool, value []string) {
	c.unsure = c.unsure || open
	if c.unsure || len(value) != 1 || strings.Contains(value[0], "%") {
		return
	}
	for _, name := range block {
		if _, known := c.address[name]; !known {
			c.address[name] = value[0]
		}
	}
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
