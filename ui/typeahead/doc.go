// Package typeahead keeps dialogs from being answered by accident: by keys that
// were typed before the dialog was seen, by a key that is held down, by a paste.
//
// A dialog has a [Guard], tells it when it is painted and asks it before it
// takes any input. Nothing counts until the dialog has been on the screen for
// [Shown] and then for [Quiet] without input. After [Limit], input that is not
// typed no longer delays anything, and every answer but an approval can be
// given; an approval always wants a pause before its key.
//
// A key that decides something stands alone ([Guard.Decide]): it takes effect when
// nothing else has been pressed for [Alone], and any other key cancels it. A key that
// shared a read of the terminal with something else never decides, whatever the clock
// says: it is a paste that the terminal did not mark as one, or was typed before and
// delivered in one piece. After keys that were not alone there must be a [Rest].
//
// # Limits
//
// A key is known from what reaches this machine. Somebody who types one letter, waits
// for longer than Alone and types on has given an answer, and so has a key that is
// held down on a keyboard which begins to repeat it later than that.
package typeahead
