package ledger

import (
	"bytes"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
)

// systemLog is a log that keeps what it is sent.
type systemLog struct {
	conn *net.UnixConn
	text bytes.Buffer
}

func newSystemLog(t *testing.T, socket string) *systemLog {
	t.Helper()
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	must(t, err)
	t.Cleanup(func() { _ = conn.Close() }) // some tests have closed it
	return &systemLog{conn: conn}
}

// take reads n messages.
func (l *systemLog) take(t *testing.T, n int) {
	t.Helper()
	buffer := make([]byte, 4096)
	for range n {
		k, err := l.conn.Read(buffer)
		must(t, err)
		l.text.Write(append(buffer[:k:k], '\n'))
	}
}

func (l *systemLog) reader() io.Reader { return bytes.NewReader(l.text.Bytes()) }

// TestAWitnessRefutesARollback: a folder that was put back as a whole holds by
// itself, and the log says that it is not the one that was.
func TestAWitnessRefutesARollback(t *testing.T) {
	for name, encode := range map[string]func(Head) []byte{"syslog": syslogLine, "journald": journalEntry} {
		t.Run(name, func(t *testing.T) {
			dir, socket := folder(t), filepath.Join(t.TempDir(), "log")
			log := newSystemLog(t, socket)
			l, err := Open(dir, Options{Witness: &logWitness{socket: socket, encode: encode}})
			must(t, err)
			for range 3 {
				must(t, l.Conclude(intend(t, l, "true"), Conclusion{Outcome: Exited}))
			}
			older := copyOf(t, dir)
			for range 2 {
				must(t, l.Conclude(intend(t, l, "rm -rf /srv"), Conclusion{Outcome: Exited}))
			}
			if w := l.Warning(); w != "" {
				t.Error(w)
			}
			must(t, l.Close())
			log.take(t, 10)

			report, heads, err := Compare(dir, log.reader())
			if err != nil || heads != 10 || report.Records != 10 {
				t.Errorf("%+v, %d heads, %v", report, heads, err)
			}
			older.store(t, dir)
			verified(t, dir) // by itself it holds
			var fault *Fault
			if _, _, err := Compare(dir, log.reader()); !errors.As(err, &fault) || fault.Record != 7 {
				t.Errorf("put back: %v", err)
			}
			for range 5 { // and goes on from there, past the number of before
				intend(t, open(t, dir), "true")
			}
			verified(t, dir)
			if _, _, err := Compare(dir, log.reader()); !errors.As(err, &fault) || fault.Record != 7 {
				t.Errorf("put back and went on: %v", err)
			}
			other := folder(t)
			intend(t, open(t, other), "true")
			if _, heads, err := Compare(other, log.reader()); err != nil || heads != 0 {
				t.Errorf("the heads of another ledger count: %d, %v", heads, err)
			}
		})
	}
}

// TestAWitnessThatIsAwayStopsNothing: it is told, and found again.
func TestAWitnessThatIsAwayStopsNothing(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "log")
	l, err := Open(folder(t), Options{Witness: &logWitness{socket: socket, encode: syslogLine}})
	must(t, err)
	t.Cleanup(func() { must(t, l.Close()) })
	intend(t, l, "true")
	if !strings.Contains(l.Warning(), "not copied") || l.Healthy() != nil {
		t.Errorf("warning %q, healthy %v", l.Warning(), l.Healthy())
	}
	log := newSystemLog(t, socket)
	intend(t, l, "true")
	if w := l.Warning(); w != "" {
		t.Error(w)
	}
	log.take(t, 1)
	if text := log.text.String(); !strings.Contains(text, "record 2 head ") {
		t.Error(text)
	}
	must(t, log.conn.Close())
	intend(t, l, "true")
	if l.Warning() == "" {
		t.Error("nobody hears it, and nobody is told")
	}
}
