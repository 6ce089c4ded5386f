// Package process is nod as a process among others: its streams ([System]), its
// environment ([Environment]), the signals that end it ([Signals]) or suspend it ([JobControl]), the
// operator's editor, and its exit statuses.
package process
