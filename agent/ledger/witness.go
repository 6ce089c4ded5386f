package ledger

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strconv"
	"time"
)

// Head is the last record of a ledger at some time.
type Head struct {
	Ledger  string // tells ledgers apart; no secret
	Records uint64
	Seal    string
	What    string // the record's type
}

// String is the line that witnesses keep and Compare reads.
func (h Head) String() string {
	return fmt.Sprintf("ledger %s record %d head %s %s", h.Ledger, h.Records, h.Seal, h.What)
}

// Witness keeps heads somewhere that who rewrites the ledger cannot reach. Tell
// is called after a record is on disk; it must not take long. Its error fails
// nothing; Warning tells of it.
type Witness interface {
	Tell(h Head) error
	io.Closer
}

// The sockets of the system's logs.
const (
	syslogSocket  = "/dev/log"
	journalSocket = "/run/systemd/journal/socket"
)

// tellWithin bounds how long a log may take for a line.
const tellWithin = 50 * time.Millisecond

// Syslog is a witness in the system's log (RFC 3164, facility authpriv).
func Syslog() Witness { return &logWitness{socket: syslogSocket, encode: syslogLine} }

// Journald is a witness in systemd's journal, with fields NOD_LEDGER, NOD_RECORD
// and NOD_HEAD.
func Journald() Witness { return &logWitness{socket: journalSocket, encode: journalEntry} }

// logWitness writes to a local socket, a datagram a head.
type logWitness struct {
	socket string
	encode func(h Head) []byte
	conn   net.Conn
}

// Tell implements [Witness]. A log that was started anew is found again.
func (w *logWitness) Tell(h Head) error {
	for try := 0; ; try++ {
		err := w.tell(h)
		if err == nil || try == 1 {
			return err
		}
	}
}

func (w *logWitness) tell(h Head) (err error) {
	if w.conn == nil {
		if w.conn, err = net.DialTimeout("unixgram", w.socket, tellWithin); err != nil {
			return err
		}
	}
	if err = w.conn.SetWriteDeadline(time.Now().Add(tellWithin)); err == nil {
		_, err = w.conn.Write(w.encode(h))
	}
	if err != nil {
		err = errors.Join(err, w.Close())
	}
	return err
}

// Close implements [io.Closer].
func (w *logWitness) Close() error {
	if w.conn == nil {
		return nil
	}
	conn := w.conn
	w.conn = nil
	return conn.Close()
}

func syslogLine(h Head) []byte {
	const authprivNotice = 10*8 + 5
	return fmt.Appendf(nil, "<%d>%s nod[%d]: %s", authprivNotice, time.Now().Format(time.Stamp), os.Getpid(), h)
}

func journalEntry(h Head) []byte {
	return fmt.Appendf(nil, "MESSAGE=%s\nPRIORITY=5\nSYSLOG_FACILITY=10\nSYSLOG_IDENTIFIER=nod\nNOD_LEDGER=%s\nNOD_RECORD=%d\nNOD_HEAD=%s\n",
		h, h.Ledger, h.Records, h.Seal)
}

// headLine finds a head in a line of a log.
var headLine = regexp.MustCompile(`\bledger ([0-9a-f]{16}) record ([0-9]{1,19}) head ([0-9a-f]{64})\b`)

// name tells this ledger from others.
func (s *sealer) name() string { return string(s.seal([]byte("name of the ledger"))[:16]) }

// Compare proves the ledger in dir, and that it is the one whose heads stand in
// a log: it finds a ledger that was put back to an older state as a whole. The
// report says how many heads were found; heads of other ledgers do not count.
// The error is a *Fault that names the first record that the log has otherwise.
func Compare(dir string, log io.Reader) (report Report, heads int, err error) {
	s, err := snapshot(dir)
	if err != nil {
		return Report{}, 0, fmt.Errorf("ledger: read %q: %w", dir, err)
	}
	name, err := s.seal.name(), s.log.Close()
	if err != nil {
		return Report{}, 0, fmt.Errorf("ledger: %w", err)
	}
	known, most, err := headsIn(log, name)
	if err != nil {
		return Report{}, 0, err
	}
	open := map[string]string{}
	var differs *Fault
	end, err := walk(dir, func(p position, text []byte) error {
		track(open, text)
		for _, seal := range known[p.seq] {
			heads++
			if differs == nil && seal != string(p.prev[:]) {
				differs = &Fault{Record: p.seq, Reason: "the log knows another one in its place: the ledger was put back to an older state and went on from there, or is another one"}
			}
		}
		return nil
	})
	report = Report{Records: end.seq, Head: string(end.prev[:]), Bytes: end.size, Open: len(open)}
	switch {
	case err != nil:
		return report, heads, err
	case differs != nil:
		return report, heads, differs
	case most > end.seq:
		return report, heads, &Fault{Record: end.seq + 1, Reason: fmt.Sprintf("it is missing: the log knows of %d records, the ledger of %d: an older ledger was put in place", most, end.seq)}
	}
	return report, heads, nil
}

// headsIn reads the heads of one ledger from a log.
func headsIn(log io.Reader, name string) (known map[uint64][]string, most uint64, err error) {
	known = map[uint64][]string{}
	lines := bufio.NewScanner(log)
	lines.Buffer(make([]byte, 0, 64<<10), 16<<20)
	for lines.Scan() {
		for _, found := range headLine.FindAllSubmatch(lines.Bytes(), -1) {
			n, err := strconv.ParseUint(string(found[2]), 10, 64)
			if err != nil || string(found[1]) != name {
				continue
			}
			known[n] = append(known[n], string(found[3]))
			most = max(most, n)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, 0, fmt.Errorf("ledger: read the log: %w", err)
	}
	return known, most, nil
}

// witness tells the witness of the record that was just written.
func (l *Ledger) witness(text []byte) {
	if l.told == nil {
		return
	}
	h := Head{Ledger: l.name, Records: l.at.seq, Seal: string(l.at.prev[:])}
	h.What, _, _, _ = peek(text)
	l.untold = l.told.Tell(h)
}
