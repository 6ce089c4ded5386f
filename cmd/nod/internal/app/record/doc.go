// Package record keeps what ran on record: the ledger and the recordings of panes as one.
//
// A [Recorder] lets nothing run unless both can be written. [Lost] finds a record that was
// removed, [CheckRecordings] recordings that were changed, and [Find] the recording that an
// operator means.
package record
