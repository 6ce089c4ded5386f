// Command mutants plants faults, one at a time, and runs the tests that must fail
// then. A fault that no test finds is a gap in the tests.
//
//	go run -C .tools ./mutants [-check] [-j N] [-only WORD]
//
// The faults are in the files *.mutants beside this one. Each begins with what it is,
// names its file and its tests, and has the text that is there and what stands in its
// place:
//
//	== the record is not fsynced
//	file agent/ledger/append.go
//	test ./agent/ledger TestAPowerCut
//	-	if err := l.log.Sync(); err != nil {
//	+	if err := error(nil); err != nil {
//
// The text must be in the file exactly once; its last line may be the beginning of a
// longer one. With -check only that is proved, which
// takes no time: who changes the text renews the fault.
//
// Nothing in the tree is changed: the compiler gets the faulty file as an overlay.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"
)

// mutant is a fault.
type mutant struct {
	list, name string
	file       string // from the top of the tree
	pkg, run   string
	old, new   string
}

// testTimeout bounds the tests of one fault. One that hangs is found.
const testTimeout = "60s"

func main() {
	root := flag.String("root", "..", "the top of the tree")
	check := flag.Bool("check", false, "only prove that each fault can be planted")
	jobs := flag.Int("j", runtime.GOMAXPROCS(0), "faults at once")
	only := flag.String("only", "", "only faults whose list or name has this word")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *root, *only, *jobs, *check); err != nil {
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, root, only string, jobs int, check bool) error {
	root, err := filepath.Abs(root)
	if err != nil {
		return err
	}
	all, err := readLists(filepath.Join(root, ".tools", "mutants"))
	if err != nil {
		return err
	}
	planted := make([][]byte, len(all))
	var stale []error
	for i, m := range all {
		if planted[i], err = m.plant(root); err == nil {
			err = m.tested(root)
		}
		if err != nil {
			stale = append(stale, err)
		}
	}
	if len(stale) > 0 || check {
		return errors.Join(stale...)
	}
	tmp, err := os.MkdirTemp("", "mutants-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	began := time.Now()
	var survivors []string
	var failed []error
	var mu sync.Mutex
	var running sync.WaitGroup
	slots := make(chan struct{}, max(jobs, 1))
	sound := &baseline{root: root, done: map[string]*sync.Once{}, errs: map[string]error{}}
	killed := 0
	for i, m := range all {
		if !strings.Contains(m.list+": "+m.name, only) {
			continue
		}
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			err := sound.check(ctx, m)
			lives := false
			if err == nil {
				lives, err = m.survives(ctx, root, filepath.Join(tmp, fmt.Sprint(i)), planted[i])
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				failed = append(failed, fmt.Errorf("%s: %s: %w", m.list, m.name, err))
				fmt.Printf("ERROR    %s: %s\n", m.list, m.name)
			case lives:
				survivors = append(survivors, m.list+": "+m.name)
				fmt.Printf("SURVIVES %s: %s\n", m.list, m.name)
			default:
				killed++
				fmt.Printf("killed   %s: %s\n", m.list, m.name)
			}
		})
	}
	running.Wait()
	fmt.Printf("%d faults killed, %d survive, %d could not be tried, in %s\n", killed, len(survivors), len(failed), time.Since(began).Round(time.Second))
	if len(survivors) > 0 {
		failed = append(failed, fmt.Errorf("no test finds: %s", strings.Join(survivors, "; ")))
	}
	return errors.Join(failed...)
}

// readLists reads the faults of a folder.
func readLists(dir string) ([]mutant, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.mutants"))
	if err != nil {
		return nil, err
	}
	var all []mutant
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		list, err := parse(strings.TrimSuffix(filepath.Base(path), ".mutants"), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, list...)
	}
	return all, nil
}

func parse(list, text string) ([]mutant, error) {
	var all []mutant
	for n, line := range strings.Split(text, "\n") {
		if name, ok := strings.CutPrefix(line, "== "); ok {
			all = append(all, mutant{list: list, name: name})
			continue
		}
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("line %d: want a line with == first", n+1)
		}
		m := &all[len(all)-1]
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line[0] == '-':
			m.old += line[1:] + "\n"
		case line[0] == '+':
			m.new += line[1:] + "\n"
		case word == "file":
			m.file = rest
		case word == "test":
			m.pkg, m.run, _ = strings.Cut(rest, " ")
		default:
			return nil, fmt.Errorf("line %d: %q is none of file, test, - and +", n+1, line)
		}
	}
	for _, m := range all {
		if m.file == "" || m.pkg == "" || m.run == "" || m.old == "" {
			return nil, fmt.Errorf("%q: want a file, a package with tests, and lines with -", m.name)
		}
	}
	return all, nil
}

// tested says whether the package has a test of the name.
func (m mutant) tested(root string) error {
	files, err := filepath.Glob(filepath.Join(root, m.pkg, "*_test.go"))
	if err != nil {
		return err
	}
	name, err := regexp.Compile(`(?m)^func (` + strings.ReplaceAll(m.run, "$", `\(`) + `)`)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", m.list, m.name, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if name.Match(text) {
			return nil
		}
	}
	return fmt.Errorf("%s: %s: %s has no test %s", m.list, m.name, m.pkg, m.run)
}

// plant is the file with the fault.
func (m mutant) plant(root string) ([]byte, error) {
	text, err := os.ReadFile(filepath.Join(root, m.file))
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", m.list, m.name, err)
	}
	before, after := strings.TrimSuffix(m.old, "\n"), strings.TrimSuffix(m.new, "\n") // the last line may be the beginning of one
	if n := bytes.Count(text, []byte(before)); n != 1 {
		return nil, fmt.Errorf("%s: %s: its text is %d times in %s; renew the fault, or remove it", m.list, m.name, n, m.file)
	}
	return bytes.Replace(text, []byte(before), []byte(after), 1), nil
}

// survives runs the tests with the fault and reports whether they pass.
func (m mutant) survives(ctx context.Context, root, tmp string, text []byte) (bool, error) {
	if err := os.Mkdir(tmp, 0o700); err != nil {
		return false, err
	}
	faulty := filepath.Join(tmp, filepath.Base(m.file))
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, m.file): faulty}})
	if err != nil {
		return false, err
	}
	list := filepath.Join(tmp, "overlay.json")
	if err := errors.Join(os.WriteFile(faulty, text, 0o600), os.WriteFile(list, overlay, 0o600)); err != nil {
		return false, err
	}
	out, err := m.test(ctx, root, "-overlay", list, "-failfast")
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")):
		return false, fmt.Errorf("with the fault it does not compile: %s", out)
	}
	return err == nil, nil
}

// test runs the tests that belong to a fault.
func (m mutant) test(ctx context.Context, root string, flags ...string) ([]byte, error) {
	args := append([]string{"test", "-vet=off", "-timeout", testTimeout, "-run", m.run}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, m.pkg)...)
	cmd.Dir = root
	return cmd.CombinedOutput()
}

// baseline proves that tests pass without a fault, and that there are some.
type baseline struct {
	root string
	mu   sync.Mutex
	done map[string]*sync.Once
	errs map[string]error
}

func (b *baseline) check(ctx context.Context, m mutant) error {
	key := m.pkg + " " + m.run
	b.mu.Lock()
	once, ok := b.done[key]
	if !ok {
		once = &sync.Once{}
		b.done[key] = once
	}
	b.mu.Unlock()
	once.Do(func() {
		out, err := m.test(ctx, b.root)
		if err == nil && bytes.Contains(out, []byte("[no tests to run]")) {
			err = errors.New("there are no such tests")
		}
		if err != nil {
			err = fmt.Errorf("without the fault, go test -run '%s' %s: %w: %s", m.run, m.pkg, err, out)
		}
		b.mu.Lock()
		defer b.mu.Unlock()
		b.errs[key] = err
	})
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.errs[key]
}
