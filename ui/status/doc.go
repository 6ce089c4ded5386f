// Package status draws the console's first and last line: where commands run
// and what holds there, and which keys do what and what is running.
//
// Both are pure functions of what they are given. Where the line is too short,
// the least important part goes first; the target and its trust never go. A
// state is always a word; colour only repeats it.
package status
