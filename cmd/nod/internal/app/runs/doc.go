// Package runs knows what ran in conversations, for the timeline.
//
// What runs in this process, the [Log] hears from the recorder as it is put on record.
// What ran before, in a conversation that is taken up again, it reads from the ledger when
// it is first asked: in the background of whoever asks, once for each conversation.
package runs
