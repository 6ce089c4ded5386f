// Package typeahead keeps dialogs from being answered by accident: by keys that
// were typed before the dialog was seen, by a key that is held down, by a paste.
//
// A dialog has a [Guard], tells it when it is painted and asks it before it
// takes any input. Nothing counts until the dialog has been on the screen for
// [Shown] and then for [Quiet] without input. After [Limit], input that is not
// typed no longer delays anything, and every answer but an approval can be
// given; an approval always wants a pause before its key.
//
// A key that decides something stands alone ([Guard.Decide]): what comes within
// [Alone] of another key is a paste that the terminal did not mark as one, or was
// typed before and delivered in one piece. None of it counts.
package typeahead
