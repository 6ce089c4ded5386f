package history

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// helpers are the processes that tests start and kill.
var helpers = map[string]func(ctx context.Context, dir string) int{
	"writer": writeForever,
	"asker":  askAndWait,
	"opener": openOnce,
	"pair":   writeMany,
}

func startHelper(t *testing.T, role, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperEnv+"="+role, dirEnv+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// many is few, or all with NOD_E2E=1.
func many(few, all int) int {
	if os.Getenv("NOD_E2E") == "1" {
		return all
	}
	return few
}

// writeForever prints the conversation's id and then the number of each
// message once it is acknowledged.
func writeForever(ctx context.Context, dir string) int {
	s, err := Open(ctx, dir, Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c, err := s.Create(ctx, "local", "m")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(c.ID)
	for n := 1; ; n++ {
		text := strconv.Itoa(n) + " " + strings.Repeat("x", n%5000)
		if err := s.Append(ctx, c.ID, Message{Role: User, Content: text}, Message{Role: Note, Content: text}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println(n)
	}
}

func TestKilledUnderLoadNothingAcknowledgedIsLost(t *testing.T) {
	dir := t.TempDir()
	for round := range many(4, 100) {
		cmd, lines := startHelper(t, "writer", dir)
		var id string
		acknowledged := 0
		for lines.Scan() {
			if id == "" {
				id = lines.Text()
				continue
			}
			n, err := strconv.Atoi(lines.Text())
			if err != nil {
				break // a line that the kill cut
			}
			acknowledged = n
			if n == 20+round%20*7 {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // killed
		if acknowledged < 20 {
			t.Fatalf("the helper ended after %d messages", acknowledged)
		}
		s, err := Open(t.Context(), dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Check(t.Context()); err != nil {
			t.Error(err)
		}
		c, err := s.Latest(t.Context())
		if err != nil || c.ID != id {
			t.Fatalf("offered %q (%v), want %q", c.ID, err, id)
		}
		_, said, err := s.Resume(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if len(said) < 2*acknowledged || len(said)%2 != 0 {
			t.Errorf("%d messages of %d acknowledged pairs", len(said), acknowledged)
		}
		for i, m := range said {
			n := i/2 + 1
			if want := strconv.Itoa(n) + " " + strings.Repeat("x", n%5000); m.Content != want {
				t.Fatalf("message %d is %.20q, want %.20q", i, m.Content, want)
			}
		}
		if err := errors.Join(s.End(t.Context(), id), s.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// askAndWait stores a reply with three calls of which one has a result.
func askAndWait(ctx context.Context, dir string) int {
	s, err := Open(ctx, dir, Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	c, err := s.Create(ctx, "local", "m")
	if err == nil {
		err = s.Append(ctx, c.ID, Message{Role: User, Content: "go"},
			Message{Role: Assistant, Calls: []Call{{ID: "a", Name: "time"}, {ID: "b", Name: "run_shell"}, {ID: "c", Name: "grep"}}},
			Message{Role: Tool, Call: "a", Tool: "time", Content: "{}"})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(c.ID)
	time.Sleep(time.Minute)
	return 1
}

func TestACallThatDiedWithItsProcessHasOneUnknownResult(t *testing.T) {
	dir := t.TempDir()
	cmd, lines := startHelper(t, "asker", dir)
	lines.Scan()
	id := lines.Text()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	for round := range 2 {
		s, err := Open(t.Context(), dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, said, err := s.Resume(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		if stored, err := s.Load(t.Context(), id); err != nil || len(stored) != len(said) {
			t.Errorf("%d stored, %d told, %v", len(stored), len(said), err)
		}
		if len(said) != 5 {
			t.Fatalf("round %d: %d messages: %+v", round, len(said), said)
		}
		for i, want := range []string{"b", "c"} {
			m := said[3+i]
			if m.Role != Tool || m.Call != want || !m.IsError || !strings.Contains(m.Content, "unknown: nod ended while this ran") {
				t.Errorf("result %d: %+v", i, m)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// openOnce begins a conversation in a store that may not be there yet.
func openOnce(ctx context.Context, dir string) int {
	s, err := Open(ctx, dir, Options{})
	if err == nil {
		var c Conversation
		if c, err = s.Create(ctx, "local", "m"); err == nil {
			for range 10 {
				err = errors.Join(err, s.Append(ctx, c.ID, Message{Role: User, Content: "hello"}))
			}
		}
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestProcessesThatStartTogetherShareOneStore(t *testing.T) {
	dir := t.TempDir()
	const processes = 4
	var cmds []*exec.Cmd
	for range processes {
		cmd, _ := startHelper(t, "opener", dir)
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	list, err := open(t, dir, Options{}).List(t.Context(), 0)
	if err != nil || len(list) != processes {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, c := range list {
		if c.Messages != 10 {
			t.Errorf("%+v", c)
		}
	}
}

// writeMany writes as much as it can beside another process.
func writeMany(ctx context.Context, dir string) int {
	s, err := Open(ctx, dir, Options{})
	if err == nil {
		var c Conversation
		c, err = s.Create(ctx, "local", "m")
		for n := 0; n < many(25, 1000) && err == nil; n++ {
			err = s.Append(ctx, c.ID, Message{Role: User, Content: "x"})
		}
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func TestTwoProcessesThatWriteAreNeverBusy(t *testing.T) {
	dir := t.TempDir()
	var cmds []*exec.Cmd
	for range 2 {
		cmd, _ := startHelper(t, "pair", dir)
		cmds = append(cmds, cmd)
	}
	for _, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	list, err := open(t, dir, Options{}).List(t.Context(), 0)
	if err != nil || len(list) != 2 || list[0].Messages != many(25, 1000) || list[1].Messages != many(25, 1000) {
		t.Fatalf("%+v, %v", list, err)
	}
}

func TestTwoWritersLoseNothing(t *testing.T) {
	dir := t.TempDir()
	each := many(25, 500)
	stores := []*Store{open(t, dir, Options{}), open(t, dir, Options{})}
	var wg sync.WaitGroup
	for _, s := range stores {
		for range 2 {
			id := create(t, s)
			wg.Go(func() {
				for range each {
					if err := s.Append(t.Context(), id, Message{Role: User, Content: "x"}); err != nil {
						t.Error(err)
					}
				}
			})
		}
	}
	wg.Wait()
	list, err := stores[0].List(t.Context(), 0)
	if err != nil || len(list) != 4 {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, c := range list {
		if c.Messages != each {
			t.Errorf("%+v", c)
		}
	}
}
