package files_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/nod-console/nod/tools"
	"github.com/nod-console/nod/tools/files"
)

// tries is how often the tools are called while links are swapped beneath them.
func tries() int {
	if os.Getenv("NOD_E2E") == "1" {
		return 40_000
	}
	return 1_500
}

// swapper exchanges a folder and a file of the workspace for links that lead
// out of it, and back, as quickly as it can.
type swapper struct {
	dir  string
	stop chan struct{}
	done sync.WaitGroup

	failed error
}

func (s *swapper) run() {
	s.done.Go(func() {
		for {
			select {
			case <-s.stop:
				return
			default:
			}
			for _, name := range []string{"folder", "file"} {
				if err := exchange(s.dir+"/ws/"+name, s.dir+"/link-"+name); err != nil {
					s.failed = err
					return
				}
			}
			runtime.Gosched()
		}
	})
}

func (b *bench) must(errs ...error) {
	b.t.Helper()
	for _, err := range errs {
		if err != nil {
			b.t.Fatal(err)
		}
	}
}

// TestLinksThatAreSwappedLeadNowhere: somebody who may write in the workspace
// swaps folders and files for links while the tools work there. Nothing outside
// is ever read, listed or changed.
func TestLinksThatAreSwappedLeadNowhere(t *testing.T) {
	b := newBench(t)
	const secret = "SECRET-OUTSIDE"
	for _, dir := range []string{"ws", "ws/folder", "outside"} {
		b.must(os.Mkdir(b.dir+"/"+dir, 0o700))
	}
	for name, text := range map[string]string{"ws/folder/f": "inside 0\n", "ws/file": "inside 0\n", "outside/f": secret + "\n", "outside/" + secret: secret + "\n"} {
		b.put(name, text)
	}
	b.must(os.Symlink(b.dir+"/outside", b.dir+"/link-folder"), os.Symlink(b.dir+"/outside/f", b.dir+"/link-file"))
	bounds := files.Bounds{Workspace: b.dir + "/ws"}
	b.read.Bounds, b.write.Bounds, b.edit.Bounds, b.grep.Bounds, b.glob.Bounds = bounds, bounds, bounds, bounds, bounds

	s := &swapper{dir: b.dir, stop: make(chan struct{})}
	s.run()
	done, refused := map[string]int{}, map[string]int{}
	total := tries()
	for n := range total {
		var tool tools.Tool
		var args map[string]any
		switch n % 20 {
		default:
			tool, args = b.read, map[string]any{"path": b.dir + "/ws/folder/f"}
		case 2, 3, 4, 5, 6, 7:
			tool, args = b.read, map[string]any{"path": b.dir + "/ws/file"}
		case 8:
			tool, args = b.grep, map[string]any{"pattern": ".", "path": b.dir + "/ws"}
		case 9, 10, 11:
			tool, args = b.grep, map[string]any{"pattern": ".", "path": b.dir + "/ws/folder"}
		case 12:
			tool, args = b.glob, map[string]any{"pattern": "**", "path": b.dir + "/ws"}
		case 13:
			tool, args = b.write, writing(fmt.Sprintf("%s/ws/folder/new-%d", b.dir, n), "inside")
		case 14:
			tool, args = b.edit, editing(b.dir+"/ws/file", "inside", "inside", false)
			args["new_text"] = fmt.Sprintf("inside %d", n)
		case 15:
			tool, args = b.edit, editing(b.dir+"/ws/folder/f", "inside", fmt.Sprintf("inside %d", n), false)
		}
		_, r := b.call(tool, args)
		text, err := json.Marshal(r.Value)
		b.must(err)
		if strings.Contains(string(text), secret) {
			t.Fatalf("try %d: %s told of what is outside: %s", n, tool.Name(), text)
		}
		if r.IsError {
			refused[tool.Name()]++
		} else {
			done[tool.Name()]++
		}
	}
	close(s.stop)
	s.done.Wait()
	b.must(s.failed)
	entries, err := os.ReadDir(b.dir + "/outside")
	b.must(err)
	if text := b.content(b.dir + "/outside/f"); len(entries) != 2 || text != secret+"\n" {
		t.Errorf("outside there are now %v, %q", entries, text)
	}
	t.Logf("%d tries: done %v, refused %v", total, done, refused)
	if name := b.read.Name(); done[name] == 0 || refused[name] == 0 {
		t.Errorf("%s: done %d times, refused %d times: the swapping tests nothing", name, done[name], refused[name])
	}
}
