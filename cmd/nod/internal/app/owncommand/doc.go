// Package owncommand is commands of the operator's own: the [command.NAME] sections of
// the configuration.
//
// A command is a prompt for the model, or a line that runs in the terminal, with
// arguments. [Command.Line] is what the operator would have written instead, so that a
// command can do nothing that they could not: what it runs is judged, asked and recorded
// like anything else.
//
// # Design
//
// Values are put into a command line as single words, quoted for the shell. The command
// line itself is the operator's, and not checked here.
package owncommand
