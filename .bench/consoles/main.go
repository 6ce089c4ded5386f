package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// after is how long after its start a program is taken to have come up.
const after = 5 * time.Second

func main() {
	rounds := flag.Int("rounds", 20, "how often each program is started; the median counts")
	keys := flag.Int("keys", 100, "how many keys each program gets")
	idle := flag.Duration("idle", time.Minute, "how long the programs are left alone")
	nod := flag.String("nod", "", "the `program` that is nod; empty: built from the tree")
	flag.Parse()
	if flag.NArg() > 0 || *rounds < 1 || *keys < 10 || *idle < time.Second {
		flag.Usage()
		os.Exit(2)
	}
	if err := bench(*nod, *rounds, *keys, *idle); err != nil {
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// figures are what was measured of a program, by quantity.
type figures struct {
	*program
	home   string
	values map[string][]float64
	modes  map[string][]string // left on, by how the program ended
}

func (f *figures) add(name string, value float64) { f.values[name] = append(f.values[name], value) }

func (f *figures) took(name string, d time.Duration) { f.add(name, d.Seconds()*1000) }

func bench(nod string, rounds, keys int, idle time.Duration) (err error) {
	dir, err := os.MkdirTemp("", "nod-bench")
	if err != nil {
		return fmt.Errorf("make a folder: %w", err)
	}
	defer func() { err = cleanUp(dir, err) }()
	if nod == "" {
		if nod, err = build(dir); err != nil {
			return err
		}
	}
	programs[0].command = nod
	all, err := prepared(dir)
	if err != nil {
		return err
	}
	for round := range rounds + 1 { // the first fills caches and does not count
		for _, f := range all {
			if err := f.starts(round > 0); err != nil {
				return err
			}
		}
	}
	if err := together(all, keys, idle); err != nil {
		return err
	}
	return report(all)
}

// prepared finds the programs, and makes a home for each.
func prepared(dir string) ([]*figures, error) {
	var all []*figures
	for _, p := range programs {
		version, err := p.find()
		if err != nil {
			fmt.Printf("note: left out: %v\n", err)
			continue
		}
		fmt.Printf("%s: %s\n", p.name, version)
		f := &figures{p, filepath.Join(dir, p.name), map[string][]float64{}, map[string][]string{}}
		if err := os.Mkdir(f.home, 0o700); err != nil {
			return nil, fmt.Errorf("make a home: %w", err)
		}
		if p.prepare != nil {
			if err := p.prepare(f.home); err != nil {
				return nil, err
			}
		}
		all = append(all, f)
	}
	return all, nil
}

// cleanUp ends the tmux servers that nod leaves to its successor, and removes the homes.
func cleanUp(dir string, err error) error {
	homes, _ := filepath.Glob(dir + "/*") // the pattern is well formed
	for _, home := range homes {
		cmd := exec.Command("tmux", "-L", "nod", "kill-server")
		cmd.Env = environment(home)
		_ = cmd.Run() // most have none
	}
	if failed := os.RemoveAll(dir); err == nil && failed != nil {
		return fmt.Errorf("clean up: %w", failed)
	}
	return err
}

// starts starts a program twice: once it is watched until it shows its content, and
// quits; once the key for help is pressed at the first frame, and TERM ends it.
func (f *figures) starts(counts bool) error {
	values := f.values
	if !counts {
		f.values = map[string][]float64{}
		defer func() { f.values = values }()
	}
	r, err := f.start(f.home)
	if err != nil {
		return err
	}
	at, err := r.shows(f.first...)
	if err != nil {
		return err
	}
	f.took(firstFrame, at.Sub(r.began))
	if f.content != nil {
		if at, err = r.shows(f.content...); err != nil {
			return err
		}
		f.took(content, at.Sub(r.began))
	}
	took, modes, err := r.end(func() error { return r.write(f.quit) })
	if err != nil {
		return err
	}
	f.took(leave, took)
	if f.help == "" {
		return nil
	}
	f.modes[leave] = union(f.modes[leave], modes)
	return f.startForAKey()
}

func (f *figures) startForAKey() error {
	r, err := f.start(f.home)
	if err != nil {
		return err
	}
	if _, err := r.shows(f.first...); err != nil {
		return err
	}
	at, err := r.answers(f.help, f.helped)
	if err != nil {
		return err
	}
	f.took(firstKey, at.Sub(r.began))
	_, modes, err := r.end(r.terminate)
	f.modes[term] = union(f.modes[term], modes)
	return err
}

// together has all programs run at the same time: first they idle, then they get
// keys in turns.
func together(all []*figures, keys int, idle time.Duration) error {
	running := make([]*running, len(all))
	for i, f := range all {
		var err error
		if running[i], err = f.start(f.home); err != nil {
			return err
		}
		if _, err = running[i].shows(append(f.first, f.content...)...); err != nil {
			return err
		}
	}
	time.Sleep(after)
	leftAlone(all, running, idle)
	if err := inTurns(all, running, keys); err != nil {
		return err
	}
	for i := range all {
		if _, _, err := running[i].end(running[i].terminate); err != nil {
			return err
		}
	}
	return nil
}

// inTurns presses keys: those that open the help, and then those that move the selection.
func inTurns(all []*figures, running []*running, keys int) error {
	for range keys {
		for i, f := range all {
			if f.help == "" {
				continue
			}
			if err := f.opensHelp(running[i]); err != nil {
				return err
			}
		}
	}
	for i, f := range all {
		if f.list == "" {
			continue
		}
		if _, _, err := running[i].press(f.list); err != nil {
			return err
		}
	}
	for n := range keys {
		for i, f := range all {
			took, bytes, err := running[i].press([]string{f.down, f.up}[n%2])
			if err != nil {
				return err
			}
			f.took(key, took)
			f.add(keyBytes, float64(bytes))
		}
	}
	return nil
}

// leftAlone measures what the programs use while nobody does anything.
func leftAlone(all []*figures, running []*running, idle time.Duration) {
	before, bytes := make([]usage, len(all)), make([]int, len(all))
	for i, f := range all {
		own, whole := resident(running[i].cmd.Process.Pid, f.home)
		f.add(memory, own)
		f.add(memoryAll, whole)
		before[i] = used(f.home)
		_, _, bytes[i] = running[i].look()
	}
	time.Sleep(idle)
	for i, f := range all {
		now := used(f.home)
		_, _, wrote := running[i].look()
		f.add(idleCPU, (now.cpu-before[i].cpu).Seconds()*1000/idle.Minutes())
		f.add(idleSwitches, (now.switches-before[i].switches)/idle.Seconds())
		f.add(idleBytes, float64(wrote-bytes[i])/idle.Seconds())
	}
}

// opensHelp opens the help and closes it.
func (f *figures) opensHelp(r *running) error {
	r.settle()
	pressed := time.Now()
	at, err := r.answers(f.help, f.helped)
	if err != nil {
		return err
	}
	f.took(helpKey, at.Sub(pressed))
	r.settle()
	_, _, err = r.press(escape)
	return err
}
