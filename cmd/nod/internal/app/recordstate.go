package app

import (
	"context"
	"errors"
	"time"

	"github.com/nod-console/nod/agent/ledger"
)

// alarmEvery is the time between two questions how much is left on the disk of the record,
// which no event tells. While all stays well it becomes longer, up to alarmMost. A write
// that fails shows at once.
const (
	alarmEvery = 500 * time.Millisecond
	alarmMost  = 4 * time.Second
)

// WatchRecord calls changed with what is wrong with the record, whenever that is
// something else, until ctx ends: grave if nothing that acts may run. An empty
// text says that all is well.
func (h *Core) WatchRecord(ctx context.Context, changed func(text string, grave bool)) {
	pause := time.NewTimer(alarmEvery)
	defer pause.Stop()
	every := alarmEvery
	for was := ""; ; {
		text, grave := RecordState(h)
		if text != was {
			changed(text, grave)
			was = text
		}
		if text != "" {
			every = alarmEvery
		}
		pause.Reset(every)
		select {
		case <-pause.C:
			every = min(2*every, alarmMost)
		case <-h.recorder.Changed:
			every = alarmEvery
		case <-ctx.Done():
			return
		}
	}
}

// RecordState is what the operator should know of the record, or nothing. It is
// grave if nothing that acts may run.
func RecordState(h *Core) (text string, grave bool) {
	if err := h.recorder.Healthy(); err != nil {
		return "only plain looks run now: " + err.Error(), true
	}
	return h.Ledger.Warning(), false
}

// closeLedger closes the record. Records that are kept for the next start are no
// failure, and are told.
func (h *Core) closeLedger() error {
	err := h.Ledger.Close()
	var kept *ledger.Spooled
	if errors.As(err, &kept) && h.warn != nil {
		h.warn(kept.Error())
		return nil
	}
	return err
}
