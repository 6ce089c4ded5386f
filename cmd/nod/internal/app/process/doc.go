// Package process is nod as a process among others: its streams and environment
// ([System]), the signals that end it ([Signals]) or suspend it ([JobControl]), the
// operator's editor, and its exit statuses.
package process
