package ledger

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"
)

// Head is the last record of a ledger at some time.
type Head struct {
	Ledger  string // tells ledgers apart; no secret
	Records uint64
	Seal    string
	What    string // the record's type
	Root    string // the public key of the first epoch, in hexadecimal; may be empty
}

// String is the line that witnesses keep and Compare reads.
func (h Head) String() string {
	text := fmt.Sprintf("ledger %s record %d head %s %s", h.Ledger, h.Records, h.Seal, h.What)
	if h.Root != "" {
		text += " root " + h.Root
	}
	return text
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

// SystemLog is a witness in the system's log, journald's where there is one, else
// syslog's; nil if there is neither. That it goes away is not an error: nobody asked
// for it.
func SystemLog() Witness {
	for _, log := range []struct {
		socket string
		of     func() Witness
	}{{journalSocket, Journald}, {syslogSocket, Syslog}} {
		if info, err := os.Stat(log.socket); err == nil && info.Mode()&os.ModeSocket != 0 {
			return lenient{log.of()}
		}
	}
	return nil
}

// lenient is a witness that may be away.
type lenient struct{ Witness }

// Tell implements [Witness].
func (w lenient) Tell(h Head) error {
	_ = w.Witness.Tell(h) // see SystemLog
	return nil
}

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
var headLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\bledger ([0-9a-f]{16}) record ([0-9]{1,19}) head ([0-9a-f]{64})\b(?: [a-z]* root ([0-9a-f]{64})\b)?`)
})

// name tells this ledger from others.
func (s *sealer) name() string { return string(s.seal([]byte("name of the ledger"))[:16]) }

// known is what a log knows of a ledger.
type known struct {
	seals   map[uint64][]string // by the record's number
	most    uint64              // the highest number
	root    string              // of the first epoch, as the last head has it; empty if none does
	found   int                 // heads that records were held against
	differs uint64              // the first record that is another one; 0 if none is
	foreign bool                // the ledger's first epoch is another one
}

// meet takes the record at p.
func (k *known) meet(p position) {
	if k == nil {
		return
	}
	for _, seal := range k.seals[p.seq] {
		k.found++
		if k.differs == 0 && seal != string(p.prev[:]) {
			k.differs = p.seq
		}
	}
}

// Compare proves the ledger in dir, and that it is the one whose heads stand in
// a log: it finds a ledger that was put back to an older state as a whole. The
// report says how many heads were found; heads of other ledgers do not count.
// The error is a *Fault that names the first record that the log has otherwise.
func Compare(dir string, log io.Reader) (report Report, heads int, err error) {
	name, err := Name(dir)
	if err != nil {
		return Report{}, 0, err
	}
	k, err := headsIn(log, name)
	if err != nil {
		return Report{}, 0, err
	}
	report, err = verify(dir, k)
	if what := k.missing("the log", report.Records); err == nil && what != "" {
		err = &Fault{Record: cmp.Or(k.differs, report.Records+1), Reason: what}
	}
	return report, k.found, err
}

// headsIn reads the heads of one ledger from a log.
func headsIn(log io.Reader, name string) (*known, error) {
	k := &known{seals: map[uint64][]string{}}
	lines := bufio.NewScanner(log)
	lines.Buffer(make([]byte, 0, 64<<10), 16<<20)
	for lines.Scan() {
		for _, found := range headLine().FindAllSubmatch(lines.Bytes(), -1) {
			n, err := strconv.ParseUint(string(found[2]), 10, 64)
			if err != nil || string(found[1]) != name {
				continue
			}
			k.seals[n] = append(k.seals[n], string(found[3]))
			k.most = max(k.most, n)
			k.root = cmp.Or(string(found[4]), k.root)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("ledger: read the log: %w", err)
	}
	return k, nil
}

// witness tells the witnesses of the record that was just written.
func (l *Ledger) witness(text []byte) {
	h := Head{Ledger: l.name, Records: l.at.seq, Seal: string(l.at.prev[:]), Root: l.seal.root}
	h.What, _, _, _ = peek(text)
	if l.heads != nil {
		_ = l.heads.Tell(h) // see Options.Heads
	}
	if l.told != nil {
		l.untold = l.told.Tell(h)
	}
}
