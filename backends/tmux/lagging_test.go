package tmux_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nod-console/nod/backends"
	"github.com/nod-console/nod/backends/backendtest"
	"github.com/nod-console/nod/backends/tmux"
)

// stopped is who does not take any more output once something has come, like a
// process that was stopped or one behind a dead link.
type stopped struct {
	once   sync.Once
	came   chan struct{}
	resume chan struct{}
}

func (s *stopped) Output(string, []byte) {
	s.once.Do(func() { close(s.came) })
	<-s.resume
}

func (s *stopped) Notify(string, string) {}

// Several times, since without relief it depends on how full tmux's buffers are
// whether the pane goes on. Nor is its end the end of the server, whatever it has
// not read yet: that would be seen about one time in thirty.
func TestAConnectionThatIsNotReadStopsNoPane(t *testing.T) {
	t.Parallel()
	tries := 1
	if os.Getenv("NOD_E2E") == "1" {
		tries = 3
	}
	for try := range tries {
		t.Run(strconv.Itoa(try), func(t *testing.T) {
			t.Parallel()
			s, _, _ := server(t) // of its own: clients of other sessions would be a relief
			count := filepath.Join(t.TempDir(), "count")
			flood := fmt.Sprintf("i=0; while :; do i=$((i+1)); echo $i >%[1]s.new; mv %[1]s.new %[1]s; seq 1 20000; sleep 0.02; done", count)
			name := tmux.Prefix + "t-" + strconv.Itoa(try)
			_, err := s.Create(t.Context(), tmux.NewSession{
				Name: name, Window: "shared", Owner: tmux.Owner(), Size: backends.Size{Cols: 80, Rows: 24}, Shell: []string{"sh", "-c", flood},
			})
			if err != nil {
				t.Fatal(err)
			}
			to := &stopped{came: make(chan struct{}), resume: make(chan struct{})}
			c, err := s.Attach(t.Context(), name, to)
			if err != nil {
				t.Fatal(err)
			}
			panes, err := s.Panes(t.Context(), name)
			if err != nil || len(panes) != 1 {
				t.Fatalf("panes %v, %v", panes, err)
			}
			defer func() { // the program writes into the folder that is about to go
				if _, err := s.Run(context.Background(), "kill-server"); err != nil {
					t.Errorf("the server has ended with the connection: %v", err)
				}
				for limit := time.Now().Add(patience); syscall.Kill(panes[0].Pid, 0) == nil; time.Sleep(10 * time.Millisecond) {
					if time.Now().After(limit) {
						t.Error("the program does not end")
						return
					}
				}
			}()
			defer c.Close()
			defer close(to.resume)
			<-to.came
			// The pipe and tmux's buffers are full after the first round.
			first := counted(count)
			limit := time.Now().Add(time.Minute)
			for counted(count) < first+8 {
				if time.Now().After(limit) {
					t.Fatalf("the program stands still in round %d", counted(count))
				}
				time.Sleep(10 * time.Millisecond)
			}
		})
	}
}

// counted is the number in a file, 0 if there is none.
func counted(file string) int {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	return n
}

func TestTheClientBesideAConnectionEndsWithIt(t *testing.T) {
	t.Parallel()
	s, _, _ := server(t)
	_, c, _ := create(t, s, tmux.Prefix+"t-main", "sh")
	clients := func() string {
		out, err := s.Run(t.Context(), "list-clients", "-F", "#{client_pid} #{client_flags}")
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	wait := func(what string, ok func() bool) {
		t.Helper()
		if !backendtest.Soon(time.Minute, ok) {
			t.Fatalf("waited for %s: %s", what, clients())
		}
	}
	wait("both", func() bool { return strings.Count(clients(), "\n") == 2 && strings.Count(clients(), "no-output") == 1 })
	c.Close()
	wait("none", func() bool { return clients() == "" })
}

// A connection that its owner has lost without word, as over a dead link, is ended
// by who takes the session over, and the server can end then. On the operator's
// session only one's own is.
func TestClientsThatAreLeftBehindAreEnded(t *testing.T) {
	t.Parallel()
	s, target, socket := server(t)
	if !s.Version().Has(tmux.ClientFlags) {
		t.Skip("clients of so old a tmux have no name of their own")
	}
	other, err := tmux.Open(t.Context(), target, tmux.Options{Socket: socket, Config: "/dev/null"})
	if err != nil {
		t.Fatal(err)
	}
	_, theirs, _ := create(t, other, tmux.Prefix+"t-main", "cat")
	ours, err := s.Visit(t.Context(), tmux.Prefix+"t-main", newRecorder())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.EndVisits(t.Context(), tmux.Prefix+"t-main"); err != nil {
		t.Fatal(err)
	}
	<-ours.Done()
	if theirs.Err() != nil {
		t.Errorf("the other's: %v", theirs.Err())
	}
	if err := s.EndClients(t.Context(), tmux.Prefix+"t-main"); err != nil {
		t.Fatal(err)
	}
	<-theirs.Done()
	if out, err := s.Run(t.Context(), "list-clients"); err != nil || len(out) > 0 {
		t.Errorf("clients %q, %v", out, err)
	}
}
