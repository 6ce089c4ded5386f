// Package controller stands between the console and the agent: it gives the console its
// callbacks, and shows the panes and targets of a [app.Core].
//
// The first frame is drawn before the Core is open; callbacks wait for it. One conversation
// is in progress at a time.
//
// A prompt goes console -> Controller.submit -> turn -> model; a command's output goes the
// other way, target -> pane -> feed -> console, and never waits for the console.
package controller
