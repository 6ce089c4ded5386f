package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// sizes are those at which the screen is judged.
var sizes = []size{{40, 10}, {80, 24}, {120, 40}, {200, 60}}

// photographAll plays the scenes in each real terminal that is installed, at each size,
// on a dark and on a light ground, and writes a photograph of each.
func photographAll(nod, folder, only string) error {
	nod, err := filepath.Abs(nod)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o750); err != nil {
		return err
	}
	for _, needed := range []string{"Xvfb", "import"} {
		if _, err := exec.LookPath(needed); err != nil {
			return fmt.Errorf("pictures of real terminals need Xvfb and ImageMagick's import: %w", err)
		}
	}
	var errs []error
	for _, p := range programs() {
		if missing := p.missing(); missing != "" {
			fmt.Printf("%s: left out, %s is not installed\n", p.name, missing)
			continue
		}
		for _, s := range realScenes() {
			if only != "" && only != s.name {
				continue
			}
			for _, sz := range sizes {
				for _, light := range []bool{false, true} {
					file := filepath.Join(folder, fmt.Sprintf("%s-%s-%v-%s.png", s.name, p.name, sz, map[bool]string{false: "dark", true: "light"}[light]))
					if err := photograph(nod, p, s.at(sz, light), file); err != nil {
						errs = append(errs, fmt.Errorf("%s: %w", filepath.Base(file), err))
						continue
					}
					fmt.Println(file)
				}
			}
		}
	}
	return errors.Join(errs...)
}

// missing names a program that this terminal needs and that is not there.
func (p program) missing() string {
	needed := []string{p.name}
	if p.wayland {
		needed = append(needed, "weston")
	}
	for _, n := range needed {
		if _, err := exec.LookPath(n); err != nil {
			return n
		}
	}
	return ""
}

// photograph plays one scene in a real terminal and photographs its last moment.
func photograph(nod string, p program, s scene, file string) (err error) {
	c := darkColours
	if s.light {
		c = lightColours
	}
	real, err := p.open(size{s.cols, s.rows}, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, real.close()) }()
	st, err := raise(nod, s, real)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, st.strike()) }()
	if err := s.play(st); err != nil {
		return err
	}
	time.Sleep(quiet) // the terminal draws what it has got
	return real.photograph(file)
}
