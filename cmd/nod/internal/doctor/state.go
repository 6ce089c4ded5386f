package doctor

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/nod-console/nod/agent/ledger"
	"github.com/nod-console/nod/cmd/nod/internal/app/record"
	"github.com/nod-console/nod/cmd/nod/internal/config"
)

func (e *examination) checkState() Finding {
	dir, err := config.StateDir(e.sys.Getenv)
	if err != nil {
		return verdictOf("state", "", err, "give nod a folder that it can write: its record and conversations are kept there")
	}
	return checkRoom(dir)
}

// checkRoom finds a disk on which nothing that acts may run, or soon.
func checkRoom(dir string) Finding {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return verdictOf("state", "", fmt.Errorf("%s: %w", dir, err), "set NOD_STATE_DIR to a folder on another disk")
	}
	left := max(0, int64(s.Bavail)) * int64(s.Bsize) //nolint:gosec // no disk has 2^63 bytes; FreeBSD counts below 0 what is kept for root
	f := Finding{Check: "state", OK: true, Detail: dir}
	if left < ledger.WarnBelow {
		f.OK, f.Optional = false, left >= ledger.RefuseBelow
		f.Detail = fmt.Sprintf("%s has %d MiB left; below %d MiB nothing that acts may run", dir, left>>20, ledger.RefuseBelow>>20)
		f.Fix = "make room there, or set NOD_STATE_DIR to a folder on another disk"
	}
	return f
}

func (e *examination) checkLedger() Finding {
	state, err := config.StatePath(e.sys.Getenv)
	if err != nil {
		return Finding{Check: "record", Detail: err.Error(), Fix: "set NOD_STATE_DIR"}
	}
	report, err := ledger.Verify(config.LedgerDir(state), record.HeadsDir(e.sys.Getenv))
	if errors.Is(err, ledger.ErrNone) {
		return Finding{Check: "record", OK: true, Detail: "empty: nothing has run yet"}
	}
	return verdictOf("record", fmt.Sprintf("%d records, unbroken", report.Records), err, "keep a copy and look at nod audit show")
}

// checkClock finds a clock that cannot be right: records carry its time.
func checkClock(now time.Time) Finding {
	if now.Year() < 2025 {
		return Finding{Check: "clock", Detail: "the clock says " + now.Format(time.RFC3339), Fix: "set the clock: the record carries its time"}
	}
	return Finding{Check: "clock", OK: true, Detail: now.Format(time.RFC3339)}
}
