package ssh

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nod-console/nod/backends"
)

// pipes is a session whose streams a test writes.
type pipes struct {
	out, errs       *io.PipeReader
	toOut, toErr    *io.PipeWriter
	over, goneAfter chan struct{}
	result          backends.Outcome
	deaf            bool // close ends nothing
}

var _ session = (*pipes)(nil)

func newPipes() *pipes {
	p := &pipes{over: make(chan struct{}), goneAfter: make(chan struct{})}
	p.out, p.toOut = io.Pipe()
	p.errs, p.toErr = io.Pipe()
	return p
}

func (p *pipes) Read(b []byte) (int, error)  { return p.out.Read(b) }
func (p *pipes) Write(b []byte) (int, error) { return len(b), nil }
func (p *pipes) stderr() io.Reader           { return p.errs }
func (p *pipes) closeInput() error           { return nil }
func (p *pipes) refuseOutput() bool          { return true }
func (p *pipes) signal(string) error         { return nil }
func (p *pipes) resize(backends.Size) error  { return nil }
func (p *pipes) ended() <-chan struct{}      { return p.over }
func (p *pipes) outcome() backends.Outcome   { return p.result }
func (p *pipes) gone() <-chan struct{}       { return p.goneAfter }

// close has the server answer at once.
func (p *pipes) close() {
	if p.deaf {
		return
	}
	_ = p.toOut.Close() // gives no error
	_ = p.toErr.Close()
}

// say writes to the output, as the launcher and then the program.
func (p *pipes) say(text string) { _, _ = p.toOut.Write([]byte(text)) } // a session that was closed takes none

// Output counts as complete only when nothing has come for DrainDelay and the other
// side has answered since: pauses do not add up, and a link that says nothing for a
// while costs nothing.
func TestNoClockCutsOutput(t *testing.T) {
	for _, c := range []struct {
		name   string
		pauses []time.Duration // in front of each piece, after the program's end
		answer time.Duration   // the other side's
		stays  bool            // the stream open
		deaf   bool            // the server, to the session's close
		want   string
		notice string
		within time.Duration // of the program's end
	}{
		{"pauses do not add up", []time.Duration{200 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond, 200 * time.Millisecond}, 0, false, false, "........", "", 900 * time.Millisecond},
		{"a link that stands still", []time.Duration{3 * time.Second}, 4 * time.Second, false, false, ".....", "", 5 * time.Second},
		{"a child holds it open", nil, 0, true, false, "....", backends.OutputOpen, time.Second},
		{"a child that writes now and then", []time.Duration{time.Second}, 0, true, false, "....", backends.OutputOpen, time.Second},
		{"a window that holds it back", slices.Repeat([]time.Duration{50 * time.Millisecond}, 100), 0, false, false, strings.Repeat(".", 4+100*4096), "", 6 * time.Second},
		{"a child that never pauses", slices.Repeat([]time.Duration{10 * time.Millisecond}, 3000), 500 * time.Millisecond, true, false, "", backends.OutputOpen, 2 * time.Second},
		{"a child that goes on behind the close", slices.Repeat([]time.Duration{10 * time.Millisecond}, 6000), 0, true, true, "", backends.OutputOpen, 13 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newPipes()
				s.deaf = c.deaf
				var out bytes.Buffer
				st := newStreams(s, backends.Command{Stdout: &out}, "nonce")
				go s.say("nonce ok 7\n....")
				<-st.begun
				synctest.Wait()
				go func() {
					for _, pause := range c.pauses {
						time.Sleep(pause)
						s.say(strings.Repeat(".", max(1, (len(c.want)-4)/len(c.pauses))))
					}
					if !c.stays {
						s.close()
					}
				}()
				ended := time.Now()
				notice := st.finish(func() { time.Sleep(c.answer) })
				if c.want != "" && out.String() != c.want || !strings.HasPrefix(out.String(), "....") || notice != c.notice {
					t.Errorf("%q, %q; want %q, %q", out.String(), notice, c.want, c.notice)
				}
				if took := time.Since(ended); took > c.within {
					t.Errorf("after %v; want %v at most", took, c.within)
				}
				s.deaf = false
				s.close()
				time.Sleep(time.Minute) // what the test has started ends
			})
		})
	}
}

// Only what the server says of a session that ended without the launcher's word
// tells that nothing was run.
func TestASilentSessionIsUnsureUnlessItsEndIsKnown(t *testing.T) {
	for _, c := range []struct {
		name    string
		outcome backends.Outcome
		ends    bool
		unsure  bool
	}{
		{"the login shell ended", backends.ExitedWith(1), true, false},
		{"the link was lost", backends.Outcome{}, true, true},
		{"nothing is said of its end", backends.Outcome{}, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newPipes()
				p := &process{c: &Conn{down: make(chan struct{})}, s: s}
				p.streams = newStreams(s, backends.Command{}, "nonce")
				go func() {
					_ = s.toOut.Close() // gives no error
					<-p.streams.begun
					time.Sleep(time.Second)
					_ = s.toErr.Close()
					if s.result = c.outcome; c.ends {
						close(s.over)
					}
				}()
				err := p.silent()
				if errors.Is(err, ErrUnsure) != c.unsure || strings.Contains(err.Error(), "not started") == c.unsure {
					t.Errorf("%v", err)
				}
				s.close()
				synctest.Wait()
			})
		})
	}
}
