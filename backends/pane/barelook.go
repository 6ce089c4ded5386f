package pane

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nod-console/nod/backends"
)

// foreground prints the name and the working directory of the program in the
// foreground of the terminal of the process $1 (proc(5): stat field 8 is its
// process group). Nothing where the target has no /proc.
const foreground = `read -r l 2>/dev/null <"/proc/$1/stat" || exit
set -- ${l##*) }
read -r c 2>/dev/null <"/proc/$6/comm"
printf '%s\n' "$c"
cd "/proc/$6/cwd" 2>/dev/null && pwd -P`

// bareLookFor bounds how long a look may take.
const bareLookFor = 2 * time.Second

// look implements [wire]. That the shell has ended is known here, and after all
// its output; the rest the target is asked for.
func (w *bareWire) look(then func(sight, error)) {
	sh := w.current()
	go func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(w.ground.keeper.life), bareLookFor)
		defer cancel()
		select {
		case <-sh.named:
		case <-sh.ended:
		case <-ctx.Done():
		}
		s := sh.glimpse()
		if s.dead || s.pid == 0 {
			then(s, nil)
			return
		}
		var out bytes.Buffer
		proc, err := w.ground.keeper.target.Exec(ctx, backends.Command{
			Argv: []string{"sh", "-c", foreground, "sh", strconv.Itoa(s.pid)}, Stdout: &out,
		})
		if err == nil {
			_, err = proc.Wait()
		}
		if end := sh.glimpse(); end.dead { // what was seen may be somebody else's
			then(end, nil)
			return
		}
		if err != nil {
			then(sight{}, fmt.Errorf("pane %s: look at its terminal: %w", sh.id, err))
			return
		}
		if command, dir, known := strings.Cut(out.String(), "\n"); known {
			s.command, s.dir, s.started = command, strings.TrimSuffix(dir, "\n"), ""
		}
		then(s, nil)
	}()
}

// glimpse implements [wire].
func (w *bareWire) glimpse(then func(sight, error)) {
	s := w.current().glimpse()
	go then(s, nil)
}

// glimpse is what is known of the shell without asking the target.
func (sh *bareShell) glimpse() sight {
	sh.mu.Lock()
	defer sh.mu.Unlock()
	s := sight{pid: sh.pid, started: sh.name}
	select {
	case <-sh.ended:
		s.dead, s.outcome, s.whole, s.why = true, sh.outcome, true, sh.why
	default:
	}
	return s
}

// front implements [wire].
func (w *bareWire) front(ctx context.Context, pid, home int) (front, error) {
	return frontOn(ctx, w.ground.keeper.target, pid, home)
}
