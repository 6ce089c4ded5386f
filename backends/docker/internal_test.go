package docker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/nod-console/nod/backends"
)

func TestWaitStatuses(t *testing.T) {
	for said, want := range map[string]backends.Outcome{
		"0": backends.ExitedWith(0), "137": backends.ExitedWith(137), "255": backends.ExitedWith(255),
		"265":       backends.EndedBy(backends.KILL),  // gawk, mawk
		"523":       backends.EndedBy("SEGV"),         // gawk, with a core
		"0.0351562": backends.EndedBy(backends.KILL),  // an old gawk: 9/256
		"":          {}, "x": {}, "-1": {}, "1e9": {}, // nothing that is known
	} {
		if got := byWaitStatus(said); got != want {
			t.Errorf("%q: %s, want %s", said, got, want)
		}
	}
}

// Of several engines that do not answer, the one that is there is told.
func TestTheErrorThatTellsMost(t *testing.T) {
	fail := func(url string, why error) error { return &EngineError{Address: Address{URL: url}, Err: why} }
	none, denied := fail("unix:///a", ErrNoEngine), fail("unix:///b", ErrDenied)
	if err := worst([]error{none, denied}); !errors.Is(err, ErrDenied) {
		t.Errorf("%v", err)
	}
	err := worst([]error{none, fail("unix:///c", ErrNoEngine)})
	if !errors.Is(err, ErrNoEngine) || !strings.Contains(err.Error(), "unix:///a") || !strings.Contains(err.Error(), "unix:///c") {
		t.Errorf("%v", err)
	}
}

// A number that may stand for a signal is no outcome.
func TestWhatMayBeASignalIsUnknown(t *testing.T) {
	for code, want := range map[int]backends.Outcome{
		0: backends.ExitedWith(0), 1: backends.ExitedWith(1), 128: backends.ExitedWith(128), 255: backends.ExitedWith(255),
		129: {}, 137: {}, 143: {}, 192: {},
	} {
		p := &process{t: &Target{name: "docker:x"}}
		p.exited(code)
		if p.told != want || (p.why == nil) != (want.State != backends.Unknown) {
			t.Errorf("%d: %s, %v", code, p.told, p.why)
		}
	}
}

func TestActionsAreMatchedByPrefix(t *testing.T) {
	for action, want := range map[string]string{
		"start": "start", "health_status: healthy": "health_status", "destroy": "destroy", "remove": "remove", "died": "died",
		"exec_start: sh -c start": "", "exec_die": "", "starting": "", "attach": "", "": "",
	} {
		if got, ok := relevant(action); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", action, got, ok)
		}
	}
}

func TestHealthInStatus(t *testing.T) {
	for status, want := range map[string]string{
		"Up 2 minutes (healthy)": "healthy", "Up 2 minutes (unhealthy)": "unhealthy", "Up 1 second (health: starting)": "starting",
		"Up 2 minutes": "", "Up 2 minutes (Paused)": "", "Exited (0) 2 hours ago": "",
	} {
		if got := healthIn(status); got != want {
			t.Errorf("%q: %q", status, got)
		}
	}
}

// Podman's own words at the end of a stream are not the program's; the same words
// anywhere else are.
func TestPodmansOwnWordsAreNoOutput(t *testing.T) {
	const words = "Error: read unixpacket @->/proc/self/fd/16/attach: read: connection reset by peer\n"
	for _, c := range []struct {
		frames []string
		want   string
	}{
		{[]string{"a\n", words}, "a\n"},
		{[]string{"a\n", words, "b\n"}, "a\n" + words + "b\n"},
		{[]string{"it says " + words}, "it says " + words},
	} {
		var stream, got bytes.Buffer
		for _, f := range c.frames {
			stream.Write(frame(1, f))
		}
		o := newOutputs(closed{&stream}, backends.Command{Stdout: &got})
		o.admit()
		o.run(true)
		if got.String() != c.want {
			t.Errorf("%q: %q", c.frames, got.String())
		}
	}
}

func frame(which byte, s string) []byte {
	h := []byte{which, 0, 0, 0, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(h[4:], uint32(len(s)))
	return append(h, s...)
}

// closed is a stream that is only read.
type closed struct{ *bytes.Buffer }

func (closed) Close() error      { return nil }
func (closed) CloseWrite() error { return nil }

// Whatever an engine sends: no panic, no more bytes than came.
func FuzzUnframe(f *testing.F) {
	f.Add(append(frame(1, "out"), frame(2, "err")...))
	f.Add([]byte{1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 'x'})
	f.Add([]byte("Error"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := 0
		_ = unframe(bytes.NewReader(data), make([]byte, 7), func(_ byte, p []byte) { n += len(p) }) // ends with the data
		if n > len(data) {
			t.Errorf("%d of %d bytes", n, len(data))
		}
	})
}
