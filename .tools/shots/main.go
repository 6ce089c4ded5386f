// Command shots takes the pictures of nod's screen that the documents show: it runs the
// real program in a terminal of our own emulator, gives it the keys of a scene, and
// draws what stands there as SVG.
//
//	make shots
//
// It also photographs scenes in real terminals, to be judged, and compares what these say
// that they show with what our emulator shows:
//
//	make photographs
//
// The model is a script, so that a scene is the same each time; home, state and tmux
// server are the scene's own and end with it. How long something took is the only thing
// that the clock decides: it is always drawn as the same time.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/nod-console/nod/backends/vt/svg"
)

func main() {
	nod := flag.String("nod", "bin/nod", "the program that is shown")
	out := flag.String("out", ".shots", "the folder for the pictures")
	only := flag.String("only", "", "the name of a single scene")
	real := flag.String("real", "", "take pictures in each real terminal that is installed, into this folder")
	join := flag.String("bridge", "", "join the terminal with the scene at this socket: for -real itself")
	cells := flag.String("cells", "", "how many cells the terminal of -bridge is to have")
	flag.Parse()
	var err error
	switch {
	case *join != "":
		err = bridge(*join, *cells)
	case *real != "":
		err = photographAll(*nod, *real, *only)
	default:
		err = takeAll(*nod, *out, *only)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "shots:", err)
		os.Exit(1)
	}
}

// takeAll takes the pictures of all scenes, or of a single one.
func takeAll(nod, out, only string) error {
	nod, err := filepath.Abs(nod)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(out, 0o750); err != nil {
		return err
	}
	known := ""
	for _, s := range scenes() {
		known += " " + s.name
		if only != "" && s.name != only {
			continue
		}
		picture, err := take(nod, s)
		if err != nil {
			return fmt.Errorf("scene %q: %w", s.name, err)
		}
		if err := os.WriteFile(filepath.Join(out, s.name+".svg"), picture, 0o600); err != nil {
			return err
		}
		if only != "" {
			return nil
		}
	}
	if only != "" {
		return fmt.Errorf("there is no scene %q; there are%s", only, known)
	}
	return nil
}

// take plays one scene and draws its last moment.
func take(nod string, s scene) (picture []byte, err error) {
	look := svg.Dark
	if s.light {
		look = svg.Light
	}
	st, err := raise(nod, s, nil)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := st.strike(); err == nil {
			err = closing
		}
	}()
	if err := s.play(st); err != nil {
		return nil, err
	}
	var drawn bytes.Buffer
	if err := svg.Write(&drawn, st.freeze(), look); err != nil {
		return nil, err
	}
	return timeless(drawn.Bytes()), nil
}

var (
	spinner = regexp.MustCompile(`>[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]<`)
	waits   = regexp.MustCompile(`>waits for your nod \d s<`)
)

// timeless puts the same moment in the place of the one that was caught.
func timeless(picture []byte) []byte {
	return waits.ReplaceAll(spinner.ReplaceAll(picture, []byte(">⠹<")), []byte(">waits for your nod 2 s<"))
}
