package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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
	failed := 0
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
						fmt.Fprintf(os.Stderr, "%s: %v\n", filepath.Base(file), err)
						failed++
						continue
					}
					fmt.Println(file)
				}
			}
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d photographs are not as they are to be", failed)
	}
	return nil
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
	if err := real.photograph(file); err != nil || p.text == nil {
		return err
	}
	text, err := p.text(real)
	if err != nil {
		return err
	}
	return differs(text, st.screen().String())
}

// differs says in which row a terminal shows another text than our emulator. Blanks at
// the end of a row are no difference, nor is what a clock or a spinner has changed between
// the two looks.
func differs(real, ours string) error {
	there := strings.Split(spun(real), "\n")
	for y, want := range strings.Split(spun(ours), "\n") {
		got := ""
		if y < len(there) {
			got = strings.TrimRight(there[y], " \r")
		}
		if want = strings.TrimRight(want, " "); got != want {
			return fmt.Errorf("row %d is\n%s\nand not\n%s", y+1, got, want)
		}
	}
	return nil
}

// spun is a screen with the same sign in the place of each turn of the spinner.
func spun(text string) string {
	return spinning.ReplaceAllString(text, "⠹ waits for your nod 2 s")
}
